"""The options of metrics_query in ``config/tools.yaml``: which metrics can be asked for, and how, on any server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from workers.sources.metrics.promql_template import BUILT_IN, Template, read_template
from workers.sources.metrics.query_string import RESERVED

Unit = Literal["s", "ratio", "percent", "/s", "count", "bytes"]
Role = Literal["latency", "errors", "traffic", "saturation", "cache", "dependency", ""]
NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_]*")


class MetricEntry(BaseModel):
    """One metric. ``promql`` holds alternatives; the first one whose metrics exist on the server is used.

    ``worse`` is the direction that hurts; ``floor`` the smallest absolute change worth telling, in ``unit``;
    ``worst_of``: a label; where no filter is asked for, the metric is told of its worst value alone.
    ``quantile`` stands for ``{quantile}`` in the templates. ``like`` names another metric whose promql, related and
    group_by stand for those that are not given here.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field(min_length=1)
    unit: Unit
    role: Role = ""
    worse: Literal["up", "down"] = "up"
    aliases: tuple[str, ...] = ()
    promql: tuple[str, ...] = ()
    like: str = ""
    worst_of: str = ""
    related: tuple[str, ...] = ()
    group_by: tuple[str, ...] = ()
    floor: float = Field(0.0, ge=0)
    quantile: float | None = Field(None, gt=0, lt=1)


class MetricsOptions(BaseModel):
    """``metrics``: name -> entry. ``labels``: logical label -> the names that servers give it, preferred first.

    ``infrastructure``: namespaces of monitoring itself, taken for ``{prefix}`` only when nothing else fits.
    ``budget_ms``: after this long, related metrics, alerts and breakdowns are left out, and named.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    metrics: dict[str, MetricEntry] = Field(default_factory=dict)
    labels: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    infrastructure: tuple[str, ...] = ()
    budget_ms: int = Field(6_000, ge=50, le=60_000)

    def entry(self, name: str) -> MetricEntry:
        """An entry with what it takes from the one that it is like."""
        own = self.metrics[name]
        other = self.metrics.get(own.like)
        if other is None:
            return own
        taken = {key: getattr(own, key) or getattr(other, key) for key in ("promql", "related", "group_by")}
        return own.model_copy(update=taken)


def read_options(raw: Mapping[str, Any]) -> MetricsOptions:
    """The options, checked as a whole.

    Raises:
        ValidationError: every mistake with its key.
    """
    options = MetricsOptions.model_validate(dict(raw))
    found = [
        InitErrorDetails(type=PydanticCustomError("catalogue", "{why}", {"why": why}), loc=key, input=None)
        for key, why in mistakes(options)
    ]
    if found:
        raise ValidationError.from_exception_data("MetricsOptions", found)
    return options


def mistakes(options: MetricsOptions) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Keys with what is wrong there: labels and metrics are names, templates parse, references exist, words are one's
    own."""
    for label in options.labels:
        if not NAME.fullmatch(label):
            yield ("labels", label), f"{label!r} is not a label name"
        elif label in {*RESERVED, *BUILT_IN}:
            yield ("labels", label), f"{label!r} already has a meaning and cannot name a label"
    owner = {normal(n): n for n in options.metrics}
    for name, entry in options.metrics.items():
        if not NAME.fullmatch(name):
            yield ("metrics", name), f"{name!r} is not a metric name"
        if entry.like and not (entry.like in options.metrics and options.metrics[entry.like].promql):
            yield ("metrics", name, "like"), f"no metric with promql of its own is named {entry.like!r}"
        elif not options.entry(name).promql:
            yield ("metrics", name, "promql"), "is required"
        for key, why in entry_mistakes(options, options.entry(name)):
            yield ("metrics", name, *key), why
        for i, alias in enumerate(entry.aliases):
            taken = owner.setdefault(normal(alias), name)
            if taken != name:
                yield ("metrics", name, "aliases", i), f"{alias!r} already means {taken!r}"


