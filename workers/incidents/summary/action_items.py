"""Who has what to do, and what of it is done, handed over or dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta

from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.summary_types import ActionItem
from workers.incidents.summary.utterances import Utterance
from workers.language.sentences import overlap, stems_of

MOST = 12
DONE_MARKS = frozenset("white_check_mark heavy_check_mark ballot_box_with_check done checked check".split())
BOX = re.compile(r"^\s*(?:\[(?P<done>[ xX]?)\]|☐|☑|✅)\s*")
LIST = re.compile(r"\b(?:action items?|actions|ais|to-?dos?|follow[- ]?ups?|next steps|tasks)\b\W*$")
"""The heading of a list of what is to do."""
PART = re.compile(r"(?:[,;.] | (?:and|und|y) |^)(?:and )?@?(?=\w)")
"""Where the part of a list may begin that is somebody else's."""
OWNER_LAST = re.compile(r"^(?P<what>.{6,200}?)(?:\s*\(|\s[-–—→]\s|:\s|\s*\bowner:?\s)@?(?P<who>[\w.-]+)\)?\s*$")
"""A task with its owner behind it: "alert on memory (lena)"."""
ADDRESS = re.compile(r"^\W*@?(?P<who>[\w.-]*\w)[,:]?\s+")
ASKING = re.compile(
    r"^(?:(?:and|also|then|ok|so|ai|todo|to|please|pls|can|could|would|will|you|u|i'll|i will|let me)\b[\s,:–-]*)+",
    re.IGNORECASE,
)
"""How a task is asked for or promised, before what is to do."""
TO_ANSWER = timedelta(minutes=20)
ROOT = 4
"""Letters that words of one root share."""
SAME, AKIN = 0.6, 0.3
"""The share of their words that makes two tasks one, and a report one of a task."""
LEAST_IN = 14
"""A name that stands further in is spoken of, not to."""
FEWEST = 2
"""Words of a task that can stand by itself."""


@dataclass(frozen=True)
class Task:
    """Something to do. ``ts``: the messages that told of it, the first that gave it."""

    remark: Utterance
    text: str
    owner: str
    ts: tuple[str, ...]
    done: bool = False
    listed: bool = False
    taken: bool = False

    @property
    def stems(self) -> frozenset[str]:
        """What it is about."""
        return stems_of(self.text)


def tasks_of(talk: Conversation, *, over: bool = False) -> tuple[ActionItem, ...]:
    """What is to do and what was done, by who has it now; once it is over, without what nobody took."""
    tasks: list[Task] = []
    for remark in talk.people:
        if remark.joked:
            continue
        tasks = [answered(task, remark, talk) for task in tasks]
        for new in tasks_in(remark, talk) if remark.user in talk.settled else ():
            same = next((n for n, old in enumerate(tasks) if is_same(old, new)), None)
            if same is None:
                tasks.append(new)
            elif not tasks[same].done:
                old = tasks[same]
                ts = tuple(dict.fromkeys((*old.ts, remark.ts)))
                tasks[same] = replace(
                    old, owner=new.owner or old.owner, ts=ts, done=new.done, listed=old.listed or new.listed
                )
    tasks = [ticked(task, talk) for task in tasks if not over or task.owner or task.listed]
    chosen = sorted(tasks, key=lambda t: (t.listed, t.taken or t.done, t.remark.key), reverse=True)[:MOST]
    return tuple(
        ActionItem(text=t.text, ts=t.ts, owner=t.owner, done=t.done) for t in sorted(chosen, key=lambda t: t.remark.key)
    )


def tasks_in(remark: Utterance, talk: Conversation) -> Iterator[Task]:
    """What a remark gives people to do: one task for each whom it tells something."""
    box = BOX.match(remark.text)
    listed = bool(box or LIST.search(remark.heading)) or in_list(remark, talk)
    if not (listed or remark.likely("task_request") or promises(remark)) or remark.likely("next_update"):
        return
    if remark.likely("lead") and remark.chance("lead") > remark.chance("task_request"):
        return  # to lead is no task
    text = BOX.sub("", remark.text)
    finished = bool(box and (box["done"] or "").lower() == "x")
    parts = parts_of(text, talk)
    if not parts:
        own = promises(remark) and not remark.asks and not remark.likely("task_request")
        named = [name for name in talk.named_in(text) if name != remark.name]
        asked = named[0] if len(named) == 1 and not own else ""
        parts = [(remark.name if own else asked, text)]
    for owner, part in parts:
        told = plain_task(part)
        if len(stems_of(told)) >= FEWEST:
            yield Task(remark, told, owner, (remark.ts,), finished, listed, taken=owner == remark.name)


