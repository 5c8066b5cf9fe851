"""Who owns what a document is about, as it says itself."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.sources.evidence.document_evidence import owner_in


@each_row(
    "text, owner",
    [
        ("For `UsersLatencyHigh` (p95 above 500 ms). Team\nplatform. Customers cannot sign in.", "team platform"),
        ("# Queue\n\n**Owner:** @search-team\n", "@search-team"),
        ("Owner: Checkout & Payments", "Checkout & Payments"),
        ("| Owner | search |\n|---|---|", "search"),
        ("- Maintainers: core infra, ops", "core infra"),
        ("Owned by team payments; paged at night.", "team payments"),
        ("Escalate to #oncall-data.", "#oncall-data"),
        ("Team work is what counts here.", ""),
        ("Ask the team platform for access", ""),
        ("The owner of the lock waits", ""),
        ("Owners are paged first", ""),
        ("Each team owns its alerts.", ""),
        ("Owner: TBD", ""),
        ("Owner: _tbd_", ""),
        ("Team TBD. Escalate to #oncall-data.", "#oncall-data"),
        ("Owner: n/a", ""),
        ("Owner: N.A.", ""),
        ("Owner: -\nRestart it.", ""),
        ("Owner:\n\nRestart it.", ""),
        ("Owner: to be decided", ""),
        ("| Owner | - |\n|---|---|", ""),
        ("| Owner | Contact |\n|---|---|\n| search | #search |", ""),
        ("| Service | Owner | Pager |\n|:--|:-:|--:|\n| till | payments | #pay |", ""),
        ("Owner | Contact\n--- | ---\nsearch | #search", ""),
        ("| | |\n|---|---|\n| Service | till |\n| Owner | payments |", "payments"),
    ],
)
def test_it_is_read_where_it_is_said(text: str, owner: str) -> None:
    assert owner_in(text) == owner
