"""`oracle load`: operations data into the context database, from files or generated."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from workers.agents.operations.sections import loading_address
from workers.agents.operations.source.database import is_there, open_writing
from workers.agents.operations.source.demo_load import fill
from workers.agents.operations.source.file_load import find_files, load_files
from workers.agents.operations.source.hourly_refresh import refresh_hours
from workers.delivery.console import make_console
from workers.errors import ConfigError
from workers.language.typed_times import read_zoned_time
from workers.settings.load import load_settings
from workers.store.database import Database

REQUESTS = 100_000
MOST_REQUESTS = 20_000_000
Step = Callable[[int], None]

Paths = Annotated[
    list[str] | None, typer.Argument(help="Files named by table (requests.jsonl, users.csv), or folders.")
]
Replace = Annotated[bool, typer.Option("--replace", help="Remove everything that is there first.")]
Url = Annotated[str, typer.Option("--database", help="Another database than the configured one: sqlite or postgresql.")]
Generate = Annotated[bool, typer.Option("--generate", help="An invented team in place of everything that is there.")]
Seed = Annotated[int, typer.Option("--seed", help="Draws the invented team's data.", min=0)]
Count = Annotated[int, typer.Option("--requests", help="How many requests it has.", min=1, max=MOST_REQUESTS)]
Now = Annotated[str, typer.Option("--now", help="The moment that the invented team's data end at (RFC 3339).")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Only sum up the hours that have changed, for fast answers.")]


def load(
    paths: Paths = None,
    replace: Replace = False,
    database: Url = "",
    generate: Generate = False,
    seed: Seed = 0,
    requests: Count = REQUESTS,
    now: Now = "",
    refresh: Refresh = False,
) -> None:
    """Load operations data: deployments, users, requests, incidents, scores. One wrong row, and nothing is loaded."""
    if sum((bool(paths), generate, refresh)) != 1:
        raise ConfigError("load: give files, or --generate, or --refresh")
    if replace and not paths:
        raise ConfigError("--replace: goes with files; --generate always replaces what is there")
    files = find_files([Path(path).expanduser() for path in paths or ()])
    moment = read_zoned_time(now, "--now") if now else datetime.now(UTC)
    with opened(database or loading_address(load_settings())) as (target, place):
        if refresh and not is_there(target):
            raise ConfigError(f"--refresh: there are no operations data at {place}; load some first")
        if generate:
            with bar("generating", requests) as step:
                said(fill(target, moment, seed, requests, step), place)
        elif files:
            with bar("loading", sum(path.stat().st_size for _, path in files)) as step:
                loaded = load_files(target, files, replace=replace, progress=step)
            said(loaded.rows, place, f", {loaded.changed:,} of them new or changed")
        with bar("summing up hours", None) as step:
            hours = refresh_hours(target, step)
        make_console().print(Text(f"{hours:,} {'hour' if hours == 1 else 'hours'} summed up", style="dim"))


@contextmanager
def opened(address: str) -> Iterator[tuple[Database, str]]:
    """A database to write to, and its address. An SQLite file that is not there yet is made beside its place, and takes
    it when all is well: what fails or is stopped leaves nothing behind."""
    target = open_writing(address)
    name, shown = target.engine.url.database, target.address
    if target.engine.dialect.name != "sqlite" or not name or Path(name).exists():
        try:
            yield target, shown
        finally:
            target.close()
        return
    target.close()
    beside = f"{name}.{os.getpid()}.new"
    target = open_writing(f"sqlite:///{beside}")
    try:
        yield target, shown
        target.close()
        Path(beside).replace(name)
    finally:
        target.close()
        for end in ("", "-wal", "-shm"):
            Path(f"{beside}{end}").unlink(missing_ok=True)


@contextmanager
def bar(what: str, total: int | None) -> Iterator[Step]:
    """A progress bar on a terminal; nothing elsewhere."""
    console = make_console(error=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as shown:
        task = shown.add_task(what, total=total)
        yield lambda step: shown.advance(task, step)


def said(rows: Mapping[str, int], place: str, more: str = "") -> None:
    """One line on what was loaded, and where to."""
    parts = ", ".join(f"{count:,} {name}" for name, count in rows.items())
    make_console().print(Text(f"{parts}{more} → {place}"))
