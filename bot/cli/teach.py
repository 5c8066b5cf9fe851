"""``oracle teach``: what a team says in its own words, on top of what the classifiers learned."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.shared_options import open_oracle
from workers.bootstrap import Oracle
from workers.contracts import Question
from workers.delivery.console import make_console
from workers.language.question_kinds import QUESTIONS, load_model
from workers.language.request_routes import OUT_OF_SCOPE, UNSAFE
from workers.language.speech_acts import ACTS, Said, act_probabilities, without_names
from workers.settings.load import load_settings
from workers.settings.taught_examples import FILE, TaughtFile, check_names, merged, read_taught, write_taught

File = Annotated[
    Path | None, typer.Argument(help="YAML with `sentences` and `questions`; without it, what is taught is shown.")
]
TOLD = 0.3
"""An act that is told of a sentence is at least so likely."""


def teach(file: File = None) -> None:
    """Teach the classifiers a team's own words: what sentences do in incidents, who answers a question, its kind.

    What is taught stands in taught.yaml under ORACLE_HOME, where it can be edited, and counts at once, in running
    processes too.
    """
    settings, console = load_settings(), make_console()
    kept = settings.home / FILE
    old = read_taught(kept) if kept.exists() else TaughtFile()
    with open_oracle(settings) as oracle:
        if file is None:
            console.print(f"{kept}: {len(old.sentences)} sentences, {len(old.questions)} questions.", highlight=False)
            for line in readings(old, oracle):
                console.print(line, markup=False, highlight=False)
            return
        new = read_taught(file.expanduser())
        agents = {*settings.tree.agents, UNSAFE, OUT_OF_SCOPE}
        check_names(new, file, agents=agents, kinds=load_model(QUESTIONS).kinds)
        before = readings(new, oracle)
        write_taught(kept, merged(old, new))
        for was, now in zip(before, readings(new, oracle), strict=True):
            changed = f"   (was: {was.rpartition('”: ')[2]})" if was != now else ""
            console.print(f"{now}{changed}", markup=False, highlight=False)
        console.print(f"Taught: {len(new.sentences)} sentences, {len(new.questions)} questions, in {kept}.")


def readings(taught: TaughtFile, oracle: Oracle) -> list[str]:
    """What each example is taken for now, a line each."""
    lines = []
    for one in taught.sentences:
        (row,) = act_probabilities([Said(without_names(one.text), before=without_names(one.before))])
        likely = sorted(zip(row, ACTS, strict=True), reverse=True)
        told = ", ".join(f"{act} {chance:.0%}" for chance, act in likely if chance >= TOLD)
        lines.append(f"“{one.text}”: {told or 'nothing'}")
    for asked in taught.questions:
        chances = oracle.engine.likely(Question(request_id="taught", text=asked.text, received_at=datetime.now(UTC)))
        agent = max(chances, key=lambda name: chances[name])
        scores = load_model(QUESTIONS).scores(asked.text)
        kind = f", {max(scores, key=lambda name: scores[name])}" if asked.kind else ""
        lines.append(f"“{asked.text}”: {agent} {chances[agent]:.0%}{kind}")
    return lines
