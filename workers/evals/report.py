"""Figures of a run, the tables that show them, and what became of cases between two runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from workers.delivery.rich_text import safe
from workers.evals.case_score import CaseResult, Counted

Results = Sequence[CaseResult]
UNKNOWN = "–"
MOST_NAMED = 10
COLUMN = 8  # the widest column with its margin


def share(values: Iterable[bool]) -> float | None:
    """How many are true; None of none."""
    found = list(values)
    return sum(found) / len(found) if found else None


def part(counted: Iterable[Counted]) -> float | None:
    """All together: so many of so many; None of none."""
    have, of = 0, 0
    for one in counted:
        have, of = have + one.have, of + one.of
    return have / of if of else None


def percentile(values: Iterable[float], quantile: float) -> float | None:
    """The value at or below which that share of the values lies (nearest rank); None of none."""
    ordered = sorted(values)
    return ordered[max(math.ceil(quantile * len(ordered)), 1) - 1] if ordered else None


def say_share(value: float | None) -> str:
    """``93 %``."""
    return UNKNOWN if value is None else f"{value * 100:.0f} %"


def say_number(value: float | None) -> str:
    """``1,204``."""
    return UNKNOWN if value is None else f"{value:,.0f}"


def say_cost(value: float | None) -> str:
    """``$0.12``."""
    return UNKNOWN if not value else f"${value:.2f}" if value >= 0.1 else f"${value:.4f}"


@dataclass(frozen=True)
class Figure:
    """One figure. ``better``: the direction in which it is; ``costs``: shown only when a language model was asked."""

    name: str
    head: str
    of: Callable[[Results], float | None]
    say: Callable[[float | None], str] = say_share
    better: int = 1
    costs: bool = False


FIGURES = (
    Figure("cases", "n", len, say_number, 0),
    Figure("fully right", "right", lambda rs: share(r.right for r in rs)),
    Figure("intent accuracy", "intent", lambda rs: share(r.intent_ok for r in rs if r.intent_ok is not None)),
    Figure("kind accuracy", "kind", lambda rs: share(r.kind_ok for r in rs)),
    Figure("tool choice", "tools", lambda rs: share(r.tools_ok for r in rs)),
    Figure("grounding rate", "ground", lambda rs: share(r.grounded for r in rs if r.kind == "answer")),
    Figure("expected evidence cited", "cites", lambda rs: part(r.cites for r in rs)),
    Figure("citations that bear out their claim", "sound", lambda rs: part(r.sound for r in rs)),
    Figure("answer facts", "facts", lambda rs: part(r.facts for r in rs)),
    Figure("forbidden facts shown", "forbid", lambda rs: sum(len(r.forbidden) for r in rs), say_number, -1),
    Figure("gaps named", "gaps", lambda rs: part(r.gaps for r in rs)),
    Figure("latency p50, ms", "p50 ms", lambda rs: percentile((r.latency_ms for r in rs), 0.5), say_number, -1),
    Figure("latency p95, ms", "p95 ms", lambda rs: percentile((r.latency_ms for r in rs), 0.95), say_number, -1),
    Figure("tokens in", "tok in", lambda rs: sum(r.input_tokens for r in rs), say_number, -1, costs=True),
    Figure("tokens out", "tok out", lambda rs: sum(r.output_tokens for r in rs), say_number, -1, costs=True),
    Figure("cost, USD", "cost", lambda rs: sum(r.cost_usd for r in rs), say_cost, -1, costs=True),
)


def groups(results: Results) -> Iterator[tuple[str, Results]]:
    """All, by type of question, by sort of evidence."""
    yield "all", results
    for kind in sorted({r.question_type for r in results}):
        yield kind, [r for r in results if r.question_type == kind]
    for sort in sorted({r.evidence for r in results}):
        yield f"evidence {sort}", [r for r in results if r.evidence == sort]


def figures(results: Results) -> dict[str, float | None]:
    """Every figure by its name."""
    return {figure.name: figure.of(results) for figure in FIGURES}


def render_figures(results: Results, width: int) -> Group:
    """One row a group of cases; in several tables where the terminal is too narrow for one."""
    asked_model = any(r.input_tokens or r.output_tokens for r in results)
    shown = [figure for figure in FIGURES if asked_model or not figure.costs]
    rows = list(groups(results))
    room = max((width - max(len(name) for name, _ in rows)) // COLUMN, 1)
    parts = [shown[at : at + room] for at in range(0, len(shown), room)]
    return Group(*(part for chunk in parts for part in (figure_table(rows, chunk), Text(""))))


def figure_table(rows: Sequence[tuple[str, Results]], shown: Sequence[Figure]) -> Table:
    """Some figures of every group."""
    table = Table(box=None, padding=(0, 1), pad_edge=False, header_style="bold")
    table.add_column("", no_wrap=True)
    for figure in shown:
        table.add_column(figure.head, justify="right", no_wrap=True)
    for name, members in rows:
        style = "bold" if name == "all" else ""
        table.add_row(Text(name, style), *(figure.say(figure.of(members)) for figure in shown))
    return table


def render_failed(results: Results) -> Group:
    """Cases in which something is wrong, one line each."""
    failed = [r for r in results if not r.right]
    lines: list[RenderableType] = [Text(f"{len(failed)} of {len(results)} cases are not fully right", "bold")]
    lines += [Text.assemble((safe(r.id), "red"), f"  {safe('; '.join(r.wrong))}") for r in failed]
    return Group(*lines) if failed else Group(Text(f"All {len(results)} cases are right.", "bold green"))


def render_notes(results: Results) -> Group:
    """What to know of the figures: who answered, and calls that were late."""
    names = [r.reasoner for r in results if r.reasoner]
    told = ", ".join(f"{names.count(name)} by {name}" for name in sorted(set(names)))
    late = sum(r.late_tools for r in results)
    lines = [Text(safe(f"answered: {told}"), "dim")]
    lines += [Text(f"{late} tool calls did not answer in time; try fewer --jobs", "yellow")] if late else []
    return Group(*lines)


# --- two runs -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compared:
    """The cases that both runs have, and what became of them: ids with a line each."""

    before: Results
    after: Results
    better: tuple[tuple[str, str], ...]
    worse: tuple[tuple[str, str], ...]
    gone: tuple[str, ...]
    new: tuple[str, ...]


def compare(before: Results, after: Results) -> Compared:
    """Two runs, case by case: better with fewer things wrong, worse with more."""
    old, now = {r.id: r for r in before}, {r.id: r for r in after}
    both = [name for name in now if name in old]
    better = [(name, became(old[name], now[name])) for name in both if len(now[name].wrong) < len(old[name].wrong)]
    worse = [(name, became(old[name], now[name])) for name in both if len(now[name].wrong) > len(old[name].wrong)]
    return Compared(
        before=[old[name] for name in both],
        after=[now[name] for name in both],
        better=tuple(better),
        worse=tuple(worse),
        gone=tuple(name for name in old if name not in now),
        new=tuple(name for name in now if name not in old),
    )


def became(old: CaseResult, now: CaseResult) -> str:
    """What is wrong now and was not, or is no more."""
    if now.right:
        return "now right"
    lost = [w for w in now.wrong if w not in old.wrong]
    mended = [w for w in old.wrong if w not in now.wrong]
    parts = [f"new: {'; '.join(lost)}"] if lost else []
    parts += [f"gone: {'; '.join(mended)}"] if mended else []
    return " · ".join([*(["was right"] if old.right else []), *parts])


def render_compared(compared: Compared) -> Group:
    """Every figure before and after, then the cases that got better or worse."""
    table = Table(box=None, padding=(0, 1), pad_edge=False, header_style="bold")
    for name in ("", "before", "after", "change"):
        table.add_column(name, justify="right" if name else "left")
    for figure in FIGURES:
        before, after = figure.of(compared.before), figure.of(compared.after)
        if not (figure.costs and not before and not after):
            table.add_row(figure.name, figure.say(before), figure.say(after), say_change(figure, before, after))
    lines: list[RenderableType] = [table, Text("")]
    for title, style, cases in (("better", "green", compared.better), ("worse", "red", compared.worse)):
        lines.append(Text(f"{len(cases)} {title}", "bold"))
        lines += [Text.assemble((safe(name), style), f"  {safe(line)}") for name, line in cases]
    for title, names in (("only before", compared.gone), ("only now", compared.new)):
        more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
        lines += [Text(safe(f"{title}: {', '.join(names[:MOST_NAMED])}{more}"), "dim")] if names else []
    return Group(*lines)


def say_change(figure: Figure, before: float | None, after: float | None) -> Text:
    """The difference, in points for shares, coloured by whether it is good."""
    if before is None or after is None or before == after:
        return Text("")
    change = after - before
    said = f"{change * 100:+.1f} points" if figure.say is say_share else f"{change:+,.4g}"
    good = change * figure.better
    return Text(said, "green" if good > 0 else "red" if good < 0 else "")
