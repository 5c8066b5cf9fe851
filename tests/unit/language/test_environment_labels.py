"""Which label values are production."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.language.environment_labels import kind_of, production_label, same_environments


@each_row(
    "value, kind",
    [
        ("prod", "production"),
        ("shop-prod", "production"),
        ("live", "production"),
        ("live-video", ""),
        ("pre-prod", "preproduction"),
        ("stg", "staging"),
        ("payments", ""),
    ],
)
def test_kinds(value: str, kind: str) -> None:
    assert kind_of(value) == kind


def test_production_is_told_by_a_label_that_tells_it_from_others() -> None:
    assert production_label({"env": ("prod", "staging")}) == "env"
    assert production_label({"env": ("prod",)}) == ""
    assert production_label({"namespace": ("prod-tools", "payments")}) == ""
    assert production_label({"namespace": ("shop-prod", "shop-dev")}) == "namespace"
    assert same_environments("prod", ("production", "staging")) == ("production",)
