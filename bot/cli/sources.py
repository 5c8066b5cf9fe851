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
    print_json,
    read_now,
    refresh,
    settings_from,
)
from bot.cli.source_status import check_remotes, fetch_all, print_standings, standing_data, wait_for_encoder
from workers.contracts import LOCAL_USER, Role, ToolCall, ToolOutput
from workers.delivery.rich_text import safe
from workers.delivery.terminal_text import make_console
from workers.errors import ChatError, ConfigError, OracleError
from workers.ports import ALL_TEAMS, ToolContext, unmet_needs
from workers.settings.load import ROOT, Settings, oracle_home, shown_path
from workers.settings.schema import Endpoint
from workers.sources.connections.orphaned_copies import remove_orphaned_copies
from workers.sources.connections.source_status import source_statuses

if TYPE_CHECKING:
    from workers.bootstrap import Oracle


def settings_of_tool(settings: Settings, name: str) -> Settings:
    """Settings for calls of one tool: the others are off, and there is no agent but the first that may use it. All of
    them where there is none, or where the tool or the agent needs what an agent's module tells."""
    tree = settings.tree
    first = next((n for n, entry in tree.agents.items() if name in entry.tools and not entry.needs), "")
    if not first or name not in tree.tools or not tree.tools[name].on or tree.tools[name].needs:
        return settings
    off = {n: entry.model_copy(update={"enabled": n == name}) for n, entry in tree.tools.items()}
    narrow = {"tools": off, "agents": {first: tree.agents[first]}, "patterns": {}}
    return replace(settings, tree=tree.model_copy(update=narrow))


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
    context = ToolContext("command-line", agents[0].name, oracle.engine.clock.now(), zone, ALL_TEAMS, LOCAL_USER)
    oracle.toolbox.landscapes.read(
        [oracle.toolbox.tools[name].tool], context
    )  # what a question reads before its tools run
    return oracle.engine.toolbox.open(context, agents[0].limits).call("command-line", name, args)


def metrics(
    query: Annotated[str, typer.Argument(help='Such as "metric=latency_p95 window=24h endpoint=/api/search".')],
    prometheus: Prometheus = "",
    now: Now = "",
    json_out: Json = False,
) -> None:
    """Ask one metric: value, baseline, onset, what moved with it, deploys and alerts near by."""
    settings = settings_from(None, None, prometheus)
    with open_oracle(settings_of_tool(settings, "metrics_query"), now) as oracle:
        call, output = call_tool(oracle, "metrics_query", {"query": query}, asker_zone(settings, now))
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


def check(repo: Repos = None, docs: Docs = None, prometheus: Prometheus = "", json_out: Json = False) -> None:
    """Validate the configuration, ask every backend how it is, and say what is missing."""
    from bot.transport.hook_secrets import describe_hooks
    from workers.reasoning.model.prompts import read_prompts

    settings = settings_from(repo, docs, prometheus)
    rows: list[tuple[str, bool, str]] = []
    prompts = read_prompts()
    rows.append(("prompts", True, f"{len(prompts)} of them, all of which can be filled"))
    with open_oracle(settings) as oracle:
        rows.append(("database", True, oracle.store.database.ping()))
        rows += [row for row in (check_slack(settings), check_broker(settings)) if row]
        rows.append(("hooks", True, describe_hooks(settings.core)))
        rows += check_tools(oracle)
        rows += check_remotes(settings)
        rows += check_models(oracle)
    table = source_statuses(settings)
    base = shown_path(ROOT / "config")
    layers = {k: v for k, v in settings.origin.items() if k.count(".") == 1 and not v.startswith(base)}
    bad = any(not ok for _, ok, _ in rows)
    if json_out:
        print_json(
            {
                "ok": not bad,
                "checks": [{"name": n, "ok": ok, "detail": d} for n, ok, d in rows],
                "sources": [standing_data(row) for row in table],
                "origin": dict(settings.origin),
            }
        )
    else:
        console = make_console()
        grid = Table.grid(padding=(0, 2))
        for name, ok, detail in rows:
            grid.add_row(Text("✓" if ok else "✗", style="green" if ok else "red"), Text(name, "bold"), Text(detail))
        console.print(grid)
        print_standings(console, table)
        for key, place in sorted(layers.items()):
            console.print(Text(f"{key} from {place}", style="dim"))
    if bad:
        raise typer.Exit(EXIT_FAILED)


def check_tools(oracle: Oracle) -> list[tuple[str, bool, str]]:
    """Every tool's backend, a server once for all its tools; an entry that is off names what it lacks."""
    rows: dict[str, tuple[str, bool, str]] = {}
    unmet = unmet_needs((agent.module for agent in oracle.engine.agents.values()), oracle.settings)
    entries = oracle.settings.tree.tools
    for tool in (w.tool for w in oracle.toolbox.tools.values()):
        name = tool.entry or tool.name
        if name in rows:
            continue
        if name in entries and entries[name].needs in unmet:
            rows[name] = (name, True, f"off: {unmet[entries[name].needs]}")
            continue
        try:
            rows[name] = (name, True, oracle.toolbox.redactor.text(tool.ping()) if tool.ping else "ready")
        except OracleError as error:
            rows[name] = (name, False, oracle.toolbox.redactor.text(str(error)))
    for name, entry in entries.items():
        if entry.enabled and entry.unset:
            several = "variables" if len(entry.unset) > 1 else "variable"
            rows[name] = (name, True, f"off: environment {several} {', '.join(entry.unset)} not set")
    return list(rows.values())


def check_models(oracle: Oracle) -> list[tuple[str, bool, str]]:
    """Every role's model, each endpoint and model asked once."""
    if not oracle.reasoner_access.ping:
        return [("language model", True, "none: the rules answer (set ANTHROPIC_API_KEY for one that thinks)")]
    models, rows = oracle.settings.tree.models, list[tuple[str, bool, str]]()
    alike: dict[tuple[Endpoint, str], list[Role]] = {}
    for role, entry in models.roles.items():
        alike.setdefault((models.endpoint_of(entry), entry.model), []).append(role)
    for roles in alike.values():
        name = f"model for {', '.join(roles)}"
        try:
            rows.append((name, True, oracle.reasoner_access.ping[roles[0]]()))
        except OracleError as error:
            rows.append((name, False, f"{models.roles[roles[0]].model}: {error}"))
    return rows


def check_slack(settings: Settings) -> tuple[str, bool, str] | None:
    """Whether Slack knows the bot token; None when none is configured."""
    if not settings.core.slack.bot_token:
        return None
    from workers.delivery.slack_chat import SlackChat

    try:
        _, user = SlackChat(settings.core.slack.bot_token, settings.core.slack.api_url).identity()
    except ChatError as error:
        return "slack", False, str(error)
    way = "Socket Mode" if settings.core.slack.app_token else "HTTP"
    return "slack", True, f"connected as {user}, events over {way}"


def check_broker(settings: Settings) -> tuple[str, bool, str] | None:
    """Whether Redis answers; None when none is configured."""
    if not settings.core.redis_url:
        return None
    import redis

    client = redis.Redis.from_url(settings.core.redis_url, socket_connect_timeout=1, socket_timeout=2)
    try:
        client.ping()
    except redis.exceptions.RedisError as error:
        return "redis", False, str(error)
    finally:
        client.close()
    return "redis", True, "answers"


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
