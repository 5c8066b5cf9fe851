"""Answers, plans and logs as a person reads them in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from rich.console import Console, Group, RenderableType
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from workers.contracts import Answer, Claim, Evidence, Plan, RequestLog
from workers.delivery.cited_evidence import SECTIONS, first_code
from workers.delivery.rich_text import MARK, safe
from workers.grounding.value_format import say_number

BARS = "▁▂▃▄▅▆▇█"
LANGUAGES = {"py": "python", "yml": "yaml", "yaml": "yaml", "md": "markdown", "js": "javascript", "ts": "typescript"}


def styled(text: str, evidence: dict[str, Evidence], cited: Sequence[str]) -> Text:
    """Code marks and emphasis as styles, then the evidence markers, each a link when its evidence has one."""
    out, text = Text(), safe(text)
    last = 0
    for match in MARK.finditer(text):
        out.append(text[last : match.start()])
        out.append(match[1] or match[2], style="cyan" if match[1] else "italic")
        last = match.end()
    out.append(text[last:])
    for key in cited:
        url = safe(evidence[key].url or "") if key in evidence else ""
        out.append(f" [{key}]", style=f"dim link {url}" if url else "dim")
    return out


def render_answer(log: RequestLog) -> Group:
    """The whole answer: short first, proof below."""
    answer = log.answer
    if answer is None:
        return Group(Text("no answer yet"))
    evidence = {e.id: e for e in log.evidence}
    parts: list[RenderableType] = []
    if answer.banner:
        parts.append(Text(answer.banner, style="italic yellow"))
    head = styled(answer.headline.text, evidence, answer.headline.evidence)
    head.stylize("bold", 0, len(safe(answer.headline.text)))
    parts.extend([head, Text("")])
    if answer.options:
        parts.append(render_options(answer))
    chart = render_chart(log)
    if chart:
        parts.extend([chart, Text("")])
    for key, title in SECTIONS:
        if key == "next_steps":
            guesses = [c for k, _ in SECTIONS for c in getattr(answer, k) if c.status == "hypothesis"]
            parts.extend(render_section("Hypothesis, not proven", guesses, evidence, style="bold magenta"))
        claims = [c for c in getattr(answer, key) if c.status == "supported"]
        parts.extend(render_section(title, claims, evidence, numbered=key == "next_steps"))
        if key == "code":
            parts.extend(render_code(answer, evidence))
    parts.extend(render_gaps(answer))
    parts.append(footer(log))
    return Group(*parts)


def render_section(
    title: str,
    claims: Iterable[Claim],
    evidence: dict[str, Evidence],
    *,
    numbered: bool = False,
    style: str = "bold blue",
) -> list[RenderableType]:
    """A heading and its claims."""
    rows = [styled(c.text, evidence, c.evidence) for c in claims]
    if not rows:
        return []
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", width=3)
    grid.add_column(overflow="fold")
    for i, row in enumerate(rows, 1):
        grid.add_row(f"{i}." if numbered else "·", row)
    return [Text(title, style=style), grid, Text("")]


def render_options(answer: Answer) -> Table:
    """Numbered candidates, each with its reason."""
    grid = Table.grid(padding=(0, 1))
    for i, option in enumerate(answer.options, 1):
        grid.add_row(
            Text(f"{i}.", style="bold"), Text(safe(option.label), style="cyan"), Text(safe(option.reason), style="dim")
        )
    grid.add_row("", Text("something else: type it", style="dim"), "")
    return grid


def render_chart(log: RequestLog) -> Text | None:
    """The main metric as a line of bars with the onset marked below, from the cited samples only."""
    answer = log.answer
    main = next((e for e in log.evidence if e.series and answer and e.id in answer.headline.evidence), None)
    if main is None or len(main.series) < 8:
        return None
    columns = bucket(main.series, 72)
    top = max(value for _, value in columns)
    if top <= 0:
        return None
    bars = "".join(BARS[min(int(value / top * 7.99), 7)] if value > 0 else " " for _, value in columns)
    onset = main.facts.get("onset_at")
    below = ""
    if onset:
        at = datetime.fromisoformat(str(onset.value)).timestamp()
        place = next((i for i, (start, _) in enumerate(columns) if start >= at), len(columns) - 1)
        below = f"\n  {' ' * max(place - 1, 0)}▲ {datetime.fromtimestamp(at, UTC):%H:%M} UTC"
    first, last = (datetime.fromtimestamp(main.series[i][0], UTC) for i in (0, -1))
    span = f"  {safe(main.title)}, {first:%b %d %H:%M} – {last:%b %d %H:%M} UTC, top {say_number(top, unit_of(main))}"
    return Text.assemble(("  " + bars, "green"), (below, "yellow"), ("\n" + span, "dim"))


def bucket(series: Sequence[tuple[float, float]], width: int) -> list[tuple[float, float]]:
    """Equal spans of time, each with its largest value."""
    start, end = series[0][0], series[-1][0]
    span = max((end - start) / width, 1e-9)
    top = [0.0] * width
    for at, value in series:
        place = min(int((at - start) / span), width - 1)
        top[place] = max(top[place], value)
    return [(start + i * span, value) for i, value in enumerate(top)]


def unit_of(item: Evidence) -> str:
    """The unit of a metric's values."""
    return item.facts["peak"].unit if "peak" in item.facts else ""


