"""How the calendar agent reads a message and plans; without a model it knows the forms of `request`."""

from __future__ import annotations

from datetime import datetime

from workers.agents.calendar import write_calendar
from workers.agents.calendar.appointment_choice import options_of
from workers.agents.calendar.known_names import read_names
from workers.agents.calendar.plan_slots import first_of, slots_of
from workers.agents.calendar.request import OF_WHAT, CalendarRequest, claim, read_request
from workers.contracts import Ambiguity, Draft, Intent, Landscape, Option, Plan, Question, Window
from workers.language.appointment_values import ONE_DAY
from workers.language.calendar_kinds import WRITES, masked
from workers.language.wanted_times import clock_text, minute_of
from workers.ports import Brief, Playbook
from workers.reasoning.known_plans import fill_step
from workers.reasoning.question_subjects import is_small
from workers.reasoning.wish import ON_CALL

TYPES = {"agenda": "calendar_day"}
SCOPES = (("only this one", "this"), ("this and all following", "following"), ("the whole series", "all"))
LENGTHS = (30, 45, 60)


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """The kind of request, whom it is about, and what has to be asked back."""
    del now, playbook
    asked = read_request(question, landscape)
    kind = asked.kind
    span = asked.target.span if kind == "move" else asked.source.span
    window = None
    if span:
        start, end = (datetime(d.year, d.month, d.day, tzinfo=asked.zone) for d in span)
        window = Window(start=start, end=end, why="the days that were named")
    return Intent(
        question_type=type_of(kind),
        subjects=(*asked.asked, *([asked.team] if asked.team else [])),
        window=window,
        ambiguity=ambiguity_of(asked) if asked.me and asked.kind else None,
    )


def disclaim(question: Question, landscape: Landscape) -> bool:
    """Whether it asks who is on call for something that no rotation is called after: its documents may say, or who owns
    it."""
    if not ON_CALL.search(question.text):
        return False
    asked = read_request(question, landscape)
    named = [n.human for n in read_names(landscape).people_in(question.text, None)]
    of = OF_WHAT.search(masked(question.text, [alias for human in named for alias in human.aliases]))
    known = asked.team in {*read_names(landscape).teams.values()}
    return asked.kind == "on_call" and not known and of is not None and not is_small(of[1])


def type_of(kind: str) -> str:
    """The type of question of a kind."""
    return TYPES.get(kind, f"calendar_{kind}") if kind else "other"


def ambiguity_of(asked: CalendarRequest) -> Ambiguity | None:
    """What is missing or has two meanings in an order to change something."""
    if asked.unclear:
        options = tuple(Option(value=h.name, label=h.name) for h in asked.unclear.options)
        said = asked.unclear.said
        return Ambiguity(question=f"Which {said[:1].upper()}{said[1:]} do you mean?", options=options)
    if asked.kind not in WRITES or asked.bounded:
        return None
    if asked.kind == "create":
        return missing_of(asked)
    choice = asked.choice
    if choice.appointment is None:
        if len(choice.candidates) < 2:
            return None
        return Ambiguity(question="Which appointment do you mean?", options=options_of(choice.candidates, asked.now))
    if choice.appointment.series and not asked.scope:
        options = tuple(Option(value=label, label=label[:1].upper() + label[1:]) for label, _ in SCOPES)
        return Ambiguity(question=f"“{choice.appointment.title}” is a series. Which of it?", options=options)
    return None


def missing_of(asked: CalendarRequest) -> Ambiguity | None:
    """What a new appointment lacks, with real ways on."""
    times = asked.target
    name = f"“{asked.title}”" if asked.title else "the appointment"
    unset = times.repeat and first_of(asked, times) is None
    if (times.at is None or unset) and not write_calendar.whole_days(asked):
        options = tuple(
            Option(value=f"find a free slot of {m} minutes", label=f"Find {m} min when all are free") for m in LENGTHS
        )
        day = "" if first_of(asked, times) else "day, "
        return Ambiguity(question=f"When should {name} be? Its {day}time and length are missing.", options=options)
    if times.at is not None and not times.days and not times.repeat:
        days = [asked.now + i * ONE_DAY for i in range(3)]
        passed = minute_of(asked.now) >= times.at
        options = tuple(
            Option(value=f"on {day:%Y-%m-%d}", label=f"{day:%a} {day.day} {day:%b}, {clock_text(times.at)}")
            for day in days[1 if passed else 0 :]
        )
        return Ambiguity(question=f"On which day should {name} be?", options=options)
    if times.at is not None and times.until is None and times.length is None:
        options = tuple(Option(value=f"{m} minutes", label=f"{m} min") for m in LENGTHS)
        return Ambiguity(question=f"How long should {name} be?", options=options)
    return None


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The known plan of this kind; none when what an order needs is not there."""
    asked = read_request(question, landscape)
    values = slots_of(asked) if asked.me or asked.kind not in WRITES else {}
    kind = "calendar_slots" if asked.kind == "free" and "duration_min" in values else intent.question_type
    for name, pattern in playbook.patterns.items():
        if kind in pattern.question_types and all(slot in values for slot in pattern.requires):
            steps = [
                step.model_copy(update={"args": {k: v for k, v in step.args.items() if f"{v}" and "{" not in f"{v}"}})
                for step in (fill_step(one, values, ()) for one in pattern.steps)
                if playbook.tools is None or step.tool in playbook.tools
            ]
            if kind in {f"calendar_{w}" for w in WRITES} and incomplete(asked):
                break
            return Plan(pattern=name, query_intent=pattern.query_intent, steps=tuple(steps))
    return Plan(pattern="NOVEL", query_intent="other", steps=())


def incomplete(asked: CalendarRequest) -> bool:
    """Whether an order lacks what may not be guessed."""
    if asked.kind == "move":
        times = asked.target
        said = (times.days, times.at, times.shift, times.length, asked.delta or None)
        nothing = not any(value is not None and value != () for value in said)
        return nothing or bool(asked.bounded) or ambiguity_of(asked) is not None
    return ambiguity_of(asked) is not None or bool(asked.bounded)


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """What was found or would change."""
    del playbook
    return write_calendar.write_answer(brief)


__all__ = ["claim", "disclaim", "make_plan", "read_intent", "write_answer"]
