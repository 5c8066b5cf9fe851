"""PURE. Answers, questions and progress as Slack messages.

What others wrote stands in rich text, which Slack does not parse: nothing in it pings, nothing becomes a link but the
addresses of cited evidence. No message breaks `limits.check_post`; what is long goes on in the next block or message.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime

from workers.contracts import Answer, Option, Plan, Question, RequestLog
from workers.delivery.cited import SECTIONS, claims_of, link_of
from workers.delivery.limits import LIMITS, size, weigh
from workers.delivery.pack import Block, context, pack_posts, pack_rows, row
from workers.delivery.rich_text import clip, escape, safe, unmarked, words
from workers.delivery.sections import (
    Known,
    banner_rows,
    code_rows,
    evidence_blocks,
    footer,
    gap_rows,
    guess_rows,
    headline_rows,
    image,
    in_full,
    section_rows,
)
from workers.ports import Post

MAX_TEXT = 3_000  # characters of the fallback text; its bytes too, for an update refuses more than 4,000 of them
MAX_INLINE = 120  # characters of an address that stands behind every marker, should the answer be long
MAX_OPTIONS, MAX_BUTTONS = 5, 4_000
MAX_QUESTION = 4_500
BUTTON_WIDTH = 40  # phones show little more of a button
MAX_STEPS = 12
SIGNS = {"pending": "○", "running": "◐", "ok": "✓", "empty": "–", "timeout": "✗", "error": "✗", "denied": "✗"}
SAYS = {"empty": "nothing found", "timeout": "took too long", "error": "failed", "denied": "not allowed"}
USER = re.compile(r"[UW][A-Z0-9]{2,20}")
MOMENT = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def render_answer(log: RequestLog, picture: str = "", alt: str = "", turn: int = 0) -> tuple[Post, ...]:
    """The reply to a question: short first, proof below; usually one message.

    Args:
        log: the finished request.
        picture: the file id of its chart; empty for none.
        alt: the words that stand for the chart.
        turn: how often it asked back before.
    """
    answer = log.answer
    if answer is None:
        return (Post("No answer yet.", (context("No answer yet."), footer(log))),)
    if answer.kind == "clarify":
        return (render_clarify(log, answer, turn),)
    known = {e.id: e for e in log.evidence}
    posts = compose(log, answer, picture, alt, known)
    if len(posts) > 1:  # long addresses stand once, in the list of evidence, when that makes the answer one message
        inline = {
            k: e if len(link_of(e)) <= MAX_INLINE else e.model_copy(update={"url": None}) for k, e in known.items()
        }
        shorter = compose(log, answer, picture, alt, inline)
        posts = shorter if len(shorter) < len(posts) else posts
    if len(posts) > 1:  # then only the headline's evidence is linked there; the rest is named by its locator
        kept = set(answer.headline.evidence)
        named = tuple(e if e.id in kept else inline[e.id] for e in log.evidence)
        shortest = compose(log.model_copy(update={"evidence": named}), answer, picture, alt, inline)
        posts = shortest if len(shortest) < len(posts) else posts
    return posts


def compose(log: RequestLog, answer: Answer, picture: str, alt: str, known: Known) -> tuple[Post, ...]:
    """The parts of an answer in their order, packed into messages; ``known`` says which evidence is linked inline."""
    body = pack_rows([*banner_rows(answer), *headline_rows(log, answer.headline, known)])
    if re.fullmatch(r"F[A-Z0-9]+", picture):
        body.append(image(log, picture, alt))
    for key, title in SECTIONS:
        if key == "next_steps":
            body.extend(pack_rows(guess_rows(log, answer, known)))
        body.extend(pack_rows(section_rows(log, key, title, known)))
        if key == "code":
            body.extend(pack_rows(code_rows(log, answer, known)))
    body.extend(pack_rows(gap_rows(log, answer.missing)))
    body.extend(evidence_blocks(log, known))
    return pack_posts(body, (footer(log),), summary(answer), in_full(log))


def summary(answer: Answer) -> str:
    """The answer as one paragraph for a notification, escaped."""
    parts = [unmarked(answer.headline.text).strip() or "No answer was written."]
    if answer.headline.status == "hypothesis":
        parts[0] = f"Hypothesis, not proven: {parts[0]}"
    for label, claims in (("What changed", answer.what_changed), ("Hypothesis", tuple(claims_of(answer))[1:])):
        status = "hypothesis" if label == "Hypothesis" else "supported"
        parts.extend([f"{label}: {unmarked(c.text).strip()}" for c in claims if c.status == status][:1])
    parts.extend([f"Next: {unmarked(c.text).strip()}" for c in answer.next_steps if c.status == "supported"][:1])
    if len(parts) == 1:
        parts.extend(unmarked(gap.text).strip().rstrip(".") + "." for gap in answer.missing[:3])
    return fallback(" ".join(parts))


def fallback(text: str) -> str:
    """Escaped text that is never empty, nor longer than an update allows."""
    room = MAX_TEXT
    while True:
        out = escape(clip(safe(text), room)) or "…"
        if size(out) <= MAX_TEXT and len(out.encode()) <= MAX_TEXT:
            return out
        room = room * 4 // 5


# --- asking back ----------------------------------------------------------------------------------------------


def render_clarify(log: RequestLog, answer: Answer, turn: int = 0) -> Post:
    """A question with one button an option; the block names request and turn. Long reasons stand above."""
    options = [o for o in answer.options if o.label.strip()][:MAX_OPTIONS]
    question = clip(unmarked(answer.headline.text), 900) or "Which one do you mean?"
    banner = clip(unmarked(answer.banner or ""), 300)
    rows = [*([row(words(banner, italic=True))] if banner else []), row(words(question, bold=True))]
    short = all(fits_button(o) and size(button_text(o)) <= BUTTON_WIDTH for o in options)
    if not short:
        rows.extend(row(option_line(o), "ordered", i) for i, o in enumerate(options, 1))
    body = pack_rows(rows)
    buttons = [button(i, o, short=short) for i, o in enumerate(options) if fits_button(o)]
    while sum(map(weigh, buttons)) > MAX_BUTTONS:
        buttons.pop()
    if buttons:
        name = f"clarify:{log.request_id}:{turn}"
        body.append({"type": "actions", "block_id": safe(name)[:120], "elements": buttons})
    body.append(context("Something else? Reply in this thread and say what you mean."))
    listed = "; ".join(f"{i}. {plain_option(o)}" for i, o in enumerate(options, 1))
    return Post(fallback(f"{question} {listed}"), (*body, footer(log)))


def plain_option(option: Option) -> str:
    """Label and reason."""
    label, reason = clip(unmarked(option.label), 120), clip(unmarked(option.reason), 240)
    return f"{label} ({reason})" if reason else label


def option_line(option: Option) -> list[dict[str, object]]:
    """Label as code, then the reason."""
    reason = clip(unmarked(option.reason), 240)
    return [*words(clip(unmarked(option.label), 120), code=True), *words(f" · {reason}" if reason else "")]


def button_text(option: Option) -> str:
    """Label and reason on one line."""
    reason = clip(unmarked(option.reason), 240)
    label = clip(unmarked(option.label), 120)
    return f"{label} · {reason}" if reason else label


def fits_button(option: Option) -> bool:
    """Whether a button can carry the value unchanged; the others are answered in the thread."""
    value = option.value
    return bool(value.strip()) and size(value) <= LIMITS["value"] and safe(value) == value


def button(place: int, option: Option, *, short: bool) -> Block:
    """One option; its number says which it is in the text above when there is one."""
    label = button_text(option) if short else clip(unmarked(option.label), LIMITS["button text"] - 5)
    return {
        "type": "button",
        "action_id": f"clarify:{place}",
        "text": {"type": "plain_text", "text": label, "emoji": False},
        "value": option.value,
    }


def render_chosen(log: RequestLog, choice: str) -> Post:
    """The clarifying question once it was answered: no buttons, what was chosen."""
    answer = log.answer
    asked = clip(unmarked(answer.headline.text), 600) if answer else ""
    options = answer.options if answer else ()
    chosen = next((o.label for o in options if o.value == choice and o.label.strip()), choice)
    said = clip(safe(chosen), 600) or "…"
    rows = [row(words(asked))] if asked else []
    rows.append(row([*words("→ "), *words(said, code=True)]))
    return Post(fallback(f"{asked} → {said}".strip()), tuple(pack_rows(rows)))


# --- before the answer ----------------------------------------------------------------------------------------


def render_root(question: Question, why: str = "") -> Post:
    """The message that opens a thread for a command, or elsewhere than it was asked (``why``): who asked what."""
    asker = safe(question.asker)
    who: list[dict[str, object]] = words(clip(asker, 80) or "Someone")
    if USER.fullmatch(asker):
        who = [{"type": "user", "user_id": asker}]
    text = safe(question.text).strip() or "…"
    over = len(text) - MAX_QUESTION
    shown = text if over <= 0 else f"{text[:MAX_QUESTION]}… {over:,} more characters"
    blocks = pack_rows(
        [row([*who, *words(" asked:")]), row(words(shown), "quote"), *([row(words(why))] if why else [])]
    )
    name = f"<@{asker}>" if USER.fullmatch(asker) else escape(clip(asker, 80)) or "Someone"
    said = f"{name} asked: {fallback(text)}"
    return Post(f"{said}\n{escape(why)}" if why else said, tuple(blocks))


def render_plan(question_text: str, plan: Plan | None, states: Mapping[str, tuple[str, str]], done: bool) -> Post:
    """What is checked, with which tool, and what came back: one line a step.

    Args:
        question_text: what was asked; stands in the notification only.
        plan: None while the question is being read.
        states: step id → (pending, running, ok, empty, timeout, error or denied; summary).
        done: whether the answer is there.
    """
    title = "Checked" if done else "Checking" if plan else "Reading the question"
    text = fallback(f"{title}: {clip(safe(question_text), 300)}")
    steps = plan.steps if plan else ()
    if not steps:
        return Post(text, (context(f"{title}…" if not done else title),))
    rows = [row(words(title, bold=True))]
    for step in steps[:MAX_STEPS]:
        status, found = states.get(step.id, ("pending", ""))
        rows.append(row(step_line(step.tool, step.purpose, status, found)))
    if len(steps) > MAX_STEPS:
        rows.append(row(words(f"and {len(steps) - MAX_STEPS} more")))
    return Post(text, tuple(pack_rows(rows)))


def readable(match: re.Match[str]) -> str:
    """A moment as a person writes it."""
    try:
        return f"{datetime.fromisoformat(match.group()):%H:%M UTC, %b %d}"
    except ValueError:
        return match.group()


def step_line(tool: str, purpose: str, status: str, found: str) -> list[dict[str, object]]:
    """Sign, tool, and what it looks for until it has found something."""
    found = MOMENT.sub(readable, found)
    shown = clip(safe(found), 140) if status == "ok" else SAYS.get(status, "")
    if status not in {"pending", "running", "ok"} and found.strip():
        shown = f"{shown}: {clip(safe(found), 140)}" if shown else clip(safe(found), 140)
    return [
        *words(f"{SIGNS.get(status, '·')} "),
        *words(clip(safe(tool), 60), code=True),
        *words(f" {shown or clip(safe(purpose), 140)}", italic=status == "pending"),
    ]
