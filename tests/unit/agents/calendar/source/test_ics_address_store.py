"""A calendar at an address: read only, over the guarded network, asked for again only when it changed."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler

import pytest

from tests.support.web_site import WebSite, run_web_site
from workers.agents.calendar.source.calendar_copy import CalendarCopy
from workers.agents.calendar.source.calendar_texts import new_appointment
from workers.agents.calendar.source.icalendar_objects import Owner
from workers.agents.calendar.source.ics_address_store import IcsAddressStore
from workers.errors import ToolUnavailable
from workers.sources.web.address_rules import make_rules

START = datetime(2026, 11, 26, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)
TEXT = new_appointment("a", "Sync", START, START + HOUR, stamp=START, rule="FREQ=DAILY;COUNT=3")


@pytest.fixture
def site() -> Iterator[WebSite]:
    with run_web_site() as found:
        yield found


def store_of(site: WebSite, *, allowed: bool = True) -> IcsAddressStore:
    rules = make_rules((80, 443), (site.host,) if allowed else (), ())
    return IcsAddressStore(f"{site.url}/team.ics", rules)


def test_it_is_read_and_read_again_only_when_it_changed(site: WebSite) -> None:
    def answer(request: BaseHTTPRequestHandler) -> None:
        known = request.headers.get("If-None-Match") == '"1"'
        request.send_response(304 if known else 200)
        request.send_header("ETag", '"1"')
        request.send_header("Content-Length", "0" if known else str(len(TEXT.encode())))
        request.end_headers()
        request.wfile.write(b"" if known else TEXT.encode())

    site.pages["/team.ics"] = answer
    with ThreadPoolExecutor() as pool:
        copy = CalendarCopy(store_of(site), Owner("team", "Ben", UTC), 0.0, pool)
        copy.renew()
        first = copy.snapshot
        copy.renew()
    assert copy.failure == ""
    assert first is not None
    assert copy.snapshot is first
    assert len(first.between(START, START + timedelta(days=7))) == 3
    assert site.headers["if-none-match"] == '"1"'


def test_a_copy_outlives_an_address_that_fails(site: WebSite) -> None:
    site.pages["/team.ics"] = (200, {"content-type": "text/calendar"}, TEXT.encode())
    with ThreadPoolExecutor() as pool:
        copy = CalendarCopy(store_of(site), Owner("team", "Ben", UTC), 0.0, pool)
        copy.renew()
        site.pages["/team.ics"] = (503, {}, b"")
        copy.renew()
    assert "503" in copy.failure
    assert copy.snapshot is not None
    assert copy.snapshot.between(START, START + HOUR)


def test_a_private_address_is_not_reached_unless_it_is_allowed(site: WebSite) -> None:
    with pytest.raises(ToolUnavailable):
        store_of(site, allowed=False).read({})
    assert site.touched == 0


def test_nothing_is_written_to_it(site: WebSite) -> None:
    store = store_of(site)
    assert not store.writable
    with pytest.raises(ToolUnavailable):
        store.put("calendar.ics", TEXT, "")
    with pytest.raises(ToolUnavailable):
        store.delete("calendar.ics", "")


def test_what_is_no_calendar_is_counted_as_unread(site: WebSite) -> None:
    site.pages["/team.ics"] = (200, {}, b"<html>sign in</html>")
    with ThreadPoolExecutor() as pool:
        copy = CalendarCopy(store_of(site), Owner("team", "Ben", UTC), 0.0, pool)
        copy.renew()
    assert copy.snapshot is not None
    assert copy.snapshot.unread == ("calendar.ics",)
