"""Names and versions that come near to one that does not exist."""

from __future__ import annotations

import pytest

from workers.sources.terms.nearest_names import nearest_names, nearest_versions

TAGS = ("v1.42.0", "v1.41.0", "v1.40.0", "v1.5.0", "v1.0.0")


@pytest.mark.parametrize(
    ("wanted", "nearest"),
    [
        ("v1.50.0", ("v1.42.0", "v1.41.0", "v1.40.0")),
        ("1.4.9", ("v1.5.0", "v1.0.0", "v1.40.0")),
        ("v9.9.9", ("v1.42.0", "v1.41.0", "v1.40.0")),
        ("v1.41.3", ("v1.41.0", "v1.42.0", "v1.40.0")),
    ],
)
def test_versions_are_near_by_their_numbers(wanted: str, nearest: tuple[str, ...]) -> None:
    assert nearest_versions([wanted], TAGS) == nearest


def test_versions_with_a_name_before_them_count_too() -> None:
    assert nearest_versions(["v1.4"], ["shop-v1.3", "shop-v0.1", "main"], 1) == ("shop-v1.3",)


def test_what_is_no_version_is_near_by_its_spelling() -> None:
    assert nearest_versions(["serach-api"], ["search-api", "shop"]) == nearest_names(["serach-api"], ["search-api"])
    assert nearest_versions(["v1.2"], []) == ()
    assert nearest_versions(["v1.43.0", "relese-2024-q1"], [*TAGS, "release-2024-q1"], 2) == (
        "release-2024-q1",
        "v1.42.0",
    )
