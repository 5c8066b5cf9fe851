"""How a command ends: its exit codes, what it returned, and one sentence on standard error."""

from __future__ import annotations

import sys
from typing import NoReturn, TextIO

EXIT_FAILED, EXIT_USAGE, EXIT_CLARIFY = 1, 2, 3


def fail(message: str, code: int) -> NoReturn:
    """Print what is wrong to standard error, and exit with the code."""
    print_safe(message, sys.stderr)
    sys.exit(code)


def print_safe(text: str, to: TextIO | None = None) -> None:
    """Print a text without what a terminal would obey."""
    from workers.delivery.rich_text import safe  # most commands need it late or never: `oracle --help` does not wait

    print(safe(text), file=to)
