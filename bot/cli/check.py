"""``oracle check``: what fails, and how each configured source stands; all else behind ``--all``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from bot.cli.demo_services import DEMO, demo_services
from bot.cli.exits import EXIT_FAILED
from bot.cli.package_faults import find_faults
from bot.cli.shared_options import Docs, Json, Prometheus, Repos, open_oracle, print_json, settings_from
from bot.cli.source_status import UNITS, check_remotes, since, standing_data
from workers.access.sources import policy_of, rules_without_effect
from workers.bootstrap import Oracle
from workers.contracts import Role
from workers.delivery.console import make_console
from workers.delivery.rich_text import safe
from workers.errors import ChatError, NotConnected, OracleError, StoreUnavailable
from workers.ports import unmet_needs
from workers.settings.configured_paths import missing_paths, tells_of
from workers.settings.load import Settings, shipped_places
from workers.settings.mistakes import suggest
from workers.settings.schema import Endpoint
from workers.sources.connections.source_status import SourceStatus, left_out, source_statuses
from workers.sources.http_answers import explain
from workers.toolkit.tool import Tool

All = Annotated[bool, typer.Option("--all", "-v", help="Every tool, what is off and why, where each value came from.")]
ACCESS = "access"
DOTTED = re.compile(r"\b[a-z][a-z_]*(?:\.[a-z_0-9]+)+\b")


@dataclass(frozen=True)
class Check:
    """One thing that was looked at. ``source``: what it reads, empty for what is none; ``off``: it is not connected."""

    name: str
    ok: bool
    detail: str
    source: str = ""
    off: bool = False
    key: str = ""


def check(
    repo: Repos = None, docs: Docs = None, prometheus: Prometheus = "", json_out: Json = False, everything: All = False
) -> None:
    """Validate the configuration, ask every backend how it is, and say what fails."""
    from bot.transport.hook_secrets import describe_hooks
    from workers.reasoning.model.prompts import read_prompts

    settings = settings_from(repo, docs, prometheus)
    rows = [Check("prompts", True, f"{len(read_prompts())} of them, all of which can be filled")]
    rows += check_packages(settings)
    with naming_database_address(settings), open_oracle(settings) as oracle:
        rows.append(Check("database", True, oracle.store.database.ping(), "database"))
        rows += [row for row in (check_slack(settings), check_broker(settings)) if row]
        rows.append(Check("hooks", True, describe_hooks(settings.core)))
        rows.append(check_access(settings))
        rows += [*check_tools(oracle), *check_plans(oracle)]
        rows += [Check(name, ok, detail, key=key) for name, ok, detail, key in check_remotes(settings)]
        rows += check_models(oracle)
    table = source_statuses(settings)
    missing = missing_paths(settings)
    faults = [*missing.values(), *fault_lines(settings, rows, table, missing)]
    bad = bool(missing) or any(not row.ok for row in rows)
    if json_out:
        print_json(
            {
                "ok": not bad,
                "faults": faults,
                "checks": [{"name": row.name, "ok": row.ok, "detail": row.detail} for row in rows],
                "sources": [standing_data(row) for row in table],
                "origin": dict(settings.origin),
            }
        )
    else:
        print_checks(make_console(), settings, rows, table, faults, everything=everything)
    if bad:
        raise typer.Exit(EXIT_FAILED)


@contextmanager
def naming_database_address(settings: Settings) -> Iterator[None]:
    """A database that fails is told with the place of its address. Raises: StoreUnavailable."""
    try:
        yield
    except StoreUnavailable as error:
        place = settings.where("oracle.database_url")
        raise StoreUnavailable(f"{place}: database_url: {error}") from error


# --- what is printed ------------------------------------------------------------------------------------------


def print_checks(
    console: Console,
    settings: Settings,
    rows: Sequence[Check],
    table: Sequence[SourceStatus],
    faults: Sequence[str],
    *,
    everything: bool,
) -> None:
    """Faults first, then a line on each source that is read; with ``everything`` each tool and each value's place."""

    def line(mark: str, style: str, text: str) -> None:
        console.print(Text.assemble((mark, style), "  ", safe(text)), soft_wrap=True)

    for fault in faults:
        line("✗", "red", fault)
    for text in source_lines(rows, table):
        line("✓", "green", text)
    if off := list(dict.fromkeys(row.source or row.name for row in rows if row.off)):
        line("·", "dim", f"not connected: {', '.join(off)}{'' if everything else ' (--all says how)'}")
    if everything:
        for row in rows:
            line("✓" if row.ok else "✗", "green" if row.ok else "red", f"{row.name}: {row.detail}")
        shipped = shipped_places()
        for key, place in sorted(settings.origin.items()):
            if key.count(".") == 1 and not place.startswith(shipped):
                line(" ", "", f"{key} from {place}")
    elif not faults:
        line("✓", "green", "nothing fails")


