"""The parts of an answer as rows and blocks, in the order of their definition."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC
from typing import Any

from workers.contracts import Answer, Claim, Evidence, Gap, Question, RequestLog, moment_of
from workers.delivery import action_ids
from workers.delivery.block_limits import CONTEXT_TEXT_CHARS, size
from workers.delivery.block_packing import Block, Row, context, pack_rows, row
from workers.delivery.cited_evidence import (
    charted,
    cited_evidence,
    described,
    first_code,
    graphed,
    label_of,
    link_of,
    ranked_section,
    voice_of,
    window_of,
)
from workers.delivery.graph_words import graph_title
from workers.delivery.narrowing_menus import menu_blocks
from workers.delivery.rich_text import Element, clip, link, markers, safe, statement, unmarked, words
from workers.delivery.short_form import gap_text, is_unverified, step_lead
from workers.engine.confirmation import is_change

MAX_LINES, MAX_CODE = 16, 1_800
MAX_CLAIM = 12_000
Known = Mapping[str, Evidence]
MOST_BUTTON_CHARS = 60
CARRIED = re.compile(r"[A-Za-z0-9_-]{1,64}")  # request ids that buttons carry
LATE = "You wrote this{} while I was away or could keep nothing: this answer comes late, and says how it stands now."
ID_CHARS = 8
"""Of a request's id, what names it among others."""


def in_full(log: RequestLog) -> str:
    """Where everything stands."""
    return f"In full: Show proof, or oracle show {clip(safe(log.request_id), 60)}"


def banner_rows(answer: Answer) -> list[Row]:
    """The line above everything, in italics."""
    return [row(words(unmarked(answer.banner), italic=True))] if answer.banner and answer.banner.strip() else []


def edited_note(log: RequestLog) -> list[Block]:
    """Why there is a second answer to one message, or why it comes late."""
    late = [context(late_words(log.question))] if log.question.late else []
    return [*late, *([context("Asked again: the question was edited.")] if log.question.edits else [])]


def late_words(question: Question) -> str:
    """That an answer comes late, and how late."""
    try:
        minutes = max(1, round((question.received_at - moment_of(question.ts)).total_seconds() / 60))
    except ValueError:
        return LATE.format("")
    hours = round(minutes / 60)
    ago = f"{minutes} minute{'s' * (minutes > 1)}" if minutes < 90 else f"{hours} hours"
    return LATE.format(f" {ago} ago")


def difference_rows(log: RequestLog, earlier: RequestLog | None) -> list[Row]:
    """What differs from the last time the same was asked."""
    if earlier is None:
        return []
    asked, now = (m.question.received_at.astimezone(UTC) for m in (earlier, log))
    day = "" if asked.date() == now.date() else f"{asked:%b} {asked.day}, "
    title = f"Since the last time ({day}{asked:%H:%M} UTC, {clip(safe(earlier.request_id), 60)})"
    from workers.delivery.rerun_differences import compare  # noqa: PLC0415 - reads claims, which few answers' headings need

    return [row(words(title, bold=True)), *(row(words(line), "bullet") for line in compare(earlier, log))]


def headline_rows(log: RequestLog, claim: Claim, known: Known) -> list[Row]:
    """The headline in bold; said to be a guess when it is one."""
    if not claim.text.strip():
        return [row(words("No answer was written.", bold=True))]
    return [row([*labelled(claim), *statement(bounded(claim.text, log), claim.evidence, known, bold=True)])]


def labelled(claim: Claim) -> list[Element]:
    """What stands before a claim that is not proven."""
    return words(label_of(claim), italic=True)


def line_rows(lines: Sequence[tuple[str, Claim]], known: Known) -> list[Row]:
    """The few claims of a short answer; what to do next is told apart from what is."""
    rows = []
    for key, claim in lines:
        lead = words(step_lead(claim, known), bold=True) if key == "next_steps" else []
        rows.append(row([*lead, *statement(claim.text, claim.evidence, known)], "bullet"))
    return rows


def ranked_rows(log: RequestLog, claims: Sequence[Claim], below: int, known: Known) -> list[Row]:
    """The first of a ranked list, numbered, what each is about in bold; and how many stand below them."""
    rows = [numbered_row(log, claim, i, known) for i, claim in enumerate(claims, 1)]
    more = f"and {below:,} more, under Everything"
    return [*rows, *([row(words(more, italic=True))] if below else [])]


