"""Where links lead among the files of a vault."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.vault_reference import Targets
from tests.support.vaults import FOLDERS, NAMES, PATHS
from workers.agents.memory.source.vault.link_paths import LinkPaths

FILES = (
    "Home.md",
    "a/Note.md",
    "a/b/Note.md",
    "c/Note.md",
    "c/Only here.md",
    "img/pic.png",
    "c/pic.png",
    "a/v1.2.md",
    "x/Täst.md",
)


@each_row(
    "target, source, found",
    [
        ("Only here", "Home.md", "c/Only here.md"),
        ("only HERE.md", "a/b/Note.md", "c/Only here.md"),
        ("Note", "Home.md", "a/Note.md"),
        ("Note", "c/Only here.md", "c/Note.md"),
        ("b/Note", "Home.md", "a/b/Note.md"),
        ("a/Note", "c/Note.md", "a/Note.md"),
        ("./Note", "c/Only here.md", "c/Note.md"),
        ("../Note", "a/b/Note.md", "a/Note.md"),
        ("/c/Note", "a/Note.md", "c/Note.md"),
        ("/Note", "a/Note.md", None),
        ("nowhere/Note", "a/Note.md", None),
        ("pic.png", "c/Note.md", "c/pic.png"),
        ("pic.png", "Home.md", "c/pic.png"),
        ("pic", "Home.md", None),
        ("v1.2", "Home.md", "a/v1.2.md"),
        ("Ta\u0308st", "Home.md", "x/Täst.md"),
        ("", "a/Note.md", "a/Note.md"),
        ("Missing", "a/Note.md", None),
    ],
)
def test_where_links_lead(target: str, source: str, found: str | None) -> None:
    assert LinkPaths(FILES).resolve(target, source) == found


@given(
    st.lists(PATHS, max_size=12, unique=True),
    st.sampled_from(["", "./", "../", "/", "../../"]),
    st.sampled_from(FOLDERS),
    st.sampled_from([*NAMES, "NOTE", "Note.md", "missing"]),
    PATHS,
)
def test_both_readings_lead_to_the_same(paths: list[str], start: str, folder: str, name: str, source: str) -> None:
    target = start + f"{folder}/{name}".lstrip("/")
    found = LinkPaths(paths)
    assert (found.resolve(target, source) or "") == Targets(paths).of(target, source)
    for path in paths[::2]:
        found.drop(path)
    assert (found.resolve(target, source) or "") == Targets(paths[1::2]).of(target, source)
