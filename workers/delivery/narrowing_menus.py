"""Menus below an answer by which it is narrowed: what is chosen is put behind the question, which is asked again."""

from __future__ import annotations

import re

import slack_limits
from workers.contracts import Menu, Option, RequestLog
from workers.delivery import action_ids
from workers.delivery.block_limits import weigh
from workers.delivery.block_packing import Block
from workers.delivery.rich_text import clip, safe

MENUS_WEIGHT = 5_000
"""What all menus of a message may weigh, so that the answer has room beside them."""
MOST_MENUS = 10
NAME_CHARS = 75


def menu_blocks(log: RequestLog) -> list[Block]:
    """One row of menus, the last options left out of the longest where all are too many."""
    if log.answer is None or log.answer.kind != "answer":
        return []
    found = [(place, menu) for place, menu in enumerate(log.answer.menus) if menu.name.strip()]
    elements = [select(place, menu, log.question.text) for place, menu in found]
    elements = [element for element in elements if element["options"]][:MOST_MENUS]
    while elements and weigh(elements) > MENUS_WEIGHT:
        max(elements, key=lambda element: len(element["options"]))["options"].pop()
    for element in elements:
        if element.get("initial_option") not in element["options"]:
            element.pop("initial_option", None)
    block = {"type": "actions", "block_id": f"{action_ids.NARROW_BLOCK}:{log.request_id}", "elements": elements}
    return [block] if elements else []


def select(place: int, menu: Menu, question: str) -> Block:
    """One menu; the value of an option is its place. What the question says already is chosen."""
    shown = [(i, option) for i, option in enumerate(menu.options) if option.label.strip()][: slack_limits.OPTIONS]
    lines = {i: option_line(i, option) for i, option in shown}
    chosen = next((lines[i] for i, option in shown if option.value and option.value in question), None)
    return {
        "type": "static_select",
        "action_id": f"{action_ids.NARROW}:{place}",
        "placeholder": {"type": "plain_text", "text": clip(safe(menu.name), NAME_CHARS)},
        "options": list(lines.values()),
        **({"initial_option": chosen} if chosen else {}),
    }


def option_line(place: int, option: Option) -> Block:
    """One option of a menu."""
    label = clip(safe(option.label), slack_limits.OPTION_TEXT_CHARS)
    return {"text": {"type": "plain_text", "text": label}, "value": str(place)}


def narrow_question(text: str, menu: Menu, value: str) -> str:
    """The question with a value of a menu in place of what it said of that kind, else behind it; none for no value."""
    kind = menu.kind.lstrip("[").strip()
    form = re.compile(rf"\[{re.escape(kind)}[^\[\]\n]*\]", re.IGNORECASE)
    first, *others = form.split(text) if kind else [text]
    parts = (first.rstrip(), value.strip(), *(part.strip() for part in others))
    return " ".join(part for part in parts if part)


def typed_hint(log: RequestLog) -> str:
    """The menus as one line for a terminal, with an example to type; empty when there are none."""
    menus = [menu for menu in (log.answer.menus if log.answer else ()) if menu.name.strip()]
    example = next((o.value for menu in menus for o in menu.options if o.value.strip()), "")
    if not example:
        return ""
    names = ", ".join(menu.name.strip().lower() for menu in menus)
    return f"Narrow by: {safe(names)} (add e.g. {safe(example)} to the question)"
