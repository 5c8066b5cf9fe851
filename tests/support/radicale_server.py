"""A real Radicale on a free port, with one account and calendars that the test makes."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import caldav
import httpx

from tests.support.real_servers import READY_S, free_port

USER, PASSWORD = "anna", "a-password"


@contextmanager
def run_radicale(folder: Path) -> Iterator[str]:
    """Give its address. Its calendars lie in ``folder``."""
    with serve_radicale(folder) as (url, _):
        yield url


@contextmanager
def serve_radicale(folder: Path) -> Iterator[tuple[str, int]]:
    """Give its address and its process. Its calendars lie in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    users, port = folder / "users", free_port()
    users.write_text(f"{USER}:{PASSWORD}\n")
    command = [sys.executable, "-m", "radicale", "--config", "", f"--server-hosts=127.0.0.1:{port}"]
    command += ["--auth-type=htpasswd", f"--auth-htpasswd-filename={users}", "--auth-htpasswd-encryption=plain"]
    command += [f"--storage-filesystem-folder={folder / 'collections'}", "--auth-delay=0"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}/"
    try:
        end = time.monotonic() + READY_S
        while True:
            try:
                httpx.get(url, timeout=1)
                break
            except httpx.HTTPError:
                assert server.poll() is None, (folder / "log").read_text()
                assert time.monotonic() < end, "Radicale does not answer"
                time.sleep(0.05)
        yield url, server.pid
    finally:
        server.terminate()
        server.wait(10)


def make_calendar(url: str, name: str, components: tuple[str, ...] = ("VEVENT",)) -> str:
    """A new calendar of the account. Returns: its address."""
    with caldav.DAVClient(url=url, username=USER, password=PASSWORD) as client:
        home = f"{url}{USER}/"
        if client.request(home, "PROPFIND", "", {"Depth": "0"}).status == 404:
            client.request(home, "MKCOL", "")
        made = client.request(f"{home}{name}/", "MKCALENDAR", "")
        assert made.status == 201, (made.status, components)
    return f"{url}{USER}/{name}/"
