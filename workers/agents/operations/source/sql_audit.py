"""The audit log: one JSON line for each query that was asked, also for those that were refused."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from workers.errors import ToolUnavailable
from workers.telemetry.request_line import UserText, veil
from workers.toolkit.redaction import Redactor

MAX_CHARS = 20_000


@dataclass(frozen=True)
class Entry:
    """One line. ``ts``: when it was asked, RFC 3339; ``executed_sql`` is empty when nothing was run."""

    ts: str
    query: str
    executed_sql: str = ""
    row_count: int = 0
    duration_ms: float = 0.0
    ok: bool = False
    error: str = ""


class AuditLog:
    """Appends lines to a file that only its owner reads. A file that was moved away is made anew.

    Secrets never reach it; ``user_text`` also hides what a user wrote, as in the log of requests.
    """

    def __init__(self, path: Path, redactor: Redactor, user_text: UserText = "full") -> None:
        self.path = path
        self.redactor = redactor
        self.user_text = user_text

    def check(self) -> None:
        """Raises: ToolUnavailable: it cannot be written, so no query may run."""
        os.close(self.open())

    def write(self, entry: Entry) -> None:
        """Append one line. Raises: ToolUnavailable: it cannot be written, so no result may be shown."""
        line = asdict(entry)
        for name in ("query", "executed_sql", "error"):
            text = self.redactor.text(line[name][:MAX_CHARS])
            line[name] = veil(text, self.user_text) if text and self.user_text != "full" else text
        data = (json.dumps(line) + "\n").encode()
        descriptor = self.open()
        try:
            os.write(descriptor, data)  # one call, so that lines of several processes do not mix
        except OSError as error:
            raise self.failed(error) from error
        finally:
            os.close(descriptor)

    def open(self) -> int:
        """The file, for appending. Raises: ToolUnavailable."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise self.failed(error) from error

    def failed(self, error: OSError) -> ToolUnavailable:
        """The sentence."""
        return ToolUnavailable(
            f"no query is run, because the audit log {self.path} cannot be written: {error.strerror}"
        )


def moment() -> str:
    """Now, as lines have it: RFC 3339 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
