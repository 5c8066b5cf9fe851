"""PURE. Intent + ``config/patterns.yaml`` -> a plan."""

from __future__ import annotations

import re
from collections.abc import Mapping

from workers.contracts import Intent, Landscape, MetricInfo, Plan, Question, Scalar, Step, rfc3339
from workers.engine.validate import names_something
from workers.reasoning.cues import STOP
from workers.sections import PatternEntry, PatternStep

SLOT = re.compile(r"\{([^{}]+)\}")
ROLE_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (role, re.compile(words, re.IGNORECASE))
    for role, words in (
        ("errors", r"\b(errors?|5xx|50\d|fail\w*|exceptions?|broken|crash\w*|unavailable)\b"),
        ("traffic", r"\b(traffic|requests?|throughput|rps|qps|volume|load|calls|hits)\b"),
        ("latency", r"\b(latenc(?:y|ies)|slow\w*|p50|p9\d|response times?|spik\w+|times? ?outs?|timing out|hang\w*)\b"),
        ("cache", r"\b(cache|hit (?:rate|ratio))\b"),
        ("saturation", r"\b(pool|memory|cpu|queue|saturat\w+|connections?)\b"),
    )
)


def make_plan(
    patterns: Mapping[str, PatternEntry], agent: str, question: Question, intent: Intent, landscape: Landscape
) -> Plan:
    """Fill the known plan of this kind of question."""
    name, pattern = find_pattern(patterns, agent, intent.question_type)
    values = slot_values(question, intent, landscape)
    steps = [s for s in pattern.steps if not s.when or names_something(intent, landscape)]
    kept = {s.id for s in steps}
    return Plan(
        pattern=name,
        query_intent=pattern.query_intent,
        steps=tuple(fill_step(s, values, kept) for s in steps),
        uncertainties=pattern.uncertainties,
        verification_tips=pattern.verification_tips,
    )


def find_pattern(patterns: Mapping[str, PatternEntry], agent: str, kind: str) -> tuple[str, PatternEntry]:
    """The agent's pattern for a kind of question, else its pattern for ``other``."""
    own = {n: p for n, p in patterns.items() if p.agent == agent}
    for wanted in (kind, "other"):
        for name, pattern in own.items():
            if wanted in pattern.question_types:
                return name, pattern
    return "NOVEL", PatternEntry(query_intent="other", question_types=("other",), agent=agent, steps=())


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


def slot_values(question: Question, intent: Intent, landscape: Landscape) -> dict[str, str]:
    """The values of the slots that are known before any tool runs."""
    window = intent.window
    if window is None:
        raise ValueError("the engine gives every intent a window")
    return {
        "question": plain(question.text, intent),
        "terms": " ".join(terms(question.text, intent)),
        "subject": intent.subjects[0] if intent.subjects else "the whole system",
        "subjects": " ".join(intent.subjects),
        "metric": pick_metric(question, intent, landscape),
        "window": f"{rfc3339(window.start)}/{rfc3339(window.end)}",
        "window.start": rfc3339(window.start),
        "window.end": rfc3339(window.end),
        "filter": label_filter(intent, landscape),
    }


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


def pick_metric(question: Question, intent: Intent, landscape: Landscape) -> str:
    """The metric whose name, alias or role the question speaks of; latency when it names none."""
    asked = [m for m in question.context if m.rstrip().endswith("?")]
    text = question.text
    if asked and not any(words.search(text) for _, words in ROLE_WORDS):
        text = f"{text} {asked[-1]}"
    lowered = text.lower()
    best: tuple[int, str] = (0, "")
    for metric in landscape.metrics:
        for alias in (metric.name, metric.name.replace("_", " "), *metric.aliases):
            if len(alias) > best[0] and re.search(rf"(?<!\w){re.escape(alias.lower())}(?!\w)", lowered):
                best = (len(alias), metric.name)
    if best[1]:
        return best[1]
    wanted = [role for role, words in ROLE_WORDS if words.search(text)]
    if intent.question_type == "traffic":
        wanted.insert(0, "traffic")
    for role in (*wanted, "latency"):
        found = first_of_role(landscape, role)
        if found:
            return found.name
    return landscape.metrics[0].name if landscape.metrics else "latency_p95"


def first_of_role(landscape: Landscape, role: str) -> MetricInfo | None:
    """The catalogue's first metric of a role."""
    return next((m for m in landscape.metrics if m.role == role), None)


def label_filter(intent: Intent, landscape: Landscape) -> str:
    """`` endpoint=/api/search``: the label value that a subject names, exactly or as its last part."""
    for subject in intent.subjects:
        for label, values in landscape.labels.items():
            if label in {"endpoint", "service"} and subject in values:
                return f" {label}={quoted(subject)}"
    for subject in intent.subjects:
        if subject.startswith("/"):
            return f" endpoint={quoted(subject)}"
        words = {w.lower() for w in re.findall(r"[A-Za-z]{3,}", subject)}
        for label in ("service", "endpoint"):
            for value in landscape.labels.get(label, ()):
                parts = {p.lower() for p in re.split(r"\W+", value) if p}
                if words & (parts - {"api", "service", "v1", "v2"}):
                    return f" {label}={quoted(value)}"
    return ""


def quoted(value: str) -> str:
    """Quotes around a value with blanks."""
    return f'"{value}"' if re.search(r"\s", value) else value
