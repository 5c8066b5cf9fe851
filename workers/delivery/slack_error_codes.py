"""Which of our errors stands for what Slack answered, or for a line that broke."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.error import URLError

from workers.errors import ChatBusy, ChatError, ChatRefused, ChatUnavailable

DEFAULT_RETRY_S, LONGEST_RETRY_S = 5.0, 3_600.0
CODE = re.compile(r"[a-z][a-z0-9_:.-]{0,99}")
BUSY = frozenset({"ratelimited", "rate_limited", "message_limit_exceeded"})
UNCLEAR = frozenset(
    {
        "external_channel_migrating",
        "fatal_error",
        "internal_error",
        "org_login_required",  # the workspace is moving to another organisation; passes
        "request_timeout",
        "service_unavailable",
        "team_added_to_org",  # as above
    }
)
"""After these a call may have been carried out or not, or the same call works later. All other codes are final."""


def as_chat_error(method: str, status: int, code: object, headers: Mapping[str, str]) -> ChatError:
    """The error that Slack's answer stands for."""
    known = code if isinstance(code, str) and CODE.fullmatch(code) else ""
    if status == 429 or known in BUSY:
        wait_s = retry_after_s(headers)
        return ChatBusy(f"{method}: {known or 'ratelimited'}, again in {wait_s:g} s", wait_s)
    if status >= 500 or not known or known in UNCLEAR:
        return ChatUnavailable(f"{method}: no clear answer from Slack: HTTP {status} {known}".rstrip())
    return ChatRefused(f"{method}: {known}", known)


def retry_after_s(headers: Mapping[str, str]) -> float:
    """The Retry-After header, in seconds; 5 when it is missing or no number."""
    value = next((v for k, v in headers.items() if k.lower() == "retry-after"), "")
    try:
        wait_s = float(value)
    except (TypeError, ValueError):
        return DEFAULT_RETRY_S
    return min(wait_s, LONGEST_RETRY_S) if wait_s >= 0 else DEFAULT_RETRY_S


def describe(error: BaseException) -> str:
    """What broke, in words that hold nothing of the request."""
    cause = error.reason if isinstance(error, URLError) and isinstance(error.reason, Exception) else error
    words = cause.strerror if isinstance(cause, OSError) and cause.strerror else type(cause).__name__
    return str(words)
