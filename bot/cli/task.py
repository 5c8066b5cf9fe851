"""``oracle task``: what families do by the clock; one of them can be run here, once."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from bot.cli.exits import EXIT_FAILED
from bot.cli.shared_options import Json, print_json
from workers.delivery.console import make_console
from workers.delivery.rich_text import safe
from workers.entrypoints.background_tasks import find_tasks, task_periods
from workers.errors import ConfigError
from workers.settings.load import Settings, load_settings
from workers.settings.mistakes import suggest
from workers.store.database import open_database
from workers.store.migrate import migrate


def task(
    name: Annotated[str, typer.Argument(help="The task; without one, all are listed.")] = "", json_out: Json = False
) -> None:
    """List the background tasks, or run one once, now. Workers run them by the clock."""
    settings = load_settings()
    if not name:
        list_tasks(settings, json_out=json_out)
        return
    if name not in find_tasks():
        raise ConfigError(f"task: there is no background task {name!r}{suggest(name, find_tasks())}")
    if name not in task_periods(settings):
        raise ConfigError(f"task: {name} has nothing to do here: nothing that it needs is configured")
    told = run_once(name, settings)
    if json_out:
        print_json([{"line": line, "ok": ok} for line, ok in told])
    for line, ok in () if json_out else told:
        make_console().print(Text.assemble("✓  " if ok else "✗  ", safe(line)), soft_wrap=True)
    if not all(ok for _, ok in told):
        raise typer.Exit(EXIT_FAILED)


def run_once(name: str, settings: Settings) -> list[tuple[str, bool]]:
    """What a run yields, on the database of the deployment. What it raises is passed on, for who wrote it to see."""
    database = open_database(settings.database_url)
    try:
        migrate(database)
        return list(find_tasks()[name].run(database, settings))
    finally:
        database.close()


def list_tasks(settings: Settings, *, json_out: bool) -> None:
    """Every task, and how often it is run here."""
    periods = task_periods(settings)
    if json_out:
        print_json([{"name": name, "every_s": periods.get(name)} for name in find_tasks()])
        return
    grid = Table.grid(padding=(0, 2))
    for name in find_tasks():
        how_often = f"every {periods[name]:g} s" if name in periods else "has nothing to do here"
        grid.add_row(Text(safe(name), "bold cyan"), Text(how_often))
    make_console().print(grid)
