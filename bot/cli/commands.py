"""``oracle``: the composition root of the command line. Commands are thin; how things look stands in delivery."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from bot.cli.ask import COMMANDS as ASKING
from bot.cli.eval import evaluate
from bot.cli.load import COMMANDS as LOADING
from bot.cli.process_commands import COMMANDS as SERVICES
from bot.cli.search import search
from bot.cli.shared_options import EXIT_FAILED, EXIT_USAGE, fail, print_json
from bot.cli.sources import COMMANDS as SOURCES
from bot.cli.summarize import summarize
from bot.transport.manifest import build_manifest
from workers.errors import ConfigError, OracleError
from workers.settings.load import load_settings

app = typer.Typer(
    name="oracle",
    help="Answers engineering questions with evidence from code, documents and metrics.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
Url = Annotated[str, typer.Option("--url", help="Where Slack reaches the bot (slack.public_url); none: Socket Mode.")]


def manifest(url: Url = "") -> None:
    """Print the Slack app's manifest as JSON, to create the app from; it follows the configuration."""
    print_json(build_manifest(load_settings(), url))


for command in (*ASKING, summarize, search, *SOURCES, *LOADING, *SERVICES, manifest):
    app.command()(command)
app.command("eval")(evaluate)


def run() -> None:
    """Run one command. Exit codes: 0 answered, 1 failed, 2 bad arguments or configuration, 3 a clarifying question."""
    try:
        code = app(standalone_mode=False)
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
    sys.exit(code if isinstance(code, int) else 0)
