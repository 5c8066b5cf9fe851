"""A real Prometheus that holds a generated day."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.metrics.stage import Stage
from bench.metrics.write import write_openmetrics
from tests.real_servers import free_port, need, wait_ready

STOPS_S = 30


@contextmanager
def serve(stage: Stage, folder: Path) -> Iterator[str]:
    """Write the day, turn it into blocks, and start the server on a free port of 127.0.0.1.

    Blocks may be as long as the day: with those of two hours, promtool reads the whole text once for each.

    Args:
        stage: what happened.
        folder: for text, blocks and log; must exist.

    Yields: the server's address.
    """
    prometheus, promtool = need("prometheus", "promtool")
    text, data, config = folder / "samples.txt", folder / "data", folder / "prometheus.yml"
    write_openmetrics(text, stage.world, stage.dialect, stage.seed)
    load = [promtool, "tsdb", "create-blocks-from", "openmetrics", "--quiet", "--max-block-duration=1000h"]
    loaded = subprocess.run([*load, str(text), str(data)], capture_output=True, text=True, check=False)
    if loaded.returncode:
        raise RuntimeError(f"promtool refused the samples: {loaded.stderr[-500:]}")
    text.unlink()
    config.write_text("global: {scrape_interval: 60s}\n")
    address = f"127.0.0.1:{free_port()}"
    command = [
        prometheus,
        f"--config.file={config}",
        f"--storage.tsdb.path={data}",
        "--storage.tsdb.retention.time=30d",
        f"--web.listen-address={address}",
        "--log.level=error",
    ]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            wait_ready(f"http://{address}/-/ready", process, folder / "log")
            yield f"http://{address}"
        finally:
            process.terminate()
            process.wait(STOPS_S)
