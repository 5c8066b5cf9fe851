"""A plan and how far it is: as the chunks of a stream, as blocks, and as one line of status.

Of a streamed task, Slack replaces title and status and adds to output and sources: those are said once.
Source: docs.slack.dev/reference/methods/chat.appendStream, `slack_sdk.models.messages.chunk`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from workers.contracts import Plan, Step
from workers.delivery.block_limits import weigh
from workers.delivery.block_packing import Row, context, pack_rows, row
from workers.delivery.cited_evidence import MAX_LINK, WEB
from workers.delivery.rich_text import clip, escape, link, safe, words
from workers.ports import Chunk, Post

MAX_STEPS = 12
MAX_KEY = 200
TITLE, OUTPUT, NAME = 160, 200, 60  # characters; Slack takes 256 of titles and outputs
SOURCES = 3
ROOM = 9_000  # in units of `limits.weigh`: what a message of steps may weigh with its links
SIGNS = {"pending": "○", "running": "◐", "ok": "✓", "empty": "–", "timeout": "✗", "error": "✗", "denied": "✗"}
SAYS = {
    "empty": "nothing found",
    "timeout": "took too long",
    "error": "failed",
    "denied": "not allowed",
    "unfinished": "not finished",
}
TASKS = {"pending": "pending", "running": "in_progress", "ok": "complete", "empty": "complete"}
UNDER_WAY = frozenset({"pending", "running"})
OPEN = frozenset({*UNDER_WAY, "timeout"})
"""What may still come to a result: a call beyond its time limit runs on, and what it returns is used."""
MOMENT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
PARSED = re.compile(r"<(?=[!@#])|\](?=\()|\bhttps?(?=://)")
"""Where Slack would read a mention or a link in the text of a task."""
UNPARSED = "\N{ZERO WIDTH SPACE}"

TodoState = Literal["pending", "active", "done"]
TodoItem = tuple[str, TodoState]
"""One item of a model's to-do list, and how far it is."""
Todo = tuple[TodoItem, ...]
TODO_SIGNS: Mapping[TodoState, str] = {"pending": "☐", "active": "▸", "done": "✓"}
TODO_TASKS: Mapping[TodoState, str] = {"pending": "pending", "active": "in_progress", "done": "complete"}

Source = tuple[str, str]
"""Title and web address of a piece of evidence."""


class StepState(NamedTuple):
    """How far a step is: pending, running, ok, empty, timeout, error or denied; what it found, and where it stands.

    ``seconds``: how long a step has been running, when that is long enough to be shown, else 0.
    """

    status: str = "pending"
    found: str = ""
    sources: tuple[Source, ...] = ()
    seconds: int = 0


States = Mapping[str, StepState]
WAITING, UNFINISHED = StepState(), StepState("unfinished")


def title_of(plan: Plan | None, states: States, done: bool, todo: Todo = ()) -> str:
    """What is going on, and how far it is."""
    if done:
        return "Checked"
    if todo:
        return f"Checking · {sum(state == 'done' for _, state in todo)} of {len(todo)} done"
    if plan is None or not plan.steps:
        return "Reading the question"
    ended = sum(states.get(s.id, WAITING).status not in UNDER_WAY for s in plan.steps)
    return f"Checking · {ended} of {len(plan.steps)} done"


def say_status(plan: Plan | None, states: States) -> str:
    """One line that goes on from the app's name: ``is checking: find the lines…``."""
    steps = plan.steps if plan else ()
    for status in ("running", "pending"):
        now = next((s for s in steps if states.get(s.id, WAITING).status == status), None)
        if now is not None:
            return f"is checking: {clip(unparsed(safe(now.purpose)), 100).rstrip('…')}…{lasting(states.get(now.id))}"
    return "is writing the answer…" if steps else "is reading the question…"


def lasting(state: StepState | None) -> str:
    """How long a slow step has been running: `` (10 s)``."""
    return f" ({state.seconds} s)" if state is not None and state.seconds else ""


# --- as a stream ----------------------------------------------------------------------------------------------


