"""Intent + the known plans of ``patterns.yaml`` -> a plan."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta

from workers.agents.research.change_plan import TRACE, plan_all, plan_changes, plan_origin, with_lines
from workers.agents.research.code_change_question import asked_change, asks_all_changes, is_of_code
from workers.agents.research.kind_decision import asks_of_past
from workers.agents.research.release_question import asked_release, of_that_day
from workers.agents.research.validators import names_something
from workers.contracts import Intent, Landscape, PatternEntry, PatternStep, Plan, Question, Scalar, Step, rfc3339
from workers.language.tokens import split_names
from workers.ports import Playbook
from workers.reasoning.metric_selection import metric_queries
from workers.reasoning.question_features import (
    alert_in,
    asked_commit,
    asks_deploys,
    asks_duration,
    asks_to_do,
    holds_trace,
    quoted_phrases,
    undoes_deploy,
)
from workers.reasoning.question_words import STOP

SLOT = re.compile(r"\{([^{}]+)\}")
SAID_BEFORE = timedelta(days=7)
METRICS, CODE, DOCS = "metrics_query", "repo_search", "doc_search"
OVER = timedelta(minutes=5)  # a window that ended longer ago is of the past
MOST_COMMITS = 20
MOST_SECTIONS = 8  # of past incidents, that the one which says why is among them
RELEASE = "release"  # the step that asks what a deploy brought


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """Fill the known plan of this kind of question; steps are added to it as far as ``playbook.max_steps`` allows.

    Steps of other tools than ``playbook.tools``, when these are given, are left out.
    """
    max_steps, tools = playbook.max_steps, playbook.tools
    name, pattern = find_pattern(playbook.patterns, intent.question_type)
    if holds_trace(question.text) and landscape.repositories:
        step = Step(id=TRACE, tool=CODE, args={"query": question.text[:20_000]}, purpose="find the frames of the trace")
        return Plan(pattern=name, query_intent="show where a trace leads", steps=(step,))
    if asks_of_past(question.text):
        head, _, about = question.text.partition(":")
        wanted = about.strip() if about.strip() and asks_of_past(head) else question.text
        args: dict[str, Scalar] = {"query": wanted[:1_000], "kind": "postmortem", "k": MOST_SECTIONS}
        step = Step(id="docs", tool=DOCS, args=args, purpose="find past incidents like it")
        return Plan(pattern=name, query_intent="find past incidents", steps=(step,))
    if commit := asked_commit(question.text):
        return plan_commit(name, commit, question, intent)
    if release := asked_release(question.text, landscape):
        return plan_release(name, of_that_day(release, question.text, intent, landscape), intent)
    if intent.window and is_of_code(landscape) and asks_all_changes(question.text, landscape):
        return plan_all(name, intent.window)
    changed = asked_change(question.text, landscape)
    if changed and changed.origin:
        return plan_origin(name, changed)
    if changed and not changed.lines:
        return plan_changes(name, changed, intent, landscape)
    queries = metric_queries(question, intent, landscape)
    values = slot_values(question, intent, *queries[0])
    kept = [s for s in pattern.steps if fits(s, question, intent, landscape) and (tools is None or s.tool in tools)]
    ids = {s.id for s in kept}
    steps = without_twins([fill_step(s, values, ids) for s in kept])
    steps = with_runbook(with_lines(steps, changed, max_steps), question, intent, landscape, max_steps)
    steps = with_duration(steps, question, intent, max_steps)
    steps = over_deploys(over_span(steps, intent), question, intent, landscape)
    steps = with_others(steps, kept, question, intent, queries[1:], max_steps)
    steps = with_code(steps, question, landscape, tools)
    return Plan(
        pattern=name,
        query_intent=pattern.query_intent,
        steps=tuple(with_said(steps, question, intent, max_steps)),
        uncertainties=unsure(pattern, kept, intent, tools),
        verification_tips=pattern.verification_tips,
    )


def fits(step: PatternStep, question: Question, intent: Intent, landscape: Landscape) -> bool:
    """Whether a step's condition holds. What is known of now alone is no answer for a time that is over."""
    if step.when != "unnamed":
        return not step.when or names_something(intent, landscape)
    over = intent.time_hints and intent.window and intent.window.end < question.received_at - OVER
    return not intent.subjects and not over and not names_something(intent, landscape)


