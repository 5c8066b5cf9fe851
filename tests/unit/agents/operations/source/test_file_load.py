"""Files into the database: all of them or nothing."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from tests.support.operations_databases import NOW, sqlite_address
from workers.agents.operations.source.bulk_insert import make_tables
from workers.agents.operations.source.database import open_writing
from workers.agents.operations.source.demo_requests import generate
from workers.agents.operations.source.file_load import LISTED, find_files, load_files
from workers.agents.operations.source.row_parsing import read_row, shape_of
from workers.agents.operations.source.tables import ORDER, metadata, users
from workers.errors import ConfigError
from workers.store.database import Database


def team(count: int = 60) -> dict[str, list[dict[str, Any]]]:
    """The generated team as files hold it."""
    found = {}
    for name, rows in generate(NOW, 1, count).items():
        names = [column.name for column in metadata.tables[name].columns]
        found[name] = [
            {k: v.replace(" ", "T") + "Z" if k.endswith("_at") and v else v for k, v in zip(names, row, strict=True)}
            for row in rows
        ]
    return found


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_csv(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({k: "" if v is None else v for k, v in row.items()} for row in rows)


def write_team(folder: Path, count: int = 60, kind: str = "jsonl") -> Path:
    folder.mkdir(exist_ok=True)
    for name, rows in team(count).items():
        (write_csv if kind == "csv" else write_jsonl)(folder / f"{name}.{kind}", rows)
    return folder


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = open_writing(sqlite_address(tmp_path))
    yield opened
    opened.close()


def load(database: Database, *paths: Path, replace: bool = False) -> Any:
    return load_files(database, find_files(paths), replace=replace)


def content(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    with database.begin() as connection:
        make_tables(connection)
        return {t.name: [tuple(r) for r in connection.execute(select(t).order_by(*t.primary_key))] for t in ORDER}


def test_jsonl_and_csv_give_the_same_and_again_changes_nothing(database: Database, tmp_path: Path) -> None:
    first = load(database, write_team(tmp_path / "a"))
    assert first.rows == {name: len(rows) for name, rows in team().items()}
    assert first.changed == sum(first.rows.values())
    before = content(database)
    assert len(before["requests"]) == 60
    assert load(database, write_team(tmp_path / "b", kind="csv")).changed == 0
    assert content(database) == before
    assert load(database, tmp_path / "b", replace=True).changed == first.changed
    assert content(database) == before


def test_an_update_changes_one_row(database: Database, tmp_path: Path) -> None:
    load(database, write_team(tmp_path / "a"))
    row = team()["users"][0] | {"daily_budget_usd": 1}
    write_jsonl(tmp_path / "users.jsonl", [row])
    assert load(database, tmp_path / "users.jsonl").changed == 1
    with database.begin() as connection:
        assert connection.execute(select(users.c.daily_budget_usd).where(users.c.id == row["id"])).scalar() == 1


WRONG = [
    ("requests", {"latency_ms": "fast"}, "latency_ms: 'fast' is not a number"),
    ("requests", {"latency_ms": True}, "latency_ms: 'true' is not a number"),
    ("requests", {"latency_ms": -1}, "latency_ms: '-1' is less than 0"),
    ("requests", {"input_tokens": 1.5}, "input_tokens: '1.5' is not a whole number"),
    ("requests", {"input_tokens": 10**10}, "input_tokens: '10000000000' is more than 2,147,483,647"),
    ("requests", {"status": "ok"}, "status: 'ok' is not one of success, error, timeout"),
    ("requests", {"created_at": "2026-05-04T10:00:00"}, "created_at: '2026-05-04T10:00:00' has no zone"),
    ("requests", {"created_at": "yesterday"}, "created_at: 'yesterday' is not a time such as"),
    ("requests", {"user_id": None}, "user_id is missing"),
    ("requests", {"user_id": "nobody"}, "user_id: there is no user 'nobody'"),
    ("requests", {"deployment_id": "a/b"}, "deployment_id: there is no deployment 'a/b'"),
    ("requests", {"backend_id": "b"}, "is not of model_id and backend_id"),
    ("requests", {"routing_reason_json": "[1]"}, "routing_reason_json: '[1]' is not a JSON object"),
    ("requests", {"id": "x" * 201}, "id: longer than 200 characters"),
    ("requests", {"id": "a\x00"}, "id: holds a character that cannot be stored"),
    ("requests", {"id": "a\ud800"}, "id: holds a character that cannot be stored"),
    ("requests", {"colour": "red"}, "unknown column 'colour'"),
    ("users", {"tier_id": "gold"}, "tier_id: there is no tier 'gold'"),
    ("models", {"supports_tools": "maybe"}, "supports_tools: 'maybe' is neither true nor false"),
    ("deployments", {"id": "x/y"}, "id: 'x/y' must be"),
    ("incidents", {"target_id": "x"}, "target_id: there is no backend 'x'"),
    ("incidents", {"resolved_at": None}, "resolved_at stands with status resolved, and only then"),
    ("incidents", {"resolved_at": "2020-01-01T00:00:00Z"}, "resolved_at is before started_at"),
    ("quality_scores", {"score": 1.01}, "score: '1.01' is more than 1"),
    ("quality_scores", {"request_id": "r"}, "request_id: there is no request 'r'"),
]


@pytest.mark.parametrize(("table", "change", "sentence"), WRONG)
def test_one_wrong_row_and_nothing_is_loaded(
    database: Database, tmp_path: Path, table: str, change: dict[str, Any], sentence: str
) -> None:
    folder = write_team(tmp_path / "a", 20)
    rows = team(20)[table]
    write_jsonl(folder / f"{table}.jsonl", [rows[0] | change, *rows[1:]])
    with pytest.raises(ConfigError) as refused:
        load(database, folder)
    assert any(p.startswith(f"{table}.jsonl:1: ") and sentence in p for p in refused.value.problems)
    assert refused.value.problems[-1].endswith("nothing was loaded")
    assert not any(content(database).values())


def test_all_mistakes_are_counted_and_the_first_are_listed(database: Database, tmp_path: Path) -> None:
    load(database, write_team(tmp_path / "a", 30))
    before = content(database)
    rows = team(30)["requests"]
    write_jsonl(tmp_path / "requests.jsonl", [*rows, *rows[:29]])
    with pytest.raises(ConfigError) as refused:
        load(database, tmp_path / "requests.jsonl", replace=False)
    listed = refused.value.problems
    assert listed[0] == f"requests.jsonl:31: id: '{rows[0]['id']}' stands twice"
    assert len(listed) == LISTED + 2
    assert listed[-2:] == ("… and 9 more", "29 mistakes; nothing was loaded")
    assert content(database) == before


def test_a_wrong_row_makes_those_that_point_to_it_no_worse(database: Database, tmp_path: Path) -> None:
    folder = write_team(tmp_path / "a", 30)
    rows = team(30)["users"]
    write_jsonl(folder / "users.jsonl", [row | {"daily_budget_usd": -1} for row in rows])
    with pytest.raises(ConfigError) as refused:
        load(database, folder)
    assert refused.value.problems[-1] == f"{len(rows)} mistakes; nothing was loaded"


@pytest.mark.parametrize(
    ("name", "data", "sentence"),
    [
        ("tiers.jsonl", b'{"id": NaN}\n', "tiers.jsonl:1: not a JSON object on one line"),
        ("tiers.jsonl", b"\n[1]\n", "tiers.jsonl:2: not a JSON object on one line"),
        ("tiers.jsonl", b"\xff\n", "tiers.jsonl:1: not a line of UTF-8"),
        ("tiers.csv", b"id,id\n1,2\n", "tiers.csv:1: a column stands twice in the header"),
        ("tiers.csv", b"id,max_error_rate\n1\n", "tiers.csv:2: 1 values for 2 columns"),
        ("tiers.csv", b'id\n"a"b\n', "tiers.csv:2: not CSV"),
        ("tier.csv", b"", "no table is named 'tier'; nearest: tiers"),
        ("tiers.txt", b"", "files are .jsonl or .csv"),
    ],
)
def test_files_that_cannot_be_read(database: Database, tmp_path: Path, name: str, data: bytes, sentence: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ConfigError) as refused:
        load(database, tmp_path / name)
    assert sentence in str(refused.value)


def test_paths_that_are_not_there(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ConfigError) as refused:
        find_files([tmp_path / "none.csv", tmp_path / "empty"])
    assert "there is no such file" in refused.value.problems[0]
    assert "there is no .jsonl or .csv file" in refused.value.problems[1]


@given(st.binary(max_size=300), st.sampled_from([".jsonl", ".csv"]))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_load_nothing_or_say_why(database: Database, tmp_path: Path, data: bytes, kind: str) -> None:
    path = tmp_path / f"backends{kind}"
    path.write_bytes(data)
    try:
        load(database, path)
    except ConfigError as error:
        assert error.problems[-1].endswith("nothing was loaded")  # noqa: PT017 - most bytes are refused, not all
    assert not any(content(database).values())


values = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just({})


@given(st.sampled_from(ORDER), st.data())
def test_a_row_is_right_or_says_what_is_wrong(table: Any, data: st.DataObject) -> None:
    shape = shape_of(table)
    row, wrong = read_row(shape, {name: data.draw(values) for name in shape.names})
    assert len(row) == len(shape.names)
    missing = [
        n for n, v, (_, _, nullable) in zip(shape.names, row, shape.readers, strict=True) if v is None and not nullable
    ]
    assert bool(missing) <= bool(wrong)
