"""Homes of deployments; ``oracle up`` and a browser on its page, shared by the tests that use it as a person does."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import yaml
from playwright.sync_api import Page, sync_playwright

from tests.scenario.conftest import copy_demo
from tests.support.deployment import ORACLE, QUICK_WORKER, until
from tests.support.forked_programs import fork_oracle
from tests.support.real_servers import free_port, need, run_prometheus, write_blocks
from tests.support.run_once import build_once
from workers.bootstrap import build_engine
from workers.settings.load import load_settings

UNASKED = ("calendars", "home_assistant", "netbox", "suricata")
"""Sources of the demo that each process of a deployment would load, and that no question here is about."""


@pytest.fixture(scope="session")
def indexed_demo(run_folder: Path, built_demo: Path) -> Path:
    """The demo as deployments have it here: its indexes are built.

    Summaries are renewed at once, and a worker that was killed is noticed soon.
    """

    def build(home: Path) -> None:
        copy_demo(built_demo, home)
        written = home / "config" / "oracle.yaml"
        demo = yaml.safe_load(written.read_text())
        kept = {key: value for key, value in demo.items() if key not in UNASKED}
        written.write_text(yaml.safe_dump(kept | {"worker": QUICK_WORKER, "incidents": {"settle_s": 0}}))
        with closing(build_engine(load_settings(home=home))) as oracle:
            assert all(ok for _, _, ok in oracle.toolbox.refresh())

    return build_once(run_folder / "indexed-demo", build)


@pytest.fixture(scope="session")
def demo_blocks(run_folder: Path, built_demo: Path) -> Path:
    """The demo's metrics as the blocks of a Prometheus."""
    return build_once(run_folder / "demo-blocks", lambda data: write_blocks(built_demo / "demo" / "metrics.txt", data))


@pytest.fixture
def demo_prometheus(demo_blocks: Path, built_demo: Path, tmp_path: Path) -> Iterator[str]:
    """A real Prometheus with the demo's metrics and rules."""
    rules = built_demo / "demo" / "rules.yml"
    with run_prometheus(tmp_path / "prometheus", rules=rules, blocks=demo_blocks) as address:
        yield address


@pytest.fixture
def demo_deployment_home(indexed_demo: Path, tmp_path: Path) -> Path:
    """An ORACLE_HOME of its own that knows the demo."""
    return copy_indexed_demo(indexed_demo, tmp_path / "home")


def copy_indexed_demo(indexed_demo: Path, home: Path) -> Path:
    """``home``, which knows the demo and has its indexes."""
    copy_demo(indexed_demo, home)
    shutil.copytree(indexed_demo / "index", home / "index")
    return home


@dataclass(frozen=True)
class Up:
    """Addresses of a running ``oracle up``."""

    page: str
    web: str


@pytest.fixture(scope="module")
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
    up = read_addresses(read_until_open(process))
    yield up
    process.send_signal(signal.SIGINT)
    assert process.wait(120) == 0, "Ctrl-C ends it cleanly"
    assert process.stdout is not None
    rest = process.stdout.read()
    process.stdout.close()
    assert rest.strip().endswith("Stopped.")
    with pytest.raises(httpx.TransportError):
        httpx.get(up.page, timeout=2)


@pytest.fixture(scope="module")
def demo_up(built_demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """Where the demo was built already; forked, for tests of what people do in the page."""
    home = copy_demo(built_demo, tmp_path_factory.mktemp("demo-up"))
    environment = os.environ | {"ORACLE_HOME": str(home), "PORT": str(free_port()), "NO_COLOR": "1"}
    log = home / "up.log"
    log.touch()
    process = fork_oracle(("up", "--port", str(free_port())), environment, home, log)
    try:
        yield read_addresses(until(lambda: "Health" in (said := log.read_text()) and said, "it is open"))
        process.kill_group(signal.SIGINT)
        assert process.wait() == 0
    finally:
        process.kill_group()


def read_addresses(said: str) -> Up:
    """Those of the page and of the web server."""
    return Up(*re.findall(r"http://127\.0\.0\.1:\d+", said)[:2])


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