def fault_lines(
    settings: Settings, rows: Sequence[Check], table: Sequence[SourceStatus], missing: Mapping[str, str]
) -> Iterator[str]:
    """Each thing that is wrong beside missing paths, once, with the place that a person would change."""
    told = {row.problem for row in table if row.problem}
    wrong = {row.detail: row for row in reversed(rows) if not row.ok}
    for detail, row in reversed(wrong.items()):
        if not tells_of(detail, missing) and not all(part in told for part in detail.split("; ")):
            name = row.source or row.name
            said = detail if detail.casefold().startswith(name.casefold()) else f"{name}: {detail}"
            yield f"{place_of_fault(settings, row)}{said}"
    for problem in sorted(told):
        named = [row.name for row in table if row.problem == problem]
        if not tells_of(problem, missing):
            yield f"{', '.join(named)}: {problem}"


def place_of_fault(settings: Settings, row: Check) -> str:
    """File and line of the key that a sentence names, else of the key that connects the source; with a colon."""
    shipped = shipped_places()
    keys = [
        key for key in (*DOTTED.findall(row.detail), row.key) if key and settings.where(f"oracle.{key}") != "default"
    ]
    key = next((key for key in keys if not settings.where(f"oracle.{key}").startswith(shipped)), next(iter(keys), ""))
    told = key in row.detail or key == row.source
    return f"{settings.where(f'oracle.{key}')}: {'' if told else f'{key}: '}" if key else ""


def source_lines(rows: Sequence[Check], table: Sequence[SourceStatus]) -> Iterator[str]:
    """What each source that can be read is, how much of it was read, and how old that is."""
    for one in table:
        if one.problem:
            continue
        count = (
            "not read yet"
            if one.count is None
            else f"{one.count:,} {UNITS[one.tool][: None if one.count != 1 else -1]}"
        )
        made = f"commit {one.commit[:7]} made {since(one.committed_at)}" if one.commit else ""
        read = f"indexed {since(one.indexed_at)}" if one.indexed_at else ""
        fetched = f"fetched {since(one.fetched_at)}" if one.fetched_at else ""
        parts = (count, made, read, fetched, one.doing, one.note, left_out(one))
        kind = "code" if one.tool == "repo_search" else "documents"
        yield f"{kind} {one.name} ({one.place}): {', '.join(filter(None, parts))}"
    failed = {row.source for row in rows if not row.ok}
    told = {row.source: row.detail for row in rows if row.source and row.ok and not row.off}  # the family's last word
    yield from (f"{source}: {detail}" for source, detail in told.items() if source not in failed)


# --- what is asked --------------------------------------------------------------------------------------------


def check_access(settings: Settings) -> Check:
    """Whether there is a policy, and whether each of its rules gives something that is there."""
    policy = policy_of(settings)
    if policy is None:
        return Check(ACCESS, True, "no policy: everyone who may ask may see everything (config/access.yaml)", ACCESS)
    idle = tuple(rules_without_effect(settings))
    line = f"{len(policy.rules)} rules; what none of them gives is not there"
    return Check(ACCESS, not idle, "; ".join(idle) or line, ACCESS)


def check_packages(settings: Settings) -> Iterator[Check]:
    """What each installed package brings, or what of it cannot be used."""
    for family in settings.families:
        faults = () if family.failure else tuple(find_faults(family.package))
        yield Check(family.package, not (family.failure or faults), "; ".join(faults) or family.line)