def unsure(
    pattern: PatternEntry, kept: Sequence[PatternStep], intent: Intent, tools: Collection[str] | None
) -> tuple[str, ...]:
    """What the plan cannot show; of a pattern with steps for the whole as it is now, that these were left out."""
    whole = [s for s in pattern.steps if s.when == "unnamed"]
    missed = [s for s in whole if s not in kept and not intent.subjects and (tools is None or s.tool in tools)]
    return pattern.uncertainties if missed or not whole else ()


def plan_commit(name: str, commit: str, question: Question, intent: Intent) -> Plan:
    """One commit is looked up by its hash, and nothing else."""
    query = " ".join(t for t in terms(question.text, intent) if t != commit) or commit
    args: dict[str, Scalar] = {"query": query, "commit": commit, "k": 1}
    step = Step(id="commit", tool=CODE, args=args, purpose=f"open commit {commit}")
    return Plan(pattern=name, query_intent="show one commit", steps=(step,))


def plan_release(name: str, asked: Mapping[str, str], intent: Intent) -> Plan:
    """What a deploy or a range brought, and which alerts fired meanwhile."""
    (said,) = asked.values()
    what = f"what lies between {said.replace('..', ' and ')}" if "range" in asked else f"what the deploy {said} brought"
    what = "what the last deploy brought" if said == "@" else what
    args: dict[str, Scalar] = {**asked, "k": MOST_COMMITS}
    steps = [Step(id=RELEASE, tool=CODE, args=args, purpose=f"see {what}")]
    if intent.window:
        span = f"{rfc3339(intent.window.start)}/{rfc3339(intent.window.end)}"
        query = f"alert=* window={span}"
        steps.append(Step(id="alerts", tool=METRICS, args={"query": query}, purpose="see what fires"))
    return Plan(pattern=name, query_intent="show what a deploy brought", steps=tuple(steps))


def with_runbook(
    steps: Sequence[Step], question: Question, intent: Intent, landscape: Landscape, most: int
) -> list[Step]:
    """Who asks what to do about an alert gets all sections of its runbook."""
    alert = alert_in(intent, landscape)
    if intent.question_type != "alerting" or not alert or not asks_to_do(question.text) or len(steps) + 2 > most:
        return list(steps)
    query = f"{alert} {split_names(alert)}"
    find: dict[str, Scalar] = {"query": query, "kind": "runbook", "k": 2}
    read: dict[str, Scalar] = {"query": query, "path": "{runbook.path|}", "k": 12}
    return [
        *steps,
        Step(id="runbook", tool="doc_search", args=find, purpose=f"find the runbook of {alert}"),
        Step(id="sections", tool="doc_search", args=read, purpose="read all of its sections", after=("runbook",)),
    ]


def with_code(
    steps: Sequence[Step], question: Question, landscape: Landscape, tools: Collection[str] | None
) -> list[Step]:
    """What only documents would answer is looked for in the code where there are no documents."""
    asked = {s.tool for s in steps}
    if asked != {DOCS} or landscape.documents or not landscape.repositories or not (tools is None or CODE in tools):
        return list(steps)
    step = Step(id="code", tool=CODE, args={"query": question.text[:1000], "k": 4}, purpose="find code that tells")
    return [*steps, step]


def with_duration(steps: Sequence[Step], question: Question, intent: Intent, most: int) -> list[Step]:
    """A time that is asked for ("the ttl of the cache") is also looked for by the unit it is mostly named after."""
    if intent.question_type != "locate_code" or not asks_duration(question.text) or len(steps) >= most:
        return list(steps)
    words = [w for t in terms(question.text, intent) for w in t.split()]
    args: dict[str, Scalar] = {"query": " ".join([*dict.fromkeys(words), "= seconds"]), "k": 4}
    step = Step(id="value", tool=CODE, args=args, purpose="find the line that gives it its value")
    return [*steps[:1], step, *steps[1:]]


def over_deploys(steps: Sequence[Step], question: Question, intent: Intent, landscape: Landscape) -> list[Step]:
    """Who asks about deploys, or wants to undo one, is told the last ones too that lie before the time asked for.

    Deploys come with the alerts of a span: it begins with the last deploy of the service that is named, or of any; to
    undo one takes the one before it as well.
    """
    window, undo = intent.window, undoes_deploy(question.text)
    if window is None or not (undo or asks_deploys(question.text)):
        return list(steps)
    named = {*re.findall(r"[\w-]+", question.text.lower()), *(s.lower() for s in intent.subjects)}
    past = [d for d in landscape.deploys if d.at <= window.end]
    past = [d for d in past if d.service.lower() in named] or past
    past = [d for d in past if d.service == past[-1].service] if undo else past
    earliest = [d.at - timedelta(minutes=1) for d in past[-2 if undo else -1 :][:1]]
    span = f"{rfc3339(min([window.start, *earliest]))}/{rfc3339(window.end)}"
    return [s.model_copy(update={"args": {"query": f"alert=* window={span}"}}) if is_alerts(s) else s for s in steps]


