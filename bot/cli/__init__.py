"""``oracle``: the entry point of the command line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

SEVERAL_PROCESSES = frozenset({"bot", "worker", "beat"})


def main() -> None:
    """Run the command that the arguments name."""
    if SEVERAL_PROCESSES & set(sys.argv[1:2]):
        share_metrics()
        os.environ["REMAP_SIGTERM"] = "SIGQUIT"  # Celery: on SIGTERM wait a little for what runs, then stop it
    from bot.cli.commands import run

    run()


def share_metrics() -> None:
    """Give the processes of a deployment one folder for their counters; prometheus_client reads it when imported."""
    from workers.settings import oracle_home

    folder = os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(oracle_home() / "metrics"))
    Path(folder).mkdir(parents=True, exist_ok=True)
