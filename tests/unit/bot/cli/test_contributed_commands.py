"""Commands that families bring: what they return and raise, as people see it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli import commands
from workers.settings.contributions import Contribution
from workers.settings.load import ROOT

TIDE = """
from workers.errors import ConfigError, OracleError


def tide(port: str) -> str | int | None:
    if port == "atlantis":
        raise ConfigError("atlantis is no port", "the nearest is atlanta")
    if port == "dry":
        raise OracleError("there is no water")
    return {"quiet": None, "closed": 3}.get(port, f"high\\u202e in {port}")
"""


@pytest.fixture
def tide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "quay_of_tests.py").write_text(TIDE)
    monkeypatch.syspath_prepend(str(tmp_path))
    brought = Contribution("tide", "quay_of_tests:tide", "Tells the tide.", "quay 1.2")
    monkeypatch.setitem(commands.CONTRIBUTED, "tide", brought)
    monkeypatch.setitem(commands.app.commands, "tide", commands.load_command("tide"))


def test_what_a_library_warns_of_stands_not_among_the_lines(tmp_path: Path) -> None:
    (tmp_path / "reef.py").write_text(
        "import warnings\nwarnings.warn('reef is old')\ndef dive() -> str:\n    return 'wet'\n"
    )
    program = """
import sys
from bot.cli import commands, main
from workers.settings.contributions import Contribution
commands.CONTRIBUTED["dive"] = Contribution("dive", "reef:dive", "Dives.", "quay 1.2")
commands.app.commands["dive"] = commands.TyperCommand("dive")
sys.argv = ["oracle", "dive"]
main()
"""
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    done = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "wet\n", "")


@pytest.mark.usefixtures("tide")
@pytest.mark.parametrize(
    ("port", "code", "out", "err"),
    [
        ("emden", 0, "high\N{REPLACEMENT CHARACTER} in emden\n", ""),
        ("quiet", 0, "", ""),
        ("closed", 3, "", ""),
        ("atlantis", 2, "", "atlantis is no port\nthe nearest is atlanta\n"),
        ("dry", 1, "", "there is no water\n"),
    ],
)
def test_what_a_command_of_a_family_comes_to(
    port: str,
    code: int,
    out: str,
    err: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("sys.argv", ["oracle", "tide", port])
    with pytest.raises(SystemExit) as ended:
        commands.run()
    assert (ended.value.code, *capsys.readouterr()) == (code, out, err)


def test_one_command_hands_over_to_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ORACLE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["oracle", "deals", "ask", " "])
    with pytest.raises(SystemExit) as ended:
        commands.run()
    assert ended.value.code == 2
    assert capsys.readouterr().err == "question: it is empty\n"
