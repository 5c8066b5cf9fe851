"""The tool reads counters; the agent plans a call and writes from its evidence. Neither needs a running Oracle."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import oracle_garage
from oracle_garage.settings import GarageSection
from oracle_garage.tools import Garage, LevelArgs

from workers.contracts import Intent, PatternEntry, PatternStep, Plan, Question
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.ports import Brief, Playbook, ToolContext

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
CONTEXT = ToolContext("test", "garage", NOW)
COUNTERS = {
    "updated": "2026-03-02T08:59:00Z",
    "levels": [
        {"name": "Roof", "total": 30, "free": 1, "free_chargers": 4},
        {"name": "Cellar", "total": 60, "free": 22},
    ],
}


def open_garage(folder: Path, text: str = "") -> Garage:
    """A garage whose counters stand in a file."""
    file = folder / "counters.json"
    file.write_text(text or json.dumps(COUNTERS))
    return Garage(GarageSection(source=str(file)))


def error_of(garage: Garage, level: str = "") -> str:
    """What the tool says in place of an output."""
    try:
        garage.run(LevelArgs(level=level), CONTEXT)
    except (ToolArgumentError, ToolUnavailable) as error:
        return str(error)
    return ""


def test_each_level_is_evidence_the_emptiest_first(tmp_path: Path) -> None:
    output = open_garage(tmp_path).run(LevelArgs(), CONTEXT)
    assert [(e.title, e.facts["free"].value) for e in output.evidence] == [("Level Cellar", 22), ("Level Roof", 1)]


def test_what_cannot_be_read_is_told_in_a_sentence(tmp_path: Path) -> None:
    assert error_of(open_garage(tmp_path), "Attic") == "the garage has no level 'Attic'"
    assert error_of(open_garage(tmp_path, '{"levels": 3}')).endswith("it has another form")
    assert "No such file" in error_of(Garage(GarageSection(source=str(tmp_path / "none.json"))))


def test_a_level_that_is_named_is_asked_for_and_answered(tmp_path: Path) -> None:
    garage = open_garage(tmp_path)
    names = garage.landscape(CONTEXT)
    question = Question(request_id="1", text="can I charge on the roof?", received_at=NOW)
    step = PatternStep(id="levels", tool="garage_levels", args={"level": "{level}"}, purpose="read")
    book = Playbook({"now": PatternEntry(query_intent="see", question_types=("garage_chargers",), steps=(step,))})
    intent = oracle_garage.read_intent(question, names, NOW, book)
    assert intent == Intent(question_type="garage_chargers", subjects=("Roof",))
    plan = oracle_garage.make_plan(question, intent, names, book)
    assert plan.steps[0].args == {"level": "Roof"}
    found = garage.run(LevelArgs(level="Roof"), CONTEXT).evidence[0].model_copy(update={"id": "E1"})
    draft = oracle_garage.write_answer(Brief(question, intent, plan, names, (found,), ()), book)
    assert draft.headline.template == "{E1.free_chargers} chargers are free on level {E1.level}."


def test_other_questions_are_not_its_own(tmp_path: Path) -> None:
    names = open_garage(tmp_path).landscape(CONTEXT)
    asked = {
        text: Question(request_id="1", text=text, received_at=NOW) for text in ("why is checkout slow?", "and Roof?")
    }
    assert [oracle_garage.claim(question, names) for question in asked.values()] == [0.0, 0.6]
    empty = Brief(asked["and Roof?"], Intent(question_type="garage_spaces"), Plan.model_construct(), names, (), ())
    assert "could not read" in oracle_garage.write_answer(empty, Playbook({})).headline.template
