"""Globs as people write them."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.sources.history.glob_paths import fits_glob


@each_row(
    "path, glob, fits",
    [
        ("db/a.sql", "*.sql", True),
        ("db/a.sql", "db/*.sql", True),
        ("db/x/a.sql", "db/*.sql", False),
        ("db/x/a.sql", "db/**/*.sql", True),
        ("db/a.sql", "db/**/*.sql", True),
        ("db/x/y/a.sql", "**/a.sql", True),
        ("a.sql", "**/a.sql", True),
        ("db/x/a.sql", "db/", True),
        ("dbs/x/a.sql", "db/", False),
        ("db/a.sql", "**", True),
        ("tests/test_a.py", "test_?.py", True),
        ("tests/test_ab.py", "test_?.py", False),
        ("b/c.py", "[!a]/c.py", True),
        ("a/c.py", "[!a]/c.py", False),
        ("a/b/c.py", "a/b", False),
        ("any.py", "", True),
    ],
)
def test_it_fits(path: str, glob: str, fits: bool) -> None:
    assert fits_glob(path, glob) is fits


def test_it_counts_from_a_folder_too() -> None:
    assert fits_glob("db/migrations/a.sql", "migrations/*.sql", "db/")
    assert not fits_glob("db/migrations/a.sql", "migrations/*.sql")


def test_very_many_stars_take_no_time() -> None:
    assert not fits_glob("a" * 200, "*a" * 40 + "b")
    assert not fits_glob("/".join("a" * 60), "/".join(["**", "a"] * 30) + "/b")
