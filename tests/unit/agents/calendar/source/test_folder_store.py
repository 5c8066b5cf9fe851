"""A folder of .ics files as a calendar: versions, conflicts, and what is no file of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from workers.agents.calendar.source.calendar_store import CalendarConflict
from workers.agents.calendar.source.folder_store import FolderStore
from workers.errors import ToolUnavailable


def test_a_file_is_written_only_over_the_version_that_was_read(tmp_path: Path) -> None:
    store = FolderStore(tmp_path, writable=True)
    version = store.put("a.ics", "one", "")
    assert store.read({})["a.ics"].version == version
    (tmp_path / "a.ics").write_text("by somebody else")
    with pytest.raises(CalendarConflict):
        store.put("a.ics", "two", version)
    with pytest.raises(CalendarConflict):
        store.delete("a.ics", version)
    assert (tmp_path / "a.ics").read_text() == "by somebody else"
    held = store.get("a.ics")
    assert held is not None
    store.delete("a.ics", held.version)
    assert store.read({}) == {}


def test_a_new_file_never_takes_the_place_of_another(tmp_path: Path) -> None:
    store = FolderStore(tmp_path, writable=True)
    (tmp_path / "a.ics").write_text("held")
    with pytest.raises(CalendarConflict):
        store.put("a.ics", "new", "")
    assert (tmp_path / "a.ics").read_text() == "held"


@pytest.mark.parametrize("name", ["../a.ics", "/etc/passwd", "a.txt", "b/a.ics"])
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(ToolUnavailable):
        FolderStore(tmp_path, writable=True).get(name)


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(ToolUnavailable):
        FolderStore(tmp_path / "none", writable=True).read({})
