"""A played agent and its tool: ships that come near to what is asked, with menus and a graph; in a thread as any other.

`install` puts both where the configuration finds them.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from workers.contracts import (
    Claim,
    Draft,
    Evidence,
    Fact,
    GraphEdge,
    GraphNode,
    Intent,
    Landscape,
    Menu,
    Neighbourhood,
    Option,
    Plan,
    Question,
    Step,
    ToolOutput,
)
from workers.delivery.cited_evidence import RANKED_SECTIONS
from workers.ports import Brief, Playbook, ToolContext
from workers.toolkit.tool import Resources, Tool, ToolArgs

SHIPS = (
    ("Albatros", "Hamburg"),
    ("Merle", "Bergen"),
    ("Cormoran", "Hamburg"),
    ("Sterna", "Bergen"),
    ("Puffin", "Leith"),
    ("Sula", "Hamburg"),
    ("Larus", "Leith"),
)
"""Seven ships and their ports, the nearest to any question first."""
PORTS = ("Hamburg", "Bergen", "Leith")
PACKAGE, TOOL = "ship_agent", "ships"
QUESTION_TYPES = {"ship_list": "which ships come near to what is asked"}
CONFIG = {
    "agents.yaml": f"""
ships:
  module: {PACKAGE}
  task: ship_records
  description: Ships and the ports they lie in; reads only.
  tools: [{TOOL}]
  validators: [max_steps, tools_allowed]
""",
    "tools.yaml": f"""
{TOOL}:
  module: {TOOL}
""",
}


class ShipArgs(ToolArgs):
    """What is asked."""

    query: str


def ships(args: ShipArgs, context: ToolContext) -> ToolOutput:
    """Those of the port in brackets; all when there is none."""
    del context
    port = re.search(r"\[port: (\w+)\]", args.query)
    found = [(name, home) for name, home in SHIPS if not port or port[1] == home]
    nodes = [GraphNode(id=name, label=name, kind="ship", weight=1) for name, _ in found]
    nodes += [GraphNode(id=home, label=home, kind="port") for home in PORTS]
    edges = [GraphEdge(source=name, target=home, type="IN_PORT") for name, home in found]
    graph = Neighbourhood(nodes=tuple(nodes), edges=tuple(edges))
    first = Evidence(
        kind="row", title="ships", locator="ships", facts={"count": Fact(value=len(found), unit="count")}, graph=graph
    )
    rows = [
        Evidence(
            kind="row", title=name, locator=f"ships:{name}", facts={"name": Fact(value=name), "port": Fact(value=home)}
        )
        for name, home in found
    ]
    return ToolOutput(summary=f"{len(found)} ships", evidence=(first, *rows))


def build(options: dict[str, Any], resources: Resources) -> Tool:
    del options, resources
    return Tool(name=TOOL, description="ships", access="read", args=ShipArgs, run=ships)


def claim(question: Question, landscape: Landscape) -> float:
    del landscape
    return 1.0 if "ship" in question.text.lower() else 0.0


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    del question, landscape, now, playbook
    return Intent(question_type="ship_list")


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    del intent, landscape, playbook
    step = Step(id="ships", tool=TOOL, args={"query": question.text}, purpose="look through the ships")
    return Plan(pattern="NOVEL", query_intent="list ships", steps=(step,))


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    del playbook
    first, *rows = brief.evidence
    ports = (Option(value=f"[port: {name}]", label=name) for name in PORTS)
    return Draft(
        headline=Claim(template=f"{{{first.id}.count}} ships come near.", evidence=(first.id,)),
        what_changed=tuple(Claim(template=f"*{{{e.id}.name}}* · {{{e.id}.port}}", evidence=(e.id,)) for e in rows),
        menus=(Menu(name="Port", kind="[port:", options=(Option(value="", label="any port"), *ports)),),
    )


def install(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Into the configuration of a home, for one test."""
    package = home / "more" / PACKAGE
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(f"from {__name__} import *\n")
    (package / "patterns.yaml").write_text("{}\n")
    monkeypatch.syspath_prepend(home / "more")
    monkeypatch.setitem(sys.modules, f"workers.tools.{TOOL}", tool_module())
    monkeypatch.setitem(RANKED_SECTIONS, "ship_list", "what_changed")
    (home / "config").mkdir(exist_ok=True)
    for name, text in CONFIG.items():
        with (home / "config" / name).open("a") as file:
            file.write(text)


def tool_module() -> ModuleType:
    """A module of tools that nobody wrote."""
    name = f"workers.tools.{TOOL}"
    spec = importlib.util.spec_from_loader(name, loader=None)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    module.build = build  # type: ignore[attr-defined]
    return module
