"""Answers, plans and logs as a person reads them in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from rich.console import Group, RenderableType
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from workers.contracts import Answer, Claim, Evidence, Plan, RequestLog
from workers.delivery.answer_sections import ID_CHARS
from workers.delivery.cited_evidence import charted_again, first_code, label_of, ranked_section, titled_sections
from workers.delivery.narrowing_menus import typed_hint
from workers.delivery.plan_progress import TITLE, TODO_SIGNS, TodoItem
from workers.delivery.rich_text import MARK, clip, safe
from workers.delivery.short_form import ShortForm, gap_text, is_unverified, shorten, step_lead
from workers.delivery.terminal_tables import ranked_table
from workers.grounding.value_format import say_number

BARS = "▁▂▃▄▅▆▇█"
LANGUAGES = {"py": "python", "yml": "yaml", "yaml": "yaml", "md": "markdown", "js": "javascript", "ts": "typescript"}


def styled(text: str, evidence: dict[str, Evidence], cited: Sequence[str], emphasis: str = "italic") -> Text:
    """Code marks and emphasis as styles, then the evidence markers, each a link when its evidence has one."""
    out, text = Text(), safe(text)
    last = 0
    for match in MARK.finditer(text):
        out.append(text[last : match.start()])
        out.append(match[1] or match[2], style="cyan" if match[1] else emphasis)
        last = match.end()
    out.append(text[last:])
    for key in cited:
        url = safe(evidence[key].url or "") if key in evidence else ""
        out.append(f" [{key}]", style=f"dim link {url}" if url else "dim")
    return out


def render_answer(log: RequestLog, *, everything: bool = False, before: RequestLog | None = None) -> Group:
    """The answer: what decides, or all of it.

    Args:
        log: the request.
        everything: every section, with its code and how its numbers follow.
        before: the last answer of the conversation; a short one repeats nothing of it.
    """
    answer = log.answer
    if answer is None:
        return Group(Text("no answer yet"))
    short = not everything and answer.kind == "answer"
    parts: list[RenderableType] = [Text(safe(answer.banner), style="italic yellow")] if answer.banner else []
    chart = None if short and charted_again(log, before) else render_chart(log)
    form = shorten(log, before, chart=chart is not None) if short else None
    parts.extend([render_headline(form.headline if form else answer.headline, log), Text("")])
    if answer.options:
        parts.append(render_options(answer))
    if chart:
        parts.extend([chart, Text("")])
    parts.extend(render_lines(form, log) if form else render_sections(answer, log))
    if log.question.follows and log.plan is None:  # what was shown before is asked for
        parts.extend(render_code(answer, by_id(log)))
    parts.extend(render_proposals(log))
    hint = typed_hint(log)
    parts.extend([Text(hint, style="dim")] if hint else [])
    parts.append(footer(log, more=form is not None and not form.whole))
    return Group(*parts)


def render_proposals(log: RequestLog) -> list[RenderableType]:
    """The changes that wait for the asker, and how to confirm each."""
    parts: list[RenderableType] = []
    for number, proposal in enumerate(log.proposals, 1):
        parts.append(Text(safe(proposal.title), style="bold"))
        if proposal.preview:
            parts.append(Syntax(safe(proposal.preview), "diff", background_color="default"))
        which = f" {number}" if len(log.proposals) > 1 else ""
        parts.append(Text(f"Nothing is changed until you type: oracle confirm {log.request_id}{which}\n", style="dim"))
    return parts


def render_headline(claim: Claim, log: RequestLog) -> Text:
    """The headline in bold; said to be a guess when it is one."""
    head = styled(claim.text, by_id(log), claim.evidence)
    head.stylize("bold", 0, len(safe(claim.text)))
    return Text.assemble((label_of(claim), "italic magenta"), head)


def render_lines(form: ShortForm, log: RequestLog) -> list[RenderableType]:
    """The lines that decide, and what is missing."""
    parts = render_ranked(form.ranked, log, form.below)
    rows = [
        Text.assemble(
            (step_lead(claim, by_id(log)) if key == "next_steps" else "", "bold blue"), claim_text(claim, log)
        )
        for key, claim in form.lines
    ]
    parts += [listed(rows), Text("")] if rows else []
    return [*parts, *([Text(safe(form.gaps), style="yellow"), Text("")] if form.gaps else [])]


def render_sections(answer: Answer, log: RequestLog) -> list[RenderableType]:
    """Every section, the first cited code, and what is missing."""
    parts: list[RenderableType] = []
    for key, title in titled_sections(log):
        claims: Sequence[Claim] = getattr(answer, key)
        if claims and key == ranked_section(log):
            parts.extend([Text(title, style="bold blue"), *render_ranked(claims, log)])
            parts.extend(line for claim in claims for line in arithmetic(claim))
            continue
        rows = [row for claim in claims for row in (claim_text(claim, log), *arithmetic(claim))]
        if rows:
            parts.extend([Text(title, style="bold blue"), listed(rows, numbered=key == "next_steps"), Text("")])
        if key == "code":
            parts.extend(render_code(answer, by_id(log)))
    return [*parts, *render_gaps(answer)]


def render_ranked(claims: Sequence[Claim], log: RequestLog, below: int = 0) -> list[RenderableType]:
    """A ranked list as a table, or numbered with what each line is about in bold; and how many stand below it."""
    if not claims:
        return []
    rows = [claim_text(claim, log, "bold") for claim in claims]
    more = [Text(f"and {below:,} more", style="dim")] if below else []
    return [ranked_table(log, claims) or listed(rows, numbered=True), *more, Text("")]


def claim_text(claim: Claim, log: RequestLog, emphasis: str = "italic") -> Text:
    """A claim with its markers; labelled when it is not proven."""
    said = styled(claim.text, by_id(log), claim.evidence, emphasis)
    return Text.assemble((label_of(claim), "italic magenta"), said)


def arithmetic(claim: Claim) -> list[Text]:
    """How the numbers of a claim follow from others."""
    return [Text(safe(line), style="dim") for line in claim.arithmetic]


def listed(rows: Iterable[Text], *, numbered: bool = False) -> Table:
    """Points of a list; what is dim belongs to the point above it."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(justify="right", width=3)
    grid.add_column(overflow="fold")
    number = 0
    for row in rows:
        own = row.style != "dim"
        number += own
        grid.add_row((f"{number}." if numbered else "·") if own else "", row)
    return grid


