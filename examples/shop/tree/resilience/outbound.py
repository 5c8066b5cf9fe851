"""Calls to other services: a time limit on every call, and every call measured."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import Any

from metrics import Instruments
from web import context


class TargetUnavailable(Exception):
    """The target refused the connection or broke it off."""


class TargetTimeout(TargetUnavailable):
    """The target did not answer in time."""


@dataclass(frozen=True)
class Reply:
    status: int
    payload: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)


class Target:
    """Another service. ``name`` is its label in the metrics."""

    def __init__(
        self, name: str, base_url: str, timeout_seconds: float, instruments: Instruments
    ) -> None:
        self.name, self.base_url, self.timeout_seconds = name, base_url, timeout_seconds
        self._instruments = instruments

    def call(
        self,
        method: str,
        path: str,
        payload: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Reply:
        """One call, never repeated here.

        Raises:
            TargetTimeout: no answer within ``timeout_seconds``.
            TargetUnavailable: no connection.
        """
        endpoint, outcome = context.endpoint.get(), "error"
        started = time.perf_counter()
        try:
            reply = self._send(method, path, payload, headers or {})
            outcome = str(reply.status)
            return reply
        except TargetTimeout:
            outcome = "timeout"
            raise
        finally:
            seconds = time.perf_counter() - started
            self._instruments.outbound_seconds.observe(self.name, endpoint, value=seconds)
            self._instruments.outbound_requests.add(self.name, endpoint, outcome)

    def _send(
        self, method: str, path: str, payload: dict[str, Any] | None, headers: dict[str, str]
    ) -> Reply:
        body = None if payload is None else json.dumps(payload).encode()
        request = urllib.request.Request(
            self.base_url + path,
            data=body,
            method=method,
            headers={"Content-Type": "application/json", **headers},
        )
        try:
            with urllib.request.urlopen(request, timeout=self.timeout_seconds) as answer:
                return Reply(answer.status, decoded(answer.read()), dict(answer.headers))
        except urllib.error.HTTPError as error:
            with error:
                return Reply(error.code, decoded(error.read()), dict(error.headers))
        except TimeoutError as error:
            raise TargetTimeout(f"{self.name} did not answer in time") from error
        except urllib.error.URLError as error:
            if isinstance(error.reason, TimeoutError):
                raise TargetTimeout(f"{self.name} did not answer in time") from error
            raise TargetUnavailable(f"{self.name}: {error.reason}") from error
        except OSError as error:
            raise TargetUnavailable(f"{self.name}: {error}") from error


def decoded(body: bytes) -> dict[str, Any]:
    try:
        value = json.loads(body or b"{}")
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
