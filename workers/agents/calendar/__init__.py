"""Calendar: appointments, free time, who is on call; changes are proposed. See `workers.ports.AgentModule`."""

from workers.agents.calendar.agent import claim, disclaim, make_plan, read_intent, write_answer
from workers.agents.calendar.sections import calendar_sources
from workers.ports import Need

QUESTION_TYPES = {
    "calendar_day": "which appointments somebody has on a day, in a week, or when one is",
    "calendar_next": "somebody's next appointment",
    "calendar_free": "whether somebody is free at a time",
    "calendar_slots": "when one or several people have time",
    "calendar_on_call": "who is on call for a team",
    "calendar_create": "an appointment is to be created",
    "calendar_move": "an appointment is to be moved, or made longer or shorter",
    "calendar_cancel": "an appointment is to be cancelled",
    "other": "none of these",
}
NEEDS = {
    "calendars": Need(
        met=lambda settings: bool(calendar_sources(settings)),
        lacks="No calendar is connected: name CalDAV or ICS addresses, or folders of .ics files, under `calendars` of "
        "oracle.yaml (docs/calendar.md).",
    )
}
PLAN_SLOTS = frozenset(
    "people team start end duration_min earliest latest weekdays "
    "every_day any_time person words only min_minutes max_minutes location ignoring with_people upcoming limit "
    "title rule "
    "appointment on date time shift_min new_duration scope".split()
)
PROMPTS = ("calendar",)

__all__ = [
    "NEEDS",
    "PLAN_SLOTS",
    "PROMPTS",
    "QUESTION_TYPES",
    "claim",
    "disclaim",
    "make_plan",
    "read_intent",
    "write_answer",
]
