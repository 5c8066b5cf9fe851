"""What happened when: from what people said, what programs posted, and what people corrected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from workers.contracts import Correction, Kind
from workers.incidents.summary import utterance_patterns
from workers.incidents.summary.actions_taken import decided, is_deed, meant
from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.dialogue_acts import told_to
from workers.incidents.summary.overlap_index import InTime
from workers.incidents.summary.reported_times import clocks_in, zones_said
from workers.incidents.summary.status import (
    announced,
    clause_of,
    is_alarm,
    is_symptom,
    led,
    severity_in,
    surely_said,
    turn_in,
    turn_of,
)
from workers.incidents.summary.summary_types import OVER, Entry
from workers.incidents.summary.utterances import Utterance
from workers.language.sentences import overlap, stems_of

MOST = 25
SAME_S = 20 * 60
ORDER: tuple[Kind, ...] = (
    "resolved", "rollback", "mitigated", "declared", "detected", "deploy", "finding", "alert", "correction", "decision",
    "change", "acknowledged", "other",
)  # fmt: skip
"""The weightiest first: what is left when there is no room for all."""
SAID_THEN: frozenset[Kind] = frozenset({"finding", "decision", "declared", "acknowledged"})
"""What happens by being said: a time in such a sentence is of something else."""
OVER_BY: frozenset[Kind] = frozenset({"mitigated", "resolved"})
LATER = utterance_patterns.words("tonight", "tomorrow", "tmrw", "next week", "later")
SINCE = re.compile(r"\b(?:since|from|for|after)\s+\W?$", re.IGNORECASE)
"""What stands before the beginning of what is over: "queue empty, everything since 13:20 is sent"."""
ONCE: frozenset[Kind] = frozenset({"detected", "acknowledged"})
SOME_OF = re.compile(r"\b\d[\d,.]* of \d")
"""How far something got that goes out piece by piece, and is no deploy: "3,400 of 8,150 went out"."""
PARTS = re.compile(r"[-_./=:]")
ALIKE = 0.75
"""So much of what was corrected another sentence of its message says, to be the same."""


def timeline_of(talk: Conversation) -> tuple[Entry, ...]:
    """The moments of an incident in the order they happened, at most so many."""
    zones = zones_said(talk.remarks)
    moments = Moments()
    for remark in talk.remarks:
        for entry in entries_of(remark, talk, zones):
            moments.add(entry)
    found = [*acknowledged_by_mark(talk, moments.entries), *moments.entries]
    found = only_first(sorted(found, key=lambda e: (e.at, e.ts)))
    return tuple(fewer(found))


def entries_of(remark: Utterance, talk: Conversation, zones: tuple[str, ...]) -> Iterable[Entry]:
    """What a remark adds to the timeline."""
    kind = kind_of(remark, talk)
    clocks = clocks_in(remark, zones) if not remark.bot else ()
    if kind is None:
        telling = len(remark.stems) >= 3 or utterance_patterns.ONSET.match(remark.low)
        if (
            clocks
            and telling
            and not LATER.search(remark.low)
            and not told_to(remark, talk)
            and not (remark.asks or remark.ahead or remark.supposed or remark.quoted)
        ):
            yield entry_of(remark, clocks[0].at, "correction" if remark.corrects else "other", remark.text)
        return
    then = [c for c in clocks if kind not in OVER_BY or not SINCE.search(remark.text[: c.start])]
    at = then[0].at if then and not remark.ahead and kind not in SAID_THEN else remark.message.at
    text = meant(remark, talk).text if kind == "decision" else remark.text
    yield entry_of(remark, at, kind, text)
    if kind == "declared" and is_symptom(remark):  # "SEV2: checkout fails since 14:05"
        began = next((c.at for c in clocks if SINCE.search(remark.text[: c.start])), None)
        if began:
            yield entry_of(remark, began, "detected", text).model_copy(
                update={"id": f"{remark.ts}:{remark.number}:since"}
            )


def entry_of(remark: Utterance, at: datetime, kind: Kind, text: str) -> Entry:
    """A moment that a remark tells of."""
    return Entry(id=f"{remark.ts}:{remark.number}", text=text, ts=(remark.ts,), at=at, kind=kind)


def kind_of(remark: Utterance, talk: Conversation) -> Kind | None:  # noqa: C901, PLR0912 - one question after another
    """What a remark tells of; None for nothing that happened."""
    low = remark.low
    if remark.quoted or remark.asks:
        return None
    if remark.bot:
        return kind_of_post(remark, talk)
    if remark.supposed and not remark.label:
        return None
    turn = (turn_in(remark, talk) or surely_said(remark, talk)) if remark.message.user in talk.settled else None
    turn = led(turn, talk) if turn else None
    if turn and turn.state in {"resolved", "false_alarm"}:
        return "resolved"
    if remark.corrects and (remark.numbers or is_symptom(remark)) and not remark.hedged:
        return "correction"
    if is_deed(remark):
        if utterance_patterns.ROLLBACK.search(low):
            return "rollback"
        return (
            "deploy"
            if utterance_patterns.DEPLOY.search(low)
            and not utterance_patterns.words("restarted", "disabled").search(low)
            else "change"
        )
    if turn and turn.state == "mitigated" and not turn.again:
        return "mitigated"
    declared = utterance_patterns.DECLARED.search(low)
    declares = declared and not remark.hedged and not utterance_patterns.FUTURE.search(clause_of(declared, low))
    if declares or (severity_in(remark) and remark.message.user in talk.settled):
        return "declared"
    if decided(remark, talk):
        return "decision"
    if (turn and turn.state == "identified" and len(remark.stems) >= 2) or announced(remark, talk):
        return "finding"
    if (
        not SOME_OF.search(low)
        and utterance_patterns.DEPLOY.search(low)
        and utterance_patterns.words(
            "went out", "deployed", "shipped", "released", "rolled out", "went live", "deploy", "merged"
        ).search(low)
    ):
        return (
            "deploy"
            if not remark.hedged and not remark.ahead and not remark.negated and (remark.numbers or clocks_in(remark))
            else None
        )
    if utterance_patterns.COMMANDER.search(low) and (
        utterance_patterns.HANDS_OVER.search(low)
        or utterance_patterns.words("i'm", "is", "taking", "i am", "i'll be").search(low)
    ):
        return "other" if not remark.hedged else None
    if is_symptom(remark) and not remark.hedged and not remark.ahead:
        return "detected"
    if utterance_patterns.ACK.search(low) and not remark.negated:
        return "acknowledged"
    return None


def kind_of_post(remark: Utterance, talk: Conversation) -> Kind | None:
    """What a program's post tells of: an alert, a deploy, a change, a rollback; builds and other noise do not count."""
    whole = talk.of_message[remark.ts]
    if remark.entered:
        return kind_of_entered(remark, whole)
    back = next((r for r in whole if utterance_patterns.ROLLBACK.search(r.low)), None)
    if remark is not (back or whole[0]):
        return None
    text = remark.message.text
    low = text.lower()
    if back and not utterance_patterns.FAILED.search(low):
        return "rollback"
    deployer = bool(utterance_patterns.DEPLOYERS.search(remark.message.name)) and not utterance_patterns.ALARMS.search(
        remark.message.name
    )
    acted = (
        utterance_patterns.ACTED.search(text)
        and not utterance_patterns.TRACKED.search(text)
        and spoken_of(remark, talk)
    )
    if not deployer and not acted and (is_alarm(remark) or opens(remark, talk)):
        return "alert" if concerns(remark, talk) else None
    deploys = utterance_patterns.DEPLOY.search(low)
    if utterance_patterns.FAILED.search(low) or not (
        acted or utterance_patterns.SETUP.search(low) or (deploys and utterance_patterns.ENDED.search(low))
    ):
        return None
    if utterance_patterns.BUILD.search(low) and not (deploys or acted or utterance_patterns.CONFIGURED.search(low)):
        return None
    return "change" if utterance_patterns.CONFIGURED.search(low) or not deploys else "deploy"


