"""What calendars of other programs hold: declined, free, without an end, unreadable, in zones of their own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from workers.agents.calendar.source.appointments import Occurrence, Resource
from workers.agents.calendar.source.icalendar_objects import Owner, Parsed, read_objects

OWNER = Owner("work", "Nora Lind", ZoneInfo("Europe/Oslo"), frozenset({"nora lind", "nora@example.org"}))
START = datetime(2027, 3, 1, tzinfo=UTC)


def parsed(*events: str) -> Parsed:
    body = "".join(f"BEGIN:VEVENT\r\nUID:{i}\r\n{event}\r\nEND:VEVENT\r\n" for i, event in enumerate(events))
    return read_objects(Resource("a.ics", "1", f"BEGIN:VCALENDAR\r\n{body}END:VCALENDAR\r\n"), OWNER)


def only(event: str) -> Occurrence:
    (one,) = parsed(event).appointments
    (found,) = one.between(START, START + timedelta(days=31))
    return found


def test_what_the_owner_declined_takes_no_time_and_what_another_guest_declined_does() -> None:
    times = "DTSTART:20270303T090000Z\r\nDTEND:20270303T100000Z\r\nATTENDEE;PARTSTAT=DECLINED:mailto:"
    own, other = only(f"{times}Nora@example.org"), only(f"{times}kai@example.org")
    assert (own.declined, own.busy) == (True, False)
    assert (other.declined, other.busy) == (False, True)


def test_outlook_says_free_beside_opaque() -> None:
    shown = "DTSTART:20270303T090000Z\r\nDTEND:20270303T100000Z\r\nTRANSP:OPAQUE\r\nX-MICROSOFT-CDO-BUSYSTATUS:FREE"
    assert not only(shown).busy


def test_a_whole_day_that_ends_on_its_first_is_one_day() -> None:
    one = only("DTSTART;VALUE=DATE:20270309\r\nDTEND;VALUE=DATE:20270309")
    assert one.end - one.start == timedelta(days=1)


def test_what_cannot_be_read_is_named_and_the_rest_is_read() -> None:
    found = parsed(
        "SUMMARY:Fine\r\nDTSTART:20270303T090000Z",
        "SUMMARY:Backwards\r\nDTSTART:20270303T090000Z\r\nDTEND:20270303T080000Z",
        "SUMMARY:Never\r\nDTEND:20270303T080000Z",
    )
    assert found.unread == ("Backwards", "Never")
    assert [a.uid for a in found.appointments] == ["0"]


def test_a_numbered_zone_of_windows_is_the_zone_and_one_that_nobody_knows_is_named() -> None:
    assert only("DTSTART;TZID=W. Europe Standard Time 3:20270303T090000").start == datetime(2027, 3, 3, 8, tzinfo=UTC)
    assert parsed("DTSTART;TZID=Customized Time Zone:20270303T090000").zones == ("Customized Time Zone",)
