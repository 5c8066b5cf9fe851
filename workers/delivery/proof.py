"""What an answer rests on: for each claim the evidence with its exact query, window, lines, commit and values,
then what was struck, what the tools were asked, and how the question was read. Nothing is left out: it has pages.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import slack_limits
from workers.contracts import RequestLog, ToolCall
from workers.delivery import action_ids
from workers.delivery.answer_sections import CARRIED, buttons, in_full
from workers.delivery.block_limits import weigh
from workers.delivery.block_packing import Block, Row, context, pack_rows, row
from workers.delivery.cited_evidence import span, titled_sections
from workers.delivery.claim_evidence import asked_words, claim_parts
from workers.delivery.rerun_differences import ENDED
from workers.delivery.rich_text import clip, fallback, safe, unmarked, words
from workers.delivery.short_form import UNVERIFIED, is_unverified
from workers.ports import Post

MAX_PAGE, MAX_PAGE_BLOCKS = 30_000, slack_limits.VIEW_BLOCKS - 5  # of a page, the first as `weigh` counts
MAX_SHORT = 8_000  # of the short form, as `weigh` counts


def render_proof(log: RequestLog, page: int = 0) -> dict[str, Any]:
    """The window that Show proof opens.

    Args:
        log: the request.
        page: which page, from 0; the last one when there are fewer.
    """
    views = proof_pages(log)
    return views[min(max(page, 0), len(views) - 1)]


def proof_pages(log: RequestLog) -> list[dict[str, Any]]:
    """All of its pages, each a window that leads to the ones beside it."""
    parts = paged(proof_blocks(log))
    views = []
    for number, blocks in enumerate(parts):
        where = f" · page {number + 1} of {len(parts)}" if len(parts) > 1 else ""
        top = context(f"req {clip(safe(log.request_id), 60)} · by {clip(safe(log.reasoner), 60)}{where}")
        view = {
            "type": "modal",
            "callback_id": action_ids.PROOF_VIEW,
            "private_metadata": safe(log.request_id)[:1_000],
            "title": {"type": "plain_text", "text": "Proof"},
            "close": {"type": "plain_text", "text": "Close"},
            "blocks": [top, *blocks, *page_buttons(log.request_id, number, len(parts))],
        }
        views.append(view)
    return views


def paged(blocks: list[Block]) -> list[list[Block]]:
    """Blocks as pages that a view holds."""
    pages: list[list[Block]] = [[]]
    used = 0
    for block, after in itertools.zip_longest(blocks, blocks[1:]):
        weight = weigh(block) + (weigh(after) if block["type"] == "header" else 0)
        if pages[-1] and (used + weight > MAX_PAGE or len(pages[-1]) >= MAX_PAGE_BLOCKS):
            pages.append([])
            used = 0
        pages[-1].append(block)
        used += weigh(block)
    return pages


def page_buttons(request_id: str, page: int, count: int) -> list[Block]:
    """To the page after this one and to the one before: a block each, for their action is the same."""
    ways = [(page + 1, "Next page")] * (page + 1 < count) + [(page - 1, "Previous page")] * (page > 0)
    if not CARRIED.fullmatch(request_id):
        return [context(f"{count - page - 1} more pages: oracle show has them.")] if page + 1 < count else []
    return [
        {
            "type": "actions",
            "elements": [
                {
                    "type": "button",
                    "action_id": action_ids.PROOF_PAGE,
                    "text": {"type": "plain_text", "text": text},
                    "value": f"{request_id}:{number}",
                }
            ],
        }
        for number, text in ways
    ]


def proof_blocks(log: RequestLog) -> list[Block]:
    """All of it, in order."""
    parts = [
        *claim_parts(log),
        ("Could not check", missing_rows(log, unverified=False)),
        ("Could not verify", [*missing_rows(log, unverified=True), *struck_rows(log)]),
        ("What the tools were asked", [r for call in log.tool_calls for r in call_rows(log, call)]),
        ("How the question was read", read_rows(log)),
    ]
    return [block for title, rows in parts if rows for block in (header(title), *pack_rows(rows))]


def header(title: str) -> Block:
    """The title of a part."""
    return {"type": "header", "text": {"type": "plain_text", "text": title}}


# --- the rest -------------------------------------------------------------------------------------------------


def missing_rows(log: RequestLog, *, unverified: bool) -> list[Row]:
    """What could not be checked, with what was tried; or what was written and could not be verified."""
    rows: list[Row] = []
    for gap in log.answer.missing if log.answer else ():
        if is_unverified(gap) != unverified:
            continue
        text = UNVERIFIED.sub("", unmarked(gap.text), count=1)
        rows.extend([row(words(text), "bullet")] if text.strip() else [])
        rows.extend(row(words(f"Tried: {text}"), "detail") for text in gap.tried if text.strip())
    return rows


def struck_rows(log: RequestLog) -> list[Row]:
    """What was written and may not be said, with the reason."""
    titles = {"headline": "Headline", **dict(titled_sections(log))}
    rows = []
    for verdict in log.struck:
        section, _, place = verdict.id.partition(".")
        number = f" {int(place) + 1}" if place.isdecimal() and place.isascii() else ""
        name = titles.get(section, section or "A claim")
        rows.append(row([*words(f"{name}{number}", bold=True), *words(f": {verdict.reason}")], "bullet"))
    return rows


def call_rows(log: RequestLog, call: ToolCall) -> Iterator[Row]:
    """What one call was asked, for what, and what came back."""
    told = [call.status, f"{call.end_ms - call.start_ms:,.0f} ms", *["cached"] * call.cached]
    told += [f"attempt {call.attempt}"] * (call.attempt > 1)
    purpose = next((s.purpose for s in log.plan.steps if s.id == call.step), "") if log.plan else ""
    yield row([*asked_words(call), *words(f" {' · '.join(told)}")], "bullet")
    if purpose:
        yield row(words(f"To {purpose}", italic=True), "detail")
    if call.summary.strip():
        yield row(words(f"Returned: {call.summary}"), "detail")


def read_rows(log: RequestLog) -> list[Row]:
    """The question, who answers it and why, and what it was taken to mean."""
    return [row([*words(f"{name}: ", bold=True), *words(text)], "bullet") for name, text in readings(log) if text]


def readings(log: RequestLog) -> Iterator[tuple[str, str]]:
    """The same as names and texts."""
    yield "Asked", log.question.text.strip()
    if log.route:
        sure = f"{log.route.task} ({log.route.confidence:.0%} sure)"
        yield "Route", f"{sure}: {log.route.notes}" if log.route.notes else sure
    if log.intent:
        about = f", about {', '.join(log.intent.subjects)}" if log.intent.subjects else ""
        yield "Read as", f"{log.intent.question_type}{about}"
        if window := log.intent.window:
            yield "Window", f"{span(window.start, window.end)}: {window.why}"
    if log.answer and log.answer.kind == "clarify":
        yield "Asked back", unmarked(log.answer.headline.text)
        for option in log.answer.options:
            yield "Could be", f"{option.label}: {option.reason}" if option.reason else option.label
    if log.answer and log.answer.kind == "refusal":
        yield "Refused", unmarked(log.answer.headline.text)
    if log.model_calls:
        asked = ", ".join(f"{c.role} {c.status}" for c in log.model_calls)
        yield "Language model", f"{asked} · {log.usage.tokens:,} tokens"
    if log.plan:
        yield "Plan", f"{log.plan.pattern}: {log.plan.query_intent}"
        for text in log.plan.uncertainties:
            yield "Uncertain", text
        for text in log.plan.verification_tips:
            yield "To verify", text


def proof_text(log: RequestLog) -> Post:
    """The short form, for one person's eyes: how the question was read, each step with how it ended, the way to all."""
    status = {c.step: c.status for c in log.tool_calls}
    rows = [row([*words(f"{n}: ", bold=True), *words(clip(safe(t), 300))], "bullet") for n, t in readings(log) if t]
    for i, step in enumerate(log.plan.steps if log.plan else (), 1):
        was = status.get(step.id, "")
        ended = ENDED.get(was, was) or "was not run"
        purpose = words(f" {clip(safe(step.purpose), 200)}: ")
        rows.append(
            row([*words(clip(safe(step.tool), 60), code=True), *purpose, *words(ended, bold=True)], "ordered", i)
        )
    title = f"How {clip(safe(log.request_id), 60)} was answered"
    blocks = [context(title), *pack_rows(within(rows)), context(f"{in_full(log)}.")]
    pressed = buttons(log.request_id, {action_ids.PROOF: "Show proof"})
    return Post(fallback(f"{title}: {log.question.text}"), (*blocks, *pressed))


def within(rows: list[Row]) -> list[Row]:
    """As many as one message holds, then how many more there are."""
    used = 0
    for i, item in enumerate(rows):
        used += weigh(item.elements)
        if used > MAX_SHORT:
            return [*rows[:i], row(words(f"and {len(rows) - i:,} more"))]
    return rows
