"""What ``config/oracle.yaml`` says of calendars."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from workers.settings.load import Settings
from workers.settings.schema import CLOCK_SPAN, WEB_ADDRESS, Section, listed
from workers.settings.source_kinds import SourceKind, with_section


class CalendarSource(Section):
    """One calendar: on a CalDAV server (``caldav``, the address of the calendar itself), at an ICS address (``ics``:
    https, http or webcal; read only), or a folder of .ics files (``path``).

    It belongs to a person (``name``, ``aliases``, ``email``, ``users``: ids of Slack, ``local`` at the command line)
    or says who is on call for a team (``on_call``, with its ``aliases``).
    Without a ``calendar`` it is called after its owner.
    ``hours``, ``lunch``: local times in ``timezone``; ``days``: which are worked; ``buffer_min``: kept free around
    appointments. ``write: false``: nothing is changed in it. ``free_busy``: only busy times are asked for.
    ``private``: the address may lie at a private one. ``fresh_s``: after so long the copy is renewed.
    """

    calendar: str = ""
    caldav: str = Field("", pattern=WEB_ADDRESS)
    ics: str = Field("", pattern=r"^((https?|webcal)://\S+)?$")
    path: str = ""
    username: str = ""
    password: str = ""
    token: str = ""
    name: str = ""
    aliases: tuple[str, ...] = ()
    email: str = ""
    users: Annotated[tuple[str, ...], BeforeValidator(listed)] = ()
    on_call: str = ""
    timezone: str = ""
    hours: str = Field("09:00-18:00", pattern=CLOCK_SPAN)
    lunch: str = Field("", pattern=f"^$|{CLOCK_SPAN}")
    days: Annotated[tuple[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"], ...], BeforeValidator(listed)] = (
        "mon",
        "tue",
        "wed",
        "thu",
        "fri",
    )
    buffer_min: int = Field(0, ge=0, le=240)
    write: bool = True
    free_busy: bool = False
    private: bool = False
    fresh_s: float = Field(60, ge=0, le=86_400)
    timeout_s: float = Field(5, ge=0.1, le=60)

    @model_validator(mode="after")
    def has_one_place(self) -> CalendarSource:
        """Raises: ValueError: several places or none, nobody's calendar, or one of both kinds."""
        if sum(map(bool, (self.caldav, self.ics, self.path))) != 1:
            raise ValueError("one of caldav, ics and path says where the calendar lies")
        if bool(self.name) == bool(self.on_call):
            raise ValueError("name says whose calendar it is, or on_call which team's rotation")
        return self

    @property
    def called(self) -> str:
        """Its name: as configured, else of its owner."""
        return self.calendar or self.name or f"on call {self.on_call}"


SECTIONS = {"calendars": tuple[CalendarSource, ...]}


def calendar_sources(settings: Settings) -> tuple[CalendarSource, ...]:
    """The calendars that are configured."""
    found: tuple[CalendarSource, ...] = settings.tree.sections.get("calendars", ())
    return found


def shown_calendars(settings: Settings) -> Settings:
    """Settings with the calendars alone that may be seen."""
    kept = tuple(one for one in calendar_sources(settings) if settings.shows(f"calendar:{one.called}"))
    return with_section(settings, "calendars", kept)


SOURCES = {
    "calendar": SourceKind(lambda settings: tuple(one.called for one in calendar_sources(settings)), shown_calendars)
}
