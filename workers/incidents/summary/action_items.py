"""Who has what to do, and what of it is done, handed over or dropped."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace

from workers.incidents.summary import utterance_patterns
from workers.incidents.summary.actions_taken import families
from workers.incidents.summary.assignments import SMALL, Task, plain_task, tasks_in, who
from workers.incidents.summary.conversation import MENTION, Conversation
from workers.incidents.summary.overlap_index import InTime, InWords
from workers.incidents.summary.status import clause_of, turns_of
from workers.incidents.summary.summary_types import ActionItem
from workers.incidents.summary.utterances import Utterance, once
from workers.language.sentences import WORD, overlap
from workers.language.stems import stem

MOST = 8
YOURS = re.compile(
    r"\b(?:(?:that's|is that|this is|is this) (?:yours|on you|for you)|(?:can|could|will) you (?:take|do|own) (?:it|that|this)|yours)\b\W*$"
)
REPORTS = re.compile(r"\b(?:is|are|was|were|has|have|went|got)\b|'s\b|\b\w{2,}ed\b")
"""How someone tells how a thing stands now."""
IRREGULAR = {
    past: stem(verb)
    for past, verb in (
        ("held", "hold"),
        ("took", "take"),
        ("taken", "take"),
        ("sent", "send"),
        ("got", "get"),
        ("found", "find"),
        ("made", "make"),
        ("wrote", "write"),
        ("written", "write"),
        ("ran", "run"),
        ("told", "tell"),
        ("rang", "ring"),
        ("brought", "bring"),
        ("built", "build"),
        ("put", "put"),
        ("set", "set"),
        ("cut", "cut"),
        ("shut", "shut"),
    )
}
"""The past of verbs -> the stem of what they were asked for by."""
EASED = frozenset({"mitigated", "monitoring", "resolved"})
SOON_S = 900
SAME, AKIN = 0.6, 0.3
"""Of the words of two tasks that makes them one, and of a remark and a task that it may be of."""


def tasks_of(talk: Conversation, *, over: bool = False) -> tuple[ActionItem, ...]:
    """What is to do and what was done, by who has it now; once it is ``over``, what was to look at before is left out."""
    names = talk.called
    given = Assigned()
    for remark in talk.people:
        for number in given.touched_by(remark):
            given.change(number, advanced(given.tasks[number], remark, names))
        for new in tasks_in(remark, names, talk):
            before = given.number_of(new)
            if before is None:
                given.add(new)
            elif not (same := given.tasks[before]).done:
                owner = (
                    same.owner
                    if same.owner and new.owner == remark.name and not same.weight < 1
                    else new.owner or same.owner
                )
                better = new if new.weight > same.weight else same
                ts = tuple(dict.fromkeys((*same.ts, remark.ts)))
                given.change(before, replace(same, text=better.text, owner=owner, weight=better.weight, ts=ts))
    tasks = given.tasks
    users = {m.user: m.name for m in talk.messages}
    eased = next((turn.remark.key for turn in turns_of(talk) if turn.state in EASED), None) if over else None
    if eased:
        tasks = [task for task in tasks if task.done or task.weight >= SMALL or task.remark.key > eased]
    kept = [
        marked(task, len(talk.of_message[task.remark.ts]) == 1, users)
        for task in tasks
        if not task.dropped and task.weight >= 1
    ]
    chosen = sorted(kept, key=lambda t: (not t.done, t.weight, t.remark.key), reverse=True)[:MOST]
    return tuple(
        ActionItem(text=plain_task(t.text), ts=t.ts, owner=t.owner, done=t.done)
        for t in sorted(chosen, key=lambda t: t.remark.key)
    )


class Assigned:
    """Tasks by number, in the order they were given. ``open``: those that are not done; ``of``: of each owner."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.tasks: list[Task] = []
        self.open: set[int] = set()
        self.of: defaultdict[str, set[int]] = defaultdict(set)
        self.in_thread: defaultdict[str, set[int]] = defaultdict(set)
        self.same, self.akin = InWords(SAME), InWords(AKIN)
        self.in_time = InTime(SOON_S)

    def add(self, task: Task) -> None:
        """One more."""
        number, remark = len(self.tasks), task.remark
        self.tasks.append(task)
        self.in_thread[remark.thread].add(number)
        self.in_time.add("", remark.message.at, number)
        for by_words in (self.same, self.akin):
            by_words.add(remark.stems, number)
        self.change(number, task)

    def change(self, number: int, task: Task) -> None:
        """A task as it is now."""
        self.of[self.tasks[number].owner].discard(number)
        self.of[task.owner].add(number)
        self.tasks[number] = task
        (self.open.discard if task.done or task.dropped else self.open.add)(number)

    def number_of(self, new: Task) -> int | None:
        """The first one that is the same; None for another one."""
        near = sorted(self.same.near(new.remark.stems))
        return next((number for number in near if alike(self.tasks[number], new)), None)

    def touched_by(self, remark: Utterance) -> set[int]:
        """All that a remark may change (`advanced`): few remarks can change any, and fewer what is done already."""
        found: set[int] = set()
        if YOURS.search(remark.low):
            found |= self.of[""] & set(self.in_time.near("", remark.message.at))
        gives_up = bool(
            utterance_patterns.HANDS_OVER.search(remark.low) or utterance_patterns.DROPPED.search(remark.low)
        )
        ends = may_finish(remark)
        if remark.asks or not (gives_up or ends):
            return found
        near = [self.akin.near(said_of(remark)), self.in_thread[remark.thread] if remark.message.thread_ts else set()]
        if gives_up:
            return found.union(*near, self.of[remark.name] & self.open)
        return found.union(*(numbers & self.open for numbers in (*near, self.of[remark.name])))