def numbered_row(log: RequestLog, claim: Claim, number: int, known: Known) -> Row:
    """One claim of a ranked list."""
    said = statement(bounded(claim.text, log), claim.evidence, known, strong=True)
    return row([*labelled(claim), *said], "ordered", number)


def image(log: RequestLog, picture: str, alt: str) -> Block:
    """The chart, or the picture of a graph."""
    shown, graph = charted(log), graphed(log)
    title = clip(safe(shown[0].title), 200) if shown else graph_title(graph) if graph else ""
    return {
        "type": "image",
        "slack_file": {"id": picture},
        "alt_text": clip(safe(alt), 1_900) or title or "chart",
        "title": {"type": "plain_text", "text": title or "Chart", "emoji": False},
    }


def bounded(text: str, log: RequestLog) -> str:
    """The text; one that nobody would read to its end is shortened, and says so."""
    over = len(text) - MAX_CLAIM
    return text if over <= 0 else f"{text[:MAX_CLAIM]}… {over:,} more characters. {in_full(log)}"


def section_rows(log: RequestLog, key: str, title: str, known: Known) -> list[Row]:
    """A heading and its claims, those that are not proven labelled so; the next steps numbered."""
    claims = [c for c in getattr(log.answer, key) if c.text.strip()]
    if claims and key == ranked_section(log):
        return [row(words(title, bold=True)), *ranked_rows(log, claims, 0, known)]
    kind = "ordered" if key == "next_steps" else "bullet"
    rows = [
        row([*labelled(c), *statement(bounded(c.text, log), c.evidence, known)], kind, i)
        for i, c in enumerate(claims, 1)
    ]
    return [row(words(title, bold=True)), *rows] if rows else []


def code_rows(log: RequestLog, answer: Answer, known: Known) -> list[Row]:
    """The first cited lines of code, numbered, under their place."""
    item = first_code(answer, known)
    if item is None:
        return []
    lines = safe(item.excerpt).rstrip().split("\n")
    start = item.facts["start_line"].value if "start_line" in item.facts else 1
    first = int(start) if isinstance(start, int | float) and abs(start) < 1e9 else 1
    width = len(str(first + len(lines)))
    numbered = "\n".join(f"{first + i:>{width}}  {line}" for i, line in enumerate(lines[:MAX_LINES]))
    shown = numbered[:MAX_CODE]
    place = link(link_of(item), item.locator or item.title, code=True)
    rows = [row([*place, *markers([item.id], known)]), row(words(shown), "code")]
    more, chars = len(lines) - MAX_LINES, len(numbered) - len(shown)
    left = [f"{more:,} more lines"] * (more > 0) + [f"{chars:,} characters of these"] * (chars > 0)
    if left:
        rows.append(row(words(f"Not shown: {' and '.join(left)}. {in_full(log)}", italic=True)))
    return rows


def gap_rows(log: RequestLog, gaps: tuple[Gap, ...]) -> list[Row]:
    """What could not be checked; then the statements that could not be verified. What was tried stands in the proof."""
    rows: list[Row] = []
    for title, unverified in (("Could not check", False), ("Could not verify", True)):
        texts = [gap_text(gap) for gap in gaps if is_unverified(gap) == unverified]
        told = [row(statement(bounded(text, log), (), {}), "bullet") for text in texts if text.strip()]
        rows.extend([row(words(title, bold=True)), *told] if told else [])
    return rows


def evidence_blocks(log: RequestLog, known: Known) -> list[Block]:
    """What the cited evidence is that the markers don't link to: small, and with its link when it has one."""
    cited = {e.id for e in cited_evidence(log)}
    listed = [e for e in log.evidence if e.id in cited and not link_of(known[e.id])]
    window = next((window_of(e) for e in listed if e.kind == "metric"), "")
    title = f"Evidence · metrics {window}" if window else "Evidence"
    rows: list[Row] = []
    lines: list[str] = []
    for item in listed:
        name, what = f"[{clip(safe(item.id), 60)}]", clip(safe(described(item, voice_of(log), window)), 900)
        if link_of(item):
            rows.append(row([*link(link_of(item), name), *words(f" {what}")]))
        else:
            lines.append(f"{name} {what}")
    heading = [row(words(title, bold=True))] if rows else []
    return [*pack_rows([*heading, *rows]), *small_print("" if rows else title, lines)]


