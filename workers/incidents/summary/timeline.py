"""What happened when: from what people said, what programs posted, and what people corrected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from workers.contracts import Correction, Kind
from workers.incidents.summary.actions import decisions_in, is_deed
from workers.incidents.summary.causes import Causes
from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.impact import tells_impact
from workers.incidents.summary.lead import takings
from workers.incidents.summary.moment_index import InTime
from workers.incidents.summary.program_posts import DEPLOY, ROLLBACK, kind_of_post
from workers.incidents.summary.reported_times import clocks_in, zones_said
from workers.incidents.summary.status import Turn, severity_in, turns_of
from workers.incidents.summary.summary_types import OVER, Entry
from workers.incidents.summary.utterances import ACK_MARKS, Utterance
from workers.language.sentences import overlap, stems_of

MOST = 25
SAME_S = 20 * 60
ORDER: tuple[Kind, ...] = (
    "resolved", "rollback", "mitigated", "declared", "detected", "deploy", "finding", "alert", "correction", "decision",
    "change", "acknowledged", "other",
)  # fmt: skip
"""The weightiest first: what is left when there is no room for all."""
SAID_THEN: frozenset[Kind] = frozenset({"finding", "decision", "declared", "acknowledged", "other"})
"""What happens by being said: a time in such a sentence is of something else."""
OVER_BY: frozenset[Kind] = frozenset({"mitigated", "resolved"})
SINCE = re.compile(r"\b(?:since|from|for|after)\s+\W?$", re.IGNORECASE)
"""What stands before the beginning of what is over: "queue empty, everything since 13:20 is sent"."""
ONCE: frozenset[Kind] = frozenset({"detected", "acknowledged"})
ALIKE = 0.75
"""So much of what was corrected another sentence of its message says, to be the same."""


def timeline_of(talk: Conversation, causes: Causes) -> tuple[Entry, ...]:
    """The moments of an incident in the order they happened, at most so many."""
    kinds = kinds_in(talk, causes)
    zones = zones_said(talk.remarks)
    moments = Moments()
    for remark in talk.remarks:
        if kind := kinds.get(remark) or kind_of_rest(remark, talk):
            moments.add(entry_of(remark, kind, zones))
    found = [*acknowledged_by_mark(talk, moments.entries), *moments.entries]
    return tuple(fewer(only_first(sorted(found, key=lambda e: (e.at, e.ts)))))


def kinds_in(talk: Conversation, causes: Causes) -> dict[Utterance, Kind]:
    """What remarks tell of that count in the summary: turns of how it stands, causes, decisions, who leads."""
    found: dict[Utterance, Kind] = {remark: "decision" for remark, _ in decisions_in(talk)}
    found |= dict.fromkeys(causes.found, "finding")
    found |= {taken.remark: "declared" if severity_in(taken.remark, talk) else "other" for taken in takings(talk)}
    found |= {turn.remark: kind for turn in turns_of(talk) if (kind := kind_of_turn(turn))}
    return found


def kind_of_turn(turn: Turn) -> Kind | None:
    """What a turn of how it stands is in the timeline."""
    if turn.state in OVER:
        return "resolved"
    return "mitigated" if turn.state in {"mitigated", "monitoring"} else None


def kind_of_rest(remark: Utterance, talk: Conversation) -> Kind | None:
    """What any other remark tells of; None for nothing that happened."""
    if remark.bot:
        return kind_of_post(remark, talk)
    if remark.quoted or remark.asks or remark.joked:
        return None
    if severity_in(remark, talk):
        return "declared"
    if remark.likely("correction") and remark.numbers:
        return "correction"
    if is_deed(remark, talk):
        return "rollback" if ROLLBACK.search(remark.low) else "deploy" if DEPLOY.search(remark.low) else "change"
    if tells_impact(remark):
        return "detected"
    told = remark.likely("observation") and not remark.likely("hypothesis", "proposal", "task_request")
    if told and clocks_in(remark):
        return "deploy" if DEPLOY.search(remark.low) else "other"
    return "acknowledged" if remark.surely("investigating") else None


def entry_of(remark: Utterance, kind: Kind, zones: tuple[str, ...]) -> Entry:
    """A moment that a remark tells of: when it says that it happened, else when it was written."""
    clocks = clocks_in(remark, zones) if not remark.bot and kind not in SAID_THEN - {"other"} else ()
    then = [c for c in clocks if kind not in OVER_BY or not SINCE.search(remark.text[: c.start])]
    at = then[0].at if then else remark.message.at
    return Entry(id=f"{remark.ts}:{remark.number}", text=remark.text, ts=(remark.ts,), at=at, kind=kind)


class Moments:
    """Entries, in the order they were told, each once."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.entries: list[Entry] = []
        self.stems: list[frozenset[str]] = []
        self.in_time = InTime(SAME_S)

    def add(self, new: Entry) -> None:
        """Add an entry, or join it with one of the same thing around the same time; an alert is always another."""
        stems = stems_of(new.text)
        for number in self.in_time.near(new.kind, new.at) if new.kind != "alert" else ():
            old = self.entries[number]
            near = abs((old.at - new.at).total_seconds()) <= SAME_S
            if near and overlap(self.stems[number], stems) >= 0.5:
                ts = tuple(dict.fromkeys((*old.ts, *new.ts)))
                self.entries[number] = old.model_copy(update={"ts": ts})
                return
        self.in_time.add(new.kind, new.at, len(self.entries))
        self.entries.append(new)
        self.stems.append(stems)


