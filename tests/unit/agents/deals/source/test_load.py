"""Loading records of deals: what is right is read, and every kind of broken data is one sentence with file and row."""

from __future__ import annotations

import contextlib
import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.deal_books import random_book, small_book
from workers.agents.deals.source.data_error import DealDataError
from workers.agents.deals.source.features import held_years
from workers.agents.deals.source.load import load_deals, load_mapped
from workers.agents.deals.source.records import KINDS, DealBook
from workers.agents.deals.source.store import BOOK_FILE, open_book, save_book

Rows = dict[str, list[dict[str, Any]]]


def rows_of(book: DealBook) -> Rows:
    return {kind: [r.model_dump(mode="json") for r in getattr(book, kind)] for kind in KINDS}


def write_csv(folder: Path, rows: Rows, *, delimiter: str = ",", mark: bool = False) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for kind, found in rows.items():
        names = list(dict.fromkeys(name for row in found for name in row)) or list(KINDS[kind].model_fields)
        with (folder / f"{kind}.csv").open("w", encoding="utf-8-sig" if mark else "utf-8", newline="") as file:
            writer = csv.DictWriter(file, names, delimiter=delimiter)
            writer.writeheader()
            writer.writerows(found)
    return folder


def write_json(folder: Path, rows: Rows) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for kind, found in rows.items():
        (folder / f"{kind}.json").write_text(json.dumps(found), encoding="utf-8")
    return folder


def change(kind: str, place: int, **values: Any) -> Callable[[Rows], None]:
    """Other values in a row."""

    def apply(rows: Rows) -> None:
        rows[kind][place] |= values

    return apply


def more(kind: str, **values: Any) -> Callable[[Rows], None]:
    """A further row."""

    def apply(rows: Rows) -> None:
        rows[kind].append(dict.fromkeys(rows[kind][0], "") | values)

    return apply


def drop(kind: str) -> Callable[[Rows], None]:
    return lambda rows: rows.pop(kind) and None


BROKEN: list[tuple[str, Callable[[Rows], None], str]] = [
    ("a name of several lines", change("deals", 0, name="A\nB"), "deals.csv, row 2: name runs over several lines"),
    ("a file is missing", drop("sectors"), "sectors.json or sectors.csv is missing."),
    ("no id", change("deals", 1, id=""), "deals.csv, row 3: id is missing."),
    ("no name", change("deals", 1, name=" "), "deals.csv, row 3: name is missing."),
    (
        "an id twice",
        more("snippets", id="n1", deal_id="d1", source="s", text="t"),
        "row 4: id 'n1' stands in row 2 too.",
    ),
    ("a sector's id twice", more("sectors", id="pay", name="P"), "sectors.csv, row 4: id 'pay' stands in row 2 too."),
    (
        "no such sector",
        change("deals", 1, sector_id="pai"),
        "sector_id 'pai' is the id of none of the sectors; the nearest",
    ),
    ("no such region", change("deals", 1, region_id="x"), "deals.csv, row 3: region_id 'x' is the id of none"),
    ("an event of no deal", change("events", 0, deal_id="d77"), "events.csv, row 2: deal_id 'd77'"),
    ("no such related deal", change("events", 0, related_deal_id="d99"), "events.csv, row 2: related_deal_id 'd99'"),
    ("a snippet of no deal", change("snippets", 0, deal_id="d99"), "snippets.csv, row 2: deal_id 'd99'"),
    ("an empty snippet", change("snippets", 0, text=""), "snippets.csv, row 2: text is missing."),
    (
        "no such type",
        change("events", 0, type="merger"),
        "events.csv, row 2: type is 'merger'; it can be addon or exit.",
    ),
    ("no such status", change("deals", 0, status="open"), "status is 'open'; it can be current or realized."),
    ("no year", change("deals", 0, year_invested="soon"), "deals.csv, row 2: year_invested is no year"),
    ("a year too far", change("deals", 0, year_invested="3201"), "is no year from 1900 to 2100: '3201'."),
    ("sold before bought", change("deals", 0, year_exited="2001"), "year_exited 2001 is before year_invested 2014."),
    ("held and sold", change("deals", 0, status="current"), "the status is current, but year_exited is 2021."),
    ("no date", change("events", 0, date="31.12.2016"), "events.csv, row 2: date is no date like 2019-05-31"),
    ("no such day", change("events", 0, date="2016-02-30"), "date is no day of the calendar: '2016-02-30'."),
    (
        "neither true nor false",
        change("deals", 0, is_platform="maybe"),
        "is_platform is neither true nor false: 'maybe'.",
    ),
    (
        "related to itself",
        change("events", 0, related_deal_id="d1"),
        "events.csv, row 2: deal 'd1' is related to itself.",
    ),
    ("two exits", more("events", id="e9", type="exit", deal_id="d1"), "deal 'd1' has an exit in row 4 already."),
    (
        "an exit before the investment",
        change("events", 2, date="2010-01-01"),
        "is before year_invested 2014 of deal 'd1'",
    ),
    ("an exit in another year", change("events", 2, date="2020-01-01"), "is not in year_exited 2021 of deal 'd1'"),
    (
        "add-ons in a circle",
        more("events", id="e9", type="addon", deal_id="d2", related_deal_id="d1"),
        "these add-ons run in a circle",
    ),
    ("a field that is none", change("deals", 0, statsu="x"), "'statsu' is no field of deals; the nearest is 'status'."),
    (
        "a character that no text may hold",
        change("deals", 0, name="a\x00b"),
        "name holds characters that no text may hold.",
    ),
]


