"""The commands over single sources: metrics, tool, index, check, demo."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from bot.cli.exits import EXIT_FAILED, fail
from bot.cli.shared_options import (
    Docs,
    Json,
    Now,
    Prometheus,
    Repos,
    asker_zone,
    open_oracle,
    open_toolbox,
    print_json,
    read_now,
    refresh,
    settings_from,
)
from workers.contracts import LOCAL_USER, ToolCall, ToolOutput
from workers.delivery.console import make_console
from workers.delivery.rich_text import safe
from workers.errors import ConfigError
from workers.ports import ALL_TEAMS, Limits, ToolContext, unmet_needs
from workers.settings.agent_limits import given_to, limits_of
from workers.settings.load import Settings, oracle_home
from workers.toolkit.clock import SystemClock

if TYPE_CHECKING:  # one call of a tool needs no engine
    from workers.bootstrap import Oracle
    from workers.toolkit.toolbox import WrappedToolbox

METRICS = "metrics_query"


def agent_of_tool(settings: Settings, name: str) -> str:
    """The first agent that has a tool which needs neither an agent's module nor another agent; else empty."""
    entry = settings.tree.tools.get(name)
    if entry is None or not entry.on or entry.needs:
        return ""
    return next((n for n, agent in settings.tree.agents.items() if name in agent.tools and not agent.needs), "")


def call_alone(
    settings: Settings, agent: str, name: str, args: dict[str, Any], now: str
) -> tuple[ToolCall, ToolOutput]:
    """Run one tool with an agent's limits, all others off; no engine is built and no agent is loaded."""
    others_off = {n: entry.model_copy(update={"enabled": n == name}) for n, entry in settings.tree.tools.items()}
    alone = replace(settings, tree=settings.tree.model_copy(update={"tools": others_off}))
    with open_toolbox(alone) as toolbox:
        moment = SystemClock(read_now(now)[0]).now()
        context = ToolContext("command-line", agent, moment, asker_zone(settings, now), ALL_TEAMS, LOCAL_USER)
        entry = alone.tree.agents[agent]
        limits = limits_of(entry, alone.tools_of((*entry.tools, *given_to(alone, agent))))
        return call_in(toolbox, context, limits, name, args)


def call_tool(oracle: Oracle, name: str, args: dict[str, Any], zone: str = "UTC") -> tuple[ToolCall, ToolOutput]:
    """Run one tool through the wrappers, with the limits of the first agent that may use it. Raises: ConfigError."""
    agents = [a for a in oracle.engine.agents.values() if name in a.limits.tools]
    if not agents:
        entry = oracle.settings.tree.tools.get(name)
        unmet = unmet_needs((agent.module for agent in oracle.engine.agents.values()), oracle.settings)
        if entry is not None and entry.needs in unmet:
            raise ConfigError(f"tool: {name}: {unmet[entry.needs]}")
        known = ", ".join(oracle.toolbox.tools)
        raise ConfigError(f"tool: no agent may use a tool named {name!r}; there are {known}")
    now, ask = oracle.engine.clock.now(), oracle.engine.ask
    context = ToolContext("command-line", agents[0].name, now, zone, ALL_TEAMS, LOCAL_USER, ask=ask)
    return call_in(oracle.toolbox, context, agents[0].limits, name, args)


def call_in(
    toolbox: WrappedToolbox, context: ToolContext, limits: Limits, name: str, args: dict[str, Any]
) -> tuple[ToolCall, ToolOutput]:
    """Call a tool when the names of its source were read, as a question reads them before its tools run."""
    toolbox.landscapes.read([toolbox.tools[name].tool], context)
    return toolbox.open(context, limits).call("command-line", name, args)


def metrics(
    query: Annotated[str, typer.Argument(help='Such as "metric=latency_p95 window=24h endpoint=/api/search".')],
    prometheus: Prometheus = "",
    now: Now = "",
    json_out: Json = False,
) -> None:
    """Ask one metric: value, baseline, onset, what moved with it, deploys and alerts near by."""
    settings = settings_from(None, None, prometheus)
    if agent := agent_of_tool(settings, METRICS):
        call, output = call_alone(settings, agent, METRICS, {"query": query}, now)
    else:
        with open_oracle(settings, now) as oracle:
            call, output = call_tool(oracle, METRICS, {"query": query}, asker_zone(settings, now))
    show_output(call, output, json_out=json_out)


