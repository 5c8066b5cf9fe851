"""Where a command line prints."""

from __future__ import annotations

from rich.console import Console


def make_console(*, error: bool = False) -> Console:
    """A console of the terminal's width; of 100 columns when piped."""
    console = Console(stderr=error, highlight=False, soft_wrap=False)
    return console if console.is_terminal else Console(stderr=error, highlight=False, width=100)