def promises(remark: Utterance) -> bool:
    """Whether its writer says that they will do something which it names."""
    return remark.surely("commitment") and len(remark.stems) > FEWEST


def in_list(remark: Utterance, talk: Conversation) -> bool:
    """Whether a sentence goes on a list that its message begins: "Action items. @arne: …"."""
    before = talk.of_message.get(remark.ts, ())
    return any(r.number < remark.number and LIST.search(r.low) and len(r.stems) <= FEWEST for r in before)


def parts_of(text: str, talk: Conversation) -> list[tuple[str, str]]:
    """Whom a sentence tells what: the text behind each name that begins it or a part of it."""
    if behind := OWNER_LAST.match(text):
        mentioned = text[: behind.start("who")].endswith("@")
        owner = talk.named_in(f"{'@' if mentioned else '· '}{behind['who']}")
        if owner:
            return [(owner[0], behind["what"])]
    places: list[tuple[int, int, str]] = []
    for match in PART.finditer(text):
        word = ADDRESS.match(text[match.end() - (text[match.end() - 1 : match.end()] == "@") :])
        named = talk.named_in(("@" if match[0].endswith("@") else "") + word["who"]) if word else ()
        if word and named and (match.end() < LEAST_IN or places):
            begin = text.index(word["who"], max(match.end() - 1, 0)) + len(word["who"])
            places.append((match.start(), begin, named[0]))
    if not places:
        return []
    ends = [start for start, _, _ in places[1:]] + [len(text)]
    return [(owner, text[begin:end].strip(" ,;:.–—-→")) for (_, begin, owner), end in zip(places, ends, strict=True)]


def plain_task(text: str) -> str:
    """A task without how it was asked for."""
    shorter = ASKING.sub("", text.strip()).strip(" ?,;:")
    return (shorter[:1].upper() + shorter[1:]) if len(shorter.split()) > 1 else text.strip()


def is_same(task: Task, new: Task) -> bool:
    """Whether a task was given before."""
    if task.ts[0] == new.ts[0]:
        return False
    return overlap(task.stems, new.stems) >= SAME


def answered(task: Task, remark: Utterance, talk: Conversation) -> Task:
    """A task after a later remark: taken, done, refused, or as it was."""
    if task.done or remark.ts in task.ts or remark.asks:
        return task
    mine = remark.name == task.owner
    soon = remark.message.at - task.remark.message.at <= TO_ANSWER
    thread = bool(remark.message.thread_ts) and remark.thread == task.remark.thread
    akin = max(overlap(remark.stems, task.stems), AKIN * bool(roots(remark.stems) & roots(task.stems)))
    of_it = akin >= AKIN or (thread and len(remark.stems) <= FEWEST)
    if remark.likely("done", "deed") and (
        (mine and (of_it or bare_report(remark, task, talk))) or (of_it and akin >= SAME)
    ):
        return replace(task, done=True, ts=(*task.ts, remark.ts))
    if remark.likely("decline") and soon and (mine or not task.owner) and (of_it or next_of(remark, task, talk)):
        return replace(task, owner="", taken=False) if mine else task
    takes = remark.likely("commitment") and soon and len(remark.stems) <= FEWEST
    if takes and (mine or not task.owner) and next_of(remark, task, talk):
        return replace(task, owner=remark.name, taken=True, ts=(*task.ts, remark.ts))
    return task


def roots(stems: frozenset[str]) -> frozenset[str]:
    """How words begin: "rollback" is of "roll"."""
    return frozenset(stem[:ROOT] for stem in stems if len(stem) >= ROOT)


def bare_report(remark: Utterance, task: Task, talk: Conversation) -> bool:
    """Whether "done" is of this task: of all that its owner had just then the last one given."""
    return len(remark.stems) <= FEWEST and next_of(remark, task, talk)


def next_of(remark: Utterance, task: Task, talk: Conversation) -> bool:
    """Whether a remark answers the message that gave a task: none of its writer's stands between them."""
    between = (r for r in talk.people if task.remark.key < r.key < remark.key and r.ts != remark.ts)
    return not any(r.user == remark.user and not r.likely("commitment") for r in between)


def ticked(task: Task, talk: Conversation) -> Task:
    """A task whose message its owner ticked off is done; one whose message says nothing else by anybody's tick."""
    names = {m.user: m.name for m in talk.messages}
    marks = {user for name in DONE_MARKS for user in task.remark.message.reactions.get(name, ())}
    alone = len(talk.of_message[task.remark.ts]) == 1
    by_owner = any(names.get(user) == task.owner for user in marks)
    return replace(task, done=True) if marks and (by_owner or alone) else task
