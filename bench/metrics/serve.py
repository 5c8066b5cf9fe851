"""A real Prometheus that holds a generated day."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.metrics.stage import Stage
from bench.metrics.write import write_openmetrics
from tests.support.real_servers import run_prometheus


@contextmanager
def serve(stage: Stage, folder: Path) -> Iterator[str]:
    """Write the day and start a server with it on a free port of 127.0.0.1.

    Args:
        stage: what happened.
        folder: for text, blocks and log; must exist.

    Yields: the server's address.
    """
    text = folder / "samples.txt"
    write_openmetrics(text, stage.world, stage.dialect, stage.seed)
    with run_prometheus(folder / "server", openmetrics=text) as address:
        yield address