def kind_of_entered(remark: Utterance, whole: Sequence[Utterance]) -> Kind | None:
    """What someone entered into a program with which people run incidents: that there is one, or how it stands."""
    turn = turn_of(remark)
    if turn and turn.state in {"mitigated", *OVER}:
        return "mitigated" if turn.state == "mitigated" else "resolved"
    return "declared" if next((r for r in whole if utterance_patterns.DECLARED.search(r.low)), None) is remark else None


def opens(remark: Utterance, talk: Conversation) -> bool:
    """Whether a program's post is what the channel began with, or says of the same anew."""
    first = talk.messages[0]
    if not first.bot or remark.message.user != first.user or remark.message.name != first.name:
        return False
    return remark.ts == first.ts or overlap(remark.stems, talk.of_message[first.ts][0].stems) >= 0.3


def spoken_of(remark: Utterance, talk: Conversation) -> bool:
    """Whether people speak of anything that a program's post names."""
    words = {word for one in remark.stems for word in PARTS.split(one) if len(word) > 2 and not word.isdigit()}
    return any(talk.spoken_of(word, remark.message.user) for word in words)


def concerns(remark: Utterance, talk: Conversation) -> bool:
    """Whether an alarm is of this incident: the first one, one like it, or one that people speak of."""
    first = next((r for r in talk.remarks if r.bot and r.number == 0 and is_alarm(r)), None)
    if first is None or first.ts == remark.ts or overlap(first.stems, remark.stems) >= 0.5:
        return True
    telling = {stem for stem in remark.stems if not stem.isdigit()}
    return sum(len(telling & r.stems) >= 2 for r in talk.people) >= 2


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
    """An acknowledgement that is a reaction to the first alert; when it was added is not told, so it counts as then."""
    if any(entry.kind == "acknowledged" for entry in found):
        return []
    for message in talk.messages:
        marks = [user for name in utterance_patterns.ACK_MARKS for user in message.reactions.get(name, ())]
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
