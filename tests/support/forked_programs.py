"""Our own programs as processes of their own, forked from a server that has imported them once.

A start of ``oracle worker`` takes seconds of imports, its fork milliseconds. Starts of the installed program itself are
tested where a start is what is tested (`tests.servers.conftest.up`, the MCP server, the command line's imports).
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

ENDS_S = 120
POLL_S = 0.002
FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(["tests.support.preloaded_programs"])


class ForkedProcess:
    """A forked process, the leader of a group of its own, with the methods of `subprocess.Popen` that tests use."""

    def __init__(self, target: Callable[..., Any], *arguments: Any) -> None:
        self._process = FORKS.Process(target=lead_group, args=(target, *arguments))
        self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid
        with suppress(ProcessLookupError):  # it has ended
            while os.getpgid(self.pid) != self.pid:  # a signal to its group would reach nobody yet
                time.sleep(POLL_S)

    def poll(self) -> int | None:
        """The exit code, None while it runs."""
        self._process.join(0)
        return self._process.exitcode

    def wait(self, timeout: float = ENDS_S) -> int:
        """The exit code. Raises: AssertionError: it still runs."""
        self._process.join(timeout)
        assert self._process.exitcode is not None, f"process {self.pid} still runs after {timeout:g} s"
        return self._process.exitcode

    def terminate(self) -> None:
        """Ask it to end."""
        self._process.terminate()

    def kill_group(self, number: int = signal.SIGKILL) -> None:
        """Send a signal to it and to all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)


def lead_group(target: Callable[..., Any], *arguments: Any) -> None:
    """First thing in a forked process."""
    os.setsid()
    target(*arguments)


def fork_oracle(
    arguments: tuple[str, ...],
    environment: Mapping[str, str],
    folder: Path,
    log: Path,
    pipes: tuple[Path, Path] | None = None,
) -> ForkedProcess:
    """``oracle ARGUMENTS`` in a folder, with exactly this environment; what it writes is appended to a file.

    Args:
        pipes: named pipes that take the place of its standard input and output.
    """
    return ForkedProcess(run_oracle, arguments, dict(environment), str(folder), str(log), pipes)


def run_oracle(
    arguments: tuple[str, ...],
    environment: dict[str, str],
    folder: str,
    log: str,
    pipes: tuple[Path, Path] | None = None,
) -> None:
    """In the forked process."""
    written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for number in (1, 2):
        os.dup2(written, number)
    os.close(written)
    if pipes:
        os.dup2(os.open(pipes[0], os.O_RDONLY), 0)
        os.dup2(os.open(pipes[1], os.O_WRONLY), 1)
        sys.stdin = os.fdopen(0, closefd=False)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["oracle", *arguments]
    from bot.cli import main

    main()


@contextmanager
def forked_sandbox(*arguments: str) -> Iterator[dict[str, Any]]:
    """What ``python -m slack_sandbox`` does, without its start. Yields: the address that it prints."""
    heard, said = FORKS.Pipe(duplex=False)
    with tempfile.NamedTemporaryFile("r") as errors:
        process = ForkedProcess(serve_sandbox, said, errors.name, ("--port", "0", *arguments))
        said.close()
        try:
            with open(heard.fileno(), closefd=False) as lines:
                yield json.loads(lines.readline())
        finally:
            heard.close()
            process.terminate()
            code = process.wait()
        assert (code, errors.read()) == (0, "")


def serve_sandbox(said: Connection, errors: str, arguments: tuple[str, ...]) -> None:
    """In the forked process."""
    os.dup2(said.fileno(), 1)
    os.dup2(os.open(errors, os.O_WRONLY), 2)
    said.close()
    from slack_sandbox.__main__ import main

    sys.exit(main(arguments))
