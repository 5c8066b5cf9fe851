"""Intent + the known plans of ``patterns.yaml`` -> a plan."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import timedelta

from workers.agents.research.validators import names_something
from workers.contracts import (
    Deploy,
    Intent,
    Landscape,
    PatternEntry,
    PatternStep,
    Plan,
    Question,
    Scalar,
    Step,
    rfc3339,
)
from workers.language.time_phrases import names_deploy
from workers.language.written_names import HAS_FORM, WRITTEN
from workers.ports import Playbook
from workers.reasoning.kind_groups import BEHAVIOUR_KINDS
from workers.reasoning.known_plans import fill_step, find_pattern
from workers.reasoning.metric_selection import metric_queries
from workers.reasoning.question_features import quoted_phrases
from workers.reasoning.question_words import STOP
from workers.reasoning.wish import FILE, LATEST, ON_CALL, VERSION, WHO, asks_changed

METRIC_NAME = re.compile(r"\bmetric=(\w+)")
METRICS, CODE, DOCS = "metrics_query", "repo_search", "doc_search"
ANY_TYPE = "other"
"""The type of question of the looks that every plan has."""
OVER = timedelta(minutes=5)  # a window that ended longer ago is of the past
HISTORY, SAID_BEFORE = timedelta(days=365), timedelta(days=7)
STATE = timedelta(hours=48)
"""How far back the state of now looks: a level that is worse since yesterday is steady in the last hour."""
CHANGE_STEPS = ("difference", "release", "file_changes", "origin")
"""The steps that tell line by line what was changed."""
ASKED = {"file": FILE, "who": WHO, "on_call": ON_CALL}
"""Conditions of steps, with what a question then says."""
SAID = "said"
"""The step that looks for a commit which is quoted."""


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The looks of this kind of question, then those of every question, at most ``playbook.max_steps`` of the tools
    of ``playbook.tools``."""
    name, pattern = find_pattern(playbook.patterns, intent.question_type)
    queries = metric_queries(question, intent, landscape)
    values = slot_values(question, intent, landscape, *queries[0])
    tools = playbook.tools
    kept = allowed_steps(pattern.steps, question, intent, landscape, tools)
    steps = without_twins([fill_step(s, values, {s.id for s in kept}) for s in kept])
    steps = with_others(steps, kept, question, intent, landscape, queries[1:], playbook.max_steps)
    steps = with_said(with_code(steps, question, landscape, tools), question, intent, playbook.max_steps)
    wide = find_pattern(playbook.patterns, ANY_TYPE)[1]
    if wide is not pattern:
        more = allowed_steps(wide.steps, question, intent, landscape, tools)
        steps = with_wide(steps, [fill_step(s, values, {s.id for s in more}) for s in more], playbook.max_steps)
    if asks_changed(question.text) or WHO.search(question.text):
        # what two looks find is known as the first of them tells it
        steps = sorted(steps, key=lambda s: CHANGE_STEPS.index(s.id) if s.id in CHANGE_STEPS else len(CHANGE_STEPS))
    return Plan(
        pattern=name,
        query_intent=pattern.query_intent,
        steps=tuple(steps),
        uncertainties=unsure(pattern, kept, intent, tools),
        verification_tips=pattern.verification_tips,
    )


def allowed_steps(
    steps: Sequence[PatternStep],
    question: Question,
    intent: Intent,
    landscape: Landscape,
    tools: Collection[str] | None,
) -> list[PatternStep]:
    """The steps whose tool the agent has and whose condition holds."""
    known = [s for s in steps if (s.when != "connected" if tools is None else s.tool in tools)]
    return [s for s in known if fits(s, question, intent, landscape)]


def with_wide(steps: Sequence[Step], wide: Sequence[Step], most: int) -> list[Step]:
    """A plan with the looks of every question that it does not have, as far as there is room."""
    asked = {look_of(s) for s in steps}
    names = {s.id for s in steps}
    new = [s.model_copy(update={"id": f"{s.id}_wide"}) if s.id in names else s for s in wide if look_of(s) not in asked]
    kept = names | {s.id for s in new}
    new = [s.model_copy(update={"after": tuple(a for a in s.after if a in kept)}) for s in new]
    return [*steps, *new[: max(most - len(steps), 0)]]