@pytest.mark.parametrize(("change_rows", "said"), [b[1:] for b in BROKEN], ids=[b[0] for b in BROKEN])
def test_each_kind_of_broken_data_is_one_sentence(
    tmp_path: Path, change_rows: Callable[[Rows], None], said: str
) -> None:
    rows = rows_of(small_book())
    change_rows(rows)
    with pytest.raises(DealDataError) as raised:
        load_deals(write_csv(tmp_path, rows))
    assert len(raised.value.faults) == 1
    assert said in raised.value.faults[0]
    assert raised.value.faults[0].endswith(".")


FILES: list[tuple[str, str, bytes, str]] = [
    ("an empty file", "deals.csv", b"", "deals.csv is empty."),
    ("not UTF-8", "deals.csv", "id,name\nd1,M\xfcller\n".encode("latin-1"), "deals.csv, line 2: this is not UTF-8"),
    ("broken JSON", "deals.json", b'[\n{"id": }]', "deals.json, line 2: this is no JSON"),
    ("JSON of another shape", "deals.json", b'{"id": 1}', "deals.json: this is no list of objects."),
    ("no object", "deals.json", b"[7]", "deals.json, row 1: this is no object."),
    ("a column twice", "deals.csv", b"id,id\n1,2\n", "deals.csv, row 1: the column 'id' stands there twice."),
    ("a column without a name", "deals.csv", b"id,\n1,2\n", "deals.csv, row 1: column 2 has no name."),
    ("too few fields", "deals.csv", b"id,name\nd1\n", "deals.csv, row 2: it has 1 fields, the header has 2."),
    ("an open quotation", "deals.csv", b'id,name\n"d1,x\n', "deals.csv is no CSV file"),
]


@pytest.mark.parametrize(("name", "content", "said"), [f[1:] for f in FILES], ids=[f[0] for f in FILES])
def test_each_kind_of_broken_file_is_one_sentence(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    write_csv(tmp_path, rows_of(small_book()))
    (tmp_path / "deals.csv").unlink()
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DealDataError) as raised:
        load_deals(tmp_path)
    assert len(raised.value.faults) == 1
    assert said in raised.value.faults[0]


def test_all_faults_are_told(tmp_path: Path) -> None:
    rows = rows_of(small_book())
    change("deals", 0, status="open")(rows)
    change("events", 0, date="never")(rows)
    with pytest.raises(DealDataError) as raised:
        load_deals(write_csv(tmp_path, rows))
    assert len(raised.value.faults) == 2


def test_two_files_of_one_kind_are_refused(tmp_path: Path) -> None:
    write_csv(tmp_path, rows_of(small_book()))
    write_json(tmp_path, {"deals": []})
    with pytest.raises(DealDataError, match=r"deals\.json and deals\.csv are both there"):
        load_deals(tmp_path)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_book_reads_back_from_csv_and_json(tmp_path: Path, seed: int, delimiter: str) -> None:
    book = random_book(seed)
    assert load_deals(write_csv(tmp_path / "c", rows_of(book), delimiter=delimiter, mark=bool(seed % 2))) == book
    assert load_deals(write_json(tmp_path / "j", rows_of(book))) == book
    one = tmp_path / "all.json"
    one.write_text(json.dumps(rows_of(book)))
    assert load_deals(one) == book


def test_a_deal_with_an_exit_year_is_realized_where_no_status_stands(tmp_path: Path) -> None:
    rows = rows_of(small_book())
    for row in rows["deals"]:
        del row["status"]
    found = {d.id: d.status for d in load_deals(write_csv(tmp_path, rows)).deals}
    assert found == {"d1": "realized", "d2": "current", "d3": "current", "d4": "current", "d5": "realized"}


def test_events_and_snippets_may_be_missing(tmp_path: Path) -> None:
    rows = rows_of(small_book())
    del rows["events"], rows["snippets"]
    assert len(load_deals(write_csv(tmp_path, rows)).deals) == 5


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=400), suffix=st.sampled_from([".csv", ".json"]))
def test_any_bytes_are_a_book_or_sentences(tmp_path: Path, content: bytes, suffix: str) -> None:
    folder = write_csv(tmp_path, rows_of(small_book()))
    for name in ("snippets.csv", "snippets.json"):
        (folder / name).unlink(missing_ok=True)
    (folder / f"snippets{suffix}").write_bytes(content)
    with contextlib.suppress(DealDataError):  # and no other error
        assert isinstance(load_deals(folder), DealBook)


