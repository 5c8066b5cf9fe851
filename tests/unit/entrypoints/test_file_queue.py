"""The queue of files: what several processes put, several processes get, whole and once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from workers.entrypoints.celery_app import file_options
from workers.entrypoints.file_queue import SCHEME


def connect(folder: Path) -> Connection:
    return Connection(f"{SCHEME}://", transport_options=file_options(folder))


def put(folder: Path, numbers: range) -> None:
    with connect(folder) as connection, connection.SimpleQueue("ask") as queue:
        for number in numbers:
            queue.put({"number": number, "words": "x" * 2_000})


def get(folder: Path, done: threading.Event) -> list[int]:
    found: list[int] = []
    with connect(folder) as connection, connection.SimpleQueue("ask") as queue:
        while True:
            ended = done.is_set()
            try:
                message = queue.get_nowait()
            except Empty:
                if ended:
                    return found
                continue
            message.ack()
            found.append(message.payload["number"])


def test_readers_and_writers_at_once_lose_nothing_and_see_no_half_message(tmp_path: Path) -> None:
    done = threading.Event()
    with ThreadPoolExecutor(5) as pool:
        readers = [pool.submit(get, tmp_path, done) for _ in range(2)]
        writers = [pool.submit(put, tmp_path, range(n * 150, n * 150 + 150)) for n in range(3)]
        try:
            for writer in writers:
                writer.result()
        finally:
            done.set()
        found = [number for reader in readers for number in reader.result()]
    assert sorted(found) == list(range(450))
    assert list(tmp_path.iterdir()) == []


def test_messages_come_in_order(tmp_path: Path) -> None:
    put(tmp_path, range(12))
    done = threading.Event()
    done.set()
    assert get(tmp_path, done) == list(range(12))


@pytest.mark.parametrize("name", ["ask.exchange", ".5_a.ask.msg", "5_a.other.msg"])
def test_other_files_are_not_messages(tmp_path: Path, name: str) -> None:
    with connect(tmp_path) as connection, connection.SimpleQueue("ask") as queue:
        (tmp_path / name).write_text("{")
        with pytest.raises(Empty):
            queue.get_nowait()
