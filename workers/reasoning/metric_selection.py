"""Which metrics a question is about, and of what: names and labels that exist, the most telling first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workers.contracts import Gap, Intent, Landscape, MetricInfo, Question
from workers.language.question_kinds import load_model, probabilities
from workers.language.stop_words import content_words
from workers.language.tokens import split_names
from workers.language.written_names import keys_in
from workers.reasoning.label_filters import PLACE, label_filters, quoted
from workers.reasoning.question_features import questions_in
from workers.reasoning.question_words import STOP, SYMPTOM

ROLE_WORDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (role, re.compile(words, re.IGNORECASE))
    for role, words in (
        ("errors", r"\b(errors?|5(?:xx|0\d)s?|fail\w*|exceptions?|broken|crash\w*|unavailable)\b"),
        ("traffic", r"\b(traffic|requests?|throughput|rps|qps|volume|load|calls|hits)\b"),
        (
            "latency",
            r"\b(latenc(?:y|ies)|slow\w*|p50|p9\d|response times?|spik\w+|times? ?outs?|timing out|hang\w*|crawl\w*|"
            r"sluggish|laggy|tak(?:es?|ing) (?:ages|forever|long\w*)|faster)\b",
        ),
        ("cache", r"\b(cache|hit (?:rate|ratio))\b"),
        ("saturation", r"\b(pool|memory|cpu|queue|saturat\w+|connections?)\b"),
    )
)
MEASURES, SURE = "measure_kinds", 0.8
"""The model of what is measured, by other words and in other languages; so likely a measure has to be."""
HTTP = ("latency", "errors", "traffic")
COMMON = content_words("api v1 v2 v3 service server count total ratio rate number seconds bytes size")
MEASURE = re.compile(
    r"\b((?:[a-z][\w-]*[ _]){1,2})(ratios?|rates?|lag|depth|backlog|queue|usage|utili[sz]ation|counts?|percentage|"
    r"score|temperature|throughput|duration|delay)\b",
    re.IGNORECASE,
)
KEY = re.compile(
    r"(?<![\w/.-])[a-z][a-z0-9]*(?:_[a-z0-9]+)*_"
    r"(?:seconds|bytes|total|ratio|count|sum|percent|depth|size|lag|usage|length|in_use)\b"
)
"""A metric's key, as its suffix tells: what is written so is meant, whatever else comes near."""
NOT_OWN = frozenset(
    "error errors hit success failure request requests cache response frame exchange sample rule page retry conversion "
    "heart interest exact biggest largest worst what which whats any first second same total average high low current "
    "new old".split()
)


def metric_queries(question: Question, intent: Intent, landscape: Landscape) -> list[tuple[str, str]]:
    """Pairs of metric and label filter: what is asked for first, then further metrics and places it names."""
    names = metric_names(question, intent, landscape)
    literal = label_filters(" ".join((question.text, *intent.subjects)), landscape)
    taken = {*names, *(v for k, values in landscape.labels.items() if k.startswith(PLACE) for v in values)}
    subjects = [s for s in intent.subjects if s not in taken and f"={s}" not in literal[0]]
    places = [s for s in subjects if filter_of(s, landscape, names[0])]
    first = filter_of(places[0], landscape, names[0]) if places else ""
    out = [(names[0], first + labels) for labels in literal]
    out += [(names[0], filter_of(p, landscape, names[0]) + literal[0]) for p in places[1:]]
    out += [(name, (filter_of(places[0], landscape, name) if places else "") + literal[0]) for name in names[1:]]
    return list(dict.fromkeys(out))


# --- which metric ---------------------------------------------------------------------------------------------


def metric_names(question: Question, intent: Intent, landscape: Landscape) -> list[str]:
    """Metrics named in the question, else those of a role it speaks of, else those that share its subject."""
    text = question.text
    if question.context and not speaks_of_a_metric(text, landscape):
        asked = questions_in(question.context) or list(question.context)
        text = f"{text} {asked[-1]}"
    wanted = list(roles_in(text))
    if intent.question_type == "traffic" and not wanted:
        wanted.append("traffic")
    found = [*named_metrics(text, landscape)]
    found = [*(key for key in KEY.findall(text) if key not in found), *found]
    roles = [m.name for role in wanted if (m := first_of_role(landscape, role))]
    if found:
        return list(dict.fromkeys([*found, *(r for r in roles[:1] if intent.question_type == "debug_incident")]))
    if intent.question_type == "debug_incident" and not (intent.subjects or roles):  # it shows in one of these
        alarming = [m.name for role in ("latency", "errors") if (m := first_of_role(landscape, role))]
        return alarming or ["latency_p95"]
    if roles:
        return roles[:1]
    close = [m.name for m in about_subject(text, intent, landscape)]
    latency = first_of_role(landscape, "latency")
    fallback = latency or (landscape.metrics[0] if landscape.metrics else None)
    return list(dict.fromkeys([*close[:2], *([fallback.name] if fallback and len(close) < 2 else [])])) or [
        "latency_p95"
    ]


def speaks_of_a_metric(text: str, landscape: Landscape) -> bool:
    """Whether a text says itself what is to be measured."""
    return bool(roles_in(text)) or any(True for _ in named_metrics(text, landscape))


