"""Names and versions that come near to one that does not exist."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.language.nearest_names import named_first, nearest_names, nearest_versions, ranked_names

TAGS = ("v1.42.0", "v1.41.0", "v1.40.0", "v1.5.0", "v1.0.0")


@each_row(
    "wanted, nearest",
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


PATHS = ["/api/search", "/api/zones", "/api/users", "/healthz"]


def test_names_are_near_by_their_spelling() -> None:
    assert nearest_names(["/api/serch"], PATHS, least=60)[0] == "/api/search"
    assert nearest_names(["/api/zone"], PATHS, least=60)[0] == "/api/zones"
    assert nearest_names(["warehouse"], PATHS, least=60) == ()
    assert nearest_names(["/api/search"], []) == ()


def test_all_names_are_ranked_when_none_is_near() -> None:
    assert ranked_names("payments", ["alerts", "the payments runbook", "search"], 2)[0] == "the payments runbook"
    assert len(ranked_names("zzzz", PATHS, 3)) == 3


def test_what_a_text_names_comes_first_and_the_order_stays() -> None:
    assert named_first("is /api/zones slow?", PATHS)[0] == "/api/zones"
    assert named_first("", PATHS) == PATHS
