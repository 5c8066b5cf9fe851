"""Answers and questions back as Slack messages.

What others wrote stands in rich text, which Slack does not parse: nothing in it pings, nothing becomes a link but the
addresses of cited evidence. No message breaks `limits.check_post`; what is long goes on in the next block or message.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import slack_limits
from workers.contracts import Answer, Claim, Option, Question, RequestLog
from workers.delivery import action_ids
from workers.delivery.answer_sections import (
    Known,
    answer_buttons,
    banner_rows,
    code_rows,
    difference_rows,
    edited_note,
    evidence_blocks,
    footer,
    gap_rows,
    guess_rows,
    headline_rows,
    image,
    in_full,
    left_out,
    refusal_buttons,
    rerun_button,
    section_rows,
)
from workers.delivery.block_limits import size, weigh
from workers.delivery.block_packing import Block, Row, context, pack_posts, pack_rows, row
from workers.delivery.cited_evidence import SECTIONS, claims_of, link_of
from workers.delivery.rich_text import clip, fallback, mention, person, safe, unmarked, words
from workers.ports import Post

MAX_INLINE = 120  # characters of an address that stands behind every marker, should the answer be long
MAX_BUTTONS = 5  # of a clarifying question; more options stand in a menu
MAX_PRESSED, MAX_LISTED = 5_000, 4_000  # of buttons or a menu, and of the options listed above them, as `weigh` counts
SHORT = ("what_changed", "next_steps")  # the sections of a short answer
MAX_QUESTION = 4_500
BUTTON_WIDTH = 40  # phones show little more of a button
Verbosity = Literal["full", "short"]


def render_answer(
    log: RequestLog,
    picture: str = "",
    alt: str = "",
    turn: int = 0,
    *,
    verbosity: Verbosity = "full",
    earlier: RequestLog | None = None,
    waits_for: str = "",
) -> tuple[Post, ...]:
    """The reply to a question: short first, proof below; usually one message.

    Args:
        log: the finished request.
        picture: the file id of its chart; empty for none.
        alt: the words that stand for the chart.
        turn: how often it asked back before.
        verbosity: ``short`` leaves metrics, code, documents and the list of evidence to the proof.
        earlier: the request that this one asks again.
        waits_for: who alone may answer a question back, in words; empty for anyone.
    """
    answer = log.answer
    if answer is None:
        return (Post("No answer yet.", (context("No answer yet."), footer(log))),)
    if answer.kind == "clarify":
        return (render_clarify(log, answer, turn, waits_for),)
    known = {e.id: e for e in log.evidence}
    drawn = [image(log, picture, alt)] if re.fullmatch(r"F[A-Z0-9]+", picture) else []
    since = pack_rows(difference_rows(log, earlier))
    posts = compose(log, [*drawn, *since], known, verbosity)
    if len(posts) > 1:  # long addresses stand once, in the list of evidence, when that makes the answer one message
        inline = {
            k: e if len(link_of(e)) <= MAX_INLINE else e.model_copy(update={"url": None}) for k, e in known.items()
        }
        shorter = compose(log, [*drawn, *since], inline, verbosity)
        posts = shorter if len(shorter) < len(posts) else posts
    if len(posts) > 1:  # then only the headline's evidence is linked there; the rest is named by its locator
        kept = set(answer.headline.evidence)
        named = tuple(e if e.id in kept else inline[e.id] for e in log.evidence)
        shortest = compose(log.model_copy(update={"evidence": named}), [*drawn, *since], inline, verbosity)
        posts = shortest if len(shortest) < len(posts) else posts
    return posts


def compose(log: RequestLog, top: list[Block], known: Known, verbosity: Verbosity) -> tuple[Post, ...]:
    """The parts of an answer in their order, packed into messages.

    Args:
        log: the request, answered.
        top: what stands right below the headline.
        known: which evidence is linked inline.
        verbosity: as in `render_answer`.
    """
    answer = log.answer or Answer(headline=Claim(template=""))
    short = verbosity == "short" and answer.kind == "answer"
    keys = SHORT if short else tuple(key for key, _ in SECTIONS)
    body = [*edited_note(log), *pack_rows([*banner_rows(answer), *headline_rows(log, answer.headline, known)]), *top]
    for key, title in SECTIONS:
        if key == "next_steps":
            body.extend(pack_rows(guess_rows(log, answer, known, keys)))
        if key in keys:
            body.extend(pack_rows(section_rows(log, key, title, known)))
        if key == "code" and not short:
            body.extend(pack_rows(code_rows(log, answer, known)))
    body.extend(pack_rows(gap_rows(log, answer.missing)))
    body.extend(left_out(answer, keys) if short else evidence_blocks(log, known))
    pressed = refusal_buttons(log) if answer.kind == "refusal" else answer_buttons(log)
    return pack_posts(body, (footer(log), *pressed), summary(answer), in_full(log))


def render_apology(log: RequestLog) -> tuple[Post, ...]:
    """What is said instead of an answer that cannot be given: why, and that it can be asked once more."""
    answer = log.answer or Answer(headline=Claim(template=""))
    body = pack_rows(headline_rows(log, answer.headline, {}))
    return pack_posts(body, (footer(log), *rerun_button(log.request_id)), summary(answer), in_full(log))


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


# --- asking back ----------------------------------------------------------------------------------------------


def render_clarify(log: RequestLog, answer: Answer, turn: int = 0, waits_for: str = "") -> Post:
    """A question with its options as buttons, or as a menu when there are many; the block names request and turn.

    What doesn't fit a button or the menu stands above.
    """
    options = [o for o in answer.options if o.label.strip()]
    question = clip(unmarked(answer.headline.text), 900) or "Which one do you mean?"
    banner = clip(unmarked(answer.banner or ""), 300)
    rows = [*([row(words(banner, italic=True))] if banner else []), row(words(question, bold=True))]
    many = len(options) > MAX_BUTTONS
    pressed = menu_lines(options) if many else option_buttons(options)
    whole = len(pressed) == len(options) and (many or all(fits_button(o, BUTTON_WIDTH) for o in options))
    if not whole:
        rows.extend(listed(options))
    name = f"{action_ids.CLARIFY_BLOCK}:{log.request_id}:{turn}"
    body = [*edited_note(log), *pack_rows(rows)]
    if pressed:
        elements = [menu(pressed)] if many else pressed
        body.append({"type": "actions", "block_id": safe(name)[:120], "elements": elements})
    body.append(context(how_to_answer(waits_for)))
    said = "; ".join(f"{i}. {plain_option(o)}" for i, o in enumerate(options, 1))
    return Post(fallback(f"{question} {said}"), (*body, footer(log)))


def how_to_answer(waits_for: str) -> str:
    """That there are other ways than the buttons, and whose reply counts; nobody is pinged."""
    other = "Something else? Reply in this thread and say what you mean."
    return f"{other} Only {clip(safe(waits_for), 80)} can answer." if waits_for.strip() else other


def listed(options: Sequence[Option]) -> list[Row]:
    """The options above their buttons, numbered: a number in the thread answers too."""
    rows: list[Row] = []
    used = 0
    for i, option in enumerate(options, 1):
        item = row(option_line(option), "ordered", i)
        used += weigh(item.elements)
        if used > MAX_LISTED:
            rows.append(row(words(f"and {len(options) - i + 1} more", italic=True)))
            break
        rows.append(item)
    return rows


def menu(lines: list[Block]) -> Block:
    """A menu of options."""
    text = {"type": "plain_text", "text": "Choose what you mean"}
    return {"type": "static_select", "action_id": action_ids.CLARIFY_MENU, "placeholder": text, "options": lines}


def menu_lines(options: Sequence[Option]) -> list[Block]:
    """The options that a menu shows and carries unchanged, as many as a message holds."""
    lines: list[Block] = []
    for option in options:
        label, reason = unmarked(option.label), unmarked(option.reason)
        fits = (
            carries(option, slack_limits.OPTION_VALUE_CHARS)
            and max(size(label), size(reason)) <= slack_limits.OPTION_TEXT_CHARS
        )
        if fits and len(lines) < slack_limits.OPTIONS:
            line: Block = {"text": {"type": "plain_text", "text": label}, "value": option.value}
            if reason.strip():
                line["description"] = {"type": "plain_text", "text": reason}
            lines.append(line)
    return within(lines)


def option_buttons(options: Sequence[Option]) -> list[Block]:
    """One button for each option that one can carry; with its reason where all of them have room."""
    short = all(fits_button(o, BUTTON_WIDTH) for o in options)
    return within([button(i, o, short=short) for i, o in enumerate(options) if fits_button(o)])


def within(pressed: list[Block]) -> list[Block]:
    """As many as a message holds beside what stands above them."""
    while sum(map(weigh, pressed)) > MAX_PRESSED:
        pressed = pressed[:-1]
    return pressed


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


def fits_button(option: Option, width: int = 0) -> bool:
    """Whether a button can carry the value unchanged, and show all of it when a width is given."""
    return carries(option, slack_limits.BUTTON_VALUE_CHARS) and (not width or size(button_text(option)) <= width)


def carries(option: Option, at_most: int) -> bool:
    """Whether its value can be sent back unchanged."""
    value = option.value
    return bool(value.strip()) and size(value) <= at_most and safe(value) == value


def button(place: int, option: Option, *, short: bool) -> Block:
    """One option; its number says which it is in the text above when there is one."""
    label = button_text(option) if short else clip(unmarked(option.label), slack_limits.BUTTON_TEXT_CHARS - 5)
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
    text = safe(question.text).strip() or "…"
    over = len(text) - MAX_QUESTION
    shown = text if over <= 0 else f"{text[:MAX_QUESTION]}… {over:,} more characters"
    who = [*person(question.asker), *words(" asked:")]
    blocks = pack_rows([row(who), row(words(shown), "quote"), *([row(words(why))] if why else [])])
    said = f"{mention(question.asker)} asked: {fallback(clip(text, 600) if why else text)}"
    return Post(f"{said}\n{fallback(clip(why, 600))}" if why else said, tuple(blocks))


def render_stopped(by: str = "", request_id: str = "") -> Post:
    """Instead of an answer: someone stopped it.

    Args:
        by: that person's id or name.
        request_id: what can be asked once more; empty for no button.
    """
    rest = ". There is no answer."
    body = pack_rows([row([*words("Stopped by "), *person(by), *words(rest)])])
    return Post(f"Stopped by {mention(by)}{rest}", (*body, *rerun_button(request_id)))


def render_declined() -> Post:
    """Where a channel has turned the app off."""
    text = (
        "I am turned off in this channel. Ask me in a direct message; an administrator can turn me on here, in the "
        "settings on my Home tab."
    )
    return Post(text, tuple(pack_rows([row(words(text))])))
