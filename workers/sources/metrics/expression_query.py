"""One PromQL expression on a source of metrics, within bounds: what would be too much is refused before it is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

import promql_parser as promql

from workers.contracts import rfc3339
from workers.errors import ToolArgumentError
from workers.language.nearest_names import nearest_names
from workers.sources.metrics.backend import Backend, Frame, Grid
from workers.sources.metrics.promql_template import duration, selectors
from workers.sources.metrics.query_window import STEPS
from workers.sources.metrics.report import moment

MOST_POINTS = 11_000
USUAL_POINTS = 300
MOST_CELLS = 1_000_000  # points of all series together
MOST_SPAN = timedelta(days=31)
BACK_S = 86_400
AGO = re.compile(r"(?:now)? ?- ?(\d{1,6}) ?([smhdw])")
STEP = re.compile(r"(\d{1,7}) ?([smhdw]?)")
SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800, "": 1}
MOST_NAMED = 8


@dataclass(frozen=True)
class Expression:
    """A checked expression and the moments it is evaluated at; one moment for an instant.

    ``tree`` is None where only the server can read it.
    """

    text: str
    grid: Grid
    tree: promql.Expr | None

    @property
    def instant(self) -> bool:
        """Whether it is evaluated once."""
        return self.grid.start == self.grid.end


def read_expression(text: str, start: str, end: str, step: str, at: str, now: datetime) -> Expression:
    """Check an expression and its times: an instant without a start, else a range up to ``end``, now by default.

    Raises:
        ToolArgumentError: there is none, a time is none, or it would be too much; says what to narrow.
    """
    if not text.strip():
        raise ToolArgumentError("query is empty; give a PromQL expression, such as sum(rate(http_requests_total[5m]))")
    if at and (start or end or step):
        raise ToolArgumentError("at: give either one moment, or start with end and step")
    if (end or step) and not start:
        raise ToolArgumentError(
            "start is missing: a range needs one, such as -6h; without it the query is of one moment"
        )
    try:
        tree: promql.Expr | None = promql.parse(text)
    except ValueError:
        tree = None
    if tree is not None:
        check_ranges(tree)
    if not start:
        moment = min(read_time("at", at, now), now)
        return Expression(text, Grid(int(moment.timestamp()), int(moment.timestamp()), 1), tree)
    first, last = read_time("start", start, now), min(read_time("end", end, now), now)
    return Expression(text, grid_of(first, last, step), tree)


def read_time(name: str, text: str, now: datetime) -> datetime:
    """RFC 3339, ``now`` or ``-6h``; now when empty. Raises: ToolArgumentError."""
    said = text.strip()
    if said in {"", "now"}:
        return now
    if match := AGO.fullmatch(said):
        return now - timedelta(seconds=min(int(match[1]) * SECONDS[match[2]], 10**9))
    try:
        moment = datetime.fromisoformat(said)
    except ValueError as error:
        raise ToolArgumentError(f"{name}: {text!r} is neither RFC 3339, like {rfc3339(now)}, nor -6h") from error
    if moment.tzinfo is None:
        raise ToolArgumentError(f"{name}: {text!r} has no time zone; add Z or an offset such as +02:00")
    return moment


def grid_of(first: datetime, last: datetime, step: str) -> Grid:
    """The moments of a range; the last one is its end. Raises: ToolArgumentError."""
    if first >= last:
        raise ToolArgumentError(f"start {rfc3339(first)} is not before end {rfc3339(last)}; nothing after now is known")
    if last - first > MOST_SPAN:
        raise ToolArgumentError(f"the range is longer than {MOST_SPAN.days} days; give a later start or an earlier end")
    span = int(last.timestamp()) - int(first.timestamp())
    usual = next((s for s in STEPS if span / s <= USUAL_POINTS), STEPS[-1])
    seconds = read_step(step) if step else usual
    if span // seconds + 1 > MOST_POINTS:
        least = next((s for s in STEPS if span / s < MOST_POINTS), STEPS[-1])
        raise ToolArgumentError(
            f"step {step} makes {span // seconds + 1:,} points a series, more than {MOST_POINTS:,}; "
            f"take {duration(least)} or more, or a shorter range"
        )
    end = int(last.timestamp())
    return Grid(end - span // seconds * seconds, end, seconds)


def read_step(text: str) -> int:
    """``30s``, ``5m`` or seconds. Raises: ToolArgumentError."""
    match = STEP.fullmatch(text.strip())
    seconds = int(match[1]) * SECONDS[match[2]] if match else 0
    if not seconds:
        raise ToolArgumentError(f"step: {text!r} is not a duration like 30s or 5m")
    return seconds


def check_ranges(tree: promql.Expr) -> None:
    """Refuse ranges in brackets that reach too far back or are read in too many steps. Raises: ToolArgumentError."""

    def visit(node: promql.Expr) -> bool:
        reach = (node.range if isinstance(node, promql.MatrixSelector | promql.SubqueryExpr) else None) or timedelta()
        if reach > MOST_SPAN:
            raise ToolArgumentError(f"query: a range of {duration(reach.total_seconds())} is longer than 31 days")
        if isinstance(node, promql.SubqueryExpr):
            step = node.step or timedelta(minutes=1)
            if step and reach / step > MOST_POINTS:
                raise ToolArgumentError(
                    "query: the subquery has more than 11,000 steps; take a larger one, or less range"
                )
        return True

    promql.walk(tree, visit)


def evaluate(backend: Backend, asked: Expression) -> Frame:
    """Ask for the values, after a look at how many series there are.

    Raises:
        ToolArgumentError: there are too many series for a range of so many points.
        ToolUnavailable: the source does not answer, or cannot evaluate the expression.
    """
    if asked.tree is not None and not asked.instant and not is_scalar(asked.tree):
        end = asked.grid.end
        counted = backend.query_range(f"count({asked.text})", Grid(end, end, 1))
        series = int(counted.series[0].values[-1]) if counted.series else 0
        points = (asked.grid.end - asked.grid.start) // asked.grid.step + 1
        if series * points > MOST_CELLS:
            raise ToolArgumentError(
                f"the query has {series:,} series of {points:,} points: aggregate it, such as sum by (endpoint) (…), "
                "add label matchers, or take a larger step"
            )
    return backend.query_range(asked.text, asked.grid)


def is_scalar(node: promql.Expr) -> bool:
    """Whether an expression is a number and no vector."""
    match node:
        case promql.NumberLiteral() | promql.StringLiteral():
            return True
        case promql.ParenExpr() | promql.UnaryExpr():
            return is_scalar(node.expr)
        case promql.BinaryExpr():
            return is_scalar(node.lhs) and is_scalar(node.rhs)
        case promql.Call():
            return node.func.name in {"scalar", "time", "pi"}
    return False


def why_empty(backend: Backend, asked: Expression) -> tuple[str, tuple[str, ...]]:
    """Why an expression has no value, and what comes near: a metric that does not exist, or a value that no label has.

    Raises:
        ToolUnavailable: the source does not answer.
    """
    names = backend.names()
    first, last = asked.grid.start - BACK_S, asked.grid.end
    for selector in selectors(asked.tree) if asked.tree is not None else ():
        name = selector.name
        if not name:
            continue
        if name not in names:
            return f"no metric is named {name}", nearest_names([name], names, limit=5, least=60)
        for matcher in selector.matchers.matchers:
            op = str(matcher.op)
            if matcher.name not in backend.label_names(name):
                held = tuple(sorted(backend.label_names(name)))
                if op == "MatchOp.Equal" and matcher.value:
                    said = ", ".join(held[:MOST_NAMED])
                    return f"{name} has no label {matcher.name}; it has {said}", held[:5]
            elif op == "MatchOp.Equal" and matcher.value:
                values = backend.label_values(matcher.name, (name,), first, last)
                if matcher.value not in values:
                    said = ", ".join(values[:MOST_NAMED]) or "none then"
                    near = nearest_names([matcher.value], values) or values[:5]
                    return f"{name} has no series with {matcher.name}={matcher.value!r}; there is {said}", near
    when = f"at {moment(last)}" if asked.instant else f"from {moment(asked.grid.start)} to {moment(last)}"
    return f"the query has no value {when}", ()