def entry_mistakes(options: MetricsOptions, entry: MetricEntry) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Mistakes of one entry, keys relative to it."""
    for i, text in enumerate(entry.promql):
        why = template_mistake(text, entry, tuple(options.labels))
        if why:
            yield ("promql", i), why
    for i, other in enumerate(entry.related):
        if other not in options.metrics:
            yield ("related", i), f"no metric is named {other!r}"
    for i, label in enumerate(entry.group_by):
        if label not in options.labels:
            yield ("group_by", i), f"no label is named {label!r} under labels"


def template_mistake(text: str, entry: MetricEntry, logical: tuple[str, ...]) -> str:
    """What is wrong with a template, or ""."""
    if "{quantile}" in text and entry.quantile is None:
        return f"{text!r} needs quantile, which is not given"
    try:
        read_template(quantiled(text, entry), logical)
    except ValueError as error:
        return str(error)
    return ""


def quantiled(text: str, entry: MetricEntry) -> str:
    """A template with its quantile written in."""
    return text.replace("{quantile}", f"{entry.quantile:g}" if entry.quantile is not None else "{quantile}")


@dataclass(frozen=True)
class Known:
    """A metric that can be asked for. ``raw`` when the server has it and the catalogue does not."""

    name: str
    entry: MetricEntry
    templates: tuple[Template, ...]
    raw: bool = False


class Catalogue:
    """The options, ready for look-ups."""

    def __init__(self, options: MetricsOptions) -> None:
        self.labels: Mapping[str, tuple[str, ...]] = {
            name: tuple(dict.fromkeys((*names, name))) for name, names in options.labels.items()
        }
        self.infrastructure = options.infrastructure
        self.metrics: dict[str, Known] = {}
        for name in options.metrics:
            entry = options.entry(name)
            templates = (read_template(quantiled(text, entry), tuple(options.labels)) for text in entry.promql)
            self.metrics[name] = Known(name, entry, tuple(templates))
        self.aliases: Mapping[str, str] = {normal(w): n for n, w in self.words()}

    def words(self) -> Iterator[tuple[str, str]]:
        """Every metric name with each word for it: aliases first, so that a name itself always wins."""
        for name, known in self.metrics.items():
            for alias in (*known.entry.aliases, known.entry.title):
                if normal(alias) not in self.metrics:
                    yield name, alias
        for name in self.metrics:
            yield name, name

    def find(self, word: str) -> Known | None:
        """A metric by name, alias or title, whatever its case, spaces or hyphens."""
        if word in self.metrics:
            return self.metrics[word]
        name = self.aliases.get(normal(word))
        return self.metrics[name] if name else None

    def physical(self, label: str) -> tuple[str, ...]:
        """The names that a label may have on a server, preferred first. A label that is not logical has its own."""
        if label in self.labels:
            return self.labels[label]
        for names in self.labels.values():
            if label in names:
                return tuple(dict.fromkeys((label, *names)))
        return (label,)


def normal(word: str) -> str:
    """A word in lower case with single underscores."""
    return re.sub(r"[\s_-]+", "_", word.strip().lower())


def raw_metric(name: str, names: frozenset[str]) -> Known | None:
    """A metric read by its own name: a counter as its rate, a histogram as its p95, a gauge as its mean.

    Args:
        name: as the server spells it; a histogram also without ``_bucket``.
        names: all metric names of the server.
    """
    base = name.removesuffix("_bucket")
    if f"{base}_bucket" in names:
        text = f"histogram_quantile(0.95, sum by (le,{{by}}) (rate({base}_bucket{{{{filter}}}}[{{rate}}])))"
        return raw_known(base, f"p95 of {base}", unit_of(base), text)
    if name not in names:
        return None
    if re.search(r"_(total|count|sum)$", name):
        text = f"sum by ({{by}}) (rate({name}{{{{filter}}}}[{{rate}}]))"
        return raw_known(name, f"rate of {name}", "/s", text)
    text = f"avg by ({{by}}) (avg_over_time({name}{{{{filter}}}}[{{rate}}]))"
    return raw_known(name, f"mean of {name}", unit_of(name), text)


def raw_known(name: str, title: str, unit: Unit, text: str) -> Known:
    """A metric made of a server's name."""
    entry = MetricEntry(title=title, unit=unit, promql=(text,))
    return Known(name, entry, (read_template(text, ()),), raw=True)


def unit_of(name: str) -> Unit:
    """The base unit that stands in a metric's name by Prometheus' naming rules."""
    for ending, unit in (("_seconds", "s"), ("_bytes", "bytes"), ("_ratio", "ratio"), ("_percent", "percent")):
        if name.endswith(ending):
            return unit  # type: ignore[return-value]
    return "count"
