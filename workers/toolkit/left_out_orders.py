"""Orders to the reader out of everything a tool returned, once for every source and every writer of answers.

Only sentences go: their neighbours, and the lines of code that they comment, stay where they are. Comments of Markdown
and HTML are no prose of a document and go as well.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from workers.contracts import Evidence, Fact, ToolOutput
from workers.language.injected_instructions import instructs_reader, orders_in, without_comments, without_orders

MEASURED = frozenset({"metric"})
"""Kinds of evidence whose titles code writes."""
PROSE_KINDS = frozenset({"doc", "note", "web", "message"})
LEFT_OUT = "[left out: gives orders to its reader]"
"""Stands for a title or a value that is nothing else."""
PLAIN_PLACE = re.compile(r"[\w.@/:-]{1,120}")
SHORTEST = 12
"""Characters of a text that can give an order."""


def leave_out_orders(output: ToolOutput) -> ToolOutput:
    """A tool's output without orders; ``left_out`` names the places. The same object where there are none."""
    pairs = [(item, evidence_without(item)) for item in output.evidence]
    changed = [(item, rest) for item, rest in pairs if rest is not item]
    data = output.data if output.evidence else value_without(output.data)
    if not changed and data == output.data:
        return output
    places = [place_of(item) for item, rest in changed if rest is None or ordered(item, rest)]
    places += ["its result"] if data != output.data else []
    kept = tuple(rest for _, rest in pairs if rest is not None)
    named = tuple(dict.fromkeys((*output.left_out, *places)))
    return output.model_copy(update={"evidence": kept, "data": data, "left_out": named})


def place_of(item: Evidence) -> str:
    """Where a piece of evidence stands; its kind where the place is written in the words of its author."""
    plain = re.split(r"[#?]", item.locator, maxsplit=1)[0]
    return plain if plain and PLAIN_PLACE.fullmatch(plain) else f"one of the {item.kind} results"


def ordered(item: Evidence, rest: Evidence) -> bool:
    """Whether more than comments went."""
    return without_comments(item.excerpt) != rest.excerpt or item.title != rest.title or item.facts != rest.facts


def evidence_without(item: Evidence) -> Evidence | None:
    """One piece of evidence without orders; none when a heading gives them to whoever reads its section, or nothing is
    left."""
    prose = item.kind in PROSE_KINDS
    heading = item.facts.get("heading")
    if prose and (is_order(item.title) or (heading is not None and is_order(str(heading.value)))):
        return None
    shown = without_comments(item.excerpt) if prose else item.excerpt
    excerpt = text_without(shown)
    if excerpt != shown and not any(row.strip(" #*-_>|") for row in excerpt.splitlines() if not row.startswith("#")):
        return None
    if excerpt != shown:  # its title and facts may repeat a sentence behind other words
        item = repeated_without(item, orders_in(shown))
    facts = {name: fact_without(fact) for name, fact in item.facts.items()}
    facts = {name: f for name, f in facts.items() if f.value != LEFT_OUT or not name.startswith("step_")}
    title = item.title if item.kind in MEASURED else whole_without(item.title)
    data = value_without(item.data)
    same = (excerpt, title, data) == (item.excerpt, item.title, item.data) and facts == item.facts
    return item if same else item.model_copy(update={"excerpt": excerpt, "title": title, "data": data, "facts": facts})


def repeated_without(item: Evidence, orders: Sequence[str]) -> Evidence:
    """A piece whose title and facts do not repeat some sentences."""

    def without(text: str) -> str:
        for order in orders:
            text = text.replace(order, "").strip() or LEFT_OUT if order in text else text
        return text

    facts = {
        name: fact.model_copy(update={"value": without(fact.value)}) if isinstance(fact.value, str) else fact
        for name, fact in item.facts.items()
    }
    return item.model_copy(update={"title": without(item.title), "facts": facts})


def fact_without(fact: Fact) -> Fact:
    """One fact without orders; the same object when it gives none."""
    if not isinstance(fact.value, str) or (value := whole_without(fact.value)) == fact.value:
        return fact
    return fact.model_copy(update={"value": value})


def value_without(value: Any) -> Any:
    """Any JSON value without orders in its texts; keys stay."""
    if isinstance(value, str):
        return whole_without(value)
    if isinstance(value, list | tuple):
        return [value_without(part) for part in value]
    if isinstance(value, Mapping):
        return {key: value_without(part) for key, part in value.items()}
    return value


def whole_without(text: str) -> str:
    """A text without orders; `LEFT_OUT` where it is nothing else."""
    rest = text_without(text)
    return rest if rest is text or rest.strip() else LEFT_OUT


def text_without(text: str) -> str:
    """A text without orders; short ones give none."""
    return text if len(text) < SHORTEST or " " not in text else without_orders(text)


def is_order(text: str) -> bool:
    """Whether a title is an order."""
    return len(text) >= SHORTEST and instructs_reader(text)