def over_span(steps: Sequence[Step], intent: Intent) -> list[Step]:
    """Alerts of a span that is named are asked for over it and the day before its end, to tell what was last before."""
    window = intent.window
    if intent.question_type != "alerting" or window is None or not intent.time_hints:
        return list(steps)
    start = min(window.start, window.end - timedelta(days=1))
    query = f"alert=* window={rfc3339(start)}/{rfc3339(window.end)}"
    return [s.model_copy(update={"args": {"query": query}}) if is_alerts(s) else s for s in steps]


def is_alerts(step: Step) -> bool:
    """Whether a step asks for alerts."""
    return str(step.args.get("query", "")).startswith("alert=*")


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
    others: Sequence[tuple[str, str]],
    most: int,
) -> list[Step]:
    """Each metrics step, followed by the same for further metrics and places."""
    asks = {s.id: s for s in pattern if s.tool == METRICS and re.search(r"\{(?:metric|filter)\}", str(s.args))}
    more: dict[str, list[Step]] = {}
    seen = [s.args for s in steps]
    for n, (metric, where) in enumerate(others, 2):
        values = slot_values(question, intent, metric, where)
        for name, step in asks.items():
            again = fill_step(step.model_copy(update={"id": f"{name}_{n}"}), values, set())
            if again.args not in seen and len(seen) < most:
                seen.append(again.args)
                more.setdefault(name, []).append(again)
    return [s for step in steps for s in (step, *more.get(step.id, ()))]


def with_said(steps: Sequence[Step], question: Question, intent: Intent, most: int) -> list[Step]:
    """What the question quotes is looked for among the commits, when the plan looks into code at all."""
    said, window = quoted_phrases(question.text), intent.window
    places = [i for i, s in enumerate(steps) if s.tool == CODE]
    if not said or window is None or not places or len(steps) >= most:
        return list(steps)
    args: dict[str, Scalar] = {"query": said[0], "since": rfc3339(window.start - SAID_BEFORE), "k": 2}
    step = Step(id="said", tool=CODE, args=args, purpose=f"find the commit “{said[0]}”")
    return [*steps[: places[0]], step, *steps[places[0] :]]


def find_pattern(patterns: Mapping[str, PatternEntry], kind: str) -> tuple[str, PatternEntry]:
    """The pattern for a kind of question, else that for ``other``."""
    for wanted in (kind, "other"):
        for name, pattern in patterns.items():
            if wanted in pattern.question_types:
                return name, pattern
    return "NOVEL", PatternEntry(query_intent="other", question_types=("other",), steps=())


def fill_step(step: PatternStep, values: Mapping[str, str], kept: set[str]) -> Step:
    """Fill the slots known now; slots with a dot wait for the run."""
    args: dict[str, Scalar] = {k: fill(v, values) if isinstance(v, str) else v for k, v in step.args.items()}
    return Step(
        id=step.id,
        tool=step.tool,
        args=args,
        purpose=fill(step.purpose, values),
        after=tuple(a for a in step.after if a in kept),
    )


def fill(text: str, values: Mapping[str, str]) -> str:
    """Replace ``{name}``; anything else in braces stays."""
    return re.sub(r" {2,}", " ", SLOT.sub(lambda m: values.get(m[1], m[0]), text)).strip()


def slot_values(question: Question, intent: Intent, metric: str, where: str) -> dict[str, str]:
    """The values of the slots that are known before any tool runs."""
    window = intent.window
    if window is None:
        raise ValueError("the engine gives every intent a window")
    span = f"{rfc3339(window.start)}/{rfc3339(window.end)}"
    return {
        "question": plain(question.text, intent),
        "terms": " ".join(terms(question.text, intent)),
        "subject": intent.subjects[0] if intent.subjects else "the whole system",
        "subjects": " ".join(intent.subjects),
        "metric": metric,
        "window": "1h" if stands_now(question, intent) else span,
        "window.start": rfc3339(window.start),
        "window.end": rfc3339(window.end),
        "filter": where,
    }


def stands_now(question: Question, intent: Intent) -> bool:
    """Whether it asks how things stand, and names no span."""
    return intent.question_type == "operations_status" and not intent.time_hints and not asks_deploys(question.text)


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
