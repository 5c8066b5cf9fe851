"""Commands that families bring: what they return and raise, as people see it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.cli import commands
from workers.settings.contributions import Contribution

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