MOST_ROWS = 16
"""Lines of code that are shown."""


def render_code(answer: Answer, evidence: dict[str, Evidence]) -> list[RenderableType]:
    """The excerpt of the first code evidence that the answer cites, with its line numbers."""
    shown = first_code(answer, evidence)
    if shown is None:
        return []
    start = int(shown.facts["start_line"].value) if "start_line" in shown.facts else 1
    suffix = shown.locator.partition(":")[0].rpartition(".")[2]
    rows = shown.excerpt.splitlines()
    excerpt = safe("\n".join(rows[:MOST_ROWS]))
    code = Syntax(
        excerpt,
        LANGUAGES.get(suffix, suffix),
        line_numbers=True,
        start_line=start,
        theme="ansi_dark",
        background_color="default",
        word_wrap=True,
    )
    cut = [Text("  …", style="dim")] if len(rows) > MOST_ROWS else []
    return [Text(safe(f"{shown.locator} [{shown.id}]"), style="dim"), code, *cut, Text("")]


def render_gaps(answer: Answer) -> list[RenderableType]:
    """What could not be checked, with what was tried."""
    if not answer.missing:
        return []
    rows: list[RenderableType] = [Text("Could not check", style="bold yellow")]
    for gap in answer.missing:
        rows.append(Text(f"  · {safe(gap.text)}"))
        if len(gap.tried) > 1:
            rows.append(Text(f"    tried: {safe(' | '.join(gap.tried))}", style="dim"))
    return [*rows, Text("")]


def render_struck(log: RequestLog) -> Group:
    """The claims that are not in the answer, by section and number, each with the reason."""
    rows = (Text.assemble((f"struck {v.id}: ", "bold red"), safe(v.reason)) for v in log.struck)
    return Group(*rows)


def footer(log: RequestLog) -> Text:
    """Tools, time, who thought, request id."""
    answer = log.answer
    tools = " · ".join(answer.tools_used) if answer and answer.tools_used else "no tools"
    seconds = log.timings_ms.get("total", 0.0) / 1000
    proof = f" · evidence: oracle show {log.request_id}" if log.evidence else f" · req {log.request_id}"
    return Text(f"{tools} · {seconds:.1f} s · by {log.reasoner}{proof}", style="dim")


def render_plan(plan: Plan) -> Table:
    """What will be checked, before it is."""
    grid = Table.grid(padding=(0, 1))
    for step in plan.steps:
        wait = f" (after {', '.join(step.after)})" if step.after else ""
        grid.add_row(Text("○", style="dim"), Text(step.tool, style="cyan"), Text(safe(f"{step.purpose}{wait}")))
    for tip in plan.verification_tips:
        grid.add_row("", Text("verify", style="dim"), Text(safe(tip), style="dim"))
    return grid


def render_proof(log: RequestLog) -> Group:
    """Every evidence with its exact locator: what Show proof opens."""
    rows: list[RenderableType] = []
    for item in log.evidence:
        rows.append(Text.assemble((f"{item.id} ", "bold"), (f"{item.kind} ", "cyan"), safe(item.title)))
        rows.append(Text(f"   {safe(item.locator)}", style="dim"))
        if item.url:
            rows.append(Text(f"   {safe(item.url)}", style=f"dim link {safe(item.url)}"))
        rows.extend(Text(f"   │ {safe(line)}", style="dim") for line in item.excerpt.splitlines()[:12])
    return Group(*rows)


def make_console(*, error: bool = False) -> Console:
    """A console of the terminal's width; of 100 columns when piped."""
    console = Console(stderr=error, highlight=False, soft_wrap=False)
    return console if console.is_terminal else Console(stderr=error, highlight=False, width=100)