def stream_of(key: str, plan: Plan | None, states: States, done: bool, todo: Todo = ()) -> list[Chunk]:
    """All of it: the plan's title, then one task a step. Task ids are ``KEY/0``, so that the message can be found.

    Args:
        key: the mark of the message.
        plan: None while the question is being read.
        states: by the id of their step.
        done: the answer comes.
        todo: a model's own list, which is shown in place of the steps.
    """
    if todo:
        title: Chunk = {"type": "plan_update", "title": title_of(plan, states, done, todo) + more(todo)}
        return [title, *todo_tasks(key, todo, running_words(plan, states, done), done)]
    shown = shown_of(plan, states, done)
    chunks: list[Chunk] = [{"type": "plan_update", "title": title_of(plan, states, done) + more(steps_of(plan))}]
    if not shown:
        reading = {"title": "Read the question", "status": "complete" if done else "in_progress"}
        return [*chunks, {"type": "task_update", "id": task_id(key, 0), **reading}]
    return [*chunks, *(task(task_id(key, i), step, state, done) for i, (step, state) in enumerate(shown))]


def shown_of(plan: Plan | None, states: States, done: bool) -> list[tuple[Step, StepState]]:
    """The steps that are shown, with how far they are; what has not ended when all is done never will."""
    pairs = [(s, states.get(s.id, WAITING)) for s in (plan.steps[:MAX_STEPS] if plan else ())]
    return [(step, UNFINISHED if done and state.status in UNDER_WAY else state) for step, state in pairs]


def task_id(key: str, place: int) -> str:
    """The id of a task in the stream of a message."""
    return f"{key[:MAX_KEY]}/{place}"


def steps_of(plan: Plan | None) -> Sequence[Step]:
    """The steps of a plan, none while there is no plan."""
    return plan.steps if plan else ()


def more(items: Sequence[object]) -> str:
    """What a title adds when not all steps or items are shown."""
    over = len(items) - MAX_STEPS
    return f" · and {over} more" if over > 0 else ""


def task(name: str, step: Step, state: StepState, done: bool) -> Chunk:
    """What a step looks for; once it has ended for good, what it found and where: an output is said once."""
    status = TASKS.get(state.status, "error")
    title = f"{unparsed(headline(step))}{lasting(state)}"
    out: Chunk = {"type": "task_update", "id": name, "title": title, "status": status}
    if state.status in (UNDER_WAY if done else OPEN):
        return out
    output = clip(unparsed(outcome(state)), OUTPUT)
    if output:
        out["output"] = output
    sources = [
        {"type": "url", "url": url, "text": clip(safe(title), NAME) or url[:NAME]} for title, url in linked(state)
    ]
    return out | ({"sources": sources} if sources else {})


def headline(step: Step) -> str:
    """What a step looks for, as a line of its own."""
    text = clip(safe(step.purpose), TITLE) or clip(safe(step.tool), TITLE) or "…"
    return text[:1].upper() + text[1:]


def outcome(state: StepState) -> str:
    """What came of a step that has ended, on one line."""
    found = " ".join(MOMENT.sub(readable, safe(state.found)).split())
    says = SAYS.get(state.status, "")
    return ": ".join(part for part in (says, found) if part)


def linked(state: StepState) -> list[Source]:
    """The evidence that can be opened, each address once, at most three."""
    fits: dict[str, str] = {}
    for title, url in state.sources:
        if len(url) <= MAX_LINK and url.isascii() and WEB.fullmatch(url):
            fits.setdefault(url, title)
    return [(title, url) for url, title in fits.items()][:SOURCES]


def unparsed(text: str) -> str:
    """Text in which Slack finds no mention and no link: what tools found is quoted, never acted on."""
    return PARSED.sub(lambda match: match[0] + UNPARSED, text)


def readable(match: re.Match[str]) -> str:
    """A moment as a person writes it."""
    try:
        return f"{datetime.fromisoformat(match.group()):%H:%M UTC, %b %d}"
    except ValueError:
        return match.group()


def named(chunk: Chunk) -> str:
    """Which part of a stream a chunk is about."""
    return str(chunk.get("id") or chunk["type"])


def told_of(now: Sequence[Chunk], before: Mapping[str, Chunk]) -> dict[str, Chunk]:
    """What a stream was told of each of its parts, once it shows ``now``."""
    return {**before, **{named(chunk): {**before.get(named(chunk), {}), **chunk} for chunk in now}}


