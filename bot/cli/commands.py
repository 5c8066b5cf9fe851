"""``oracle``: the table of its commands. A command's module is imported when that command runs, or prints its help."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from bot.cli.exits import EXIT_FAILED, EXIT_USAGE, fail, print_safe
from bot.cli.garbage import kept_for_good
from workers.errors import ConfigError, OracleError
from workers.settings.contributions import find_contributions

COMMANDS = {
    "ask": ("bot.cli.ask", "ask", "Ask a question and print the answer with its evidence."),
    "confirm": ("bot.cli.confirm", "confirm", "Make a change that an answer proposed."),
    "plan": ("bot.cli.ask", "plan", "Show route, intent and plan; nothing is executed."),
    "chat": ("bot.cli.chat", "chat", "Ask in a loop: follow-ups lean on what was said."),
    "show": ("bot.cli.ask", "show", "Show one request: plan, tool calls, evidence, answer."),
    "ground": ("bot.cli.ask", "ground", "Check claims: supported, hypothesis or struck."),
    "summarize": ("bot.cli.summarize", "summarize", "Sum up an incident's channel from a Slack export."),
    "teach": ("bot.cli.teach", "teach", "Teach the classifiers a team's own words, from a YAML file."),
    "search": ("bot.cli.search", "search", "Search code or documents; best first."),
    "metrics": ("bot.cli.sources", "metrics", "Ask one metric: value, baseline, onset, deploys, alerts."),
    "tool": ("bot.cli.sources", "tool", "List the tools, or run one through the wrappers."),
    "task": ("bot.cli.task", "task", "List the background tasks, or run one once, now."),
    "index": ("bot.cli.sources", "index", "Fetch the sources and bring their indexes up to date."),
    "status": ("bot.cli.source_status", "status", "How fresh every source is, and how many questions are open."),
    "check": ("bot.cli.check", "check", "Validate the configuration and ask every backend how it is."),
    "demo": ("bot.cli.sources", "demo", "Build the demo team: repository, documents, metrics."),
    "who-may": ("bot.cli.who_may", "who_may", "Say who may see what, and the line that decides."),
    "token": ("bot.cli.token", "token", "Make, list or end tokens of the HTTP API."),
    "up": ("bot.cli.up", "up", "Open a local Slack in the browser with Oracle in it."),
    "bot": ("bot.cli.processes", "bot", "Receive Slack's events; serve health and metrics."),
    "worker": ("bot.cli.processes", "worker", "Answer questions and refresh indexes, in several processes."),
    "beat": ("bot.cli.processes", "beat", "Ring what is due: the sweeper, the refresh of indexes."),
    "mcp": ("bot.cli.mcp", "mcp", "Serve over MCP: tools, ask_oracle, notes, threads."),
    "manifest": ("bot.cli.manifest", "manifest", "Print the Slack app's manifest as JSON."),
    "eval": ("bot.cli.eval_run", "evaluate", "Ask every case of a suite and judge the answers."),
}
"""Name: module, function, and one line for ``oracle --help``."""
CONTRIBUTED = {one.name: one for one in find_contributions("commands") if one.name not in COMMANDS}
"""Those of families."""


class LazyGroup(TyperGroup):
    """Knows of each command its name and one line, until one is chosen."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The chosen command with its options, in place of its line. Its module is imported here."""
        name, chosen, rest = super().resolve_command(ctx, args)
        return name, load_command(name) if name else chosen, rest


def load_command(name: str) -> Any:
    """A command with all its options, built from its function's signature."""
    single = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    with kept_for_good():
        if name in CONTRIBUTED:
            single.command(name)(CONTRIBUTED[name].load())
        else:
            module, function, _ = COMMANDS[name]
            single.command(name)(getattr(import_module(module), function))
    return typer.main.get_command(single)


LINES = {name: line for name, (_, _, line) in COMMANDS.items()} | {n: one.summary for n, one in CONTRIBUTED.items()}
app = LazyGroup(
    name="oracle",
    help="Answers engineering questions with evidence from code, documents and metrics.",
    commands={name: TyperCommand(name, help=line) for name, line in LINES.items()},
    no_args_is_help=True,
    rich_markup_mode=None,
)


def run() -> None:
    """Run one command. Exit codes: 0 answered, 1 failed, 2 bad arguments or configuration, 3 a clarifying question."""
    try:
        told = app(standalone_mode=False)
        if isinstance(told, str):
            print_safe(told)
    except (typer.Abort, KeyboardInterrupt):
        sys.exit(130)
    except ConfigError as error:
        fail(str(error), EXIT_USAGE)
    except OracleError as error:
        fail(str(error), EXIT_FAILED)
    except BrokenPipeError:
        sys.exit(EXIT_FAILED)
    except typer.TyperException as error:
        fail(error.format_message(), EXIT_USAGE)
    sys.exit(told if isinstance(told, int) else 0)
