"""One call to Slack: one HTTP request, never repeated here. Every error of slack_sdk and of the libraries under it
becomes a ChatError in `translated`.
"""

from __future__ import annotations

import logging
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError, SlackClientError

from workers.delivery.slack_error_codes import as_chat_error, describe
from workers.errors import ChatRefused, ChatUnavailable
from workers.slack_messages.fields import Fields

TIMEOUT_S = 10
"""Less than a lease lasts, so that whoever comes next does not meet a post that is still under way."""
FOREIGN = (SlackClientError, OSError, HTTPException, ValueError, LookupError, AttributeError, RecursionError)
"""What slack_sdk, urllib, ssl and json raise over a line that breaks or an answer that is not Slack's."""


def make_client(token: str, address: str, timeout_s: int) -> WebClient:
    """A client that repeats nothing: the default retry after a cut connection posts twice."""
    quiet = logging.getLogger(f"{__name__}.sdk")
    quiet.setLevel(logging.CRITICAL)  # errors are raised and logged where they matter; requests hold people's words
    secure = ssl.create_default_context() if address.startswith("https:") else None
    return WebClient(token, address, timeout_s, ssl=secure, retry_handlers=[], logger=quiet)


def call(
    client: WebClient, method: str, *, params: dict[str, Any] | None = None, body: dict[str, Any] | None = None
) -> Fields:
    """One request. Returns: Slack's answer, ``ok``. Raises: as in `translated`."""
    with translated(method):
        data = client.api_call(method, params=params, json=body).data
    if not isinstance(data, dict):
        raise ChatUnavailable(f"{method}: Slack's answer is not an object")
    return Fields(data)


def send_file(client: WebClient, url: str, data: bytes) -> None:
    """Send a file's bytes to the address Slack gave for it. Raises: as in `translated`."""
    if not url.startswith(("https://", "http://")):
        raise ChatUnavailable("the upload: Slack gave an address that is none")
    with translated("the upload"):
        sent = client._upload_file(
            url=url, data=data, logger=client.logger, timeout=TIMEOUT_S, proxy=client.proxy, ssl=client.ssl
        )
    if sent.status != 200:
        raise ChatUnavailable(f"the upload: HTTP {sent.status}")


@contextmanager
def translated(method: str) -> Iterator[None]:
    """The boundary: no error but ours leaves it, and none carries the token.

    Raises:
        ChatBusy: HTTP 429 or its error code, with Slack's Retry-After.
        ChatRefused: Slack's final word, with its code; or what was to be sent cannot be written as JSON.
        ChatUnavailable: 5xx, timeouts, a cut connection, an answer that is not Slack's, and codes that pass.
    """
    try:
        yield
    except SlackApiError as error:
        response = error.response
        code = response.data.get("error") if isinstance(response.data, dict) else None
        raise as_chat_error(method, response.status_code, code, response.headers) from error
    except HTTPError as error:
        error.close()
        raise as_chat_error(method, error.code, None, dict(error.headers or {})) from error
    except (TypeError, UnicodeEncodeError) as error:
        raise ChatRefused(
            f"{method}: the arguments cannot be written: {type(error).__name__}", "invalid_arg"
        ) from error
    except FOREIGN as error:
        raise ChatUnavailable(f"{method}: no clear answer from Slack: {describe(error)}") from error
