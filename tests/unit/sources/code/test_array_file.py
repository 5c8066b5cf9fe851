"""The container: whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workers.sources.code.array_file import lines, locked_temporary, read_container, read_meta, write_container

ARRAYS = {
    "a": np.arange(10, dtype=np.int32).reshape(5, 2),
    "empty": np.empty((0, 3), np.int64),
    "text": lines(["one", "", "drei ü"]),
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("store") / "x.index"
    write_container(path, {"n": 1}, ARRAYS)
    return path.read_bytes()


def test_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "x.index"
    write_container(path, {"n": 1}, ARRAYS)
    found = read_container(path)
    assert found is not None
    assert found.meta == {"n": 1}
    assert found.arrays["a"].tolist() == ARRAYS["a"].tolist()
    assert found.arrays["empty"].shape == (0, 3)
    assert found.text("text") == ["one", "", "drei ü"]
    assert [p.name for p in path.parent.iterdir()] == ["x.index"]


def test_missing_and_empty_files(tmp_path: Path) -> None:
    assert read_container(tmp_path / "none") is None
    (tmp_path / "empty").touch()
    assert read_container(tmp_path / "empty") is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_file_cut_short_is_noticed(whole: bytes, tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "cut"
    path.write_bytes(whole[: data.draw(st.integers(0, len(whole) - 1))])
    assert read_container(path) is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_changed_byte_never_changes_an_array(whole: bytes, tmp_path: Path, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(whole) - 1))
    changed = bytearray(whole)
    changed[at] ^= data.draw(st.integers(1, 255))
    path = tmp_path / "changed"
    path.write_bytes(changed)
    found = read_container(path)
    assert found is None or all(found.arrays[n].tolist() == a.tolist() for n, a in ARRAYS.items())


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    write_container(path, {"n": 1}, ARRAYS)
    with pytest.raises(TypeError):
        write_container(path, {"n": object()}, ARRAYS)
    found = read_container(path)
    assert found is not None
    assert found.meta == {"n": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["x.index"]


def test_every_part_of_a_file_is_checked(whole: bytes, tmp_path: Path) -> None:
    """Each byte flipped in turn: it is noticed, or it fills up between two arrays."""
    path = tmp_path / "changed"
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        found = read_container(path)
        assert found is None or all(found.arrays[n].tolist() == a.tolist() for n, a in ARRAYS.items())
        assert found is None or whole[at] == 0


def test_a_file_that_grew_is_noticed(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "grown"
    path.write_bytes(whole + b"\0")
    assert read_container(path) is None


def test_what_killed_writers_left_is_removed_and_others_are_spared(tmp_path: Path) -> None:
    handle, left = locked_temporary(tmp_path / "x.index")
    write_container(tmp_path / "x.index", {"n": 1}, ARRAYS)
    assert Path(left).exists()  # its writer lives: it holds the lock
    os.close(handle)
    write_container(tmp_path / "y.index", {"n": 1}, ARRAYS)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.index", "y.index"]


def test_what_a_file_says_of_itself(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    assert read_meta(path) is None
    path.write_bytes(whole)
    assert read_meta(path) == {"n": 1}
    for damaged in (b"", whole[:15], whole[:30], b"X" + whole[1:], whole[:8] + b"\xff" * 8 + whole[16:]):
        path.write_bytes(damaged)
        assert read_meta(path) is None
