"""What people wrote and tools returned, as data for a prompt: it cannot end its own fence or hide in the text.

Data is JSON in which ``<`` and ``>`` are escaped, so that no tag in it is one; what nobody can see is left out.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workers.contracts import Evidence, Fact, Landscape, Scalar, ToolOutput

EXCERPT_CHARS, FACT_CHARS, NAMES = 24_000, 300, 60
KEPT = frozenset("\n\t")
TEXTS = frozenset({"code", "change", "doc"})
LARGEST = 10**15
"""Of a number among arguments."""


def visible(text: str) -> str:
    """Without control, format and other characters that cannot be seen."""
    return "".join(c for c in text if c in KEPT or unicodedata.category(c) not in {"Cc", "Cf", "Co", "Cs", "Cn"})


def shown(value: Any) -> Any:
    """Any JSON value with `visible` texts only."""
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, Mapping):
        return {visible(str(k)): shown(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [shown(v) for v in value]
    return value


def as_data(value: Any) -> str:
    """JSON that holds no tags, on one line."""
    text = json.dumps(shown(value), ensure_ascii=False, default=str)
    return text.replace("<", "\\u003c").replace(">", "\\u003e")


def texts_in(value: Any) -> Iterator[str]:
    """Every text in a JSON value, names of fields included."""
    if isinstance(value, str):
        yield visible(value)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from (str(name), *texts_in(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner)


def args_of(given: Mapping[str, Any]) -> dict[str, Scalar]:
    """Arguments of a call with what can be seen of its texts; a list or an object is JSON text."""
    out: dict[str, Scalar] = {}
    for name, value in given.items():
        if isinstance(value, str):
            out[visible(name)] = visible(value)
        elif isinstance(value, bool | int | float) and abs(value) < LARGEST:
            out[visible(name)] = value
        elif isinstance(value, Mapping | list):
            out[visible(name)] = json.dumps(shown(value), ensure_ascii=False, default=str)
    return out


def evidence_data(item: Evidence) -> dict[str, Any]:
    """A piece of evidence: where it is from, what it says, and what its slots hold beyond that."""
    excerpt = excerpt_of(item)
    facts = {name: fact_data(fact) for name, fact in item.facts.items() if is_news(name, fact, item)}
    known = {
        "id": item.id,
        "kind": item.kind,
        "title": item.title,
        "at": item.locator if item.locator != item.title else "",
    }
    return {k: v for k, v in {**known, "url": item.url, "facts": facts, "excerpt": excerpt}.items() if v}


def is_news(name: str, fact: Fact, item: Evidence) -> bool:
    """Whether a fact says something that the title, the place and the excerpt don't; numbers are always told.

    Of code, changes and documents the excerpt is the text itself: parts of it are not told twice.
    """
    value = str(fact.value)
    if isinstance(fact.value, int | float) and not isinstance(fact.value, bool):
        return True
    if name.startswith("window_") or (item.kind in TEXTS and "\n" in value):
        return False
    return len(value) <= FACT_CHARS and not any(squeezed(value) in text for text in told_by(item))


def told_by(item: Evidence) -> tuple[str, ...]:
    """What a piece of evidence says besides its facts, with single blanks."""
    return squeezed(item.excerpt), item.title, item.locator


def squeezed(text: str) -> str:
    """With single blanks."""
    return " ".join(text.split())


def fact_data(fact: Fact) -> str:
    """``0.21 s``."""
    unit = "" if fact.unit in {"text", "time", "path", "lines", "line", "commit", "url", "number"} else f" {fact.unit}"
    return f"{fact.value}{unit}"


def excerpt_of(item: Evidence) -> str:
    """Its text; lines of code with their numbers."""
    text = item.excerpt[:EXCERPT_CHARS]
    start = item.facts.get("start_line")
    if item.kind == "code" and start is not None and isinstance(start.value, int):
        return "\n".join(f"{n}: {row}" for n, row in enumerate(text.splitlines(), start.value))
    return text


def output_lines(output: ToolOutput) -> str:
    """What a tool returned, for a model: its status first, then a piece of evidence a line; other data when it is all.

    A result without evidence shows its data as they are.
    """
    head = {"status": output.status, "summary": output.summary, "reason": output.reason, "nearest": output.nearest}
    rows: list[Any] = [{k: v for k, v in head.items() if v}, *map(evidence_data, output.evidence)]
    if not output.evidence and output.data:
        rows.append(output.data)
    return "\n".join(map(as_data, rows))


def landscape_data(landscape: Landscape) -> dict[str, Any]:
    """The names that exist, the first of each kind."""
    metrics = [f"{m.name} ({m.unit})" for m in landscape.metrics]
    deploys = [f"{d.service} {d.version} at {d.at.isoformat()}" for d in landscape.deploys[-5:]]
    kinds: dict[str, Iterable[str]] = {
        **landscape.labels,
        "metrics": metrics,
        "alerts": landscape.alerts,
        "repositories": landscape.repositories,
        "documents": landscape.documents,
        "last deploys": deploys,
    }
    return {kind: list(names)[:NAMES] for kind, names in kinds.items() if names}
