"""`oracle load`: operations data in, questions answered from them; a wrong row leaves everything as it was."""

from __future__ import annotations

import csv
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from tests.scenario.conftest import Oracle
from workers.agents.operations.commands import opened
from workers.agents.operations.source.database import open_reading, open_writing
from workers.agents.operations.source.demo_load import fill
from workers.agents.operations.source.tables import metadata
from workers.settings.load import ROOT
from workers.store.database import Database


def tables_of(home: Path) -> dict[str, list[tuple[object, ...]]]:
    with closing(sqlite3.connect(home / "context.db")) as connection:
        names = [t.name for t in metadata.sorted_tables if not t.name.startswith("hourly")]
        return {name: sorted(connection.execute(f"select * from {name}")) for name in names}


def write_csv(home: Path, folder: Path) -> None:
    """Every table as a CSV file."""
    folder.mkdir()
    database = open_reading(f"sqlite:///{home / 'context.db'}")
    with database.begin() as connection:
        for table in metadata.sorted_tables:
            if table.name.startswith("hourly"):
                continue
            rows = connection.execute(select(table)).all()
            with (folder / f"{table.name}.csv").open("w", newline="") as file:
                writer = csv.writer(file)
                writer.writerow([c.name for c in table.columns])
                writer.writerows([[told(v) for v in row] for row in rows])


def told(value: object) -> object:
    return value.isoformat() if hasattr(value, "isoformat") else "" if value is None else value


def test_an_invented_team_is_asked_about(oracle: Oracle, home: Path) -> None:
    ran = oracle("load", "--generate", "--requests", "300", home=home)
    assert ran.code == 0, ran.err
    assert "21 deployments" in " ".join(ran.out.split())
    ran = oracle("ask", "--agent", "operations", "any active incidents?", "--json", home=home)
    assert ran.code == 0, ran.err
    assert ran.json["plan"]["pattern"] == "ACTIVE_INCIDENTS"
    assert ran.json["grounded"]


def test_an_invented_team_s_data_end_at_the_moment_that_is_given(oracle: Oracle, home: Path) -> None:
    ran = oracle("load", "--generate", "--requests", "200", "--now", "2026-03-04T01:30:00", home=home)
    assert ran.code == 2
    assert ran.err.startswith("--now:")
    assert not (home / "context.db").exists()
    ran = oracle("load", "--generate", "--requests", "200", "--now", "2026-03-04T01:30:00+02:00", home=home)
    assert ran.code == 0, ran.err
    with closing(sqlite3.connect(home / "context.db")) as connection:
        (newest,) = connection.execute("select max(created_at) from requests").fetchone()
    assert "2026-03-03 12:00" < newest <= "2026-03-03 23:30"


def test_files_bring_the_same_again(oracle: Oracle, home: Path, tmp_path: Path) -> None:
    oracle("load", "--generate", "--requests", "200", home=home)
    before = tables_of(home)
    write_csv(home, tmp_path / "csv")
    other = tmp_path / "other"
    for changed in (True, False):
        ran = oracle("load", str(tmp_path / "csv"), home=other)
        assert ran.code == 0, ran.err
        assert (", 0 of them new or changed" in " ".join(ran.out.split())) is not changed
        assert tables_of(other) == before


def test_a_wrong_row_leaves_nothing_behind(oracle: Oracle, home: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "users.csv"
    wrong.write_text("id,tier_id,daily_budget_usd\nsomeone,nobody-knows,12\n")
    ran = oracle("load", str(wrong), home=home)
    assert ran.code == 2
    assert "users.csv:2" in ran.err
    assert not (home / "context.db").exists()
    ran = oracle("ask", "--agent", "operations", "any active incidents?", "--json", home=home)
    assert ran.json["answer"]["kind"] == "refusal"
    assert "oracle load" in ran.json["answer"]["headline"]["text"]


def test_a_load_that_is_stopped_leaves_nothing_behind(home: Path) -> None:
    address = f"sqlite:///{home / 'context.db'}"

    def stopped() -> None:
        with opened(address) as (target, _):
            fill(target, datetime(2026, 11, 22, tzinfo=UTC), 0, 20)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert list(home.glob("context.db*")) == []
    with opened(address) as (target, place):
        fill(target, datetime(2026, 11, 22, tzinfo=UTC), 0, 20)
        assert not (home / "context.db").exists()
    assert place == address
    assert [p.name for p in home.glob("context.db*")] == ["context.db"]


@pytest.mark.parametrize("there", [False, True])
def test_whatever_is_opened_is_closed(home: Path, monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    made, closed, close = list[Database](), list[Database](), Database.close

    def open_noting(address: str) -> Database:
        made.append(open_writing(address))
        return made[-1]

    def close_noting(database: Database) -> None:
        closed.append(database)
        close(database)

    monkeypatch.setattr("workers.agents.operations.commands.open_writing", open_noting)
    monkeypatch.setattr(Database, "close", close_noting)
    if there:
        (home / "context.db").touch()
    with opened(f"sqlite:///{home / 'context.db'}") as (target, _):
        target.engine.connect().close()
    assert made
    assert all(any(database is one for one in closed) for database in made)


def test_an_empty_file_is_told_to_be_loaded(oracle: Oracle, home: Path) -> None:
    (home / "context.db").touch()
    ran = oracle("ask", "--agent", "operations", "any active incidents?", "--json", home=home)
    assert any("has no table incidents: run oracle load" in g["text"] for g in ran.json["answer"]["missing"])
    assert "no such table" not in ran.out


def test_there_must_be_something_to_sum_up(oracle: Oracle, home: Path) -> None:
    ran = oracle("load", "--refresh", home=home)
    assert ran.code == 2
    assert "there are no operations data" in ran.err
    assert not (home / "context.db").exists()


def test_one_thing_at_a_time(oracle: Oracle, home: Path) -> None:
    assert oracle("load", home=home).code == 2
    assert oracle("load", "--generate", "--refresh", home=home).code == 2
    assert oracle("load", "--generate", "--replace", home=home).code == 2
    assert not (home / "context.db").exists()


def test_the_example_of_the_page_can_be_loaded(oracle: Oracle, home: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    example = page.partition("A small example")[2].partition("```\n")[2].partition("```")[0]
    for part in example.split("# ")[1:]:
        name, _, rows = part.partition("\n")
        (tmp_path / name).write_text(rows)
    ran = oracle("load", *(str(p) for p in tmp_path.iterdir() if p.suffix in {".csv", ".jsonl"}), home=home)
    assert ran.code == 0, ran.err
    assert {name: len(rows) for name, rows in tables_of(home).items()} == {
        **dict.fromkeys(("models", "backends", "deployments", "tiers", "users", "requests"), 1),
        "deployment_state_current": 1,
        "incidents": 0,
        "quality_scores": 0,
    }
