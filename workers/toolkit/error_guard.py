"""The one place where whatever a tool raises ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import structlog

from workers.contracts import ToolOutput
from workers.errors import OracleError, ToolArgumentError, ToolDenied

LOG = structlog.get_logger(__name__)
T = TypeVar("T")


def guarded(name: str, work: Callable[[], T]) -> T | ToolOutput:
    """The result of ``work``, or its failure as an output."""
    try:
        return work()
    except OracleError as error:
        return failure(error)
    except Exception:  # a tool's mistake must not end the request that called it
        LOG.exception("tool_failed", tool=name)
        return ToolOutput(status="error", reason=f"{name}: internal error; its traceback is in the log")


def failure(error: OracleError) -> ToolOutput:
    """An error as an output: its sentence is the reason."""
    nearest = error.nearest if isinstance(error, ToolArgumentError) else ()
    status = "denied" if isinstance(error, ToolDenied) else "error"
    return ToolOutput(status=status, reason=str(error), nearest=nearest)
