"""PURE: who does what, what of it is done, handed over or dropped."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from workers.incidents import cues
from workers.incidents.model import ActionItem
from workers.incidents.remarks import Remark, Talk
from workers.incidents.text import overlap

MOST = 8
LABELS = frozenset(
    {
        "action item",
        "action items",
        "ai",
        "todo",
        "to do",
        "action",
        "actions",
        "follow up",
        "follow-up",
        "followup",
        "follow-ups",
        "followups",
        "next steps",
        "next step",
        "owner",
    }
)
MENTION = re.compile(r"@([\w.-]+(?: [A-Z][\w'.-]+)?)")
NAMED = re.compile(
    r"^([A-Z][\w'-]+(?: [A-Z][\w'-]+)?)\s*(?:[:→]|-|–|—|to\b|will\b|owns?\b|is going to\b|takes\b|please\b|can you\b|could you\b)"
)
OWNER = re.compile(r"\b(?:owner|assigned to|assignee|owned by)\s*[:=]?\s*@?([\w.-]+(?: [A-Z][\w'.-]+)?)", re.IGNORECASE)
BOX = re.compile(r"^\s*(?:\[(?P<done>[ xX]?)\]|☐|☑|✅)\s*")
BY_MYSELF = re.compile(
    r"^(?:@[\w .-]+? )?(?:i'll|i will|i'm going to|i am going to|i can|i'm gonna|let me|i'd)\s+(?:also |then |now |quickly |just )*",
    re.IGNORECASE,
)
ASKING = re.compile(
    r"^(?:@[\w.-]+(?: [A-Z][\w'.-]+)?|[A-Z][\w'-]+(?= ?[:→–—-] ))?\s*[:,→–—-]?\s*(?i:(?:can|could|would|will) (?:you|u)\b|please\b|pls\b|"
    r"i'll\b|i will\b|i'm going to\b|i can\b|i'm gonna\b|let me\b|to\b)?\s*(?i:(?:please|pls|also|then|now|quickly|just) )*"
)
SOON_S = 900


@dataclass(frozen=True)
class Task:
    """Something to do, as far as it is. ``ts``: the messages that told of it, the first that gave it."""

    remark: Remark
    text: str
    owner: str
    weight: float
    ts: tuple[str, ...]
    done: bool = False
    dropped: bool = False


def tasks_of(talk: Talk) -> tuple[ActionItem, ...]:
    """What is to do and what was done, by who has it now."""
    names = names_in(talk)
    tasks: list[Task] = []
    for remark in talk.people:
        tasks = [advanced(task, remark, talk, names) for task in tasks]
        new = task_in(remark, names)
        if new is None:
            continue
        same = next((t for t in tasks if alike(t, new)), None)
        if same is None:
            tasks.append(new)
        elif new.owner and not same.done:
            newer = replace(
                same, owner=new.owner or same.owner, weight=max(same.weight, new.weight), ts=(*same.ts, remark.ts)
            )
            tasks[tasks.index(same)] = newer
    tasks = [marked(task) for task in tasks if not task.dropped]
    chosen = sorted(
        (t for t in tasks if t.weight >= 1), key=lambda t: (t.weight + (not t.done) * 0.3, t.remark.key), reverse=True
    )[:MOST]
    return tuple(
        ActionItem(text=plain_task(t.text), ts=t.ts, owner=t.owner, done=t.done)
        for t in sorted(chosen, key=lambda t: t.remark.key)
    )


def names_in(talk: Talk) -> dict[str, str]:
    """Names as they are written -> names as people are shown: whole, or a first name that only one has."""
    shown = {m.name for m in talk.messages if m.name and not m.bot}
    mentioned = {m for r in talk.people for m in MENTION.findall(r.text)}
    found = {name.lower(): name for name in sorted(mentioned)} | {name.lower(): name for name in sorted(shown)}
    for name in sorted(shown):
        first = re.split(r"[\s.]", name)[0].lower()
        others = [n for n in shown if re.split(r"[\s.]", n)[0].lower() == first]
        if len(others) == 1:
            found.setdefault(first, name)
    return found


def who(text: str, names: dict[str, str]) -> str:
    """A name as people are shown; a mention of two words may hold one too many."""
    low = text.strip(" .,:").lower()
    return names.get(low) or names.get(low.split()[0], "") if low else ""


def task_in(remark: Remark, names: dict[str, str]) -> Task | None:
    """What a remark gives someone to do."""
    low, text = remark.low, remark.text
    if remark.bot or remark.quoted or len(remark.stems) < 2:
        return None
    box = BOX.match(text)
    if remark.label in LABELS or box or cues.TODO.search(low):
        owner = owner_in(text, names)
        finished = bool(box and ((box["done"] or "").lower() == "x" or text.lstrip()[0] in "☑✅"))
        return Task(remark, text, owner, 3.0, (remark.ts,), done=finished)
    if remark.asks and not cues.ASKED_OF.search(text):
        return None
    if cues.ASKED_OF.search(text) and not cues.COMMANDER.search(low):
        owner = owner_in(text, names)
        small = bool(cues.LOOKS.search(low)) and not cues.words(
            "ticket", "post", "page", "call", "file", "write", "update"
        ).search(low)
        said = remark.asks or cues.words(
            "please", "pls", "can", "could", "will", "to", "take[s]?", "own[s]?", "should", "need[s]? to"
        ).search(low)
        return Task(remark, text, owner, 1.0 if small else 2.0, (remark.ts,)) if owner and said else None
    if begins := NAMED.match(text):
        owner = who(begins[1], names)
        if owner and (remark.ahead or ":" in begins[0] or "→" in begins[0]):
            return Task(remark, text, owner, 2.0, (remark.ts,))
    if cues.PROMISE.search(low) and not remark.negated and not cues.NEXT_UPDATE.search(low):
        begun = BY_MYSELF.search(text)
        small = bool(cues.LOOKS.search(low))
        return Task(remark, text, remark.name, 0.6 if small or not begun else 1.5, (remark.ts,))
    if cues.NEEDED.search(low) and not remark.hedged and not remark.negated and not remark.supposed:
        return Task(remark, text, owner_in(text, names), 1.2, (remark.ts,))
    return None


def plain_task(text: str) -> str:
    """A task without whom it names first, and without how it was asked for."""
    shorter = ASKING.sub("", BOX.sub("", text)).rstrip(" ?")
    if len(shorter.split()) < 2:
        return text
    return shorter[:1].upper() + shorter[1:]


def owner_in(text: str, names: dict[str, str]) -> str:
    """Whom a task names."""
    for pattern in (OWNER, MENTION, NAMED):
        for match in pattern.finditer(BOX.sub("", text)):
            if found := who(match[1], names):
                return found
    return ""


def alike(task: Task, new: Task) -> bool:
    """Whether a task was given before."""
    return overlap(task.remark.stems, new.remark.stems) >= 0.6 and not task.dropped


def advanced(task: Task, remark: Remark, talk: Talk, names: dict[str, str]) -> Task:
    """A task after a later remark: done, handed over, dropped, or as it was."""
    if remark.asks or task.dropped or remark.key <= task.remark.key:
        return task
    same = overlap(remark.stems - {"don", "post", "updat"}, task.remark.stems)
    in_thread = remark.message.thread_ts != "" and remark.thread == task.remark.thread
    its_owner = remark.name == task.owner and bool(task.owner)
    if cues.HANDS_OVER.search(remark.low) and (same >= 0.3 or in_thread):
        if owner := new_owner(remark, task, names):
            return replace(task, owner=owner, ts=(*task.ts, remark.ts))
    if cues.DROPPED.search(remark.low) and (same >= 0.3 or in_thread):
        return replace(task, dropped=True)
    if task.done or not cues.DONE.search(remark.low) or remark.ahead or remark.supposed or remark.negated:
        return task
    bare = len(remark.stems) <= 1 or cues.words("done").match(remark.low) is not None
    soon = (remark.message.at - task.remark.message.at).total_seconds() < SOON_S
    if same >= 0.4 or (in_thread and (bare or its_owner)) or (its_owner and bare and soon):
        return replace(task, done=True, ts=(*task.ts, remark.ts))
    return task


def new_owner(remark: Remark, task: Task, names: dict[str, str]) -> str:
    """Who has a task after it was handed over."""
    low = remark.low
    if re.search(r"\b(?:i'll|i'm|i|i can|i will) (?:will |can |am )?(?:tak\w+|relieving|own)", low):
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


def marked(task: Task) -> Task:
    """A task whose message somebody ticked off is done."""
    ticked = any(name in cues.DONE_MARKS for name in task.remark.message.reactions)
    return replace(task, done=True) if ticked and not task.done else task
