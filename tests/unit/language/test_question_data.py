"""The labelled questions: their form."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import yaml

from tests.support.each_row import each_row
from workers import language

FOLDER = Path(language.__file__).parent / "data" / "questions"
FILES = sorted(FOLDER.glob("*.jsonl"))
AGENTS = {*yaml.safe_load((FOLDER.parents[3] / "config" / "agents.yaml").read_text(encoding="utf-8"))} - {"causes"}
OTHERS = {"unsafe", "out_of_scope"}
KINDS = {
    "debug_incident", "explain_code", "locate_code", "design_overview", "alerting", "conceptual", "traffic",
    "operations_status", "deploys", "request_lookup", "user_lookup",
}  # fmt: skip


def read(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@each_row("file", FILES)
def test_every_question_has_a_known_agent_and_kind(file: Path) -> None:
    for question in read(file):
        assert question["text"].strip()
        assert {question["agent"], *question["also"]} <= AGENTS | OTHERS
        if question["agent"] in {"research", "operations"}:
            assert question["kind"] in KINDS
        assert set(question["also_kind"]) <= KINDS


def test_all_files_are_described() -> None:
    told = set(re.findall(r"`(\w+\.jsonl)`", (FOLDER / "README.md").read_text(encoding="utf-8")))
    assert told == {file.name for file in FILES}
