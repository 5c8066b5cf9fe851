"""``oracle``: the entry point of the command line."""

from __future__ import annotations

import logging
import os
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path

WEEK_S = 7 * 86_400
SEVERAL_PROCESSES = frozenset({"bot", "worker", "beat"})
ONE_ANSWER = frozenset({"ask", "confirm", "metrics", "plan", "search", "tool"})


def main() -> None:
    """Run the command that the arguments name. What libraries warn of goes to the log, not between its lines."""
    logging.captureWarnings(capture=True)
    if SEVERAL_PROCESSES & set(sys.argv[1:2]):
        share_metrics()
        os.environ["REMAP_SIGTERM"] = "SIGQUIT"  # Celery: on SIGTERM wait a little for what runs, then stop it
    if ONE_ANSWER & set(sys.argv[1:2]):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's threads spin for 0.1 s and more, and gain nothing
    from bot.cli.commands import run

    run()


def share_metrics() -> None:
    """Give the processes of a deployment one folder for their counters; prometheus_client reads it when imported.

    The same process id may exist on several hosts: a counter's file is named by both. Files that nobody has written to
    for a week are of processes that are gone.
    """
    from workers.settings.load import oracle_home

    folder = Path(os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(oracle_home() / "metrics")))
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.db"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > WEEK_S:
                path.unlink()
    from prometheus_client import values

    name = f"{socket.gethostname()}-"
    values.ValueClass = values.MultiProcessValue(lambda: f"{name}{os.getpid()}")  # type: ignore[no-untyped-call]
