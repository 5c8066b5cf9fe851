""" "have we seen this before?" where an incident is followed, in the words of that incident."""

from __future__ import annotations

import re

from workers.incidents.summary.summary_types import Summary

PAST = (
    re.compile(r"\b(?:seen|had|met|hit|happen\w*|encounter\w*)\b.{0,200}\b(?:before|already|earlier)\b", re.IGNORECASE),
    re.compile(
        r"\b(?:similar|past|previous|earlier|prior) (?:incidents?|outages?|postmortems?|cases?|ones?)\b", re.IGNORECASE
    ),
    re.compile(r"\b(?:incidents?|outages?|postmortems?) like (?:this|that|it)\b", re.IGNORECASE),
)
PLAIN = frozenset(
    """a about already an and any anybody anyone anything are been before can case cases could did do does earlier ever
    find for had happen happened happening happens has have here hey hi hit i in incident incidents is issue issues
    it kind know like met of on one ones or oracle our outage outages past please postmortem postmortems previous
    prior problem problems recently same seen show similar so some something sort team that the there these they
    thing things this those time to us was we were what when which with you encountered""".split()
)
"""Words that say nothing of what happened."""
WORD = re.compile(r"[^\W_][\w'-]*")
MOST_LINES, LINE = 2, 160


def asks_bare(text: str) -> bool:
    """Whether someone asks for incidents of the past without a word of what this one is about."""
    return any(form.search(text) for form in PAST) and all(word.lower() in PLAIN for word in WORD.findall(text))


def in_its_words(text: str, summary: Summary, title: str) -> str:
    """The question with what the incident is about: its title, what is known, else what is supposed, else its impact.

    Args:
        text: of a question that `asks_bare`.
        summary: of the incident.
        title: what it is called.
    """
    found = summary.known or summary.hypotheses or summary.impact
    lines = [line.text[:LINE] for line in found[-MOST_LINES:]]
    about = ". ".join(part.rstrip(" .") for part in dict.fromkeys((title or summary.title, *lines)) if part.strip())
    return f"{text.rstrip(' ?.!')}: {about}?" if about else text
