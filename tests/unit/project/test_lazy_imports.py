"""A command imports what it needs, and no more."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bot.cli.commands import COMMANDS, CONTRIBUTED, load_command

ROOT = Path(__file__).parents[3]
PROGRAM = """
import json, sys
sys.argv[0] = "oracle"
try:
    from bot.cli import main
    main()
finally:
    print("\\n" + json.dumps(sorted(sys.modules)))
"""
HEAVY = (
    "alembic anthropic celery fastapi litellm matplotlib numpy pydantic slack_bolt slack_sdk sqlalchemy sqlglot "
    "uvicorn yaml"
)


def imported(*arguments: str) -> set[str]:
    """Modules that a command has imported by its end, of all in a process of its own."""
    command = [sys.executable, "-c", PROGRAM, *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return set(json.loads(ran.stdout.splitlines()[-1]))


def test_help_lists_every_command_and_imports_none_of_them() -> None:
    modules = imported("--help")
    assert "typer" in modules
    assert not modules & set(HEAVY.split())
    of_families = {one.target.partition(":")[0] for one in CONTRIBUTED.values()}
    assert of_families
    assert not modules & (of_families | {module for module, _, _ in COMMANDS.values()})


def test_the_rules_answer_without_a_model_s_sdk_servers_or_a_plotter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORACLE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "backups.md").write_text("# Backups\n\nBackups of the ledger are made every night at two.\n")
    modules = imported("ask", "When are backups of the ledger made?", "--docs", str(tmp_path / "papers"))
    assert "workers.reasoning.rules" in modules
    unwanted = "anthropic celery examples fastapi jinja2 litellm matplotlib redis slack_bolt slack_sdk sqlglot uvicorn"
    assert not modules & {
        *unwanted.split(),
        "workers.incidents.summary.utterance_patterns",
        "workers.sources.metrics.prometheus_backend",
    }


def test_models_are_called_without_litellm_and_without_anthropic_until_its_door_is_opened() -> None:
    """That litellm's door loads no other library is tested where it is loaded in a process of its own."""
    program = """
import sys
def loaded(): return "anthropic" in sys.modules, "litellm" in sys.modules
import workers.reasoning.model.model_client
before = loaded()
import workers.reasoning.model.anthropic_door
print(before, loaded())
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT)
    assert ran.stdout == "(False, False) (True, False)\n"


def test_each_command_in_the_table_is_there() -> None:
    names = (*COMMANDS, *CONTRIBUTED)
    commands = {name: load_command(name) for name in names}
    assert {name: command.name for name, command in commands.items()} == {name: name for name in names}
    assert [name for name, command in commands.items() if not command.help] == []
