"""A whole deployment of real processes: a local Slack, bot, workers and beat, on free ports, stopped at the end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

import httpx

from bot.cli.up import sandbox_options
from bot.transport.manifest import build_manifest
from tests.support.forked_programs import fork_oracle, forked_sandbox
from tests.support.real_servers import free_port, need
from workers.settings.load import load_settings

READY_S = 180.0  # a busy machine is slow, not wrong
QUICK_WORKER = {"lease_s": 5, "heartbeat_s": 1, "sweep_s": 1}
"""What a worker that was killed held is taken over soon."""
ORACLE = Path(sys.executable).with_name("oracle")


def until(found: Callable[[], Any], what: str, within_s: float = READY_S) -> Any:
    """What a function returns, as soon as it is true. Raises: AssertionError: it never was.

    Looks less often at what takes long: a look at other processes is work for them.
    """
    began = time.monotonic()
    while not (value := found()):
        waited = time.monotonic() - began
        assert waited < within_s, f"{what}: not within {within_s:g} s"
        time.sleep(min(0.1, 0.02 + waited / 20))
    return value


class Slack:
    """The local Slack of a deployment, by its control API."""

    def __init__(self, address: dict[str, str]) -> None:
        self.address = address
        self.url = address["url"].rstrip("/")
        self.http = httpx.Client(base_url=self.url, timeout=30)

    def ask(self, channel: str, text: str, deliveries: int = 1, **more: Any) -> str:
        """Type a message. Returns: its ts."""
        body = {"channel": channel, "user": "you", "text": text, "deliveries": deliveries, **more}
        return str(self.control("message", body)["ts"])

    def control(self, what: str, body: dict[str, Any]) -> dict[str, Any]:
        """One call of the control API."""
        answer = self.http.post(f"/control/{what}", json=body)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found

    def get(self, what: str, **params: Any) -> Any:
        """One look through the control API."""
        answer = self.http.get(f"/control/{what}", params=params)
        answer.raise_for_status()
        return answer.json()

    def thread(self, channel: str, ts: str) -> list[dict[str, Any]]:
        """The replies in a thread, its root left out."""
        found = self.http.get("/client/thread", params={"channel": channel, "ts": ts}).json()["messages"]
        return [m for m in found if m["ts"] != ts]

    def answers(self, channel: str, ts: str) -> list[dict[str, Any]]:
        """The replies in a thread that carry an answer's mark."""
        state = self.get("state", channel=channel)
        return [m for m in messages_of(state) if m.get("thread_ts") == ts and is_answer(m)]

    def close(self) -> None:
        """Close the connections."""
        self.http.close()


def messages_of(state: dict[str, Any]) -> list[dict[str, Any]]:
    """All messages of a state, with the name of their channel."""
    return [{**m, "channel_name": c["name"]} for c in state["channels"] for m in c["messages"]]


def is_answer(message: dict[str, Any]) -> bool:
    """Whether a message is part of a reply: its mark names a request and a numbered part."""
    payload = (message.get("metadata") or {}).get("event_payload") or {}
    part = str(payload.get("key", "")).rpartition(":")[2]
    return part.replace(".", "").isdigit()


class Started(Protocol):
    """A process that was started, the leader of a process group of its own."""

    pid: int

    def poll(self) -> int | None:
        """The exit code, None while it runs."""

    def wait(self, timeout: float = READY_S) -> int:
        """The exit code, once it has ended."""

    def terminate(self) -> None:
        """Ask it to end."""


Start = Callable[[tuple[str, ...], Mapping[str, str], Path, Path], Started]
"""Starts ``oracle ARGUMENTS`` with an environment, in a folder; what it writes is appended to a file."""


