"""Log files: spans found by time, archives, samples whose numbers hold, files out of order, and what is amiss."""

from __future__ import annotations

import gzip
import json
import os
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.errors import ToolUnavailable
from workers.sources.logs.files import LogFiles, service_of
from workers.sources.logs.record import Reading, Record, Wanted

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
FAR = timedelta(days=400)


def line(seconds: float, message: str = "hello", level: str = "INFO") -> str:
    at = (AT + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")
    return json.dumps({"ts": at, "level": level, "service": "cart", "msg": message}) + "\n"


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(lines))
    return path


def read(
    path: Path | str,
    since_s: float = -1e7,
    until_s: float = 1e7,
    *,
    text: str = "",
    level: str = "",
    most: int = 25_000,
) -> Reading:
    span = (AT + timedelta(seconds=since_s), AT + timedelta(seconds=until_s))
    return LogFiles([str(path)]).read(Wanted(*span, text=text, level=level, most=most))


def messages(reading: Reading) -> list[str]:
    return [record.message for record in reading.records]


def total(records: tuple[Record, ...]) -> float:
    return sum(record.weight for record in records)


def test_a_span_of_a_long_file_is_read_whole(tmp_path: Path) -> None:
    path = write(tmp_path / "cart.log", [line(n, f"n{n}") for n in range(30_000)])
    found = read(path, 20_000, 20_050)
    assert messages(found) == [f"n{n}" for n in range(20_000, 20_050)]
    assert (found.share, found.notes) == (1.0, ())


@given(
    seconds=st.lists(st.integers(0, 600), min_size=1, max_size=300),
    since=st.integers(-10, 610),
    length=st.integers(1, 300),
    padding=st.integers(0, 400),
)
def test_a_span_holds_the_lines_that_a_plain_look_through_finds(
    tmp_path_factory: pytest.TempPathFactory, seconds: list[int], since: int, length: int, padding: int
) -> None:
    lines = [line(s, f"{n} {'x' * padding}") for n, s in enumerate(sorted(seconds))]
    path = write(tmp_path_factory.mktemp("logs") / "cart.log", lines)
    wanted = [n for n, s in enumerate(sorted(seconds)) if since <= s < since + length]
    assert [int(m.split()[0]) for m in messages(read(path, since, since + length))] == wanted


def test_a_locator_leads_to_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "cart.log", [line(n, f"n{n}") for n in range(5_000)])
    for record in read(path, 1_000, 1_005).records:
        name, _, place = record.locator.rpartition("@")
        assert f'"{record.message}"' in Path(name).read_bytes()[int(place) :].split(b"\n")[0].decode()


def test_a_large_span_is_an_even_sample_with_all_its_errors(tmp_path: Path) -> None:
    rng = random.Random(5)
    lost = range(7, 40_000, 4_001)
    lines = [line(n / 10, rng.choice(["often", "often", "seldom"])) for n in range(40_000)]
    for n in lost:
        lines[n] = line(n / 10, f"lost order {n}", "ERROR")
    found = read(write(tmp_path / "cart.log", lines), most=4_000)
    assert 0.05 < found.share < 0.3
    errors = [r for r in found.records if r.level == "error"]
    assert [r.message for r in errors] == [f"lost order {n}" for n in lost]
    assert {r.weight for r in errors} == {1.0}
    assert total(found.records) == pytest.approx(40_000, rel=0.05)
    only = read(tmp_path / "cart.log", level="error", most=4_000)
    assert (list(only.records), only.share) == (errors, 1.0)
    assert total(tuple(r for r in found.records if r.message == "seldom")) == pytest.approx(40_000 / 3, rel=0.15)


def test_a_wanted_text_is_looked_for_in_all_of_a_large_span(tmp_path: Path) -> None:
    lines = [line(n, f"order {n} is paid") for n in range(30_000)]
    found = read(write(tmp_path / "cart.log", lines), text="ORDER 17234 ", most=1_000)
    assert (messages(found), found.share) == (["order 17234 is paid"], 1.0)


def test_a_service_that_seldom_speaks_is_read_whole_and_a_busy_one_by_a_sample(tmp_path: Path) -> None:
    lines = [line(n / 10, f"n{n}") for n in range(30_000)]
    lines[20_003] = line(2_000.3, "refund").replace('"cart"', '"pay"')
    source = LogFiles([str(write(tmp_path / "shop.log", lines))])
    wanted = Wanted(AT, AT + timedelta(hours=1), service="Pay", most=1_000)
    assert (messages(found := source.read(wanted)), found.share) == (["refund"], 1.0)
    busy = source.read(replace(wanted, service="cart"))
    assert busy.share < 1
    assert total(busy.records) == pytest.approx(30_000, rel=0.05)


