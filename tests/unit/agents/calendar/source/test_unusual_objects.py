"""What calendars of other programs hold: declined, free, without an end, unreadable, in zones of their own."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from workers.agents.calendar.source.appointments import Occurrence, Resource
from workers.agents.calendar.source.calendar_texts import decode
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


def test_a_line_that_was_folded_inside_a_letter_is_whole_and_other_encodings_are_read() -> None:
    line = "SUMMARY:Überprüfung".encode()
    cut = line.index("ü".encode()) + 1
    assert decode(b"\xef\xbb\xbf" + line[:cut] + b"\r\n " + line[cut:]) == "SUMMARY:Überprüfung"
    assert decode("SUMMARY:Café\r\n".encode("latin-1")) == "SUMMARY:Café\r\n"


def test_several_calendars_in_one_file_are_all_read_and_a_notice_of_cancellation_is_none() -> None:
    def calendar(uid: str, method: str = "") -> str:
        event = f"BEGIN:VEVENT\r\nUID:{uid}\r\nDTSTART:20270303T090000Z\r\nEND:VEVENT\r\n"
        return f"BEGIN:VCALENDAR\r\n{method}{event}END:VCALENDAR\r\n"

    both = read_objects(Resource("a.ics", "1", calendar("x") + calendar("y")), OWNER)
    assert [a.uid for a in both.appointments] == ["x", "y"]
    assert read_objects(Resource("a.ics", "1", calendar("x", "METHOD:CANCEL\r\n")), OWNER) == Parsed()


def test_a_series_that_ends_on_a_local_time_holds_that_last_one() -> None:
    zone = "America/Denver"
    (series,) = parsed(f"DTSTART;TZID={zone}:20270303T190000\r\nRRULE:FREQ=DAILY;UNTIL=20270305T190000").appointments
    starts = [o.start.astimezone(ZoneInfo(zone)) for o in series.between(START, START + timedelta(days=9))]
    assert [(one.day, one.hour) for one in starts] == [(3, 19), (4, 19), (5, 19)]
