"""What goes wrong when a server is asked over HTTP, in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import httpx

from workers.errors import ToolUnavailable


@contextmanager
def answering(name: str, timeout_ms: int) -> Iterator[None]:
    """Ask within it. ``name``: what the server is called. Raises: ToolUnavailable: no answer, or none in time."""
    try:
        yield
    except httpx.TimeoutException as error:
        raise ToolUnavailable(f"{name} did not answer within {timeout_ms} ms") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        said = " ".join(str(error).split())[:150] or type(error).__name__
        raise ToolUnavailable(f"{name} does not answer: {said}") from error
