"""Texts of people and programs as Markdown that shows them as they were written."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime

from workers.incidents.summary.summary_types import Line

SPECIAL = re.compile(r"([\\`*_\[\]<>#|~!{}&])")
BEGINNING = re.compile(r"^(\d*)([-+=]|[.)](?=\s|$))")
IN_URL = {ord(c): f"%{ord(c):02X}" for c in " ()<>[]|\\`\"'"}
Address = Callable[[str], str]
"""The address of a message by its ts; empty when there is none."""


def plain(text: str) -> str:
    """A text that Markdown shows as it was written, on one line."""
    flat = " ".join(text.split())
    return BEGINNING.sub(r"\1\\\2", SPECIAL.sub(r"\\\1", flat))


def in_link(url: str) -> str:
    """An address as a link may hold it."""
    return url.translate(IN_URL)


def links(line: Line, address: Address) -> str:
    """Links to the messages of a line."""
    urls = [url for ts in line.ts if (url := address(ts))]
    return "".join(f" [[{number}]]({url})" for number, url in enumerate(urls, 1))


def stamp(at: datetime) -> str:
    """``2026-11-20 09:09 UTC``."""
    return f"{at:%Y-%m-%d %H:%M} UTC"


def span(since: datetime, until: datetime) -> str:
    """How long, in hours and minutes."""
    minutes = max(round((until - since).total_seconds() / 60), 0)
    hours, rest = divmod(minutes, 60)
    return f"{hours} h {rest} min" if hours else f"{rest} min"


def spaced(parts: Sequence[str]) -> str:
    """Lines with an empty one around headings, and before and after lists and tables."""
    out: list[str] = []
    for part in parts:
        kind = kind_of(part)
        if out and (kind in {"#", ""} or kind != kind_of(out[-1])):
            out.append("")
        out.append(part)
    return "\n".join(out) + "\n"


def kind_of(part: str) -> str:
    """``-`` an item, ``|`` a row, ``#`` a heading; empty for a paragraph."""
    return part[:1] if part[:1] in "-|#" else ""