def by_id(log: RequestLog) -> dict[str, Evidence]:
    """The evidence by its id."""
    return {e.id: e for e in log.evidence}


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
    """What could not be checked, with what was tried; then what was written and could not be verified."""
    rows: list[RenderableType] = []
    for title, unverified in (("Could not check", False), ("Could not verify", True)):
        gaps = [gap for gap in answer.missing if is_unverified(gap) == unverified]
        rows.extend([Text(title, style="bold yellow")] if gaps else [])
        for gap in gaps:
            rows.append(Text(f"  · {safe(gap_text(gap))}"))
            if len(gap.tried) > 1:
                rows.append(Text(f"    tried: {safe(' | '.join(gap.tried))}", style="dim"))
    return [*rows, Text("")] if rows else []


def render_struck(log: RequestLog) -> Group:
    """The claims that are not in the answer, by section and number, each with the reason."""
    rows = (Text.assemble((f"struck {v.id}: ", "bold red"), safe(v.reason)) for v in log.struck)
    return Group(*rows)


def footer(log: RequestLog, *, more: bool = False) -> Text:
    """Tools, time, who thought, and how to see the rest."""
    answer = log.answer
    tools = " · ".join(answer.tools_used) if answer and answer.tools_used else "no tools"
    seconds = log.timings_ms.get("total", 0.0) / 1000
    request = safe(log.request_id)[:ID_CHARS]
    rest = "everything" if more else "evidence"
    proof = f"{rest}: oracle show {request}" if more or log.evidence else f"req {request}"
    also = f"Ask also, by itself: {safe(log.route.also)}\n" if log.route and log.route.also else ""
    return Text.assemble(also, (f"{tools} · {seconds:.1f} s · {log.reasoner} · {proof}", "dim"))


def render_todo(items: Sequence[TodoItem], before: Sequence[TodoItem] = ()) -> Group:
    """A model's to-do list as far as it is: all of it at first, then what has changed since ``before``."""
    news = [item for item in items if item not in before]
    styles = {"pending": "dim", "active": "cyan", "done": "green"}
    return Group(*(Text(f"{TODO_SIGNS[state]} {clip(safe(text), TITLE)}", style=styles[state]) for text, state in news))


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
