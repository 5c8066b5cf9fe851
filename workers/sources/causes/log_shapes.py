"""The shape of a log line: what varies from line to line is masked."""

from __future__ import annotations

import re

VARYING = re.compile(r"\b0x[0-9a-f]+\b|\b[0-9a-f]{8,}\b|\b\d[\d.:]*(?=[a-z%]{0,3}\b)", re.IGNORECASE)


def shape_of(line: str) -> str:
    """A line with numbers, ids and addresses as ``<N>``."""
    return VARYING.sub("<N>", line)[:400]
