"""What goes wrong when a server is asked over HTTP, in one sentence."""

from __future__ import annotations

import re
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
        raise ToolUnavailable(f"{name} does not answer: {explain(error)}") from error


REASONS = (
    (r"refused", "nothing listens at its host and port"),
    (r"name or service not known|name resolution|getaddrinfo|nodename|no address associated", "its host is not known"),
    (r"certificate_verify|certificate verify", "its certificate is not trusted: name who signed it in ca_file"),
    (r"unreachable|no route", "its host cannot be reached from here"),
)
"""What the network says -> what that means."""


def explain(error: Exception) -> str:
    """Why a server does not answer, as the end of a sentence."""
    said = " ".join(str(error).split())[:150] or type(error).__name__
    return next((words for pattern, words in REASONS if re.search(pattern, said, re.IGNORECASE)), said)