def only_first(found: list[Entry]) -> list[Entry]:
    """Of those that happen once the first."""
    seen: set[str] = set()
    kept = []
    for entry in found:
        if entry.kind not in ONCE or entry.kind not in seen:
            kept.append(entry)
        seen.add(entry.kind)
    return kept


def acknowledged_by_mark(talk: Conversation, found: Sequence[Entry]) -> list[Entry]:
    """An acknowledgement that is a reaction to how it began; when it was added is not told, so it counts as then."""
    if any(entry.kind == "acknowledged" for entry in found):
        return []
    opened = {ts for entry in found if entry.kind in {"alert", "declared", "detected"} for ts in entry.ts}
    for message in (m for m in talk.messages if m.ts in opened):
        marks = [user for name in ACK_MARKS for user in message.reactions.get(name, ())]
        if marks:
            names = {m.user: m.name for m in talk.messages}
            who = names.get(marks[0], "")
            text = f"Acknowledged with a reaction{f' by @{who}' if who else ''}"
            return [Entry(id=f"{message.ts}:mark", text=text, ts=(message.ts,), at=message.at, kind="acknowledged")]
    return []


def fewer(found: Sequence[Entry]) -> Sequence[Entry]:
    """At most `MOST`, those that matter most, in order."""
    if len(found) <= MOST:
        return found
    ranked = sorted(found, key=lambda e: (ORDER.index(e.kind), e.at))[:MOST]
    return sorted(ranked, key=lambda e: (e.at, e.ts))


# --- what people changed --------------------------------------------------------------------------------------


def corrected(found: Iterable[Entry], corrections: Sequence[Correction]) -> tuple[Entry, ...]:
    """The timeline with what people changed in it, oldest change first; an entry keeps its id and what it rests on."""
    kept = {entry.id: entry for entry in found}
    read = {name: entry.text for name, entry in kept.items()}
    for number, one in enumerate(corrections):
        name = one.entry or f"added:{number}"
        old = kept.pop(entry_meant(one, kept, read), None)
        if one.removed or not (old or one.text):
            continue
        if old is None:
            own = name if name not in kept else f"{name}:{number}"
            old = Entry(id=own, text=one.text, at=one.said_at, kind=one.kind)
        change = {"text": one.text or old.text, "at": one.at or old.at, "kind": one.kind, "said_at": one.said_at}
        kept[old.id] = old.model_copy(update=change)
    return tuple(sorted(kept.values(), key=lambda e: (e.at, e.ts)))


def entry_meant(correction: Correction, kept: Mapping[str, Entry], read: Mapping[str, str]) -> str:
    """The id of the entry that a correction is of; empty when it stands no more.

    The sentences of a message that was edited are counted anew, and another message may come to tell of the same first:
    so it is the entry that rests on the message and says most of what was corrected.

    Args:
        correction: of an entry, or a new one.
        kept: the timeline with the corrections before it.
        read: what entries said before any of them, by id.
    """
    name = correction.entry
    if not correction.was:
        return name
    ts, _, _ = name.partition(":")
    alike = {
        entry.id: max(likeness(correction.was, text) for text in (entry.text, read.get(entry.id, "")))
        for entry in kept.values()
        if entry.id == name or ts in entry.ts
    }
    near = [one for one, share in alike.items() if share >= ALIKE or (one == name and share > 0)]
    of = name.split(":", 2)[2:]
    return max(near, key=lambda one: (alike[one], one == name, one.split(":", 2)[2:] == of), default="")


def likeness(was: str, text: str) -> float:
    """How much of what an entry said a text says, from 0 to 1."""
    return 1.0 if text.startswith(was) else overlap(stems_of(was), stems_of(text))
