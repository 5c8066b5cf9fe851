"""PromQL templates: what they may hold, what they need of a server, and how they are filled.

A template is PromQL with these places:

``{filter}``  the label matchers asked for; stands last inside a selector's braces: ``up{job="api",{filter}}``
``{by}``      extra labels to group by; stands last in a list of labels: ``sum by (le,{by})``
``{rate}``    the range: ``rate(x_total{{filter}}[{rate}])``
``{prefix}``  before a metric's name: any namespace the team put there (``{prefix}http_requests_total``)
``{LABEL}``   a logical label of the catalogue, replaced by the name that the metric carries

The catalogue itself writes ``{quantile}`` in before a template is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import promql_parser as promql

PLACE = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")
SELECTOR = re.compile(
    r"(?P<name>(?:\{prefix\})?[A-Za-z_:][A-Za-z0-9_:]*)"
    r"\{(?P<fixed>[^{}]*(?:\{[A-Za-z_][A-Za-z0-9_]*\}[^{}]*)*)\{filter\}\}"
)
TEXT = re.compile(r'(?<!\\)("(?:[^"\\]|\\.)*")')
TIDY = ((re.compile(r",\s*\)"), ")"), (re.compile(r"\(\s*,\s*"), "("), (re.compile(r"(?<!\s)\s+by\s*\(\s*\)\s*"), ""))
BUILT_IN = ("filter", "by", "rate", "prefix")
Matches = Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Template:
    """One alternative of a catalogue metric. Metric names stand with ``{prefix}`` where they have it.

    ``fixed``: every metric -> the labels written in its selectors. ``logical``: every logical label -> the metrics
    that need it. ``filtered``: the metrics that take the filter. ``groups``: whether it takes ``{by}``.
    """

    text: str
    fixed: Mapping[str, tuple[str, ...]]
    logical: Mapping[str, tuple[str, ...]]
    filtered: tuple[str, ...]
    groups: bool

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics it reads."""
        return tuple(self.fixed)


@lru_cache(maxsize=1_000)
def read_template(text: str, logical: tuple[str, ...]) -> Template:
    """Check a template and note what it needs.

    Raises:
        ValueError: one sentence; the PromQL is wrong or holds an unknown place.
    """
    unknown = [p for p in PLACE.findall(text) if p not in BUILT_IN and p not in logical]
    if unknown:
        known = ", ".join("{" + p + "}" for p in (*BUILT_IN, *logical))
        raise ValueError(f"{text!r} holds the unknown place {{{unknown[0]}}}; known are {known}")
    spots = list(SELECTOR.finditer(text))
    if len(spots) != text.count("{filter}"):
        raise ValueError(f"{text!r}: {{filter}} must stand last inside the braces of a named selector")
    used = tuple(dict.fromkeys(p for p in PLACE.findall(text) if p not in BUILT_IN))
    trial = fill(text, prefix="prefix_", rate="5m", filters={}, by=(), labels={p: p for p in used})
    try:
        tree = promql.parse(trial)
    except ValueError as error:
        raise ValueError(f"{text!r} is not PromQL: {error}") from error
    fixed: dict[str, tuple[str, ...]] = {}
    needs: dict[str, list[str]] = {p: [] for p in used}
    for selector in selectors(tree):
        if not selector.name:
            raise ValueError(f"{text!r} has a selector without a metric name")
        name = selector.name
        if "{prefix}" in text and name.startswith("prefix_"):
            name = "{prefix}" + name.removeprefix("prefix_")
        written = [m.name for m in selector.matchers.matchers]
        fixed[name] = tuple(dict.fromkeys((*fixed.get(name, ()), *(w for w in written if w not in used))))
        for label in used:
            if label in written:
                needs[label].append(name)
    if not fixed:
        raise ValueError(f"{text!r} reads no metric")
    return Template(
        text=text,
        fixed=fixed,
        logical={label: tuple(dict.fromkeys(names or fixed)) for label, names in needs.items()},
        filtered=tuple(dict.fromkeys(s["name"] for s in spots)),
        groups="{by}" in text,
    )


def fill(
    text: str,
    *,
    prefix: str,
    rate: str,
    filters: Mapping[str, Matches],
    by: Sequence[str],
    labels: Mapping[str, str],
) -> str:
    """Write the PromQL of a template.

    Args:
        text: the template.
        prefix: the namespace of the metric names, ``""`` or one that ends with ``_`` or ``:``.
        rate: a duration such as ``5m``.
        filters: metric name (prefix included) -> label matchers for its selectors, as `matcher` reads them.
        by: labels to group by.
        labels: logical label -> the server's label.
    """

    def selector(match: re.Match[str]) -> str:
        name = match["name"].replace("{prefix}", prefix)
        asked = [matcher(k, v) for k, v in filters.get(name, ()) if k]
        inside = ",".join([p for p in [match["fixed"].strip().rstrip(",")] if p] + asked)
        return f"{name}{{{inside}}}" if inside else name

    places = {"prefix": prefix, "rate": rate, "by": ",".join(by), **labels}
    # Label values, just written, may hold braces and commas: only what stands outside of strings is touched.
    parts = TEXT.split(SELECTOR.sub(selector, text))
    parts[::2] = [PLACE.sub(lambda m: places.get(m[1], m[0]), p) for p in parts[::2]]
    for pattern, short in TIDY:
        parts[::2] = [pattern.sub(short, p) for p in parts[::2]]
    return "".join(parts)


def selectors(tree: promql.Expr) -> Iterator[promql.VectorSelector]:
    """Every vector selector of an expression."""
    found: list[promql.VectorSelector] = []

    def visit(node: promql.Expr) -> bool:
        if isinstance(node, promql.VectorSelector):
            found.append(node)
        elif isinstance(node, promql.MatrixSelector):
            found.append(node.vector_selector)
        return True

    promql.walk(tree, visit)
    return iter(found)


def matcher(label: str, value: str) -> str:
    """A label matcher; of a label that ends in ``~`` the value is a regular expression."""
    return f"{label[:-1]}=~{promql_string(value)}" if label.endswith("~") else f"{label}={promql_string(value)}"


def promql_string(value: str) -> str:
    """A label value as a PromQL string."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def duration(seconds: float) -> str:
    """Seconds as a PromQL duration, in the largest whole unit."""
    whole = max(round(seconds), 1)
    unit, size = next(u for u in (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)) if whole % u[1] == 0)
    return f"{whole // size}{unit}"
