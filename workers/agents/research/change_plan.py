"""The steps that find how code changed."""

from __future__ import annotations

from collections.abc import Sequence

from workers.agents.research.code_change_question import CodeChange
from workers.agents.research.validators import names_something
from workers.contracts import Intent, Landscape, Plan, Scalar, Step, Window, rfc3339
from workers.reasoning.question_features import asks_value

CODE = "repo_search"
PLACE, OWN, ALL, LAST, LINES, ORIGIN = "place", "own", "all", "last", "lines", "origin"
"""Steps: where it is, the commits of the span that changed it, those of the span, the last before, lines and values,
when it came."""
TRACE = "trace"
"""The step that finds the frames of a stack trace."""
MOST_OWN, MOST_ALL, MOST_STEPS = 10, 5, 6


def plan_origin(name: str, asked: CodeChange) -> Plan:
    """Which commit brought the subject, or took it out."""
    step = Step(
        id=ORIGIN,
        tool=CODE,
        args={"query": asked.subject, "origin": True, "k": 3},
        purpose=f"find the commit that brought {asked.subject}",
    )
    return Plan(pattern=name, query_intent="show when it came", steps=(step,))


def plan_all(name: str, window: Window) -> Plan:
    """The commits of a span, and the last before it."""
    span: dict[str, Scalar] = {"since": rfc3339(window.start), "until": rfc3339(window.end), "k": MOST_OWN}
    last: dict[str, Scalar] = {"until": rfc3339(window.start), "k": 1}
    steps = (
        Step(id=ALL, tool=CODE, args=span, purpose="see all that changed in that time"),
        Step(id=LAST, tool=CODE, args=last, purpose="see what changed last before that time"),
    )
    return Plan(pattern=name, query_intent="show what changed", steps=steps)


def plan_changes(name: str, asked: CodeChange, intent: Intent, landscape: Landscape) -> Plan:
    """Where the subject is, which commits changed that file or folder in the time that is named, and the last before.

    Without a time the last ones that changed it.
    """
    path = asked.path if asked.is_folder else f"{{{PLACE}.folder|{PLACE}.path}}"
    after = () if asked.is_folder else (PLACE,)
    window = intent.window if intent.time_hints else None
    where: dict[str, Scalar] = {"query": asked.subject, "k": 3}
    where |= {"path": asked.path} if asked.is_folder else {}
    own: dict[str, Scalar] = {"path": path, "k": MOST_OWN}
    steps = [Step(id=PLACE, tool=CODE, args=where, purpose=f"find where {asked.subject} is")]
    if window is None:
        own |= {"until": rfc3339(intent.window.end)} if intent.window else {}
        steps.append(Step(id=OWN, tool=CODE, args=own, purpose="see the commits that changed it", after=after))
        return Plan(pattern=name, query_intent="show what changed", steps=tuple(steps))
    span: dict[str, Scalar] = {"since": rfc3339(window.start), "until": rfc3339(window.end)}
    last: dict[str, Scalar] = {"path": path, "until": rfc3339(window.start), "k": 1}
    rest: dict[str, Scalar] = {"query": asked.subject, **span, "k": MOST_ALL}
    steps += [
        Step(id=OWN, tool=CODE, args={**own, **span}, purpose="see which commits of that time changed it", after=after),
        Step(id=LAST, tool=CODE, args=last, purpose="see what changed it last before that time", after=after),
        Step(id=ALL, tool=CODE, args=rest, purpose="see all that changed in that time"),
    ]
    if names_something(intent, landscape):
        query = f"alert=* window={span['since']}/{span['until']}"
        steps.append(Step(id="alerts", tool="metrics_query", args={"query": query}, purpose="see what fires"))
    return Plan(pattern=name, query_intent="show what changed", steps=tuple(steps))


def with_lines(steps: Sequence[Step], asked: CodeChange | None, most: int) -> list[Step]:
    """How lines came to be what they are is looked up right after where they are."""
    if asked is None or not asked.lines or len(steps) >= most:
        return list(steps)
    limit = " max" if asks_value(asked.subject) and "limit" in asked.subject.lower() else ""
    args: dict[str, Scalar] = {"query": f"{asked.subject}{limit}", "history": True, "k": MOST_STEPS}
    step = Step(id=LINES, tool=CODE, args=args, purpose=f"see how {asked.subject} changed")
    return [*steps[:1], step, *steps[1:]]