def check_tools(oracle: Oracle) -> list[Check]:
    """Every tool's backend, a server once for all its tools; an entry that is off names what it lacks."""
    rows: dict[str, Check] = {}
    unmet = unmet_needs((agent.module for agent in oracle.engine.agents.values()), oracle.settings)
    entries = oracle.settings.tree.tools
    clean = oracle.toolbox.redactor.text
    for tool in (w.tool for w in oracle.toolbox.tools.values()):
        name = tool.entry or tool.name
        if name in rows:
            continue
        source, key = tool.source, tool.key
        if name in entries and entries[name].needs in unmet:
            rows[name] = Check(name, True, f"off: {unmet[entries[name].needs]}", source, off=True)
            continue
        try:
            rows[name] = Check(name, True, clean(ask_backend(tool, oracle.settings)), source if tool.ping else "")
        except NotConnected as error:
            rows[name] = Check(name, True, f"off: {error}", source, off=True)
        except OracleError as error:
            rows[name] = Check(name, False, clean(str(error)), source, key=key)
        except Exception as error:  # noqa: BLE001 - whatever code of a package raises, the others are asked
            rows[name] = Check(name, False, clean(f"its ping raised {type(error).__name__}: {error}"), source)
    for name, entry in entries.items():
        if entry.enabled and entry.unset:
            several = "variables" if len(entry.unset) > 1 else "variable"
            detail = f"off: environment {several} {', '.join(entry.unset)} not set"
            rows[name] = Check(name, True, detail, "servers over MCP", off=True)
    return list(rows.values())


def check_plans(oracle: Oracle) -> Iterator[Check]:
    """Arguments in known plans that their tools do not have."""
    settings = oracle.settings
    for name, pattern in settings.tree.patterns.items():
        for i, step in enumerate(pattern.steps):
            tool = oracle.toolbox.tools[step.tool].tool if step.tool in oracle.toolbox.tools else None
            known = tool.args.model_fields if tool and not tool.spec else step.args
            for unknown in (argument for argument in step.args if argument not in known):
                key = f"{name}.steps.{i}.args"
                near = suggest(unknown, known)
                detail = f"{key}: {step.tool} has no argument {unknown!r}{near}"
                yield Check(settings.where(f"patterns.{key}.{unknown}"), False, detail)


def ask_backend(tool: Tool, settings: Settings) -> str:
    """A line on what a tool reads. Raises: ToolError, StoreUnavailable.

    A service of the demo ends with the command that served it, which may be another one: it is served and asked again.
    """
    if tool.ping is None:
        return "ready"
    try:
        return tool.ping()
    except OracleError:
        if settings.core.environment != DEMO:
            raise
    with demo_services(settings):
        return tool.ping()


def check_models(oracle: Oracle) -> Iterable[Check]:
    """Every role's model, each endpoint and model asked once."""
    name = "language model"
    if not oracle.reasoner_access.ping:
        yield Check(name, True, "none: the rules answer (set ANTHROPIC_API_KEY for one that thinks)", name, off=True)
        return
    models = oracle.settings.tree.models
    alike: dict[tuple[Endpoint, str], list[Role]] = {}
    for role, entry in models.roles.items():
        alike.setdefault((models.endpoint_of(entry), entry.model), []).append(role)
    failed: dict[str, list[str]] = {}
    for (endpoint, model), roles in alike.items():
        name = f"model for {', '.join(roles)}"
        try:
            yield Check(name, True, oracle.reasoner_access.ping[roles[0]](), name)
        except OracleError as error:
            key = "base_url" if endpoint.base_url and "reached" in str(error) else "api_key"
            failed.setdefault(f"{error} (models.yaml, endpoint.{key})", []).append(model)
    for why, names in failed.items():
        yield Check("language model", False, f"{', '.join(names)}: {why}", "language model")


def check_slack(settings: Settings) -> Check | None:
    """Whether Slack knows the bot token; None when none is configured."""
    if not settings.core.slack.bot_token:
        lacks = Check("slack", False, "slack.bot_token is empty, and slack.app_token is set", "slack")
        return lacks if settings.core.slack.app_token else None
    from workers.delivery.slack_chat import SlackChat

    try:
        _, user = SlackChat(settings.core.slack.bot_token, settings.core.slack.api_url).identity()
    except ChatError as error:
        return Check("slack", False, str(error), "slack", key="slack.bot_token")
    way = "Socket Mode" if settings.core.slack.app_token else "HTTP"
    return Check("slack", True, f"connected as {user}, events over {way}", "slack")


def check_broker(settings: Settings) -> Check | None:
    """Whether Redis answers; None when none is configured."""
    if not settings.core.redis_url:
        return None
    import redis

    client = redis.Redis.from_url(settings.core.redis_url, socket_connect_timeout=1, socket_timeout=2)
    try:
        client.ping()
    except redis.exceptions.RedisError as error:
        return Check("redis", False, f"redis does not answer: {explain(error)}", "redis", key="redis_url")
    finally:
        client.close()
    return Check("redis", True, "answers", "redis")
