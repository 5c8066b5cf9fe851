"""What a Web API method answers when it refuses.

Refused               `{"ok": false, "error": code}`
└── InvalidBlocks     with a list of what is wrong, and where
ConnectionDropped     the connection is to be closed without a response
"""

from collections.abc import Sequence
from typing import Any


class Refused(Exception):
    """A Web API error: `code` as Slack names it, `extra` further keys of the response."""

    def __init__(self, code: str, **extra: Any) -> None:
        super().__init__(code)
        self.code = code
        self.extra = extra


class InvalidBlocks(Refused):
    """Blocks, chunks or a view that break a rule; each message ends in a JSON pointer."""

    def __init__(self, problems: Sequence[str], code: str = "invalid_blocks") -> None:
        super().__init__(
            code,
            errors=list(problems),
            response_metadata={"messages": [f"[ERROR] {problem}" for problem in problems]},
        )
        self.problems = list(problems)


class ConnectionDropped(Exception):
    """The client gets no response: its connection was closed."""
