"""The bench's questions on documents, made from a repository."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.documents.questions import Exam, Question, asked, foreign, heading_line, prepare
from bench.documents.train_absent import Asked, learn
from tests.support.each_row import each_row
from tests.support.git_repositories import commit, make_repository

BODY = "The keeper looks at the lamp each evening and writes down what it burned and when it went out. " * 2
PARTS = f"## Trimming the brass wick\n\n{BODY}\n\n## Overview\n\n{BODY}\n\n## Storm shutters\n\nShort.\n"
GUIDE = f"# Lamps\n\n{BODY}\n\n{PARTS}"
REST = f"Fog horn\n========\n\n{BODY}\n\nCompressed air tanks\n--------------------\n\n{BODY}\n"


@pytest.fixture
def lighthouse(tmp_path: Path) -> Path:
    folder = make_repository(tmp_path / "origin")
    plain = f"# Page\n\n## Part\n\n{BODY}\n" * 4
    for day in range(8):
        commit(folder, {"docs/guide.md": GUIDE, "docs/horn.rst": REST, "docs/rest.md": f"{plain}{day}\n"}, "Go on")
    return folder


def test_a_hidden_heading_is_gone_from_the_tree_and_its_section_is_the_answer(lighthouse: Path, tmp_path: Path) -> None:
    for _ in range(2):  # a tree that stands is laid out anew
        exam = prepare(lighthouse, "docs", "light", "headings", tmp_path / "trees")
        answers = {q.text: q.answers for q in exam.questions}
        assert answers == {
            "Trimming the brass wick": (("guide.md", 5, 8),),
            "Compressed air tanks": (("horn.rst", 6, 9),),
        }
        lines = (exam.folder / "guide.md").read_text().split("\n")
        assert lines == GUIDE.replace("Trimming the brass wick", "Section").split("\n")
        assert (exam.folder / "horn.rst").read_text() == REST.replace("Compressed air tanks", "Section")


def test_a_commit_asks_for_the_sections_that_it_changed(lighthouse: Path, tmp_path: Path) -> None:
    edited = GUIDE.replace("Short.", "Short. Bolt them before the gale.")
    commit(lighthouse, {"docs/guide.md": edited}, "docs: bolt storm shutters before the gale (#12)")
    commit(lighthouse, {"docs/guide.md": edited + "\n## Oil stores\n\nNew.\n"}, "Describe where oil barrels stand")
    commit(lighthouse, {"docs/horn.rst": REST.replace("lamp", "horn")}, "Fix a typo: horn keeper tanks air")
    commit(lighthouse, {"docs/guide.md": edited.replace("lamp", "light")}, "Name the SuperLamp lamp keeper light")
    exam = prepare(lighthouse, "docs", "light", "commits", tmp_path / "trees")
    assert [(q.text, q.answers) for q in exam.questions] == [
        ("bolt storm shutters before the gale", (("guide.md", 13, 15),))
    ]


@each_row(
    "heading, question",
    [
        ("Configuring the gate", "How do I configure the gate?"),
        ("Running it twice", "How do I run it twice?"),
        ("Install from source", "How do I install from source?"),
        ("Storm shutters", "Storm shutters"),
    ],
)
def test_a_heading_that_begins_with_a_verb_becomes_a_question(heading: str, question: str) -> None:
    assert asked(heading) == question


@each_row(
    "lines, start, hidden",
    [
        (["### Lamps {#lamps}", "", "x"], 1, (0, "### Section")),
        (["========", "Lamps", "========"], 1, (1, "Section")),
        (["Lamps", "====="], 1, (0, "")),
        (["== Lamps"], 1, (0, "== Section")),
        (["no heading", "x"], 1, (0, "")),
    ],
)
def test_the_line_of_a_heading(lines: list[str], start: int, hidden: tuple[int, str]) -> None:
    assert heading_line(lines, start) == hidden


def test_headings_of_others_that_say_an_unknown_word(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Leases\n\nA lease ends after a pause.\n")
    exam = Exam("own", "headings", tmp_path / "docs", (Question("Lease of a kite"),))
    every = ["The pause of a lease", "Lease of a kite", "Kites and leases"]
    assert foreign(exam, every, tmp_path / "index") == ["Kites and leases"]


def test_what_stands_nowhere_never_makes_an_answer_likelier() -> None:
    rng = np.random.default_rng(1)
    given = [
        Asked(
            "r", "absent" if i % 2 else "commits", {"gone": float(rng.random()), "plain": i % 2 + float(rng.random())}
        )
        for i in range(80)
    ]
    learned = dict(zip((chances := learn(given)).names, chances.weights.tolist(), strict=True))
    assert learned["plain"] == 0.0  # it speaks against an answer here, which it never should
    assert learned["gone"] <= 0.0
    turned = [Asked("r", "commits" if a.set == "absent" else "absent", a.features) for a in given]
    assert learn(turned).of({"gone": 0.5, "plain": 2.0}) > 0.5 > learn(turned).of({"gone": 0.5, "plain": 0.0})
