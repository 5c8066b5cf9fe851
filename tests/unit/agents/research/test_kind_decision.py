"""A kind needs what it takes: ids for look-ups, alerts for alerting; questions that name an alert ask about it."""

from __future__ import annotations

import pytest

from workers.agents.research.kind_decision import settle_kind
from workers.contracts import Landscape
from workers.reasoning.request_identifiers import identifiers

LANDSCAPE = Landscape(alerts=("InvoiceQueueStuck",), labels={"service": ("invoices",)})


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("what happened to request req_55ab01c9f2?", "request_lookup"),
        ("explain require_owner please", "explain_code"),
        ("how long until a login session times out in production?", "locate_code"),
        ("is dark_mode on in prod? which file", "locate_code"),
        ("how many seats can a team have?", "locate_code"),
        ("what does InvoiceQueueStuck mean and what do I do?", "alerting"),
        ("InvoiceQueueStuck threshold?", "alerting"),
        ("why don't we use GraphQL?", "design_overview"),
        ("did the invoices release break uploads?", "debug_incident"),
        ("why is the error rate of invoices up in the last hour?", "debug_incident"),
        ("did we get more signups than usual this morning?", "traffic"),
    ],
)
def test_kind(text: str, kind: str) -> None:
    assert settle_kind(text, LANDSCAPE) == kind


def test_who_is_responsible_is_asked_of_alerting_when_an_alert_is_spoken_of() -> None:
    assert settle_kind("which team do I ask about that", LANDSCAPE, ("InvoiceQueueStuck fires",)) == "alerting"
    assert settle_kind("which team owns invoices?", LANDSCAPE) == "design_overview"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("request 7ac1-33fe was slow", ("7ac1-33fe",)),
        ("look up user 50112", ("50112",)),
        ("what did u_7712 do", ("u_7712",)),
        ("quota of jo@example.com?", ("jo@example.com",)),
        ("is /v2/jobs slow since v2.14.0 at 14:06?", ()),
        ("500 errors and p95 since 2.9.0", ()),
    ],
)
def test_ids_are_told_from_versions_levels_and_paths(text: str, found: tuple[str, ...]) -> None:
    assert identifiers(text) == found
