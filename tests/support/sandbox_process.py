"""A sandbox in a process of its own, and a client for its page and control APIs."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

import httpx
from slack_sdk import WebClient

from tests.support.forked_programs import forked_sandbox

ENDS_S = 60
T = TypeVar("T")


@dataclass
class Running:
    """A sandbox that runs: its address, its secrets, and a client for `/client/*` and `/control/*`."""

    address: dict
    http: httpx.Client

    def slack(self, **options) -> WebClient:
        """The app's Web API client, without retries."""
        return WebClient(
            token=self.address["bot_token"], base_url=self.address["api_url"], retry_handlers=[], **options
        )

    def do(self, path: str, **body) -> dict:
        return self.http.post(path, json=body).json()

    def see(self, path: str, **params) -> dict:
        return self.http.get(path, params=params).json()

    def channel(self, name: str) -> dict:
        return self.see("/control/state", channel=name)["channels"][0]

    def thread(self, channel: str, ts: str) -> list[dict]:
        return self.see("/client/thread", channel=channel, ts=ts)["messages"]


@contextmanager
def running_sandbox(*arguments: str) -> Iterator[Running]:
    with (
        forked_sandbox("--app-name", "helper", *arguments) as address,
        httpx.Client(base_url=address["url"], timeout=ENDS_S) as http,
    ):
        yield Running(address, http)


def start_process(*arguments: str) -> subprocess.Popen:
    command = [sys.executable, "-m", "slack_sandbox", "--port", "0", "--app-name", "helper", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def until(condition: Callable[[], T], seconds: float = 120) -> T:
    """Looks until it is true, and gives what it gave."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.02)
    return value
