"""A catalogue metric on a server: which alternative it has, under which names, and the PromQL that asks for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from workers.errors import ToolArgumentError
from workers.language.environment_labels import PRODUCTION, is_environment
from workers.language.nearest_names import nearest_names
from workers.sources.metrics.alert_history import Told, no_alert_history
from workers.sources.metrics.backend import Backend
from workers.sources.metrics.catalogue import Catalogue, Known, normal, quantiled, raw_metric
from workers.sources.metrics.inventory import Family
from workers.sources.metrics.inventory_cache import InventoryCache, carrying, holding
from workers.sources.metrics.label_roles import NAMES as PARTS
from workers.sources.metrics.metric_roles import BUILT_IN, akin, discover, raw_of
from workers.sources.metrics.name_words import tokens
from workers.sources.metrics.promql_template import Matches, Template, read_template
from workers.sources.metrics.resolved_metric import Resolved
from workers.sources.metrics.scrape_interval import Intervals
from workers.sources.metrics.series_checks import SeriesChecks

MOST_CANDIDATES = 8
DAY_S = 86_400
SERVING = ("latency", "errors", "traffic")
MOST_PLAYS = 256


class Server:
    """A backend read through a catalogue, and by what it holds itself where the catalogue says nothing. Keeps what it
    found for as long as the server's names stay the same. ``told``: alerts that somebody else knows of;
    ``environment``: the one that questions are about."""

    def __init__(
        self, backend: Backend, catalogue: Catalogue, told: Told = no_alert_history, environment: str = PRODUCTION
    ) -> None:
        self.backend = backend
        self.catalogue = catalogue
        self.told = told
        self.environment = environment
        self.seen: frozenset[str] = frozenset()
        self.found: dict[str, tuple[Resolved, ...]] = {}
        self.holdings = InventoryCache(backend)
        self.intervals = Intervals(backend, self.holdings)
        self.checks = SeriesChecks(backend, self.holdings, self.labels)
        self.plays: dict[tuple[str, float | None, Matches], tuple[dict[str, Family], tuple[Resolved, ...]]] = {}

    def find(self, word: str, at: float | None = None) -> Known:
        """A metric by its name, an alias, a role, or as the server spells it.

        Raises:
            ToolArgumentError: nothing has that name; carries the nearest ones.
        """
        known = self.catalogue.find(word) or self.of_role(word)
        if known is not None and word in BUILT_IN and not self.has_role(known, at):
            known = Known(word, BUILT_IN[word], ())  # the catalogue's own metric of that role is not on this server
        known = known or self.raw(word, at)
        if known is None:
            words = {normal(n): n for n in sorted(self.names())} | dict(self.catalogue.aliases)
            near = tuple(dict.fromkeys(words[n] for n in nearest_names([normal(word)], words, limit=20, least=70)))
            raise ToolArgumentError(f"no metric is named {word!r}", near[:5])
        return known

    def has_role(self, known: Known, at: float | None) -> bool:
        """Whether a server has the catalogue's metric of a role: of requests in any way, else in one of its own."""
        return bool(self.candidates(known, at) if known.entry.role in SERVING else self.catalogued(known))

    def of_role(self, word: str) -> Known | None:
        """A role, or a quantile of the latency such as ``p90``, that the catalogue does not have."""
        quantile = re.fullmatch(r"(?:latency_)?p(50|75|80|90|95|98|99|999)", normal(word))
        if word in BUILT_IN:
            return Known(word, BUILT_IN[word], ())
        if not quantile:
            return None
        like = self.catalogue.metrics.get("latency_p95")
        entry, q = (like.entry if like else BUILT_IN["latency"]), float(f"0.{quantile[1]}")
        entry = entry.model_copy(update={"title": f"p{quantile[1]} latency", "quantile": q, "aliases": ()})
        texts = (read_template(quantiled(text, entry), tuple(self.catalogue.labels)) for text in entry.promql)
        return Known(f"latency_p{quantile[1]}", entry, tuple(texts))

    def raw(self, word: str, at: float | None) -> Known | None:
        """One of the server's metrics, by what it is."""
        known = raw_metric(word, self.names())
        family = self.holdings.family(word, at) if known else None
        return raw_of(family, self.bounds) if family else known

    def names(self) -> frozenset[str]:
        """All metric names of the server."""
        names = self.backend.names()
        if names != self.seen:
            self.seen, self.found = names, {}
            self.intervals.forget()
            self.checks.forget()
        return names

    def candidates(self, known: Known, at: float | None = None, filters: Matches = ()) -> tuple[Resolved, ...]:
        """Every way in which the server has a metric, best first, not filtered yet: those of the catalogue, else those
        that the server's own series show as of ``at``."""
        return self.catalogued(known) or self.discovered(known, at, filters)

    def catalogued(self, known: Known) -> tuple[Resolved, ...]:
        """The alternatives of the catalogue that the server has."""
        names = self.names()
        found = self.found  # another thread may start a new one
        if known.name not in found:
            ways = [
                (prefix.startswith(self.catalogue.infrastructure), bool(prefix), i, len(prefix), prefix, template)
                for i, template in enumerate(known.templates)
                for prefix in prefixes(template, names)
            ]
            ways.sort(key=lambda way: way[:5])
            resolved = (self.placed(known, way[5], way[4]) for way in ways[:MOST_CANDIDATES])
            found[known.name] = tuple(r for r in resolved if r is not None)
        return found[known.name]

    def discovered(self, known: Known, at: float | None = None, filters: Matches = ()) -> tuple[Resolved, ...]:
        """The ways in which the server's own series play the role of a metric; where some of them have the values of
        all filters, only these are looked at."""
        if known.raw or not known.entry.role:
            return ()
        inventory = self.holdings.inventory(at)
        key = (known.name, known.entry.quantile, filters)
        kept = self.plays.get(key)
        if kept is None or kept[0] is not inventory:
            if len(self.plays) > MOST_PLAYS:
                self.plays.clear()
            near = akin(known.entry, known.name, inventory)
            find = partial(discover, known.entry, known.name, bounds=self.bounds)
            ways = (find(self.having(near, filters)) if filters else ()) or find(near)
            kept = self.plays[key] = (inventory, tuple(Resolved(way, way.templates[0], "", {}) for way in ways))
        return kept[1]

    def having(self, families: Mapping[str, Family], filters: Matches) -> dict[str, Family]:
        """The families that have the values of all filters."""
        asked = [(label, value) for label, value in filters if self.is_part(label)]
        return {n: f for n, f in families.items() if all(holding(f, label, value) for label, value in asked)}

    def bounds(self, buckets: str) -> tuple[str, ...]:
        """The bounds of a histogram's buckets."""
        return self.backend.label_values("le", (buckets,), self.holdings.at - DAY_S, self.holdings.at)

    def placed(self, known: Known, template: Template, prefix: str) -> Resolved | None:
        """One alternative with its logical labels found; None when a label that it needs is missing."""
        for name, labels in template.fixed.items():
            if labels and not set(labels) <= self.labels(name.replace("{prefix}", prefix)):
                return None
        places: dict[str, str] = {}
        for label, needing in template.logical.items():
            held = [self.labels(n.replace("{prefix}", prefix)) for n in needing]
            spelt = next((p for p in self.catalogue.physical(label) if all(p in h for h in held)), None)
            if spelt is None:
                return None
            places[label] = spelt
        return Resolved(known, template, prefix, places)

    def labels(self, metric: str) -> frozenset[str]:
        """The labels that one of the server's metrics carries."""
        family = self.holdings.known(metric)
        return frozenset(family.labels) if family else self.backend.label_names(metric)

    def resolve(self, known: Known, filters: Matches, start: float, end: float) -> Resolved | None:
        """The best alternative for some filters as its data show it, or None when the server has none at all.

        An alternative that carries every filter is preferred, and of several such one that has the values asked for
        between ``start`` and ``end``. Where the catalogue's alternatives for requests have not, the server's own
        series may.
        """
        ways: list[Resolved] = []
        for candidate in self.candidates(known, end, filters):
            way = self.filter(candidate, filters, (start, end))
            if self.fits(way, start, end):
                return self.checks.apply(way, end)
            ways.append(way)
        if not ways:
            return None
        best = min(ways, key=lambda way: len(way.dropped))
        if known.entry.role not in SERVING:
            return self.checks.apply(best, end)
        others = (self.filter(r, filters, (start, end)) for r in self.discovered(known, end, filters))
        return self.checks.apply(next((way for way in others if self.fits(way, start, end)), best), end)

    def fits(self, way: Resolved, start: float, end: float) -> bool:
        """Whether an alternative carries every filter asked for, and has its value."""
        return not way.dropped and (not way.applied or self.has_values(way, start, end))

    def filter(self, resolved: Resolved, filters: Matches, span: tuple[float, float] | None = None) -> Resolved:
        """An alternative with filters, as far as all of its metrics carry them."""
        span = span or resolved.span
        matchers: dict[str, list[tuple[str, str]]] = {n: [] for n in resolved.filtered}
        applied, dropped = [], []
        for label, value in filters:
            spelt = {name: self.holder(name, label, value, span) for name in resolved.filtered}
            held = [pair for pair in spelt.values() if pair]
            if held and len(held) == len(spelt):
                applied.append((label, value if held[0][0].endswith("~") else held[0][1]))
                for name, pair in zip(spelt, held, strict=True):
                    matchers[name].append(pair)
            else:
                dropped.append((label, value))
        return replace(
            resolved,
            applied=tuple(applied),
            dropped=tuple(dropped),
            matchers={n: tuple(m) for n, m in matchers.items()},
            span=span,
        )

    def holder(self, metric: str, label: str, value: str, span: tuple[float, float]) -> tuple[str, str] | None:
        """The label of a metric that holds a value, with the value as the server spells it.

        The value decides: a label of the name asked for is taken when it has the value, else any label that has it,
        else the one of that name, so that what it has instead can be told.
        """
        named, family = self.spelling(metric, label), self.holdings.known(metric)
        means_part = self.is_part(label) or is_environment(label)
        if named and family and value in family.labels.get(named, ()) and not (means_part and "/" in value):
            return named, value
        found = carrying(family, label, value) if family and means_part else None
        if found:
            return found
        if named and value in self.backend.label_values(named, (metric,), *span):
            return named, value
        family = self.holdings.family(metric, span[1] or None) if means_part else None
        found = holding(family, label, value) if family else None
        return found or ((named, value) if named else None)

    def is_part(self, label: str) -> bool:
        """Whether a label's name says what is meant, whatever a server calls it."""
        words = set(tokens(label))
        return label in self.catalogue.labels or any(words & known for known in PARTS.values())

    def spelling(self, metric: str, label: str) -> str | None:
        """The name that a metric gives to a label: one that the catalogue knows, else the label that plays its part."""
        held = self.labels(metric)
        named = next((p for p in self.catalogue.physical(label) if p in held), None)
        if named or label not in PARTS:
            return named
        family = self.holdings.known(metric)
        return family.label_of(label) if family else None

    def has_values(self, resolved: Resolved, start: float, end: float) -> bool:
        """Whether every filter's value exists."""
        name = (resolved.filtered or resolved.names)[0]
        family, matched = self.holdings.known(name), (resolved.matchers or {}).get(name, ())
        if family and all(x[-1:] in {"", "~"} or value in family.labels.get(x, ()) for x, value in matched):
            return True
        return all(value in self.values(resolved, label, start, end) for label, value in resolved.applied)

    def values(self, resolved: Resolved, label: str, start: float, end: float) -> tuple[str, ...]:
        """The values of a label on a metric between two moments; empty when the metric lacks the label."""
        name = (resolved.filtered or resolved.names)[0]
        matched = zip(resolved.applied, (resolved.matchers or {}).get(name, ()), strict=False)
        spelt = next((pair[0] for (asked, _), pair in matched if asked == label), self.spelling(name, label))
        return self.backend.label_values(spelt, (name,), start, end) if spelt else ()

    def grouping(self, resolved: Resolved, label: str) -> str | None:
        """The label to group by, when all of the metric's parts spell it the same way."""
        if not resolved.template.groups:
            return None
        spelt = {self.spelling(name, label) for name in resolved.filtered}
        only = spelt.pop() if len(spelt) == 1 else None
        return only if only != "le" else None

    def interval(self, resolved: Resolved, start: float, end: float) -> float:
        """Seconds between the samples of a metric."""
        return self.intervals.of(resolved.names[0], resolved.selector, start, end)


def prefixes(template: Template, names: frozenset[str]) -> list[str]:
    """The namespaces under which all metrics of a template exist."""
    named = [n for n in template.metrics if n.startswith("{prefix}")]
    if not all(n in names for n in template.metrics if n not in named):
        return []
    if not named:
        return [""]
    first = named[0].removeprefix("{prefix}")
    out = []
    for name in names:
        if name.endswith(first):
            prefix = name[: len(name) - len(first)]
            if (not prefix or prefix[-1] in "_:") and all(n.replace("{prefix}", prefix) in names for n in named):
                out.append(prefix)
    return sorted(out)
