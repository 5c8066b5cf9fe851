"""Labels that a question names are filters, or are said not to be."""

from __future__ import annotations

import pytest

from workers.contracts import Landscape
from workers.reasoning.label_filters import label_filters

LANDSCAPE = Landscape(
    labels={
        "endpoint": ("/buy",),
        "service": ("shop",),
        "metric_cluster": ("prod-eu-west", "prod-us-east"),
        "metric_environment": ("production", "staging"),
        "metric_release": ("2.3.1", "2.4.0"),
        "metric_pod": ("shop-7d9f-x2x4b",),
        "metric_queue": ("orders",),
    }
)


@pytest.mark.parametrize(
    ("text", "filters"),
    [
        ("errors on /buy in prod-eu-west?", (" cluster=prod-eu-west",)),
        ("errors on /buy in PROD-US-EAST?", (" cluster=prod-us-east",)),
        ("is v2.4.0 slow?", (" release=2.4.0",)),
        ("is 2.4.01 slow?", ("",)),
        ("is pod shop-7d9f-x2x4b slow?", (" pod=shop-7d9f-x2x4b",)),
        ("errors in staging?", (" environment=staging",)),
        ("errors in prod?", (" environment=prod",)),
        ("prod-eu-west or prod-us-east?", (" cluster=prod-eu-west", " cluster=prod-us-east")),
        ("errors in prod-ap-south?", (" environment=prod cluster=prod-ap-south",)),
        ("how many orders failed on /buy?", ("",)),
    ],
)
def test_what_a_question_names_is_filtered_by(text: str, filters: tuple[str, ...]) -> None:
    assert label_filters(text, LANDSCAPE) == filters


def test_what_no_label_is_like_is_said() -> None:
    assert label_filters("errors in prod-ap-south?", Landscape()) == (' unfiltered="prod-ap-south"',)
