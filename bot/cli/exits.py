"""How a command ends: its exit codes, and one sentence on standard error."""

from __future__ import annotations

import sys
from typing import NoReturn

EXIT_FAILED, EXIT_USAGE, EXIT_CLARIFY = 1, 2, 3


def fail(message: str, code: int) -> NoReturn:
    """Print what is wrong to standard error, and exit with the code."""
    from workers.delivery.rich_text import safe  # only a failure needs it; `oracle --help` does not wait for it

    print(safe(message), file=sys.stderr)
    sys.exit(code)