def small_print(title: str, lines: list[str]) -> list[Block]:
    """Lines as context blocks, as many to a block as it takes."""
    pages: list[str] = []
    for line in lines:
        if pages and size(pages[-1]) + size(line) < CONTEXT_TEXT_CHARS - 100:
            pages[-1] += f"\n{line}"
        else:
            pages.append(line if pages or not title else f"{title}\n{line}")
    return [context(page) for page in pages]


def footer(log: RequestLog) -> Block:
    """Tools, time, cost when there was any, who thought, and the request's id as short as it can be asked for."""
    tools = " · ".join(log.answer.tools_used) if log.answer and log.answer.tools_used else "no tools"
    spent = log.timings_ms.get("total", 0.0)
    seconds = f"{spent / 1000:.1f} s" if spent >= 95 else f"{spent:.0f} ms"
    paid = f" · {say_cost(log.usage.cost_usd)}" if log.usage.cost_usd > 0 else ""
    who, request = clip(safe(log.reasoner), 60), " ".join(safe(log.request_id)[:ID_CHARS].split())
    return context(f"{clip(safe(tools), 300)} · {seconds}{paid} · {who} · req {request}")


def say_cost(usd: float) -> str:
    """Dollars; what is less than a tenth of a cent is said to be so."""
    if usd < 0.001:
        return "< $0.001"
    return f"${usd:,.2f}" if usd >= 1 else f"${usd:.3f}"


# --- what can be pressed --------------------------------------------------------------------------------------


def answer_buttons(log: RequestLog, *, more: bool = False) -> list[Block]:
    """Below an answer: its proof, all of it when there is ``more``, once more, share it, and whether it was good."""
    if is_change(log):  # what was done is not done again
        return buttons(log.request_id, {action_ids.PROOF: "Show proof"})
    shown = {action_ids.PROOF: "Show proof", action_ids.EVERYTHING: "Everything", action_ids.RERUN: "Re-run"}
    if not more:
        del shown[action_ids.EVERYTHING]
    shown |= {action_ids.SHARE: "Share"}
    if log.route and log.route.also:
        shown = {action_ids.ALSO: clip(f"Ask also: {log.route.also}", MOST_BUTTON_CHARS)} | shown
    if log.answer and log.answer.headline.evidence and not log.proposals:
        shown |= {action_ids.SAVE: "Save as note"}
    return [*menus(log), *buttons(log.request_id, shown), *feedback(log.request_id)]


def menus(log: RequestLog) -> list[Block]:
    """By what the answer can be narrowed; nothing for an id that no menu can carry."""
    return menu_blocks(log) if CARRIED.fullmatch(log.request_id) else []


def refusal_buttons(log: RequestLog) -> list[Block]:
    """Below a refusal there is nothing to prove or to share."""
    return [*rerun_button(log.request_id), *feedback(log.request_id)]


def rerun_button(request_id: str) -> list[Block]:
    """Ask the same once more."""
    return buttons(request_id, {action_ids.RERUN: "Re-run"})


def buttons(request_id: str, shown: Mapping[str, str]) -> list[Block]:
    """One row of buttons whose value is the request; none for an id that no button can carry."""
    elements = [
        {"type": "button", "action_id": name, "text": {"type": "plain_text", "text": text}, "value": request_id}
        for name, text in shown.items()
    ]
    block = {"type": "actions", "block_id": f"answer:{request_id}", "elements": elements}
    return [block] if CARRIED.fullmatch(request_id) else []


def feedback(request_id: str) -> list[Block]:
    """Thumbs up and down."""
    if not CARRIED.fullmatch(request_id):
        return []
    pressed: dict[str, Any] = {"type": "feedback_buttons", "action_id": action_ids.FEEDBACK}
    for verdict, text in (("good", "Good answer"), ("bad", "Bad answer")):
        name = "positive_button" if verdict == "good" else "negative_button"
        pressed[name] = {"text": {"type": "plain_text", "text": text}, "value": f"{verdict}:{request_id}"}
    return [{"type": "context_actions", "elements": [pressed]}]