def start_oracle(arguments: tuple[str, ...], environment: Mapping[str, str], folder: Path, log: Path) -> Started:
    """The installed program, as a person starts it."""
    with log.open("ab") as written:
        return subprocess.Popen(
            [str(ORACLE), *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=written,
            stderr=written,
            cwd=folder,
            start_new_session=True,
        )


class Deployment:
    """Processes that share one environment and one ORACLE_HOME."""

    def __init__(self, home: Path, environment: dict[str, str], start: Start = fork_oracle) -> None:
        self.home = home
        self.environment = {**os.environ, "ORACLE_HOME": str(home), "NO_COLOR": "1", **environment}
        self.running: dict[str, Started] = {}
        self._start = start

    def start(self, name: str, *command: str, **environment: str) -> Started:
        """Start ``oracle COMMAND``; what it writes goes to a file in ORACLE_HOME."""
        process = self._start(command, {**self.environment, **environment}, self.home, self.home / f"{name}.log")
        self.running[name] = process
        return process

    def start_bot(self, port: int = 0) -> str:
        """Start the bot. Returns: its address, once it is ready."""
        port = port or free_port()
        process = self.start("bot", "bot", PORT=str(port))
        url = f"http://127.0.0.1:{port}"

        def ready() -> bool:
            assert process.poll() is None, self.log("bot")
            try:
                return httpx.get(f"{url}/readyz", timeout=2).status_code == 200
            except httpx.TransportError:
                return False

        until(ready, f"the bot is ready {self.log('bot')[-2000:]}")
        return url

    def start_all(self) -> str:
        """Start bot, beat and worker. Returns: the bot's address."""
        url = self.start_bot()
        self.start("beat", "beat")
        self.start("worker", "worker")
        return url

    def log(self, name: str) -> str:
        """What a process wrote."""
        path = self.home / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def kill(self, name: str, number: int = signal.SIGKILL) -> None:
        """Kill the whole group of a process."""
        process = self.running.pop(name)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        process.wait(READY_S)

    def stop(self, name: str) -> int:
        """Stop a process the polite way. Returns: its exit code."""
        process = self.running.pop(name)
        process.terminate()
        return process.wait(READY_S)

    def close(self) -> None:
        """Kill what still runs."""
        for name in list(self.running):
            self.kill(name)


@contextmanager
def run_slack(*arguments: str) -> Iterator[Slack]:
    """A local Slack in a process of its own."""
    options = sandbox_options(build_manifest(load_settings()))
    with forked_sandbox(*options, *arguments) as address, closing(Slack(address)) as slack:
        yield slack


@contextmanager
def run_deployment(
    home: Path, slack: Slack, *, socket_mode: bool = True, start: Start = fork_oracle, **environment: str
) -> Iterator[Deployment]:
    """An empty deployment that speaks to a local Slack; its processes are started by the caller, by ``start``."""
    home.mkdir(parents=True, exist_ok=True)
    address = slack.address
    tokens = {
        "SLACK_BOT_TOKEN": address["bot_token"],
        "SLACK_APP_TOKEN": address["app_token"] if socket_mode else "",
        "SLACK_SIGNING_SECRET": address["signing_secret"],
        "SLACK_API_URL": address["api_url"],
    }
    deployment = Deployment(home, {**tokens, **environment}, start)
    try:
        yield deployment
    finally:
        deployment.close()


class Redis:
    """A real Redis that can be stopped, frozen and started again on the same port."""

    def __init__(self, folder: Path) -> None:
        (self.program,) = need("redis-server")
        self.folder, self.port = folder, free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self.process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        import redis

        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self.folder)]
        self.process = subprocess.Popen([self.program, *options], stdout=subprocess.DEVNULL, start_new_session=True)
        client = redis.Redis.from_url(self.url)

        def answers() -> bool:
            try:
                return bool(client.ping())
            except redis.exceptions.ConnectionError:
                return False

        until(answers, "Redis answers")
        client.close()

    def signal(self, number: int) -> None:
        """Send a signal, such as SIGSTOP."""
        if self.process:
            self.process.send_signal(number)

    def stop(self) -> None:
        """Kill it; what it held is gone."""
        if self.process:
            self.process.kill()
            self.process.wait(READY_S)
            self.process = None


@contextmanager
def run_redis(folder: Path) -> Iterator[Redis]:
    """A real Redis on a free port."""
    server = Redis(folder)
    with ExitStack() as stack:
        stack.callback(server.stop)
        server.start()
        yield server
