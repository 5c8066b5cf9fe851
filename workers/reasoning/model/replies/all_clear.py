"""That all is well, as a model claims it: only where incidents and deployments were all looked at, and are well.

Of one thing it may be said by a value; this is about everything, and about what people need not do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.contracts import Evidence
from workers.grounding.health import all_clear

WELL = re.compile(
    r"\b(?:all|every ?thing|(?:all|the) (?:whole )?systems?) (?:is|are|looks?) (?:all )?"
    r"(?:good|well|fine|ok(?:ay)?|clear|normal|healthy|quiet)\b",
    re.IGNORECASE,
)
NOTHING = re.compile(
    r"\bnothing (?:is |looks )?(?:wrong|broken|amiss|to worry about)\b(?! with)|"
    r"\bthere (?:is|are) no (?:problems?|issues?)\b",
    re.IGNORECASE,
)
NO_ACTION = re.compile(
    r"\bno action (?:is )?(?:needed|required|necessary)\b|\b(?:is|are) (?:just |only )?noise\b|"
    r"\bcan (?:be )?(?:safely )?(?:be )?ignored\b",
    re.IGNORECASE,
)


def against_all_clear(text: str, evidence: Sequence[Evidence]) -> str:
    """Why a claim may not say so; empty when it says no such thing, or when it is shown."""
    found = next((m for pattern in (WELL, NOTHING, NO_ACTION) if (m := pattern.search(text))), None)
    if found is None or all_clear(evidence):
        return ""
    return f"“{found.group()}” is more than any evidence shows; say what was looked at"
