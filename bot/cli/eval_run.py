"""``oracle eval``: runs a suite of cases, shows what is right and what is not, compares two runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import ValidationError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from bot.cli.exits import EXIT_FAILED
from bot.cli.shared_options import settings_from
from workers.delivery.console import make_console
from workers.errors import ConfigError, ModelFailed
from workers.evals.case_score import CaseResult
from workers.evals.cases import Suite, load_suite
from workers.evals.downvoted_cases import export_bad
from workers.evals.report import compare, figures, render_compared, render_failed, render_figures, render_notes
from workers.evals.suite_run import ReasonerName, chosen, run_suite
from workers.evals.yaml_models import Piece
from workers.settings.load import Settings, load_settings
from workers.store.request_logs import open_store
from workers.toolkit.redaction import build_redactor

PIPE_COLUMNS = 130

SuitePath = Annotated[Path, typer.Argument(help="A YAML file of cases, or a folder of them.")]
Reasoner = Annotated[Literal["rules", "auto", "claude"], typer.Option("--reasoner", help="auto: as configured.")]
Jobs = Annotated[int, typer.Option("--jobs", help="Cases side by side, each in a process of its own.", min=1, max=64)]
JsonFile = Annotated[Path | None, typer.Option("--json", help="Write every case's result to this file.")]
Before = Annotated[Path | None, typer.Option("--compare", help="A file that --json wrote: show what changed since.")]
Only = Annotated[str, typer.Option("--only", help="Only the cases whose id holds this.")]
FailUnder = Annotated[
    float, typer.Option("--fail-under", help="Exit with 1 when a smaller share is fully right.", min=0, max=1)
]
Export = Annotated[
    bool,
    typer.Option("--export-downvoted", help="Append this deployment's answers marked as bad to the file, as cases."),
]


class RunFile(Piece):
    """What ``--json`` writes and ``--compare`` reads."""

    suite: str
    reasoner: str
    figures: dict[str, float | None]
    cases: tuple[CaseResult, ...]


def evaluate(
    suite: SuitePath,
    reasoner: Reasoner = "auto",
    jobs: Jobs = 2,
    json_file: JsonFile = None,
    before: Before = None,
    only: Only = "",
    fail_under: FailUnder = 0.0,
    export_downvoted: Export = False,
) -> None:
    """Ask every case of a suite and hold the answers against what was expected."""
    if export_downvoted:
        export_downvotes(suite)
        return
    right = run_cases(suite, reasoner, jobs, json_file, before, only)
    if right < fail_under:
        raise typer.Exit(EXIT_FAILED)


def run_cases(
    suite: Path, reasoner: ReasonerName, jobs: int, json_file: Path | None, before: Path | None, only: str
) -> float:
    """Run a suite and show what came of it.

    Args:
        suite: a file of cases or a folder of them.
        reasoner: who thinks.
        jobs: processes.
        json_file: where every result is written.
        before: an earlier one of these, to compare with.
        only: a part of the ids of the cases to run.

    Returns: the share of cases that are fully right.

    Raises:
        ConfigError: the suite, an earlier run or the configuration is wrong.
        ModelFailed: today's budget was used up before every case was asked; the others were shown.
    """
    settings = load_settings()
    check_reasoner(settings, reasoner)
    earlier = [case for case in read_run(before).cases if only in case.id] if before else None
    loaded = load_suite(suite)
    loaded = replace(loaded, cases=tuple(chosen(loaded, only)))
    if not loaded.cases:
        raise ConfigError(f"--only: no case of {suite} has {only!r} in its id")
    results, spent = ask_all(loaded, settings, reasoner, jobs)
    made = RunFile(suite=str(suite), reasoner=reasoner, figures=figures(results), cases=results)
    if json_file:
        write_run(json_file, made)
    show(make_wide_console(), made, earlier)
    if spent:
        raise spent
    return made.figures["fully right"] or 0.0


def ask_all(
    suite: Suite, settings: Settings, reasoner: ReasonerName, jobs: int
) -> tuple[tuple[CaseResult, ...], ModelFailed | None]:
    """Run the cases while a bar shows how far it is.

    Returns: what came of them in the suite's order, and why not all of them were asked, if so.

    Raises:
        ModelFailed: today's budget was used up before the first case was done.
        OracleError: see `workers.evals.suite_run.run_suite`.
    """
    ended: dict[str, CaseResult] = {}
    with progress(suite) as done:

        def keep(result: CaseResult) -> None:
            ended[result.id] = result
            done(result)

        try:
            return run_suite(suite, settings, reasoner, jobs, keep), None
        except ModelFailed as error:
            stopped = ModelFailed(f"stopped after {len(ended)} of {len(suite.cases)} cases: {error}", lasting=True)
            if not ended:
                raise stopped from error
    return tuple(ended[entry.case.id] for entry in suite.cases if entry.case.id in ended), stopped


def check_reasoner(settings: Settings, name: ReasonerName) -> None:
    """A model that is asked for is there. Raises: ConfigError."""
    models = settings.tree.models
    if name == "claude" and not any(models.endpoint_of(role).connected for role in models.roles.values()):
        raise ConfigError(
            "--reasoner: no language model is connected; set ANTHROPIC_API_KEY, or endpoint in models.yaml"
        )


def show(console: Console, made: RunFile, earlier: Sequence[CaseResult] | None) -> None:
    """The table, what failed, and what changed."""
    console.print(render_figures(made.cases, console.width))
    console.print(render_notes(made.cases), soft_wrap=True)
    console.print(render_failed(made.cases), soft_wrap=True)
    if earlier is not None:
        console.print(render_compared(compare(earlier, made.cases)), soft_wrap=True)


def make_wide_console() -> Console:
    """Of the terminal's width; wide enough for the table when piped."""
    console = make_console()
    return console if console.is_terminal else Console(highlight=False, width=PIPE_COLUMNS)


@contextlib.contextmanager
def progress(suite: Suite) -> Iterator[Callable[[CaseResult], None]]:
    """A bar on a terminal, nothing in a pipe. Yields: what to call with each case that is done."""
    console = make_console(error=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("cases", total=len(suite.cases))
        right = 0

        def done(result: CaseResult) -> None:
            nonlocal right
            right += result.right
            bar.update(task, advance=1, description=f"{right} right")

        yield done


def write_run(file: Path, made: RunFile) -> None:
    """Raises: ConfigError: it cannot be written."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(made.model_dump_json(indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"--json: {file} cannot be written ({error.strerror})") from error


def read_run(file: Path) -> RunFile:
    """Raises: ConfigError: it cannot be read, or is not what ``--json`` writes."""
    try:
        return RunFile.model_validate_json(file.read_bytes())
    except OSError as error:
        raise ConfigError(f"--compare: {file} cannot be read ({error.strerror})") from error
    except ValidationError as error:
        raise ConfigError(f"--compare: {file} is not what --json writes") from error


def export_downvotes(file: Path) -> None:
    """Append the answers that people marked as bad. Raises: ConfigError."""
    if file.is_dir():
        raise ConfigError(f"{file}: is a folder; name the file to write")
    settings = settings_from()
    redactor = build_redactor(settings)
    store = open_store(settings.database_url, redactor.message)
    try:
        added, lost = export_bad(file, store.database, store, redactor.text)
    finally:
        store.database.close()
    line = f"{added} new {'case' if added == 1 else 'cases'} in {file}"
    make_console().print(Text(line + (f"; {lost} of which the log is gone" if lost else "")))
