"""What the command line tells of a policy."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.cli import main
from bot.cli.check import check_access
from tests.support.two_repositories import PAY_GROUP, PAYMENTS, two_repositories
from workers.errors import ConfigError
from workers.settings.load import load_settings

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("ORACLE_HOME", str(two_repositories(tmp_path).home))

    def run_command(*args: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["oracle", "who-may", *args])
        with pytest.raises(SystemExit) as stop:
            main()
        return int(stop.value.code or 0), "".join(capsys.readouterr())

    return run_command


PRIVATE = ("--source", "repository:coldvault")


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("--user", "U1", *PRIVATE), 1, "no  source repository:coldvault: no rule"),
        (("--user", "U1", "--group", PAY_GROUP, *PRIVATE), 0, "access.yaml:"),
        (("--user", "U1", "--channel", PAYMENTS, *PRIVATE), 0, "access.yaml:"),
        (("--user", "U1", "--group", PAY_GROUP, "--channel", "C1", *PRIVATE), 1, "no rule to everyone in that channel"),
        (("--user", "token:payments-bot", *PRIVATE), 0, "access.yaml:"),
        (("--user", "local", *PRIVATE), 0, "the command line"),
        (("--user", "U1", "--guest", "--tool", "repo_search"), 1, "no rule"),
        (("--user", "U1", "--agent", "research"), 0, "access.yaml:"),
        (("--user", "U1", "--source", "repository:colvault"), 2, "near: repository:coldvault"),
        (("--user", "ann", *PRIVATE), 2, "none of U…"),
        (("--user", "U1"), 2, "say what"),
    ],
)
def test_the_line_that_decides_is_named(run: Run, args: tuple[str, ...], code: int, told: str) -> None:
    found, out = run(*args)
    assert (found, told in out) == (code, True), out


def test_the_line_is_where_the_rule_stands(run: Run, tmp_path: Path) -> None:
    _, out = run("--user", "U1", "--channel", PAYMENTS, *PRIVATE, "--json")
    (decision,) = json.loads(out)
    file, _, line = decision["line"].rpartition(":")
    text = (tmp_path / "home" / "config" / "access.yaml").read_text().splitlines()
    assert file.endswith("access.yaml")
    rule = "\n".join(text[int(line) - 1 :])
    assert PAYMENTS in rule
    assert "everyone" not in rule


def test_check_tells_of_no_policy_and_of_rules_that_give_nothing(tmp_path: Path) -> None:
    nothing = check_access(two_repositories(tmp_path, None))
    assert (nothing.ok, "no policy" in nothing.detail) == (True, True)
    slip = [{"who": "everyone", "agents": "*", "tools": "*", "sources": "repository:shpo"}]
    wrong = check_access(two_repositories(tmp_path, slip))
    assert (wrong.ok, "there is no source 'repository:shpo'" in wrong.detail) == (False, True)


@pytest.mark.parametrize(
    "rule",
    [
        {"who": ["everybody"]},
        {"who": ["person:ann"]},
        {"who": ["channel:general"]},
        {"who": ["token:*"]},
        {"sources": ["shop"], "who": ["everyone"]},
        {"who": ["everyone"], "denied": ["repository:shop"]},
        {"agents": ["*"]},
    ],
)
def test_a_rule_that_is_none_keeps_all_closed(tmp_path: Path, rule: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"access\.yaml"):
        two_repositories(tmp_path, [rule])


def test_with_several_workspaces_an_id_names_its_own(tmp_path: Path) -> None:
    home = two_repositories(tmp_path, [{"who": ["person:U1"]}]).home
    several = {"client_id": "1.2", "client_secret": "s", "signing_secret": "s", "public_url": "https://o.example.com/"}
    with pytest.raises(ConfigError, match="write T…/U1"):
        load_settings({f"oracle.slack.{name}": value for name, value in several.items()}, home=home)
