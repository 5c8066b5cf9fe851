"""A demo team built once a session, and the command line run in this process."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from bot.cli.demo import build

NOW = datetime.now(UTC).replace(microsecond=0)


@dataclass(frozen=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its output as JSON."""
        return json.loads(self.out)


Oracle = Callable[..., Ran]


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """ORACLE_HOME of the default demo."""
    home = tmp_path_factory.mktemp("demo")
    build(home, NOW, 0)
    return home


@pytest.fixture
def oracle(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Oracle:
    """Run ``oracle …`` on an ORACLE_HOME."""

    def run(*args: str, home: Path | None = None, stdin: str = "", database: str = "") -> Ran:
        monkeypatch.setenv("ORACLE_HOME", str(home or tmp_path / "home"))
        for name in ("ORACLE_CONFIG", "PROMETHEUS_URL", "DATABASE_URL", "ORACLE_TIMEZONE"):
            monkeypatch.delenv(name, raising=False)
        if database:
            monkeypatch.setenv("DATABASE_URL", database)
        monkeypatch.setattr(sys, "argv", ["oracle", *args])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capsys.readouterr()
        return Ran(int(stop.value.code or 0), printed.out, printed.err)

    return run
