"""``oracle eval``. What it needs is loaded when it runs: asking on a terminal does not wait for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from bot.cli.shared_options import EXIT_FAILED

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
    from bot.cli.eval_run import export_downvotes, run_cases

    if export_downvoted:
        export_downvotes(suite)
        return
    right = run_cases(suite, reasoner, jobs, json_file, before, only)
    if right < fail_under:
        raise typer.Exit(EXIT_FAILED)
