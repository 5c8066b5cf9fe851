"""Keys that a text names by how they are written: settings, variables, flags, identifiers, each a word with a form."""

from __future__ import annotations

import re

WRITTEN = re.compile(r"(?<![\w./$-])-{0,2}([A-Za-z_][\w$]*(?:[.-][A-Za-z_][\w$]*)*)(?![\w/-]|\.\w)")
HAS_FORM = re.compile(r"[A-Za-z0-9][_.-][A-Za-z0-9]|[a-z][A-Z]")
OF_TYPE = re.compile(r"[A-Z][a-z]|[A-Z][A-Z]+[a-z]")
"""How the name of a type begins, or of what it holds: ``RetryPolicy``, ``Session.send``."""


def keys_in(text: str) -> tuple[str, ...]:
    """``payment.gateway.timeout_ms``, ``MAX_RETRIES``, ``pool-size``, ``maxRetries``: in order, once each, no types.

    A word of English with a hyphen is among them: it is a key where it stands as one.
    """
    found = (match[1] for match in WRITTEN.finditer(text))
    return tuple(dict.fromkeys(name for name in found if HAS_FORM.search(name) and not OF_TYPE.match(name)))


def holds(line: str, key: str) -> bool:
    """Whether a key stands in a line as it is written."""
    return re.search(rf"(?<![\w$])(?<!\w-){re.escape(key)}(?![\w$]|-\w)", line) is not None
