"""What a question names that the operations data do not hold: said as such, with what comes nearest."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.agents.operations.inquiry import Inquiry
from workers.agents.operations.routing_confidence import MOST_NAMES
from workers.contracts import Claim, Draft, Gap, Landscape
from workers.language.nearest_names import ranked_names
from workers.ports import Brief
from workers.reasoning.claim_phrases import join
from workers.reasoning.deployment_parts import SERVED

KINDS = (*SERVED, "user")
UNREAD = re.compile(r"(?P<name>\S+) is no .* that is known\.$")
"""The note on a name that was not read as anything."""
IDENTIFIER = re.compile(r"(?<![\w./-])[A-Za-z][\w.]*(?:[-_/][\w.]*\w)+")
PARTS = re.compile(r"[-_./]")
SHORTEST = 4
MOST_NEAR = 3
"""So many near names are told."""


def unknown_name(inquiry: Inquiry, landscape: Landscape) -> str:
    """A sentence on the first thing named that is not there; empty when all is."""
    known = known_names(landscape)
    for kind, own in known.items():
        if odd := next((name for name in inquiry.parameters.names.get(kind, ()) if name not in own), ""):
            return f"I found no {kind} {odd} in the operations data{nearest_to(odd, own)}."
    every = [name for own in known.values() for name in own]
    unread = (match["name"] for note in inquiry.parameters.notes if (match := UNREAD.match(note)))
    if odd := next(unread, "") or (cousin(inquiry, every, landscape) if len(known) == len(KINDS) else ""):
        near = every if "/" in odd else [name for kind, own in known.items() if kind != "deployment" for name in own]
        return f"I found no {odd} in the operations data{nearest_to(odd, near)}."
    return ""


def known_names(landscape: Landscape) -> dict[str, tuple[str, ...]]:
    """The names of each kind that is listed whole."""
    listed = {kind: landscape.labels.get(kind, ()) for kind in KINDS}
    return {kind: names for kind, names in listed.items() if len(names) < MOST_NAMES}


def cousin(inquiry: Inquiry, known: Sequence[str], landscape: Landscape) -> str:
    """A name that nobody has and that begins as a model's or a backend's does: ``lumen-large`` where lumen-pro is."""
    served = [name for kind in SERVED for name in landscape.labels.get(kind, ())]
    families = {PARTS.split(name)[0].lower() for name in served if PARTS.search(name)}
    read = " ".join(inquiry.parameters.notes)
    for match in IDENTIFIER.finditer(inquiry.text):
        first = PARTS.split(match.group())[0].lower()
        odd = len(first) >= SHORTEST and first in families and match.group() not in read
        if odd and match.group().lower() not in {name.lower() for name in known}:
            return match.group()
    return ""


def names_known(inquiry: Inquiry, landscape: Landscape) -> bool:
    """Whether something else is named that is there."""
    names = inquiry.parameters.names
    return any(name in own for kind, own in known_names(landscape).items() for name in names.get(kind, ()))


def nearest_to(name: str, known: Sequence[str]) -> str:
    """``; the nearest names: kestrel-8b and kestrel-70b``."""
    near = ranked_names(name, known, MOST_NEAR)
    return f"; the nearest names: {join(near)}" if near else ""


def write_unknown(brief: Brief, sentence: str) -> Draft:
    """That it is not there is all there is to say; what else the tools returned is of something else."""
    kinds = [f"{kind}s" for kind in KINDS if brief.landscape.labels.get(kind)]
    gap = Gap(text=f"Looked for among {join(kinds)}.") if kinds else Gap(text="No names are known.")
    return Draft(headline=Claim(template=sentence), missing=(gap,), confidence="low")
