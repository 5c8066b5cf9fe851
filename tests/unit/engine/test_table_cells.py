"""The cell of a row that a question names by its row and its column, and who owns what a row is of."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.contracts import Evidence, Fact
from workers.engine.table_cells import cell_facts
from workers.language.stop_words import content_words

RATES = "Plan: gold · Requests: 600 / min · Burst: 50"


def section(row: str, title: str = "Plans") -> Evidence:
    return Evidence(kind="doc", title=title, locator="plans.md", facts={"row_1": Fact(value=row)})


def told(item: Evidence, question: str) -> dict[str, str]:
    return {name: str(fact.value) for name, fact in cell_facts(item, content_words(question))}


@each_row(
    "row, title, question, value",
    [
        (RATES, "Plans", "how high may the burst of gold be?", "50"),
        (RATES, "Plans", "how many requests does gold get?", "600 / min"),
        (RATES, "Plans", "how many requests does silver get?", ""),
        (RATES, "Plans", "requests and burst of gold", ""),
        (RATES, "Plans", "what does gold cost?", ""),
        ("Data: receipts · Kept for: 7 years", "Retention", "how long do we keep receipts?", "7 years"),
        ("Service: oven · Objective: 99 % · Cost: 5", "Service level objectives", "the SLO of the oven", "99 %"),
    ],
)
def test_a_cell_answers_where_row_and_column_are_named(row: str, title: str, question: str, value: str) -> None:
    assert told(section(row, title), question).get("row_1_value", "") == value


@each_row(
    "row, owner",
    [
        ("Part: ovens · Team: Heat · Channel: #heat", "Heat"),
        ("Part: ovens · Maintained by: Lena", "Lena"),
        ("Team: Heat · Channel: #heat", ""),
        ("Part: ovens · Teams we asked: Heat", ""),
        ("Part: ovens · Ansprechpartnerin: Lena", "Lena"),
    ],
)
def test_the_column_says_who_owns_it(row: str, owner: str) -> None:
    assert told(section(row), "ovens").get("row_1_owner", "") == owner


def test_a_row_without_names_of_columns_has_no_cells() -> None:
    assert told(section("gold · 600 / min"), "gold requests") == {}