def tool(
    name: Annotated[str, typer.Argument(help="The tool; without one, all are listed.")] = "",
    args: Annotated[str, typer.Argument(help="Its arguments as a JSON object.")] = "{}",
    json_out: Json = False,
) -> None:
    """List the tools, or run one through the wrappers."""
    with open_oracle(settings_from()) as oracle:
        if not name:
            list_tools(oracle, json_out=json_out)
            return
        try:
            values = json.loads(args)
        except json.JSONDecodeError as error:
            raise ConfigError(f"arguments: not JSON ({error.msg})") from error
        if not isinstance(values, dict):
            raise ConfigError("arguments: must be a JSON object")
        call, output = call_tool(oracle, name, values)
    show_output(call, output, json_out=json_out)


def list_tools(oracle: Oracle, *, json_out: bool) -> None:
    """Every tool with what is told of it: a server's in its own words, once it was asked."""
    tools = [(w.tool, w.tool.told()) for w in oracle.toolbox.tools.values()]
    rows: list[dict[str, Any]] = [
        {
            "name": tool.name,
            "access": tool.access,
            "description": spec.description if spec else tool.description,
            "args": dict(spec.parameters) if spec else tool.args.model_json_schema(),
        }
        for tool, spec in tools
    ]
    if json_out:
        print_json(rows)
        return
    grid = Table.grid(padding=(0, 2))
    for row in rows:
        about = Text(safe(f"{row['description']} Arguments: {', '.join(row['args'].get('properties', ()))}."))
        grid.add_row(Text(row["name"], "bold cyan"), Text(row["access"]), about)
    make_console().print(grid)


def show_output(call: ToolCall, output: ToolOutput, *, json_out: bool) -> None:
    """Print what a tool returned; a failure is one sentence and exit code 1."""
    if output.status in {"error", "timeout", "denied"}:
        if json_out:
            print_json(
                {"status": output.status, "reason": output.reason, "nearest": list(output.nearest), **output.data}
            )
            raise typer.Exit(EXIT_FAILED)
        nearest = f" (nearest: {', '.join(output.nearest[:3])})" if output.nearest else ""
        fail(f"{call.name}: {output.reason}{nearest}", EXIT_FAILED)
    if json_out:
        print_json(output.data)
        return
    console = make_console()
    console.print(Text(safe(output.summary or output.reason or output.status), style="bold"))
    for item in output.evidence:
        link = f"dim link {item.url}" if item.url else "dim"
        console.print(Text.assemble((f"{item.kind:<7}", "cyan"), safe(item.title), (f"  {safe(item.locator)}", link)))
        for line in item.excerpt.splitlines()[:6]:
            console.print(Text(f"        {safe(line)}", style="dim"))
    if output.nearest:
        console.print(Text(f"nearest: {', '.join(output.nearest[:5])}", style="yellow"))


def index(
    repo: Repos = None,
    docs: Docs = None,
    watch: Annotated[int, typer.Option("--watch", help="Look again every so many seconds.", min=0)] = 0,
) -> None:
    """Fetch what lies elsewhere and bring the indexes of code and documents up to date; only what changed is read."""
    from bot.cli.source_status import fetch_all, wait_for_encoder  # with a client of the web, which no tool here needs
    from workers.sources.connections.orphaned_copies import remove_orphaned_copies

    settings = settings_from(repo, docs)
    console = make_console()
    with open_oracle(settings) as oracle:
        while True:
            fetch_all(settings)
            failed = False
            for name, line, ok in refresh(oracle):
                failed = failed or not ok
                console.print(Text(f"{name}: {line}", style="" if ok else "red"))
            for name in remove_orphaned_copies(settings):
                console.print(Text(f"{name}: no longer configured, deleted with its indexes", style="dim"))
            wait_for_encoder()
            if not watch:
                break
            time.sleep(watch)
    if failed:
        raise typer.Exit(EXIT_FAILED)


def demo(
    seed: Annotated[int, typer.Option("--seed", help="Draws the fault; 0 is the default one.")] = 0,
    now: Now = "",
) -> None:
    """Build the demo team: a repository with history, its documents, 48 h of metrics with a bad deploy."""
    from bot.cli.demo import build as build_demo_team  # the generators: no other command of this module needs them

    moment = read_now(now)[0] or datetime.now(UTC).replace(microsecond=0)
    console = make_console()
    with console.status("building the demo team …"):
        made = build_demo_team(oracle_home(), moment.astimezone(UTC), seed)
    console.print(Text(made))
