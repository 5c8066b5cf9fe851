"""A sandbox in a process of its own, and a client for its page and control APIs."""

import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TypeVar

import httpx
from slack_sdk import WebClient

from slack_sandbox.__main__ import main

ENDS_S = 60
T = TypeVar("T")
FORKS = multiprocessing.get_context("forkserver")  # what a process imports is imported once a run
FORKS.set_forkserver_preload([__name__])


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


@contextmanager
def forked_sandbox(*arguments: str) -> Iterator[dict]:
    """What `python -m slack_sandbox` does, without its start. Yields: the address that it prints."""
    heard, said = FORKS.Pipe(duplex=False)
    with tempfile.NamedTemporaryFile("r") as errors:
        process = FORKS.Process(target=serve, args=(said, errors.name, ("--port", "0", *arguments)))
        process.start()
        said.close()
        try:
            with open(heard.fileno(), closefd=False) as lines:
                yield json.loads(lines.readline())
        finally:
            heard.close()
            process.terminate()
            process.join(ENDS_S)
        assert (process.exitcode, errors.read()) == (0, "")
        process.close()


def serve(said: Connection, errors: str, arguments: tuple[str, ...]) -> None:
    """A process that was just forked becomes a sandbox."""
    os.setsid()
    os.dup2(said.fileno(), 1)
    os.dup2(os.open(errors, os.O_WRONLY), 2)
    said.close()
    sys.exit(main(arguments))


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
