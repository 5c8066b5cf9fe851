"""The librarian: the forms of its orders, its plans, and that what it would change waits."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.support.agent_rules import playbook
from tests.support.each_row import each_row
from workers.agents.memory import librarian
from workers.agents.memory.librarian.agent import read_task
from workers.contracts import Evidence, Fact, Intent, Landscape, Plan, Question
from workers.ports import Brief
from workers.settings.load import load_settings

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
NAMES = Landscape()


def ask(text: str) -> Question:
    return Question(request_id="r1", text=text, received_at=NOW)


@each_row(
    "text, kind, named",
    [
        ("move old.md to archive/old.md", "move", {"source": "old.md", "target": "archive/old.md"}),
        ('please rename the folder "a b" to c.', "rename", {"source": "a b", "target": "c"}),
        ("merge Notes A into [[Notes B]]", "merge", {"source": "Notes A", "target": "Notes B"}),
        ("make an index for projects", "index", {"folder": "projects"}),
        ("an overview of the vault", "index", {"folder": ""}),
        ("are there duplicates?", "duplicates", {}),
        ("tidy up", "other", {}),
    ],
)
def test_orders_are_read_by_their_form(text: str, kind: str, named: dict[str, str]) -> None:
    assert read_task(text) == (kind, named)


@given(st.text(max_size=400))
def test_any_text_is_read(text: str) -> None:
    kind, named = read_task(text)
    assert kind in librarian.QUESTION_TYPES
    assert all(name in librarian.PLAN_SLOTS for name in named)


@each_row(
    "text, tools",
    [
        ("move a.md to b.md", ["vault_move"]),
        ("merge a into b", ["vault_merge"]),
        ("find duplicates", ["find_duplicate_notes"]),
        ("index of projects", ["vault_create_index"]),
        ("tidy up", []),
    ],
)
def test_each_order_has_its_plan(home: Path, text: str, tools: list[str]) -> None:
    book = playbook(load_settings(home=home), "librarian")
    intent = librarian.read_intent(ask(text), NAMES, NOW, book)
    assert [step.tool for step in librarian.make_plan(ask(text), intent, NAMES, book).steps] == tools


def test_what_it_would_change_is_said_to_be_proposed() -> None:
    change = Evidence(id="E1", kind="tool", title="t", locator="x", facts={"change": Fact(value="Move a to b")})
    plan = Plan(pattern="librarian_move", query_intent="x", steps=())
    draft = librarian.write_answer(Brief(ask("x"), Intent(question_type="move"), plan, NAMES, (change,), ()), None)  # type: ignore[arg-type]
    assert (draft.headline.template, draft.headline.evidence) == ("Proposed: {E1.change}", ("E1",))


def test_what_it_cannot_do_without_a_model_is_said() -> None:
    plan = Plan(pattern="NOVEL", query_intent="x", steps=())
    draft = librarian.write_answer(Brief(ask("x"), Intent(question_type="other"), plan, NAMES, (), ()), None)  # type: ignore[arg-type]
    assert "without a language model" in draft.headline.template


def test_an_order_about_notes_is_its_own() -> None:
    assert librarian.claim(ask("move old.md to archive/old.md"), NAMES) >= 0.5
    assert librarian.claim(ask("why is /api/search slow?"), NAMES) == 0.0