def roles_in(text: str) -> tuple[str, ...]:
    """Roles of metrics that a text speaks of: by its words, else by what was learned of other words."""
    if found := tuple(role for role, words in ROLE_WORDS if words.search(text)):
        return found
    likely = probabilities(load_model(MEASURES).scores(text))
    best = max(likely, key=lambda role: likely[role])
    return (best,) if best != "none" and likely[best] >= SURE else ()


def named_metrics(text: str, landscape: Landscape) -> Iterator[str]:
    """Metrics by a name or alias in the text, the longest first; words of a longer one do not count again."""
    lowered, found = text.lower(), list[tuple[int, int, str]]()
    for metric in landscape.metrics:
        for alias in {metric.name, metric.name.replace("_", " "), *metric.aliases}:
            match = re.search(rf"(?<![\w/]){re.escape(alias.lower())}(?!\w)", lowered)
            if match:
                found.append((match.start(), match.end(), metric.name))
    taken: list[tuple[int, int]] = []
    names: list[str] = []
    for start, end, name in sorted(found, key=lambda f: (f[0] - f[1], f[0])):
        if not any(start < e and s < end for s, e in taken):
            taken.append((start, end))
            names.append(name)
    yield from dict.fromkeys(names)


def about_subject(text: str, intent: Intent, landscape: Landscape) -> list[MetricInfo]:
    """Metrics whose name or aliases share a word with the subject, else with the question; the closest first."""
    for words in (" ".join(intent.subjects), " ".join(w for w in re.findall(r"\w+", text) if meaningful(w))):
        wanted = content_words(split_names(words)) - COMMON
        scored = [(len(wanted & metric_words(m)), m) for m in landscape.metrics]
        close = [m for score, m in sorted(scored, key=lambda pair: -pair[0]) if score]
        if close:
            return close
    return []


def meaningful(word: str) -> bool:
    """A word that may name what is measured."""
    return word.lower() not in STOP and word.lower() not in SYMPTOM


def metric_words(metric: MetricInfo) -> set[str]:
    """Stems of a metric's name and aliases, without those that every metric has."""
    return content_words(" ".join((metric.name.replace("_", " "), *metric.aliases))) - COMMON


def first_of_role(landscape: Landscape, role: str) -> MetricInfo | None:
    """The catalogue's first metric of a role."""
    return next((m for m in landscape.metrics if m.role == role), None)


def unknown_measures(text: str, landscape: Landscape) -> tuple[str, ...]:
    """What a text wants measured ("the dropout ratio") and no metric is named after."""
    known = {w for m in landscape.metrics for w in metric_words(m)}
    known |= content_words(" ".join(v for values in landscape.labels.values() for v in values))
    if not landscape.metrics:  # nothing was read: what is measured is not known
        return ()
    out = []
    for match in MEASURE.finditer(text):
        word = re.findall(r"[\w-]+", match[1].lower().replace("_", " "))[-1]
        if word not in STOP and word not in NOT_OWN and content_words(word) and not content_words(word) & known:
            out.append(f"{word} {match[2].lower()}")
    return tuple(dict.fromkeys(out))


def unknown_names(text: str, gaps: Sequence[Gap]) -> tuple[str, ...]:
    """Metrics that a text names as they are written, and of which the tool said that there is none."""
    said = " ".join(gap.text for gap in gaps if gap.tool == "metrics_query")
    return tuple(name for name in keys_in(text) if f"no metric is named {name!r}" in said)


# --- of what --------------------------------------------------------------------------------------------------


def filter_of(subject: str, landscape: Landscape, metric: str) -> str:
    """`` endpoint=/api/search``: the label value that a subject names, exactly or as a part of it."""
    http = {m.name for role in HTTP if (m := first_of_role(landscape, role))}
    services, endpoints = (landscape.labels.get(label, ()) for label in ("service", "endpoint"))
    if subject in endpoints or subject.startswith("/"):
        return f" endpoint={quoted(subject)}"
    if subject in landscape.labels.get("target", ()) and subject not in services:  # what is called, by its own name
        return f" target={quoted(subject)}"
    service = subject if subject in services else close_value(subject, services)
    endpoint = close_value(service or subject, endpoints) if metric in http or metric.startswith("latency") else ""
    if service and endpoint:
        return f" service={quoted(service)} endpoint={quoted(endpoint)}"
    if service or endpoint:
        return f" service={quoted(service)}" if service else f" endpoint={quoted(endpoint)}"
    target = close_value(subject, landscape.labels.get("target", ()))
    return f" target={quoted(target)}" if target else ""


def close_value(subject: str, values: tuple[str, ...]) -> str:
    """The one value of which the subject is a part, in any grammatical number; several are none."""
    wanted = content_words(split_names(subject.replace("-", " "))) - COMMON
    whole = [v for v in values if parts(v) and parts(v) == wanted]
    close = whole or [v for v in values if wanted & parts(v)]
    return close[0] if len(close) == 1 else ""


def parts(value: str) -> set[str]:
    """Stems of the words of a label's value."""
    return content_words(split_names(re.sub(r"\W+", " ", value))) - COMMON