def alike(task: Task, new: Task) -> bool:
    """Whether a task was given before."""
    if task.remark.ts == new.remark.ts and task.owner != new.owner:
        return False
    return overlap(task.remark.stems, new.remark.stems) >= SAME and not task.dropped


def advanced(task: Task, remark: Utterance, names: dict[str, str]) -> Task:
    """A task after a later remark: done, handed over, dropped, or as it was."""
    if task.dropped or remark.key <= task.remark.key:
        return task
    if (
        not task.owner
        and YOURS.search(remark.low)
        and (remark.message.at - task.remark.message.at).total_seconds() < SOON_S
    ):
        for written, name in names.items():
            if re.match(rf"@?{re.escape(written)}\b", remark.low):
                return replace(task, owner=name, ts=(*task.ts, remark.ts))
    if remark.asks:
        return task
    same = overlap(said_of(remark), task.remark.stems)
    in_thread = remark.message.thread_ts != "" and remark.thread == task.remark.thread
    its_owner = remark.name == task.owner and bool(task.owner)
    if same < AKIN and not in_thread and not its_owner:
        return task
    handed = utterance_patterns.HANDS_OVER.search(remark.low) and (same >= AKIN or in_thread)
    if handed and (owner := new_owner(remark, task, names)):
        return replace(task, owner=owner, ts=(*task.ts, remark.ts))
    if utterance_patterns.DROPPED.search(remark.low) and (same >= AKIN or (in_thread and len(remark.stems) <= 2)):
        return replace(task, dropped=True)
    if not task.done and finishes(remark, task, in_thread=in_thread):
        return replace(task, done=True, ts=(*task.ts, remark.ts))
    return task