def changes(now: Sequence[Chunk], told: Mapping[str, Chunk]) -> list[Chunk]:
    """What a stream has to be told, so that it shows ``now``: changed parts only, and nothing twice."""
    out = []
    for chunk in now:
        before = told.get(named(chunk), {})
        if {**before, **chunk} != before:
            out.append({k: v for k, v in chunk.items() if k not in {"output", "sources"} or k not in before})
    names = {named(chunk) for chunk in now}
    for name, before in told.items():  # of a plan that was changed since
        if name not in names and before.get("status") != "complete":
            out.append({k: before[k] for k in ("type", "id", "title")} | {"status": "complete"})
    return out


# --- a model's own list ---------------------------------------------------------------------------------------


def todo_tasks(key: str, todo: Todo, running: str, done: bool) -> list[Chunk]:
    """Its items as tasks of a stream, with what runs now behind the active one; none is ticked that was left open."""
    chunks: list[Chunk] = []
    for i, (text, state) in enumerate(settled(todo, done)[:MAX_STEPS]):
        title = unparsed(clip(safe(text), TITLE) or "…")
        title += f" · {unparsed(running)}" if state == "active" and running else ""
        chunks.append({"type": "task_update", "id": f"{task_id(key, i)}t", "title": title, "status": TODO_TASKS[state]})
    return chunks


def todo_rows(todo: Todo, running: str, done: bool) -> list[Row]:
    """The same as lines."""
    rows = []
    for text, state in settled(todo, done)[:MAX_STEPS]:
        line = words(f"{TODO_SIGNS[state]} {clip(safe(text), TITLE) or '…'}", bold=state == "active")
        rows.append(row([*line, *words(f" · {running}" if state == "active" and running else "", italic=True)]))
    return rows


def settled(todo: Todo, done: bool) -> Todo:
    """Once the answer comes nothing is under way any more."""
    return tuple((text, "pending" if done and state == "active" else state) for text, state in todo)


def running_words(plan: Plan | None, states: States, done: bool) -> str:
    """What the first step that runs looks for, and for how long it has."""
    running = [] if done else [s for s in steps_of(plan) if states.get(s.id, WAITING).status == "running"]
    return next((f"{clip(safe(s.purpose), NAME)}{lasting(states.get(s.id))}" for s in running), "")


# --- as blocks ------------------------------------------------------------------------------------------------


def render_plan(question_text: str, plan: Plan | None, states: States, done: bool, todo: Todo = ()) -> Post:
    """The same as a message: one line a step.

    Args:
        question_text: what was asked; stands in the notification only.
        plan: None while the question is being read.
        states: by the id of their step.
        done: whether the answer is there.
        todo: a model's own list, which is shown in place of the steps.
    """
    title = title_of(plan, states, done, todo)
    text = f"{title}: {escape(clip(safe(question_text), 300))}".rstrip(": ")
    if todo:
        listed = todo_rows(todo, running_words(plan, states, done), done)
        return Post(text, tuple(pack_rows([row(words(title, bold=True)), *listed, *rest(todo)])))
    shown = shown_of(plan, states, done)
    if not shown:
        return Post(text, (context(f"{title}…" if not done else title),))
    lines = [step_line(step, state) for step, state in shown]
    if sum(map(weigh, lines)) > ROOM:
        lines = [step_line(step, state._replace(sources=())) for step, state in shown]
    rows = [row(words(title, bold=True)), *map(row, lines), *rest(steps_of(plan))]
    return Post(text, tuple(pack_rows(rows)))


def rest(items: Sequence[object]) -> list[Row]:
    """A line for the steps or items that are not shown."""
    over = more(items).removeprefix(" · ")
    return [row(words(over))] if over else []


def step_line(step: Step, state: StepState) -> list[dict[str, object]]:
    """Sign, tool, what it looks for until it has found something, and then that with its sources."""
    ended = state.status not in UNDER_WAY
    shown = (clip(outcome(state), 140) if ended else "") or clip(safe(step.purpose), 140)
    out = [
        *words(f"{SIGNS.get(state.status, '·')} "),
        *words(clip(safe(step.tool), NAME), code=True),
        *words(f" {shown}{lasting(state)}", italic=state.status == "pending"),
    ]
    for title, url in linked(state) if ended else ():
        out.extend([*words(" · "), *link(url, clip(safe(title), NAME) or url[:NAME])])
    return out
