"""Real servers on free ports of 127.0.0.1, each in a folder of its own, stopped at the end."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

READY_S = 120


def need(*names: str) -> list[str]:
    """Paths of programs. A missing one skips the test, and fails it when CI=true."""
    found, missing = [], []
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    places = os.pathsep.join([os.environ.get("PATH", ""), *map(str, debian)])
    for name in names:
        path = shutil.which(name, path=places)
        (found.append(path) if path else missing.append(name))
    if missing:
        reason = f"not on this machine: {', '.join(missing)}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def write_blocks(openmetrics: Path, data: Path) -> None:
    """The blocks of a Prometheus, in a folder, from samples (seconds, grouped by family, ``# EOF``).

    They may be long: for blocks of two hours, promtool reads all samples once for each.
    """
    (promtool,) = need("promtool")
    load = [promtool, "tsdb", "create-blocks-from", "openmetrics", "--quiet", "--max-block-duration=1000h"]
    loaded = subprocess.run([*load, str(openmetrics), str(data)], capture_output=True, text=True, check=False)
    assert loaded.returncode == 0, loaded.stderr


@contextmanager
def run_prometheus(
    folder: Path, openmetrics: Path | None = None, rules: Path | None = None, blocks: Path | None = None
) -> Iterator[str]:
    """A Prometheus with a past.

    Args:
        folder: an empty folder for its data.
        openmetrics: samples to start with, see `write_blocks`.
        rules: a file of alerting and recording rules.
        blocks: what `write_blocks` made, instead of ``openmetrics``; it stays as it is.

    Yields: its address.
    """
    (prometheus,) = need("prometheus")
    data, config = folder / "data", folder / "prometheus.yml"
    data.mkdir(parents=True)
    if openmetrics is not None:
        write_blocks(openmetrics, data)
    if blocks is not None:
        shutil.copytree(blocks, data, dirs_exist_ok=True)
    config.write_text("global: {evaluation_interval: 1s}\n" + (f"rule_files: ['{rules}']\n" if rules else ""))
    port = free_port()
    command = [
        prometheus,
        f"--config.file={config}",
        f"--storage.tsdb.path={data}",
        "--storage.tsdb.retention.time=60d",
        f"--web.listen-address=127.0.0.1:{port}",
        "--log.level=error",
    ]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            address = f"http://127.0.0.1:{port}"
            wait_ready(f"{address}/-/ready", process, folder / "log")
            yield address
        finally:
            process.terminate()
            process.wait(READY_S)


def wait_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until the server answers 200."""
    end = time.monotonic() + READY_S
    while time.monotonic() < end:
        assert process.poll() is None, log.read_text()
        try:
            if httpx.get(url, timeout=1).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    pytest.fail(f"{url} was not ready within {READY_S} s: {log.read_text()}")


@contextmanager
def run_postgresql() -> Iterator[str]:
    """A PostgreSQL cluster of its own, run by the user postgres when we are root, which PostgreSQL refuses to be.

    Yields: the address of its server, without a database: ``postgresql://oracle@127.0.0.1:PORT``.
    """
    initdb, pg_ctl = need("initdb", "pg_ctl")
    folder = Path(tempfile.mkdtemp(prefix="oracle-pg-"))
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        account = pwd.getpwnam(user)
        os.chown(folder, account.pw_uid, account.pw_gid)

    def run(*command: str) -> None:
        with (folder / "log").open("ab") as log:
            done = subprocess.run(command, user=user, group=user, cwd=folder, stdout=log, stderr=log, check=False)
        assert done.returncode == 0, (folder / "log").read_text()

    data, port = str(folder / "data"), free_port()
    try:
        run(initdb, "-D", data, "-U", "oracle", "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={folder} -c fsync=off"
        run(pg_ctl, "-D", data, "-w", "-t", str(READY_S), "-o", options, "-l", str(folder / "server.log"), "start")
        try:
            yield f"postgresql://oracle@127.0.0.1:{port}"
        finally:
            run(pg_ctl, "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
