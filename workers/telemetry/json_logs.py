"""JSON lines: one object a line, secrets redacted where the line is made, exceptions included."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import WatchedFileHandler
from pathlib import Path
from typing import Any, TextIO

import structlog
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, Processor

from workers.contracts import RequestLog
from workers.errors import ConfigError
from workers.telemetry.request_line import UserText, request_line
from workers.telemetry.turn_line import turn_line

MOST_BYTES, MOST_FILES = 50_000_000, 10
OWN_LOGGERS = ("workers", "bot", "oracle")
STAMPS: tuple[Processor, ...] = (
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="ts"),
)


class LineFile(WatchedFileHandler):
    """Appends to a file that its owner alone reads, and makes it anew after it was rotated."""

    def _open(self) -> TextIOWrapper:
        return open(self.baseFilename, "a", encoding=self.encoding, opener=open_private)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name logging calls
        """A log that cannot be written is said once a line on standard error, and stops nothing."""
        error = sys.exc_info()[1]
        sys.stderr.write(f"the log {self.baseFilename} cannot be written ({error}): {record.name}\n")

    def close(self) -> None:
        """What a full disk refused was already said."""
        with suppress(OSError):
            super().close()


def rotate_log(path: Path, keep_days: float, most_bytes: int = MOST_BYTES) -> bool:
    """Begin a log anew when it is long, and remove what is too old of the ones before. Never raises.

    Every process that writes it opens the new one by itself: so does `LineFile` before each line. Returns: whether it
    was begun anew.
    """
    rotated = False
    with suppress(OSError):
        if path.stat().st_size >= most_bytes:
            path.rename(path.with_name(f"{path.name}.{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}"))
            rotated = True
    with suppress(OSError):
        before = sorted(path.parent.glob(f"{path.name}.*Z"), reverse=True)
        for number, one in enumerate(before):
            if number >= MOST_FILES or one.stat().st_mtime < time.time() - keep_days * 86_400:
                one.unlink(missing_ok=True)
    return rotated


def open_private(path: str, flags: int) -> int:
    """A file's descriptor; a new one is its owner's alone."""
    return os.open(path, flags, 0o600)


class LineStream(logging.StreamHandler[TextIO]):
    """Writes to a stream."""


def configure_logs(
    *, redact: Callable[[Any], Any], file: Path | None = None, stream: TextIO | None = None, level: str = "INFO"
) -> Callable[[], None]:
    """Send the log of this process to a file, a stream, both or nowhere. Replaces what was configured before.

    Args:
        redact: any JSON value -> the same without secrets.
        file: appended to; its folder is created.
        stream: such as standard error.
        level: of Oracle's own loggers; other libraries are heard from ``WARNING`` on.

    Returns: a function that closes the log.

    Raises:
        ConfigError: the file cannot be written.
    """
    close_logs()
    formatter = ProcessorFormatter(
        foreign_pre_chain=list(STAMPS),
        processors=[
            ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            lambda _, __, event: clean_event(event, redact),
            structlog.processors.JSONRenderer(),
        ],
    )
    handlers: list[logging.Handler] = []
    if file is not None:
        handlers.append(open_file(file))
    if stream is not None:
        handlers.append(LineStream(stream))
    for handler in handlers:
        handler.setFormatter(formatter)
        logging.getLogger().addHandler(handler)
    if not handlers:
        logging.getLogger().addHandler(logging.NullHandler())
    for name in OWN_LOGGERS:
        logging.getLogger(name).setLevel(level)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_logger_name,
            *STAMPS,
            ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    return close_logs


def close_logs() -> None:
    """Close what `configure_logs` opened."""
    root = logging.getLogger()
    for handler in [h for h in root.handlers if isinstance(h, LineFile | LineStream | logging.NullHandler)]:
        root.removeHandler(handler)
        handler.close()


def open_file(path: Path) -> LineFile:
    """The file's handler. Raises: ConfigError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return LineFile(path, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"log_file: {path} cannot be written ({error.strerror})") from error


def clean_event(event: EventDict, redact: Callable[[Any], Any]) -> MutableMapping[str, Any]:
    """The line as plain JSON values, then without secrets: what hides in an object's repr is text by then."""
    cleaned: MutableMapping[str, Any] = redact(json.loads(json.dumps(event, default=repr)))
    return cleaned


def log_request(log: RequestLog, user_text: UserText = "full") -> None:
    """Write the one line of a request: the keys of `request_line`, ``ts``, ``level`` and ``event``; no others."""
    logger = structlog.wrap_logger(
        logging.getLogger("oracle.request"),
        processors=[*STAMPS, ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
    )
    logger.info("request", **request_line(log, user_text))


def log_turn(log: RequestLog) -> None:
    """Write the line of a turn: the keys of `turn_line`, ``ts``, ``level`` and ``event``."""
    structlog.get_logger("oracle.turn").info("turn", **turn_line(log))
