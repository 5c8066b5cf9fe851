"""Rows of tables with the names of their columns."""

from __future__ import annotations

from workers.sources.documents.table_rows import best_rows, table_rows


def texts(lines: str, **more: bool) -> list[str]:
    return [row.text for row in table_rows(lines.split("\n"), **more)]


OWNERS = """# Services

| Service | Owner | SLO |
|---|:-:|---|
| `checkout` | [@payments-oncall](https://x.example/a) | **99.9 %** |
| search | @discovery |  |

Words between.

Alert | Page
--- | ---
CartSlow | yes, of `a\\|b`
"""


def test_markdown() -> None:
    assert texts(OWNERS) == [
        "Service: checkout · Owner: @payments-oncall · SLO: 99.9 %",
        "Service: search · Owner: @discovery",
        "Alert: CartSlow · Page: yes, of a|b",
    ]
    assert [row.line for row in table_rows(OWNERS.split("\n"), 10)] == [14, 15, 21]


def test_what_only_looks_like_a_table_is_none() -> None:
    assert texts("use a | b\nor c | d\n") == []
    assert texts("```\n| a | b |\n|---|---|\n| 1 | 2 |\n```") == []
    assert texts("| a | b |\n|---|---|") == []
    assert texts("Title\n-----\ntext") == []
    assert texts("---\ntitle: x\n---") == []


def test_restructuredtext() -> None:
    border = "+---------+--------+"
    grid = [
        border,
        "| Service | Owner  |",
        "+=========+========+",
        "| till    | team   |",
        "|         | pay    |",
        border,
    ]
    grid += ["| cart    | shop   |", border]
    assert texts("\n".join(grid)) == ["Service: till · Owner: team pay", "Service: cart · Owner: shop"]
    simple = "=======  =====\nService  Owner\n=======  =====\ntill     pay\ncart     shop\n=======  ====="
    assert texts(simple) == ["Service: till · Owner: pay", "Service: cart · Owner: shop"]
    assert texts("Heading\n=======\n\ntext") == []


def test_asciidoc_in_rows_and_in_cells() -> None:
    assert texts("|===\n|Service |Owner\n\n|till |pay\n|cart |shop\n|===") == [
        "Service: till · Owner: pay",
        "Service: cart · Owner: shop",
    ]
    assert texts("|===\n|Service |Owner\n\n|till\n|pay\n|===") == ["Service: till · Owner: pay"]


def test_rows_that_were_taken_out_of_a_page() -> None:
    page = "Who owns what\nService | Owner\ntill | pay\ncart | shop\nSee a | b"
    assert texts(page, extracted=False) == []
    assert texts("Service | Owner\ntill | pay\ncart | shop", extracted=True)[0] == "Service: till · Owner: pay"


def test_the_rows_of_the_question_come_first() -> None:
    rows = table_rows(OWNERS.split("\n"))
    assert [r.text for r in best_rows(rows, {"search": 2.0, "owner": 1.0}, 2)] == [
        "Service: search · Owner: @discovery",
        "Service: checkout · Owner: @payments-oncall · SLO: 99.9 %",
    ]
    assert best_rows(rows, {}, 10) == rows


def test_long_lines_take_no_time() -> None:
    assert table_rows(["|" * 100_000, "[" * 100_000 + "|", "| " + "- " * 50_000]) is not None