# --- what is kept ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_a_kept_book_reads_back(tmp_path: Path, seed: int) -> None:
    book = small_book() if seed == 0 else random_book(seed)
    save_book(book, tmp_path / "deals")
    assert open_book(tmp_path / "deals") == book
    assert [f.name for f in (tmp_path / "deals").iterdir()] == [BOOK_FILE]


@pytest.mark.parametrize("content", [b"", b"{}", b'{"version": 99}', b"[]", b'{"version": 1, "events": 7}'])
def test_a_damaged_book_is_told_of(tmp_path: Path, content: bytes) -> None:
    (tmp_path / BOOK_FILE).write_bytes(content)
    with pytest.raises(DealDataError, match="oracle deals load again"):
        open_book(tmp_path)


# --- other columns --------------------------------------------------------------------------------------------

MAPPING = """
faulty_rows: skip
tables: {countries: {DEU: Germany}}
records:
  - kind: sectors
    file: list.csv
    repeated: first
    fields: {id: "{{ line.split('|')[0] or 'none' }}", name: "{{ line.split('|')[0] or 'none' }}"}
  - kind: regions
    file: list.csv
    repeated: first
    fields: {id: "{{ country }}", name: "{{ countries[country] }}"}
  - kind: deals
    file: list.csv
    repeated: first
    fields:
      id: "{{ company }}"
      name: "{{ company }}"
      sector_id: "{{ line.split('|')[0] or 'none' }}"
      region_id: "{{ country }}"
  - kind: events
    file: list.csv
    where: "{{ buyer }}"
    fields: {id: "{{ row }}", type: addon, deal_id: "{{ buyer }}", related_deal_id: "{{ company }}"}
"""
LIST = "company,line,country,buyer\nA,Pumps|Valves,DEU,\nB,,USA,A\nC,Pumps,DEU,C\nD,Pumps,USA,E\n"


def mapped(folder: Path, mapping: str = MAPPING, rows: str = LIST) -> tuple[Path, Path]:
    (folder / "list.csv").write_text(rows)
    (folder / "mapping.yaml").write_text(mapping)
    return folder / "list.csv", folder / "mapping.yaml"


def test_records_are_made_of_other_columns_and_what_does_not_fit_is_told(tmp_path: Path) -> None:
    book, left = load_mapped(*mapped(tmp_path))
    assert [(d.id, d.sector_id, book.region_names[d.region_id]) for d in book.deals] == [
        ("A", "Pumps", "Germany"),
        ("B", "none", "USA"),
        ("C", "Pumps", "Germany"),
        ("D", "Pumps", "USA"),
    ]
    assert [(e.deal_id, e.related_deal_id) for e in book.events] == [("A", "B")]
    assert [line.partition(":")[0] for line in left] == ["list.csv, row 5", "list.csv, row 4"]


def test_without_leave_a_row_that_does_not_fit_refuses_the_whole(tmp_path: Path) -> None:
    with pytest.raises(DealDataError, match="row 5"):
        load_deals(*mapped(tmp_path, MAPPING.replace("faulty_rows: skip", "")))


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        ("kind: deals", "kind: deal", "mapping.yaml: records.2.kind"),
        ("repeated: first", "repeated: last", "mapping.yaml: records.0.repeated"),
        ('where: "{{ buyer }}', 'where: "{{ buyer', "records.3 (events): where"),
        ("company }}", "compny }}", "'compny' is undefined"),
        ("type: addon", "typ: addon", "'typ' is no field of events"),
        ("records:", "records: [", "this is no YAML"),
        ("faulty_rows", "faulty_row", "mapping.yaml: faulty_row"),
        ("file: list.csv\n    where", "file: other.csv\n    where", ""),
        ("{{ row }}", "{{ ''.__class__.__mro__ }}", ""),
    ],
)
def test_a_mistake_in_a_mapping_is_told_with_its_key(tmp_path: Path, was: str, becomes: str, said: str) -> None:
    source, mapping = mapped(tmp_path, MAPPING.replace(was, becomes))
    try:
        load_mapped(source, mapping)
    except DealDataError as error:
        assert said in error.faults[0]  # noqa: PT017 - two of them are no mistake
    else:
        assert not said


def test_a_deal_with_an_exit_is_realized(tmp_path: Path) -> None:
    deal = {"name": "Fern", "sector_id": "s", "region_id": "r", "year_invested": "2015"}
    rows = {
        "sectors": [{"id": "s", "name": "Seeds"}],
        "regions": [{"id": "r", "name": "Spain"}],
        "deals": [deal | {"id": "a"}, deal | {"id": "b"}, deal | {"id": "c", "status": "current"}],
        "events": [
            {"id": "1", "type": "exit", "deal_id": "a", "date": "2019-05"},
            {"id": "2", "type": "exit", "deal_id": "b"},
            {"id": "3", "type": "exit", "deal_id": "c", "date": "2020"},
        ],
    }
    book = load_deals(write_csv(tmp_path / "c", rows))
    stands = [(d.status, d.year_exited) for d in book.deals]
    assert stands == [("realized", 2019), ("realized", None), ("current", None)]
    assert [e.date for e in book.events] == ["2019-05", None, "2020"]
    assert [held_years(d, 2026) for d in book.deals] == [4, 0, 11]
