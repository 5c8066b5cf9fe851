"""The files and symbols that a text names, by their form. PURE."""

from __future__ import annotations

import re

FILE = re.compile(r"(?<![\w/.:-])(?:[\w.-]{1,60}/){0,12}[\w-]{1,80}\.[a-z]{1,5}(?![\w/(]|\.\w)")
SYMBOL = re.compile(
    r"(?<![\w./])(?:[A-Za-z_]\w{0,60}(?:\.|::)){0,4}(?:[A-Z][a-z0-9]{1,30}(?:[A-Z][a-z0-9]{0,30}){1,5}"
    r"|[a-z]{1,30}(?:_[a-z0-9]{1,30}){1,8}|[A-Za-z_]\w{0,60}(?=\(\)))(?![\w/])"
)


def files_in(text: str) -> tuple[str, ...]:
    """Paths and names of files, each once, in order."""
    return tuple(dict.fromkeys(FILE.findall(text)))


def symbols_in(text: str) -> tuple[str, ...]:
    """Names of code: ``RetryPolicy``, ``retry_policy``, ``Cart.add()``, each once, in order."""
    return tuple(dict.fromkeys(SYMBOL.findall(text)))
