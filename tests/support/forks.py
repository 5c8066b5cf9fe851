"""Processes of ``oracle`` that are forked from one that has imported everything, which takes seconds each time."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.deployment import Deployment, Slack, run_deployment

FORKS = multiprocessing.get_context("forkserver")


class ForkedProcess:
    """A process with the part of `subprocess.Popen` that a deployment uses."""

    def __init__(self, process: Any) -> None:
        self.process = process
        self.pid = process.pid

    def poll(self) -> int | None:
        """Its exit code; None while it runs."""
        code: int | None = self.process.exitcode
        return code

    def wait(self, timeout: float) -> int:
        """Its exit code, once it has ended. Raises: TimeoutExpired: it runs on after so many seconds."""
        self.process.join(timeout)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(self.process.name, timeout)
        return code

    def terminate(self) -> None:
        """Ask it to end."""
        self.process.terminate()


class ForkedDeployment(Deployment):
    """A deployment that starts in a tenth of the time."""

    def start(self, name: str, *command: str, **environment: str) -> Any:
        """Start ``oracle COMMAND``; what it writes goes to a file in ORACLE_HOME."""
        given = {**self.environment, **environment}
        process = FORKS.Process(target=become_oracle, args=(command, given, self.home, f"{name}.log"), name=name)
        process.start()
        self.running[name] = ForkedProcess(process)  # type: ignore[assignment]
        return self.running[name]


def become_oracle(command: tuple[str, ...], environment: Mapping[str, str], home: Path, log: str) -> None:
    """What ``oracle COMMAND`` does, in a process that was just forked, the leader of a group of its own."""
    from bot.cli import main

    os.setsid()
    os.chdir(home)
    os.environ.clear()
    os.environ.update(environment)
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(written, 1)
    os.dup2(written, 2)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.argv = ["oracle", *command]
    main()


@contextmanager
def run_forked(home: Path, slack: Slack, **options: Any) -> Iterator[Deployment]:
    """`run_deployment` with forked processes."""
    with run_deployment(home, slack, kind=ForkedDeployment, **options) as deployment:
        yield deployment
