"""A question back as a Slack message, with what it may mean as buttons or a menu; and the same once it was answered."""

from __future__ import annotations

from collections.abc import Sequence

import slack_limits
from workers.contracts import Answer, Option, RequestLog
from workers.delivery import action_ids
from workers.delivery.answer_sections import edited_note, footer
from workers.delivery.block_limits import size, weigh
from workers.delivery.block_packing import Block, Row, context, pack_rows, row
from workers.delivery.rich_text import clip, fallback, safe, unmarked, words
from workers.ports import Post

MAX_BUTTONS = 5  # of a clarifying question; more options stand in a menu
MAX_PRESSED, MAX_LISTED = 5_000, 4_000  # of buttons or a menu, and of the options listed above them, as `weigh` counts
BUTTON_WIDTH = 40  # phones show little more of a button


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
