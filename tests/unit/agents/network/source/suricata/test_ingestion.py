"""Logs that grow, rotate, are packed, break and are read by several at once: each line is kept once."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.support.eve_lines import NOON, broken_lines, eve_line, kept, read_all, write_lines
from workers.agents.network.sections import SuricataSection
from workers.agents.network.source.suricata import ingestion
from workers.agents.network.source.suricata.coverage import read_coverage
from workers.agents.network.source.suricata.retention import DAY_S, forget_all, forget_old
from workers.store.database import Database, open_database


@pytest.fixture(params=["sqlite_store", pytest.param("postgresql_store", marks=pytest.mark.servers)])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    opened = open_database(request.getfixturevalue(request.param))
    yield opened
    opened.close()


def lines(first: int, last: int, kind: str = "flow") -> list[bytes]:
    return [eve_line(n, kind) for n in range(first, last)]


def test_log_is_followed_and_its_last_line_waited_for(database: Database, tmp_path: Path) -> None:
    log = tmp_path / "eve.json"
    write_lines(log, lines(0, 3), more=eve_line(3)[:40])
    assert read_all(database, log).lines == 3
    assert read_all(database, log).lines == 0
    write_lines(log, [eve_line(3)[40:], *lines(4, 6)])
    assert read_all(database, log).lines == 3
    assert kept(database) == (0, [0, 1, 2, 3, 4, 5])
    assert broken_lines(database) == 0


def test_first_line_that_is_not_complete_is_waited_for(database: Database, tmp_path: Path) -> None:
    log = tmp_path / "eve.json"
    log.write_bytes(eve_line(0)[:30])
    assert read_all(database, log).lines == 0
    write_lines(log, [eve_line(0)[30:]])
    assert read_all(database, log).lines == 1


def test_renamed_log_is_read_to_its_end_and_the_new_one_from_its_beginning(database: Database, tmp_path: Path) -> None:
    log = tmp_path / "eve.json"
    write_lines(log, lines(0, 3))
    read_all(database, f"{log}*")
    write_lines(log, lines(3, 5))
    log.rename(tmp_path / "eve.json.1")
    write_lines(log, lines(5, 7))
    read_all(database, f"{log}*")
    assert kept(database)[1] == list(range(7))


def test_copied_and_truncated_log_loses_and_doubles_nothing(database: Database, tmp_path: Path) -> None:
    log = tmp_path / "eve.json"
    write_lines(log, lines(0, 3))
    read_all(database, f"{log}*")
    write_lines(log, lines(3, 5))
    shutil.copy(log, tmp_path / "eve.json.1")
    with log.open("r+b") as file:
        file.truncate(0)
    write_lines(log, lines(5, 6))
    read_all(database, f"{log}*")
    write_lines(log, lines(6, 9))
    read_all(database, f"{log}*")
    assert kept(database)[1] == list(range(9))


def test_packed_log_goes_on_where_the_plain_one_was_left(database: Database, tmp_path: Path) -> None:
    log, packed = tmp_path / "eve.json", tmp_path / "eve.json.1.gz"
    write_lines(log, lines(0, 3))
    read_all(database, f"{log}*")
    write_lines(log, lines(3, 6, "alert"))
    packed.write_bytes(gzip.compress(log.read_bytes().rstrip()))
    log.unlink()
    read_all(database, f"{log}*")
    assert kept(database) == (3, [0, 1, 2, 3, 4, 5])
    assert read_all(database, f"{log}*").lines == 0


def test_damaged_archive_is_told_and_the_others_are_read(database: Database, tmp_path: Path) -> None:
    whole = gzip.compress(b"".join(line + b"\n" for line in lines(0, 400)))
    (tmp_path / "a.json.gz").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "b.json.gz").write_bytes(b"no archive at all")
    write_lines(tmp_path / "eve.json", lines(500, 502))
    progress = read_all(database, tmp_path / "*.json*")
    assert len(progress.failures) == 2
    assert kept(database)[1][-2:] == [500, 501]
    assert len(read_all(database, tmp_path / "a.json.gz").failures) == 0  # nothing changed, so it is not tried again
    (tmp_path / "a.json.gz").write_bytes(whole)
    read_all(database, tmp_path / "a.json.gz")
    assert kept(database)[1] == [*range(400), 500, 501]


def test_broken_lines_are_counted_with_their_reasons(database: Database, tmp_path: Path) -> None:
    log = tmp_path / "eve.json"
    write_lines(log, [eve_line(0), b"{broken", b"", b"[]", eve_line(1, "alert")])
    progress = read_all(database, log)
    assert (progress.lines, progress.broken) == (4, 2)
    assert kept(database) == (1, [0, 1])
    with database.begin() as connection:
        assert read_coverage(connection).broken == 2


def test_line_longer_than_anyone_reads_is_passed_over(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingestion, "BATCH_BYTES", 1_000_000)
    log = tmp_path / "eve.json"
    write_lines(log, [eve_line(0), b"x" * 2_500_000, eve_line(1)])
    progress = read_all(database, log)
    assert kept(database)[1] == [0, 1]
    assert progress.broken == 1


def test_many_batches_count_their_lines(database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ingestion, "BATCH_BYTES", 2_000)
    log = tmp_path / "eve.json"
    write_lines(log, lines(0, 60, "alert"))
    assert read_all(database, log).lines == 60
    assert kept(database) == (60, list(range(60)))


def test_time_that_is_over_leaves_the_rest_to_the_next_turn(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingestion, "BATCH_BYTES", 2_000)
    log = tmp_path / "eve.json"
    write_lines(log, lines(0, 60))
    section = SuricataSection(eve=(str(log),))
    first = ingestion.catch_up(database, section, 0)
    assert first.lines < 60
    assert first.behind > 0
    while ingestion.catch_up(database, section, 0.001).behind:
        pass
    assert kept(database)[1] == list(range(60))


def test_process_that_dies_between_batches_loses_and_doubles_nothing(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingestion, "BATCH_BYTES", 2_000)
    log, written, write = tmp_path / "eve.json", [0], ingestion.write_batch
    write_lines(log, lines(0, 60))

    def die(*given: Any) -> None:
        write(*given)
        written[0] += 1
        if written[0] == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(ingestion, "write_batch", die)
    with pytest.raises(KeyboardInterrupt):
        read_all(database, log)
    monkeypatch.setattr(ingestion, "write_batch", write)
    read_all(database, log)
    assert kept(database)[1] == list(range(60))


def test_several_readers_at_once_keep_each_line_once(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingestion, "BATCH_BYTES", 2_000)
    log = tmp_path / "eve.json"
    write_lines(log, lines(0, 200, "alert"))
    readers = [Thread(target=read_all, args=(database, log)) for _ in range(4)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    read_all(database, log)
    assert kept(database) == (200, list(range(200)))


def test_several_sensors_are_told_apart(database: Database, tmp_path: Path) -> None:
    write_lines(tmp_path / "a.json", lines(0, 2))
    unnamed = [line.replace(b'"host"', b'"was"') for line in lines(5, 7)]
    write_lines(tmp_path / "b.json", unnamed)
    read_all(database, tmp_path / "*.json", sensor="edge")
    with database.begin() as connection:
        found = read_coverage(connection)
    assert found.sensors == ("edge", "sensor-a")
    assert (found.since, found.heard) == (NOON.timestamp(), NOON.timestamp() + 6)
    assert found.silent == ("sensor-a", NOON.timestamp() + 1)


def test_old_events_go_and_first_sights_stay_longer(database: Database, tmp_path: Path) -> None:
    log = tmp_path / "eve.json"
    write_lines(log, lines(0, 2, "alert"))
    read_all(database, log)
    section = SuricataSection(eve=(str(log),), alert_days=90, connection_days=14)
    assert forget_old(database, section, NOON.timestamp() + 20 * DAY_S) == 2
    assert kept(database) == (2, [])
    forget_old(database, section, NOON.timestamp() + 100 * DAY_S)
    assert kept(database) == (0, [])
    forget_all(database)
    assert read_all(database, log).lines == 2