def finishes(remark: Utterance, task: Task, *, in_thread: bool) -> bool:
    """Whether a remark says that a task is done: in its words, in its thread, or by what its owner tells of its thing."""
    if not may_finish(remark):
        return False
    its_owner = remark.name == task.owner and bool(task.owner)
    same = overlap(said_of(remark), task.remark.stems)
    soon = (remark.message.at - task.remark.message.at).total_seconds() < SOON_S
    named = parts(task.remark) & parts(remark)
    if its_owner and (
        done_verb(task, remark) or (named and REPORTS.search(remark.low) and remark.ts != task.remark.ts)
    ):
        return not remark.negated or done_verb(task, remark)
    done = utterance_patterns.DONE.search(remark.low)
    if done and its_owner and set(families(task.remark)) & set(families(remark)):
        return True
    if remark.negated or not done:
        return False
    bare = len(remark.stems) <= 1 or utterance_patterns.words("done").match(remark.low) is not None
    return (
        (same >= 0.4 and (its_owner or not task.owner or len(said_of(remark) & task.remark.stems) > 1))
        or (its_owner and bool(named))
        or (in_thread and (bare or its_owner))
        or (its_owner and bare and soon)
    )


@once
def may_finish(remark: Utterance) -> bool:
    """Whether a remark may say of any task that it is done."""
    done = utterance_patterns.DONE.search(remark.low)
    told = clause_of(done, remark.low) if done else remark.low  # "rollback done, still 6 %"
    if remark.ahead or remark.supposed or remark.hedged or utterance_patterns.UNDER_WAY.search(told):
        return False
    return bool(past_in(remark) or REPORTS.search(remark.low) or done)


@once
def said_of(remark: Utterance) -> frozenset[str]:
    """What a remark is about, but for what many say that something is done by."""
    return remark.stems - {"don", "post", "updat"}


@once
def parts(remark: Utterance) -> frozenset[str]:
    """Stems that are names, and the words that such names are made of."""
    return frozenset(stem(word) for one in remark.stems for word in re.split(r"[-_./']", one) if len(word) > 3)


@once
def past_in(remark: Utterance) -> tuple[str, ...]:
    """The stems of what a remark says in the past."""
    words = WORD.findall(remark.low)
    return tuple(IRREGULAR.get(word, stem(word)) for word in words if word.endswith("ed") or word in IRREGULAR)


def done_verb(task: Task, remark: Utterance) -> bool:
    """Whether a remark says the verb of a task in the past: "answer the tickets" and "tickets answered"."""
    past = past_in(remark)
    if not past:
        return False
    first = plain_task(task.text).split()[0].lower() if task.text.split() else ""
    verb, words = stem(first), WORD.findall(remark.low)
    begins = words[0] != first and past[0] == verb and IRREGULAR.get(words[0], stem(words[0])) == verb
    return verb in past and (begins or bool(remark.stems & task.remark.stems - {verb}))


def new_owner(remark: Utterance, task: Task, names: dict[str, str]) -> str:
    """Who has a task after it was handed over."""
    low = remark.low
    if re.search(r"\b(?:i'll|i'm|i|i can|i will) (?:will |can |am )?(?:tak\w+|relieving|own)|\bis mine\b", low):
        return remark.name
    to = re.search(
        r"\b(?:over to|off to|on to|handing .{0,40}? to|reassign\w* .{0,30}?to|pass\w* .{0,30}?to|to) @?([\w.-]+(?: [A-Z][\w'.-]+)?)",
        remark.text,
    )
    found = who(to[1], names) if to else ""
    if not found:
        mentioned = [who(name, names) for name in MENTION.findall(remark.text)]
        found = next((name for name in mentioned if name and name != task.owner), "")
    if not found and (named := re.match(r"([A-Z][\w'-]+(?: [A-Z][\w'-]+)?) ", remark.text)):
        found = who(named[1], names)
    return found


def marked(task: Task, alone: bool, users: dict[str, str]) -> Task:
    """A task whose message its owner ticked off is done; one whose message says nothing else by anybody's tick."""
    ticked = {user for name in utterance_patterns.DONE_MARKS for user in task.remark.message.reactions.get(name, ())}
    by_owner = any(users.get(user) == task.owner for user in ticked)
    return replace(task, done=True) if not task.done and (by_owner or (ticked and alone)) else task