def look_of(step: Step) -> tuple[object, ...]:
    """What a step looks for; how many it takes is no other look."""
    return (step.tool, *sorted((k, v) for k, v in step.args.items() if k != "k"))


def fits(step: PatternStep, question: Question, intent: Intent, landscape: Landscape) -> bool:
    """Whether a step's condition holds. What is known of now alone is no answer for a time that is over."""
    if step.when == "measured" and intent.question_type in BEHAVIOUR_KINDS:
        return True
    if step.when == "known":
        wanted = METRIC_NAME.search(str(step.args.get("query", "")))
        return wanted is not None and any(m.name == wanted[1] for m in landscape.metrics)
    if step.when in ASKED:
        return ASKED[step.when].search(question.text) is not None
    if step.when == "origin":
        last = LATEST.search(question.text)
        return not last and WHO.search(question.text) is not None and identifier_in(question.text) != ""
    if step.when == "range":
        return range_in(question.text, landscape) != ""
    if step.when == "change":
        released = VERSION.search(question.text) is not None or any(map(names_deploy, intent.time_hints))
        return released and asks_changed(question.text)
    if step.when != "unnamed":
        return step.when not in {"named", "measured"} or names_something(intent, landscape)
    over = intent.time_hints and intent.window and intent.window.end < question.received_at - OVER
    return not intent.subjects and not over and not names_something(intent, landscape)


def unsure(
    pattern: PatternEntry, kept: Sequence[PatternStep], intent: Intent, tools: Collection[str] | None
) -> tuple[str, ...]:
    """What the plan cannot show; of a pattern with steps for the whole as it is now, that these were left out."""
    whole = [s for s in pattern.steps if s.when == "unnamed"]
    missed = [s for s in whole if s not in kept and not intent.subjects and (tools is None or s.tool in tools)]
    return pattern.uncertainties if missed or not whole else ()


def with_code(
    steps: Sequence[Step], question: Question, landscape: Landscape, tools: Collection[str] | None
) -> list[Step]:
    """What only documents would answer is looked for in the code where there are no documents."""
    asked = {s.tool for s in steps}
    if asked != {DOCS} or landscape.documents or not landscape.repositories or not (tools is None or CODE in tools):
        return list(steps)
    step = Step(id="code", tool=CODE, args={"query": question.text[:1000], "k": 4}, purpose="find code that tells")
    return [*steps, step]


def without_twins(steps: Sequence[Step]) -> list[Step]:
    """A metrics step that asks what an earlier one asks is left out, unless another waits for it."""
    needed = {a for s in steps for a in s.after}
    out: list[Step] = []
    for step in steps:
        twin = any(s.tool == step.tool and s.args == step.args for s in out)
        if step.tool != METRICS or not twin or step.id in needed:
            out.append(step)
    return out


def with_others(
    steps: Sequence[Step],
    pattern: Sequence[PatternStep],
    question: Question,
    intent: Intent,
    landscape: Landscape,
    others: Sequence[tuple[str, str]],
    most: int,
) -> list[Step]:
    """Each metrics step, followed by the same for further metrics and places."""
    asks = {s.id: s for s in pattern if s.tool == METRICS and re.search(r"\{(?:metric|filter)\}", str(s.args))}
    more: dict[str, list[Step]] = {}
    seen = [s.args for s in steps]
    for n, (metric, where) in enumerate(others, 2):
        values = slot_values(question, intent, landscape, metric, where)
        for name, step in asks.items():
            again = fill_step(step.model_copy(update={"id": f"{name}_{n}"}), values, set())
            if again.args not in seen and len(seen) < most:
                seen.append(again.args)
                more.setdefault(name, []).append(again)
    return [s for step in steps for s in (step, *more.get(step.id, ()))]


def with_said(steps: Sequence[Step], question: Question, intent: Intent, most: int) -> list[Step]:
    """A commit that the question quotes is looked for, when the plan looks into code at all."""
    said, window = quoted_phrases(question.text), intent.window
    if not said or window is None or len(steps) >= most or not any(s.tool == CODE for s in steps):
        return list(steps)
    args: dict[str, Scalar] = {"query": said[0], "since": rfc3339(window.start - SAID_BEFORE), "k": 2}
    return [*steps, Step(id=SAID, tool=CODE, args=args, purpose=f"find the commit “{said[0]}”")]


