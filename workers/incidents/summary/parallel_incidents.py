"""Two incidents that are handled in one channel, told apart by what is said, by whom, and in which thread."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from workers.contracts import order_of
from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.program_posts import is_alarm
from workers.incidents.summary.status import severity_in
from workers.incidents.summary.utterances import TECHNICAL, Utterance
from workers.language.sentences import overlap

ROUNDS = 4
SURE = 0.5
"""So much must speak for one of them; below it whoever wrote it, or what stood before it, decides."""
RECENT_S = 20 * 60
FEWEST = 3
"""Remarks of people that make an incident of its own."""
MOST_WEIGHT = 1.6
LEADS = 1.5
"""How much it counts that the one who opened an incident wrote it."""
NAMED, IN_THREAD, OUTSIDE = 2.5, 3.0, 0.8
"""How much it counts that a remark names what one of them is about, stands in its thread, or outside of a busy one."""
MOST_ALARMS = 8
BUSY = 4
"""Replies that make a thread the room of an incident."""


def split(talk: Conversation) -> tuple[Conversation, ...]:
    """The talk of each incident; of one alone the talk itself."""
    begun = openings(talk)
    if begun is None:
        return (talk,)
    users = [r.message.user for r in begun]
    side = {id(begun[0]): 0, id(begun[1]): 1}
    if users[0] != users[1]:
        side = {id(r): users.index(r.message.user) for r in talk.remarks if r.message.user in users} | side
    for _ in range(ROUNDS):
        side = assigned(talk, side, begun)
    parts = []
    for number in (0, 1):
        remarks = tuple(r for r in talk.remarks if side.get(id(r)) == number)
        if sum(not r.bot for r in remarks) < FEWEST:
            return (talk,)
        kept = {r.ts for r in remarks}
        parts.append(replace(talk, remarks=remarks, messages=tuple(m for m in talk.messages if m.ts in kept)))
    return tuple(parts)


def openings(talk: Conversation) -> tuple[Utterance, Utterance] | None:
    """What opened the first incident and what opened the other one; None when nobody says that there are two."""
    opened = [r for r in talk.remarks if opens(r, talk)]
    apart = [r for r in opened if not r.bot and own_severity(r, opened, talk)]
    if not opened:
        return None
    for second in apart:
        first = next((r for r in opened if r.key < second.key and overlap(r.stems, second.stems) < 0.2), None)
        if first is not None:
            return first, second
    return called_apart(talk, [r for r in opened if r.bot])


def called_apart(talk: Conversation, alarms: Sequence[Utterance]) -> tuple[Utterance, Utterance] | None:
    """Two alarms on two things which people keep apart by their names: "kiosk-pay: every second card is refused"."""
    alarms = [alarm for alarm in alarms if heads(talk, subject_of(alarm)) >= 2][:MOST_ALARMS]
    for number, second in enumerate(alarms):
        for first in alarms[:number]:
            if overlap(first.stems, second.stems) < 0.5 and all(
                called(talk, mine, other) for mine, other in ((first, second), (second, first))
            ):
                return first, second
    return None


def called(talk: Conversation, mine: Utterance, other: Utterance) -> bool:
    """Whether people speak of one alarm's thing, and rarely of the other's in the same breath; once as a heading."""
    names, others = subject_of(mine) - subject_of(other), subject_of(other) - subject_of(mine)
    said = [r for r in talk.people if names_any([r], names)]
    mixed = sum(names_any([r], others) for r in said)
    return len(said) >= FEWEST and mixed * 4 <= len(said) and heads(talk, names) >= 2


def heads(talk: Conversation, names: frozenset[str]) -> int:
    """How many sentences of people stand in messages that begin with one of these names."""
    return sum(r.message.text[:80].lower().lstrip("[*_ ").startswith(tuple(names)) for r in talk.people) if names else 0


def subject_of(remark: Utterance) -> frozenset[str]:
    """The names of services and the like in a remark, in lower case."""
    return frozenset(name.lower() for name in TECHNICAL.findall(remark.text))


def own_severity(remark: Utterance, opened: Sequence[Utterance], talk: Conversation) -> bool:
    """Whether someone opens an incident of their own: another severity than someone else's, on another subject."""
    whole = frozenset(stem for r in talk.of_message[remark.ts] for stem in r.stems)
    before = [r for r in opened if r.key < remark.key and not r.bot and r.message.user != remark.message.user]
    given = severity_in(remark, talk)
    if not before or not given or not any(r.likely("lead") for r in talk.of_message[remark.ts]):
        return False
    return all(severity_in(r, talk) != given and overlap(r.stems, whole) < 0.2 for r in before)


def opens(remark: Utterance, talk: Conversation) -> bool:
    """Whether a remark may begin an incident."""
    if remark.bot:
        return is_alarm(remark)
    return bool(severity_in(remark, talk)) and len(remark.stems) >= 3


def assigned(talk: Conversation, side: dict[int, int], begun: Sequence[Utterance]) -> dict[int, int]:
    """Every message to one of the two, by what was assigned before."""
    words = (Counter[str](), Counter[str]())
    writers = (Counter[str](), Counter[str]())
    for remark in talk.remarks:
        number = side.get(id(remark))
        if number is not None:
            words[number].update(set(remark.stems))
            if not remark.bot:
                writers[number][remark.message.user] += 1
    found: dict[int, int] = {}
    of_thread: dict[str, int] = {}
    last_of: dict[str, tuple[float, int]] = {}
    before = 0
    names = [subject_of(r) for r in begun]
    roots = [r.thread for r in begun]
    busy = sum(r.message.thread_ts == roots[1] and r.ts != roots[1] for r in talk.remarks) >= BUSY
    for ts, remarks in talk.of_message.items():
        message = remarks[0].message
        at, user, root = message.at.timestamp(), message.user, message.thread_ts
        lean = sum(weight(words, stem, side.get(id(r))) for r in remarks for stem in r.stems)
        lean += 0.4 * math.copysign(1, writers[1][user] - writers[0][user]) * (writers[0][user] != writers[1][user])
        lean += LEADS * ((user == begun[1].message.user) - (user == begun[0].message.user))
        lean += NAMED * (names_any(remarks, names[1] - names[0]) - names_any(remarks, names[0] - names[1]))
        lean += IN_THREAD * ((root == roots[1]) - (root == roots[0])) if root else -OUTSIDE * busy
        if ts in (begun[0].ts, begun[1].ts):
            number = 0 if ts == begun[0].ts else 1
        elif root and root in of_thread and abs(lean) < 2 * SURE:
            number = of_thread[root]
        elif abs(lean) >= SURE:
            number = 1 if lean > 0 else 0
        elif user in last_of and at - last_of[user][0] < RECENT_S:
            number = last_of[user][1]
        else:
            number = before
        if order_of(ts) < order_of(begun[1].ts) and lean < SURE:
            number = 0
        found |= dict.fromkeys(map(id, remarks), number)
        of_thread.setdefault(root or ts, number)
        last_of[user], before = (at, number), number
    return found


def names_any(remarks: Sequence[Utterance], names: frozenset[str]) -> bool:
    """Whether a message names one of these."""
    return any(name in remark.low for remark in remarks for name in names)


def weight(words: tuple[Counter[str], Counter[str]], stem: str, own: int | None) -> float:
    """How much a stem speaks for the second (above 0) or the first (below 0); a remark's own use does not count."""
    first, second = words[0][stem] - (own == 0), words[1][stem] - (own == 1)
    value = math.log((max(second, 0) + 0.4) / (max(first, 0) + 0.4))
    return max(-MOST_WEIGHT, min(MOST_WEIGHT, value))
