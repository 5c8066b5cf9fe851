"""How sources stand, on a terminal: the table, the command that prints it, and fetching while someone watches."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from bot.cli.shared_options import Json, open_oracle, print_json, settings_from
from bot.listeners.health import DAYS, why_nothing_is_kept
from bot.views.status import hook_line, refusal_line
from workers.contracts import rfc3339
from workers.delivery.console import make_console
from workers.delivery.rich_text import safe
from workers.errors import ToolUnavailable
from workers.requests.ledger import open_ledger
from workers.settings.load import Settings
from workers.sources.connections.git_mirrors import look
from workers.sources.connections.local_copies import LocalCopy, read_state
from workers.sources.connections.open_sources import local_copies
from workers.sources.connections.refresh import refresh_copies
from workers.sources.connections.source_status import SourceStatus, ago, left_out, source_statuses
from workers.sources.connections.web_crawl import probe
from workers.sources.documents.encoding_backlog import BACKLOG
from workers.store.hook_events import HookEvents, list_hook_events
from workers.store.refusals import Refusals, list_refusals

PROBE_S = 15.0
COLUMNS = ("", "source", "commit", "committed", "holds", "indexed", "fetched", "")
UNITS = {"repo_search": "files", "doc_search": "documents"}


def status(json_out: Json = False) -> None:
    """How fresh every source is, what is being fetched, how many questions are open, and what hooks were told."""
    settings = settings_from()
    with open_oracle(settings) as oracle:
        ledger = open_ledger(settings, oracle.store.database, oracle.toolbox.redactor.text)
        counts, oldest_s = ledger.counts(), ledger.oldest_open_s()
        hooks = list_hook_events(oracle.store.database)
        refused = list_refusals(oracle.store.database, DAYS)
        unkept = why_nothing_is_kept(oracle.store.database)
    rows = source_statuses(settings)
    if json_out:
        questions = {"by_stage": counts, "oldest_open_s": round(oldest_s, 3)}
        sources = [standing_data(row) for row in rows]
        told = {"hooks": [hook_data(hook) for hook in hooks], "refused": [refusal_data(one) for one in refused]}
        print_json({"questions": questions, "sources": sources, **told, "database": unkept or "ok"})
        return
    console = make_console()
    open_now = f"oldest open question: {oldest_s:.0f} s" if oldest_s else "no question is open"
    console.print(Text(open_now))
    if not rows:
        console.print(Text("no repository and no documents are connected", style="yellow"))
    print_standings(console, rows)
    if unkept:
        console.print(Text(unkept, style="red"))
    for one in refused:
        console.print(Text(refusal_line(one, datetime.now(UTC)), "yellow"))
    for hook in hooks:
        console.print(Text(hook_line(hook, datetime.now(UTC)), "yellow" if hook.ignored or hook.refused else ""))


def refusal_data(one: Refusals) -> dict[str, Any]:
    """What was refused for one reason as plain data."""
    return {**asdict(one), "last_at": rfc3339(one.last_at)}


def hook_data(hook: HookEvents) -> dict[str, Any]:
    """The events of one hook as plain data; moments RFC 3339, null when there is none."""
    moments = {"last_at": rfc3339(hook.last_at), "reason_at": rfc3339(hook.reason_at) if hook.reason_at else None}
    return {**asdict(hook), "reason": hook.reason or None, **moments}


def print_standings(console: Console, rows: Sequence[SourceStatus]) -> None:
    """The table; nothing without sources."""
    if not rows:
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in COLUMNS:
        table.add_column(name)
    for row in rows:
        mark = ("✓", "green") if row.ok and row.count is not None else ("✗", "red") if not row.ok else ("…", "yellow")
        said = "; ".join(filter(None, [row.doing, row.note, left_out(row), row.problem]))
        table.add_row(
            Text(*mark),
            Text(safe(row.name), "bold"),
            row.commit[:7],
            since(row.committed_at),
            "" if row.count is None else f"{row.count:,} {UNITS[row.tool]}",
            since(row.indexed_at),
            since(row.fetched_at),
            Text(safe(said), "" if row.ok else "red"),
        )
    console.print(table)


def since(seconds: float) -> str:
    """How long ago a moment was; empty for none."""
    return f"{ago(seconds)} ago" if seconds else ""


def standing_data(row: SourceStatus) -> dict[str, Any]:
    """One row as plain data; moments RFC 3339, null when there is none."""

    def moment(seconds: float) -> str | None:
        return rfc3339(datetime.fromtimestamp(seconds, UTC)) if seconds else None

    return {
        "tool": row.tool,
        "name": row.name,
        "place": row.place,
        "kind": row.kind,
        "commit": row.commit or None,
        "committed_at": moment(row.committed_at),
        UNITS[row.tool]: row.count,
        "indexed_at": moment(row.indexed_at),
        "fetched_at": moment(row.fetched_at),
        "doing": row.doing,
        "note": row.note,
        "skipped": dict(row.skipped),
        "problem": row.problem,
        "ok": row.ok,
    }


def fetch_all(settings: Settings) -> None:
    """Fetch and crawl everything elsewhere, with a bar for each; what fails is told by the refresh after it."""
    console = make_console(error=True)
    columns = (TextColumn("{task.fields[name]}"), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        tasks: dict[str, TaskID] = {}

        def changed(one: LocalCopy) -> None:
            state = read_state(one)
            if one.key not in tasks:
                tasks[one.key] = bars.add_task("", total=100, name=safe(one.name))
            said = f"{state.doing}, {state.done:,} of {state.total:,} files" if state.total else state.doing
            bars.update(tasks[one.key], completed=state.percent if state.doing else 100, description=said)

        refresh_copies(settings, changed)


def wait_for_encoder() -> None:
    """Wait until all that is read is encoded, with a bar."""
    console = make_console(error=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("sections and notes", total=None)
        BACKLOG.wait(
            lambda done, total: bars.update(
                task, completed=done, total=total, description=f"encoded {done:,} of {total:,} sections and notes"
            )
        )


def check_remotes(settings: Settings) -> list[tuple[str, bool, str, str]]:
    """Whether everything elsewhere answers now, with the key of ``oracle.yaml`` that names it."""
    core, rows = settings.core, []
    keys = {source.url: f"repositories.{i}" for i, source in enumerate(core.repositories)}
    keys |= {one.repository or one.site: f"documents.{i}" for i, one in enumerate(core.documents)}
    for kept in local_copies(settings).values():
        began = time.monotonic()
        try:
            told = probe(kept) if kept.kind == "site" else describe_remote(kept)
        except ToolUnavailable as error:
            rows.append((f"{kept.kind} {kept.name}", False, str(error), keys.get(kept.address, "")))
        else:
            rows.append((f"{kept.kind} {kept.name}", True, f"{told} ({time.monotonic() - began:.1f} s)", ""))
    return rows


def describe_remote(kept: LocalCopy) -> str:
    """What a repository elsewhere has. Raises: ToolUnavailable."""
    refs = look(kept, PROBE_S)
    if not refs.branches:
        return "answers, and is empty"
    head = refs.head.removeprefix("refs/heads/") or "none it names"
    count = len(refs.branches)
    return f"answers: {count:,} branch{'es' * (count != 1)}, {head} is the default"