def slot_values(question: Question, intent: Intent, landscape: Landscape, metric: str, where: str) -> dict[str, str]:
    """The values of the slots that are known before any tool runs."""
    window = intent.window
    if window is None:
        raise ValueError("the engine gives every intent a window")
    deploy = deploy_of(question, intent, landscape)
    start = window.start
    if intent.question_type == "deploys" and deploy:  # the last one is told although it lies before
        start = min(start, deploy.at - timedelta(minutes=1))
    if intent.question_type == "operations_status" and question.received_at - window.end < OVER:
        start = min(start, window.end - STATE)
    return {
        "question": plain(question.text, intent),
        "terms": " ".join(terms(question.text, intent)),
        "subject": intent.subjects[0] if intent.subjects else "the whole system",
        "subjects": " ".join(intent.subjects),
        "metric": metric,
        "window": f"{rfc3339(start)}/{rfc3339(window.end)}",
        "window.start": rfc3339(window.start),
        "window.end": rfc3339(window.end),
        "history": rfc3339(window.end - HISTORY),
        "filter": where,
        "file": file_in(question.text),
        "written": file_in(question.text) or "{code.path|}",
        "named": " ".join(names_of_code(question.text, intent)),
        "identifier": identifier_in(question.text),
        "range": range_in(question.text, landscape),
        "deploy": f"{deploy.service}:{deploy.version}" if deploy else "@",
    }


def deploy_of(question: Question, intent: Intent, landscape: Landscape) -> Deploy | None:
    """The deploy whose version or service is named, else the last one."""
    said = {v.removeprefix("v") for v in VERSION.findall(question.text)}
    words = {*re.findall(r"[\w-]+", question.text.lower()), *(s.lower() for s in intent.subjects)}
    past = [d for d in landscape.deploys if d.at <= question.received_at]
    own = [d for d in past if d.service.lower() in words] or past
    own = [d for d in own if d.version.removeprefix("v") in said] or own
    return max(own, key=lambda d: d.at, default=None)


def file_in(text: str) -> str:
    """The first file that a text names; empty when it names none."""
    match = FILE.search(text)
    return match.group() if match else ""


def names_of_code(text: str, intent: Intent) -> tuple[str, ...]:
    """The endpoints, files and identifiers that a question names."""
    routes = (s for s in intent.subjects if s.startswith("/"))
    files = (match.group() for match in FILE.finditer(text))
    return tuple(dict.fromkeys((*routes, *files, *identifiers_in(text))))


def identifiers_in(text: str) -> list[str]:
    """The names of a text that are written as code writes them."""
    return [match[1] for match in WRITTEN.finditer(text) if HAS_FORM.search(match[1])]


def identifier_in(text: str) -> str:
    """The first identifier that a text names; empty where it names a file or none."""
    return "" if file_in(text) else next(iter(identifiers_in(text)), "")


def range_in(text: str, landscape: Landscape) -> str:
    """``OLD..NEW`` of the two versions that a text names; empty when it names less or more."""
    said = tuple(dict.fromkeys(VERSION.findall(text)))
    if len(said) != 2:
        return ""
    at = {d.version.removeprefix("v"): d.at for d in landscape.deploys}
    times = [at.get(version.removeprefix("v")) for version in said]
    old, new = said if None in times or times[0] <= times[1] else reversed(said)  # type: ignore[operator]
    return f"{old}..{new}"


def plain(text: str, intent: Intent) -> str:
    """The question as a query; a follow-up gets the subject it leans on."""
    missing = [s for s in intent.subjects if s.lower() not in text.lower()]
    return " ".join([*missing, text])[:1000]


def terms(text: str, intent: Intent) -> list[str]:
    """Words of the question that carry meaning, subjects first."""
    for hint in intent.time_hints:
        text = text.replace(hint, " ")
    words = [w for w in re.findall(r"/?[A-Za-z_][\w./-]*", text) if w.lower().strip("./-") not in STOP]
    return list(dict.fromkeys([*intent.subjects, *(w.strip(".,") for w in words)]))[:16]
