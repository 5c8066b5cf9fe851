"""PURE: who has what to do, and what of it is done, handed over or dropped."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from dataclasses import replace

from workers.incidents import cues
from workers.incidents.given import SMALL, Task, plain_task, tasks_in, who
from workers.incidents.model import ActionItem
from workers.incidents.remarks import Remark
from workers.incidents.standing import turns_of
from workers.incidents.talk import MENTION, Talk
from workers.incidents.text import WORD, overlap, stem

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


def tasks_of(talk: Talk, *, over: bool = False) -> tuple[ActionItem, ...]:
    """What is to do and what was done, by who has it now; once it is ``over``, what was to look at before is left out."""
    names = talk.called
    tasks: list[Task] = []
    for remark in talk.people:
        tasks = [advanced(task, remark, names) for task in tasks]
        for new in tasks_in(remark, names, talk):
            same = next((t for t in tasks if alike(t, new)), None)
            if same is None:
                tasks.append(new)
            elif not same.done:
                owner = (
                    same.owner
                    if same.owner and new.owner == remark.name and not same.weight < 1
                    else new.owner or same.owner
                )
                better = new if new.weight > same.weight else same
                ts = tuple(dict.fromkeys((*same.ts, remark.ts)))
                tasks[tasks.index(same)] = replace(same, text=better.text, owner=owner, weight=better.weight, ts=ts)
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


def alike(task: Task, new: Task) -> bool:
    """Whether a task was given before."""
    if task.remark.ts == new.remark.ts and task.owner != new.owner:
        return False
    return overlap(task.remark.stems, new.remark.stems) >= 0.6 and not task.dropped


def advanced(task: Task, remark: Remark, names: dict[str, str]) -> Task:
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
    same = overlap(remark.stems - {"don", "post", "updat"}, task.remark.stems)
    in_thread = remark.message.thread_ts != "" and remark.thread == task.remark.thread
    its_owner = remark.name == task.owner and bool(task.owner)
    if same < 0.3 and not in_thread and not its_owner:
        return task
    handed = cues.HANDS_OVER.search(remark.low) and (same >= 0.3 or in_thread)
    if handed and (owner := new_owner(remark, task, names)):
        return replace(task, owner=owner, ts=(*task.ts, remark.ts))
    if cues.DROPPED.search(remark.low) and (same >= 0.3 or (in_thread and len(remark.stems) <= 2)):
        return replace(task, dropped=True)
    if not task.done and finishes(remark, task, in_thread=in_thread):
        return replace(task, done=True, ts=(*task.ts, remark.ts))
    return task


def finishes(remark: Remark, task: Task, *, in_thread: bool) -> bool:
    """Whether a remark says that a task is done: in its words, in its thread, or by what its owner tells of its thing."""
    if remark.ahead or remark.supposed or remark.hedged or cues.UNDER_WAY.search(remark.low):
        return False
    its_owner = remark.name == task.owner and bool(task.owner)
    same = overlap(remark.stems - {"don", "post", "updat"}, task.remark.stems)
    soon = (remark.message.at - task.remark.message.at).total_seconds() < SOON_S
    named = parts(task.remark.stems) & parts(remark.stems)
    if its_owner and (
        done_verb(task, remark) or (named and REPORTS.search(remark.low) and remark.ts != task.remark.ts)
    ):
        return not remark.negated or done_verb(task, remark)
    if remark.negated or not cues.DONE.search(remark.low):
        return False
    bare = len(remark.stems) <= 1 or cues.words("done").match(remark.low) is not None
    return (
        same >= 0.4
        or (its_owner and bool(named))
        or (in_thread and (bare or its_owner))
        or (its_owner and bare and soon)
    )


def parts(stems: frozenset[str]) -> frozenset[str]:
    """Stems that are names, and the words that such names are made of."""
    return frozenset(stem(word) for one in stems for word in re.split(r"[-_./']", one) if len(word) > 3)


def done_verb(task: Task, remark: Remark) -> bool:
    """Whether a remark says the verb of a task in the past: "answer the tickets" and "tickets answered"."""
    first = plain_task(task.text).split()[0].lower() if task.text.split() else ""
    verb, words = stem(first), WORD.findall(remark.low)
    past = [IRREGULAR.get(word, stem(word)) for word in words if word.endswith("ed") or word in IRREGULAR]
    begins = words[:1] != [first] and past[:1] == [verb] and IRREGULAR.get(words[0], stem(words[0])) == verb
    return verb in past and (begins or bool(remark.stems & task.remark.stems - {verb}))


def new_owner(remark: Remark, task: Task, names: dict[str, str]) -> str:
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
    ticked = {user for name in cues.DONE_MARKS for user in task.remark.message.reactions.get(name, ())}
    by_owner = any(users.get(user) == task.owner for user in ticked)
    return replace(task, done=True) if not task.done and (by_owner or (ticked and alone)) else task
