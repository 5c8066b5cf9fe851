"""``oracle up`` and a browser on its page, shared by the tests that use it as a person does."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest
from playwright.sync_api import Page, sync_playwright

from tests.support.deployment import ORACLE
from tests.support.real_servers import free_port, need


@dataclass(frozen=True)
class Up:
    """A running ``oracle up``."""

    process: subprocess.Popen[str]
    page: str
    web: str


@pytest.fixture(scope="session")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """In an empty folder, as in a fresh clone: it builds its demo."""
    home = tmp_path_factory.mktemp("up")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SLACK_", "ORACLE_", "DATABASE_URL"))}
    process = subprocess.Popen(
        [str(ORACLE), "up", "--port", str(free_port())],
        env={**environment, "ORACLE_HOME": str(home / "state"), "PORT": str(free_port()), "NO_COLOR": "1"},
        cwd=home,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    said = read_until_open(process)
    page, web = re.findall(r"http://127\.0\.0\.1:\d+", said)[:2]
    yield Up(process, page, web)
    process.send_signal(signal.SIGINT)
    assert process.wait(120) == 0, "Ctrl-C ends it cleanly"
    assert process.stdout is not None
    rest = process.stdout.read()
    process.stdout.close()
    assert rest.strip().endswith("Stopped.")
    with pytest.raises(httpx.TransportError):
        httpx.get(page, timeout=2)


def read_until_open(process: subprocess.Popen[str]) -> str:
    """What it says until the page's address stands there."""
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if "Health" in line:
            return said
    raise AssertionError(f"it ended: {said}")


@pytest.fixture(scope="module")
def page(up: Up) -> Iterator[Page]:
    """Its page in a browser."""
    (chromium,) = need("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 1280, "height": 900})
        opened.goto(up.page)
        yield opened
        browser.close()
