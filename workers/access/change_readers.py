"""Who will read a change that others see, such as a note, and whether they may see what it tells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from workers.access.policy import Policy, Thing, all_may_see, readers_of
from workers.access.sources import OWN, is_of, reads_of, tools_by_name
from workers.contracts import Evidence, Proposal, RequestLog
from workers.settings.load import Settings
from workers.sources.connections.open_sources import DOCUMENTS, REPOSITORY

READ_BY_OTHERS = frozenset({"notes"})
"""Kinds of sources in which one person writes and others read."""
KINDS: dict[str, frozenset[str]] = {
    "metric": frozenset({"metrics"}),
    "log": frozenset({"logs"}),
    "trace": frozenset({"traces"}),
    "flag": frozenset({"flags"}),
    "event": frozenset({"cluster"}),
    "note": frozenset({"notes"}),
    "alert": frozenset({"alerts", "metrics"}),
    "message": frozenset(),
    "web": frozenset({"web", "pages"}),
}
"""Of which kinds of sources evidence can be, by its own kind; other evidence can be of any."""


def targets_of(settings: Settings, proposal: Proposal) -> tuple[str, ...]:
    """The sources that a change writes into, where others read."""
    entry = dict(tools_by_name(settings)).get(proposal.tool)
    if entry is None:
        return ()
    written = [reads for reads in reads_of(proposal.tool, entry) if reads != OWN]
    shown = sorted(settings.shown or ())
    found = (one for one in shown for reads in written if is_of(one, reads))
    return tuple(one for one in dict.fromkeys(found) if one.partition(":")[0] in READ_BY_OTHERS)


def who_reads(policy: Policy, targets: Iterable[str]) -> str:
    """Who will read what is written there, with the lines that say so."""
    told = [
        f"{target}: {', '.join(f'{term} ({line})' for term, line in readers_of(policy, Thing('source', target)))}"
        for target in targets
    ]
    return f"Who will read it: {'; '.join(told)}" if told else ""


def kept_from(policy: Policy, targets: Iterable[str], told: Iterable[str]) -> str:
    """Why it may not be written there: a reader who may not see what it tells; empty when all may."""
    things = [Thing("source", name) for name in told]
    for target in targets:
        readers = [term for term, _ in readers_of(policy, Thing("source", target))]
        hidden = all_may_see(policy, readers, (thing for thing in things if thing.name != target))
        if hidden is not None:
            return f"it rests on {hidden.name}, which not everyone who reads {target} may see"
    return ""


def sources_told(log: RequestLog, pieces: Iterable[Evidence], text: str = "") -> tuple[str, ...]:
    """The sources that some of a request's evidence is of, and those that a text names.

    Evidence that does not say of what it is counts as of all of its kind that the request may rest on.
    """
    view = log.view or ()
    found: list[str] = []
    for piece in pieces:
        found += source_of(piece, view)
    words = text.casefold()
    found += [one for one in view if re.search(rf"(?<!\w){re.escape(one.partition(':')[2].casefold())}(?!\w)", words)]
    return tuple(dict.fromkeys(found))


def source_of(piece: Evidence, view: tuple[str, ...]) -> Iterator[str]:
    """The sources that a piece of evidence may be of."""
    fact = piece.facts.get("repository") or piece.facts.get("source")
    named = [one for one in view if fact and one in {f"{kind}:{fact.value}" for kind in (REPOSITORY, DOCUMENTS)}]
    if named:
        yield from named
        return
    kinds = KINDS.get(piece.kind)
    yield from (one for one in view if kinds is None or one.partition(":")[0] in kinds)
