"""A catalogue metric as one server has it, with the PromQL that asks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workers.sources.metrics.catalogue import Known
from workers.sources.metrics.promql_template import Matches, Template, duration, fill, matcher
from workers.sources.metrics.series_copies import count_once


@dataclass(frozen=True)
class Resolved:
    """A metric as one server has it.

    ``applied`` and ``dropped``: the filters asked for that its metrics carry, and those they do not. ``matchers``:
    metric name -> the same filters under the server's label names, as `matcher` reads them; a filter that the metric's
    own name says has no label. ``places``: logical label -> server's label.
    ``span``: when the filters' values were looked for, epoch seconds. ``copies``: the label that tells apart the copies
    of each series, empty where there are none. ``factor``: what brings the values into the unit that they are in, see
    `unit_check`. ``remarks``: one sentence on each of the two.
    """

    known: Known
    template: Template
    prefix: str
    places: Mapping[str, str]
    applied: Matches = ()
    dropped: Matches = ()
    matchers: Mapping[str, Matches] | None = None
    span: tuple[float, float] = (0.0, 0.0)
    copies: str = ""
    factor: float = 1.0
    remarks: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The server's metrics that it reads."""
        return tuple(n.replace("{prefix}", self.prefix) for n in self.template.metrics)

    @property
    def filtered(self) -> tuple[str, ...]:
        """Those of them that take the filter."""
        return tuple(n.replace("{prefix}", self.prefix) for n in self.template.filtered)

    @property
    def selector(self) -> str:
        """Its main series: the first filtered metric with its filters, else the first metric."""
        name = (self.filtered or self.names)[0]
        inside = ",".join(matcher(k, v) for k, v in (self.matchers or {}).get(name, ()) if k)
        return f"{name}{{{inside}}}" if inside else name

    def promql(self, range_s: float, by: Sequence[str] = (), text: str = "") -> str:
        """The expression over a range in seconds, grouped by labels of the server; or another one of its metrics."""
        filled = fill(
            text or self.template.text,
            prefix=self.prefix,
            rate=duration(range_s),
            filters=self.matchers or {},
            by=by,
            labels=self.places,
        )
        once = count_once(filled, self.copies) if self.copies else filled
        return once if text or self.factor == 1 else f"({once}) * {self.factor:g}"
