"""The import rules hold, and each of them notices when it is broken."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import networkx as nx
import pytest

from workers.settings.load import ROOT

BROKEN = {
    "workers-bot": ("workers/store/broken.py", "import bot"),
    "sandbox": ("slack_sandbox/broken.py", "import workers.errors"),
    "bot-layers": ("bot/parse/broken.py", "import bot.views"),
    "bot-doors": ("bot/broken.py", "from workers.toolkit import tool_call"),
    "layers": ("workers/store/broken.py", "import workers.engine"),
    "acyclic": ("workers/contracts.py", "import workers.ports"),
    "pure": ("workers/engine/broken.py", "import httpx"),
    "tools-apart": ("workers/tools/broken.py", "import workers.tools.broken_too"),
    "sources": ("workers/sources/terms/broken.py", "from workers.sources.code import ranking"),
    "agents-apart": ("workers/agents/research/broken.py", "import workers.agents.operations"),
    "agents-by-entry": ("workers/delivery/broken.py", "import workers.agents.research"),
    "families": ("workers/sources/terms/broken_too.py", "import workers.agents.home.source.home"),
    "family-layers": ("workers/agents/home/source/broken.py", "import workers.agents.home.tools.home_assistant"),
    "family-answers": ("workers/agents/home/language/broken.py", "import workers.agents.home.sections"),
    "agents-doors": ("workers/agents/operations/broken.py", "import workers.store"),
    "slack": ("workers/toolkit/broken.py", "import slack_sdk"),
    "model": ("workers/reasoning/broken.py", "import anthropic"),
    "mcp": ("workers/tools/broken.py", "import mcp"),
}


def lint_imports(folder: Path) -> str:
    """What the linter tells."""
    program = Path(sys.executable).with_name("lint-imports")
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "200"}
    return subprocess.run(
        [program, "--no-cache"], cwd=folder, env=environment, capture_output=True, text=True, check=False
    ).stdout


def outcomes(told: str) -> dict[str, str]:
    """Each rule's name and whether it is KEPT or BROKEN."""
    return dict(re.findall(r"^(.+?) (KEPT|BROKEN)\b", told, re.MULTILINE))


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The sources and the rules, to break."""
    shutil.copy(ROOT / ".importlinter", tmp_path)
    for package in ("bot", "slack_sandbox", "workers"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def rules() -> dict[str, str]:
    config = configparser.ConfigParser()
    config.read(ROOT / ".importlinter")
    prefix = "importlinter:contract:"
    return {s.removeprefix(prefix): config[s]["name"] for s in config.sections() if s.startswith(prefix)}


def test_every_rule_is_kept() -> None:
    assert outcomes(lint_imports(ROOT)) == dict.fromkeys(rules().values(), "KEPT")


def test_every_rule_notices_when_it_is_broken(copied: Path) -> None:
    assert rules().keys() == BROKEN.keys()
    (copied / "workers" / "tools" / "broken_too.py").write_text("")
    for path, line in BROKEN.values():
        with (copied / path).open("a") as file:
            file.write(f"\n{line}\n")
    assert outcomes(lint_imports(copied)) == dict.fromkeys(rules().values(), "BROKEN")


def test_no_file_imports_itself_by_way_of_others() -> None:
    """The rule of the linter is on siblings; a folder and a file in it are none."""
    graph = grimp.build_graph("bot", "slack_sandbox", "workers")
    imports = nx.DiGraph(
        (file, other) for file in graph.modules for other in graph.find_modules_directly_imported_by(file)
    )
    assert len(imports) > 1_000
    assert [sorted(circle) for circle in nx.strongly_connected_components(imports) if len(circle) > 1] == []


FORBIDDEN = {
    "workers/engine/broken_a.py": "import workers.settings.load",
    "workers/engine/broken_b.py": "from workers import toolkit",
    "bot/broken_c.py": "import workers.reasoning",
}
OPEN = {"bot/open_d.py": "from workers.contracts import Question", "workers/engine/open_e.py": "import workers.ports"}


def test_what_is_not_allowed_by_name_is_forbidden_and_doors_stay_open(copied: Path) -> None:
    for path, line in (FORBIDDEN | OPEN).items():
        (copied / path).write_text(f"{line}\n")
    told = lint_imports(copied)
    assert "BROKEN" in outcomes(told).values()
    modules = {path: path.removesuffix(".py").replace("/", ".") for path in FORBIDDEN | OPEN}
    assert {path for path, module in modules.items() if f"{module} ->" in told} == FORBIDDEN.keys()