def test_a_text_that_nearly_all_lines_hold_is_counted_by_a_sample(tmp_path: Path) -> None:
    found = read(write(tmp_path / "cart.log", [line(n, "paid") for n in range(30_000)]), text="paid", most=1_000)
    assert found.share < 1
    assert total(found.records) == pytest.approx(30_000)


def test_lines_a_little_out_of_order_are_found(tmp_path: Path) -> None:
    lines = [line(n + (3 if n % 2 else 0), f"n{n}") for n in range(5_000)]
    found = read(write(tmp_path / "cart.log", lines), 1_000, 1_010)
    assert sorted(messages(found)) == sorted(f"n{n}" for n in range(5_000) if 1_000 <= n + (3 if n % 2 else 0) < 1_010)
    assert found.notes == ()


def test_a_file_out_of_order_is_looked_through_and_told(tmp_path: Path) -> None:
    order = list(range(2_000))
    random.Random(1).shuffle(order)
    found = read(write(tmp_path / "cart.log", [line(n, f"n{n}") for n in order]), 100, 110)
    assert messages(found) == [f"n{n}" for n in range(100, 110)]
    assert "not in order of time" in found.notes[0]


def test_archives_rotated_files_and_folders(tmp_path: Path) -> None:
    write(tmp_path / "cart.log", [line(n, f"n{n}") for n in range(20, 30)])
    write(tmp_path / "cart.log.1", [line(n, f"n{n}") for n in range(10, 20)])
    with gzip.open(tmp_path / "cart.log.2.gz", "wt") as packed:
        packed.writelines(line(n, f"n{n}") for n in range(10))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    assert messages(read(tmp_path)) == [f"n{n}" for n in range(30)]
    assert messages(read(tmp_path / "*.gz", 3, 6)) == ["n3", "n4", "n5"]


def test_a_damaged_archive_is_read_as_far_as_it_goes_and_told(tmp_path: Path) -> None:
    rng = random.Random(2)
    whole = gzip.compress("".join(line(n, f"n{rng.random()}") for n in range(2_000)).encode())
    path = tmp_path / "cart.log.gz"
    path.write_bytes(whole[: len(whole) // 2])
    found = read(path)
    assert 0 < len(found.records) < 2_000
    assert "damaged" in found.notes[0]


def test_an_archive_older_than_the_span_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "cart.log.gz"
    path.write_bytes(b"no archive at all")
    old = (AT - FAR).timestamp()
    os.utime(path, (old, old))
    found = LogFiles([str(path)]).read(Wanted(AT, AT + timedelta(hours=1)))
    assert (found.records, found.notes) == ((), ())


def test_what_is_no_log_or_is_not_there_is_told(tmp_path: Path) -> None:
    write(tmp_path / "notes.txt", ["no times here\n", "nor here\n"])
    good = write(tmp_path / "cart.log", [line(1)])
    found = LogFiles([str(tmp_path), str(tmp_path / "gone.log")]).read(Wanted(AT, AT + timedelta(hours=1)))
    assert [r.locator for r in found.records] == [f"{good}@0"]
    assert "there is no log at" in found.notes[0]
    assert "begins with a time" in found.notes[1]
    with pytest.raises(ToolUnavailable, match="no log at"):
        read(tmp_path / "gone.log")


def test_a_file_that_may_not_be_read_does_not_hide_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.log", [line(1, "seen")])
    denied = write(tmp_path / "b.log", [line(1)])
    real_open = os.open

    def refuse(path: object, *args: int) -> int:
        if path == denied:
            raise PermissionError(13, "Permission denied")
        return real_open(path, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refuse)
    found = read(tmp_path)
    assert messages(found) == ["seen"]
    assert "Permission denied" in found.notes[0]


@given(st.binary(max_size=3_000), st.integers(1, 40))
def test_any_bytes_can_lie_in_a_file(tmp_path_factory: pytest.TempPathFactory, content: bytes, most: int) -> None:
    path = tmp_path_factory.mktemp("logs") / "any.log"
    path.write_bytes(content + line(5).encode() + content)
    assert isinstance(read(path, most=most), Reading)


@each_row(
    "name, service",
    [("cart.log", "cart"), ("cart.log.2.gz", "cart"), ("cart-2026-03-01.log", "cart"), ("cart_api.jsonl", "cart_api")],
)
def test_the_service_that_a_file_is_named_after(name: str, service: str) -> None:
    assert service_of(Path(name)) == service
