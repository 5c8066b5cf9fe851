"""What a section of a postmortem says caused the incident, and what ended it, in its own words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.contracts import Evidence, Fact

CAUSE = re.compile(r"(?:root[- ])?causes?\b[^.:]{0,20}:", re.IGNORECASE)
FIX = re.compile(
    r"(?:what (?:ended|fixed) it|resolution|resolved|fix(?:ed)?|mitigat\w+|recover\w+)\b[^.:]{0,20}:", re.IGNORECASE
)
OF_CAUSE = re.compile(r"(?<!\W)\W*(?:root[- ])?(?:causes?|what (?:happened|went wrong))\b", re.IGNORECASE)
OF_FIX = re.compile(
    r"(?<!\W)\W*(?:resolution|fix(?:es)?|mitigation|recovery|remediation|"
    r"what (?:ended it|fixed it|we (?:changed|did)))\b",
    re.IGNORECASE,
)
UNKNOWN = re.compile(r":[^\w:]*(?:(?:is )?not (?:yet )?known|unknown|unclear|tbd)\b", re.IGNORECASE)
"""What is said of a cause that nobody found."""


def past_facts(item: Evidence, sentences: Sequence[str]) -> dict[str, Fact]:
    """``cause`` and ``fix``: the sentence with such a label, else the first one below such a heading.

    Args:
        item: a section.
        sentences: of it, as a person reads them.
    """
    kind, heading = (str(item.facts[name].value) if name in item.facts else "" for name in ("doc_kind", "heading"))
    if kind != "postmortem":
        return {}
    entity = str(item.facts["path"].value) if "path" in item.facts else ""
    found = {"cause": said(sentences, heading, CAUSE, OF_CAUSE), "fix": said(sentences, heading, FIX, OF_FIX)}
    return {name: Fact(value=text, unit="text", entity=entity) for name, text in found.items() if text}


def said(sentences: Sequence[str], heading: str, label: re.Pattern[str], head: re.Pattern[str]) -> str:
    """The sentence that says it; empty when none does."""
    labelled = [text for text in sentences if label.match(text)] or [*sentences[:1]] * bool(head.match(heading))
    return next((text for text in labelled if not UNKNOWN.search(text)), "")
