"""What the calendar agent reads from a message, against the names that calendars hold."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.support.each_row import each_row
from workers.agents.calendar import claim, make_plan, read_intent
from workers.agents.calendar.request import read_request
from workers.agents.calendar.write_calendar import HELD
from workers.agents.registry import playbook_of
from workers.contracts import Intent, Landscape, Plan, Question
from workers.ports import Limits, Playbook
from workers.settings.load import load_settings

NOW = datetime(2026, 11, 25, 9, 15, tzinfo=UTC)
PEOPLE = [["Anna Berger", ["anna", "anna berger"], ["U1"]], ["Jonas Weber", ["jonas", "joni"], []],
          ["Mike Sullivan", ["mike"], []]]  # fmt: skip
COMING = [
    ["1:1 Jonas", "2026-11-26T10:00:00Z", 30, "Anna Berger", True, "one"],
    ["1:1 Anna", "2026-11-26T10:00:00Z", 30, "Jonas Weber", True, "one"],
    ["Dentist", "2026-11-26T15:00:00Z", 30, "Anna Berger", False, "tooth"],
    ["1:1 Jonas", "2026-12-03T10:00:00Z", 30, "Anna Berger", True, "one"],
    ["Onboarding mit Jonas", "2026-12-01T09:00:00Z", 30, "Anna Berger", False, "plan"],
    ["Budget review", "2026-12-02T14:00:00Z", 60, "Anna Berger", False, "budget"],
]
NAMES = Landscape(
    labels={
        "calendar_person": tuple(map(json.dumps, PEOPLE)),
        "appointment": tuple(map(json.dumps, COMING)),
        "on_call_team": ("platform", "data"),
    }
)


def asked(text: str, asker: str = "U1") -> Question:
    return Question(
        request_id="r", text=text, asker=asker, team="T1", source="slack", received_at=NOW, timezone="Europe/Berlin"
    )


@pytest.fixture(scope="module")
def playbook() -> Playbook:
    limits = Limits((), 12, "stop", 800, 1_500, True, 0, 8, ())
    own = playbook_of(load_settings(), "calendar", limits)
    return Playbook(own.patterns)


def both(text: str, playbook: Playbook, asker: str = "U1") -> tuple[Intent, Plan]:
    question = asked(text, asker)
    intent = read_intent(question, NAMES, NOW, playbook)
    return intent, make_plan(question, intent, NAMES, playbook)


@each_row(
    "text, tool, args",
    [
        ("move the budget review to friday at 3pm", "calendar_move",
         {"appointment": "budget", "date": "2026-11-27", "time": "15:00"}),
        ("move tomorrow's 1:1 with jonas to 9:30", "calendar_move",
         {"appointment": "one", "time": "09:30", "scope": "this"}),
        ("push the budget review back by 30 minutes", "calendar_move", {"appointment": "budget", "shift_min": "30"}),
        ("cancel the budget review", "calendar_cancel", {"appointment": "budget"}),
        ("who is on call for data right now?", "calendar_on_call", {"team": "data"}),
        ("find 45 minutes with mike and joni next week, not before 10", "calendar_free_slots",
         {"people": "Anna Berger, Mike Sullivan, Jonas Weber", "duration_min": "45", "earliest": "10:00"}),
        ("is mike free tomorrow at 3pm?", "calendar_events",
         {"people": "Mike Sullivan", "start": "2026-11-26T15:00:00+01:00"}),
        ("what's next after the budget review?", "calendar_events", {"start": "2026-12-02T16:00:00+01:00"}),
        ("book a demo with mike on friday at 14:00 for 30 minutes", "calendar_create",
         {"title": "Demo", "people": "Mike Sullivan", "start": "2026-11-27T14:00:00+01:00"}),
    ],
)  # fmt: skip
def test_a_plan_has_what_was_said(text: str, tool: str, args: dict[str, Any], playbook: Playbook) -> None:
    intent, plan = both(text, playbook)
    assert intent.ambiguity is None
    (step,) = plan.steps
    assert step.tool == tool
    assert {k: v for k, v in step.args.items() if k in args} == args


@each_row(
    "text",
    ["Verschieb bitte den Termin mit Jonas auf 16 Uhr", "cancel the 1:1", "book a retro with mike next week",
     "move my appointment on thursday to friday", "book a retro with mike on friday at 10",
     "schedule a retro with mike at 10 for an hour"],
)  # fmt: skip
def test_what_is_missing_of_a_change_is_asked_back_and_nothing_is_planned(text: str, playbook: Playbook) -> None:
    intent, plan = both(text, playbook)
    assert intent.ambiguity is not None
    assert len(intent.ambiguity.options) > 1
    assert plan.steps == ()


def test_every_option_of_a_question_back_answers_it(playbook: Playbook) -> None:
    text = "cancel the 1:1"
    intent, _ = both(text, playbook)
    assert intent.ambiguity is not None
    scopes = []
    for option in intent.ambiguity.options:
        again, plan = both(f"{text} ({option.value})?", playbook)
        assert again.ambiguity is None
        scopes.append(plan.steps[0].args["scope"])
    assert scopes == ["this", "following", "all"]


def test_an_appointment_that_was_picked_is_the_one(playbook: Playbook) -> None:
    intent, _ = both("Verschieb bitte den Termin mit Jonas auf 16 Uhr", playbook)
    assert intent.ambiguity is not None
    picked = next(o for o in intent.ambiguity.options if o.label.startswith("Onboarding"))
    _, plan = both(f"Verschieb bitte den Termin mit Jonas auf 16 Uhr ({picked.value})?", playbook)
    assert (plan.steps[0].args["appointment"], plan.steps[0].args["time"]) == ("plan", "16:00")


def test_nothing_is_changed_for_somebody_without_a_calendar(playbook: Playbook) -> None:
    intent, plan = both("cancel the budget review", playbook, asker="U9")
    assert intent.ambiguity is None
    assert plan.steps == ()


def test_a_title_that_is_not_there_then_is_not_taken_for_another(playbook: Playbook) -> None:
    _, plan = both("cancel the budget review tomorrow", playbook)
    assert plan.steps == ()


@pytest.mark.parametrize("text", ["why is checkout slow", "hello", "turn on the lamp"])
def test_what_is_no_request_of_calendars_is_not_guessed(text: str, playbook: Playbook) -> None:
    assert both(text, playbook)[1].steps == ()


def test_the_asker_is_known_by_id_and_others_by_alias() -> None:
    found = read_request(asked("when can joni and I meet for 30 min tomorrow"), NAMES)
    assert found.me is not None
    assert (found.me.name, found.others, found.asked) == (
        "Anna Berger", ("Jonas Weber",), ("Anna Berger", "Jonas Weber")
    )  # fmt: skip


@each_row(
    "text",
    [
        "don't cancel the budget review",
        "please do not move the budget review to friday",
        "never move the budget review",
        "please don’t ever cancel the budget review",
        "Mike wants to cancel the budget review",
        "I might have to cancel the budget review",
        "I may need to cancel the budget review tomorrow",
        "move the budget review to friday at 3pm unless mike objects",
        "move the budget review to friday at 3pm if mike agrees",
        "cancel the budget review as soon as mike says so",
        "mike asked me not to cancel the budget review",
        "verschieb die Budget review nicht auf Freitag",
        "don't book a demo with mike on friday at 14:00 for 30 minutes",
    ],
)
def test_what_is_forbidden_conditional_or_told_of_others_is_no_order(text: str, playbook: Playbook) -> None:
    intent, plan = both(text, playbook)
    assert plan.steps == ()
    assert intent.ambiguity is None


@each_row(
    "text, tool",
    [
        ("I can't make it on Wednesday, move the budget review to friday at 3pm", "calendar_move"),
        ("please cancel the budget review, I don't have time", "calendar_cancel"),
        ("move the budget review to friday at 3pm if possible", "calendar_move"),
        ("I have to cancel the budget review", "calendar_cancel"),
        ("don't forget to cancel the budget review", "calendar_cancel"),
        ("can you cancel the budget review?", "calendar_cancel"),
    ],
)
def test_an_order_with_its_reason_stays_one(text: str, tool: str, playbook: Playbook) -> None:
    _, plan = both(text, playbook)
    assert [step.tool for step in plan.steps] == [tool]


def test_a_name_that_redaction_broke_is_left_out() -> None:
    broken = '["Guest wifi \\"password: [REDACTED]", "2026'
    labels = {k: (*v, broken) if k != "on_call_team" else v for k, v in NAMES.labels.items()}
    assert read_request(asked("cancel the budget review"), Landscape(labels=labels)).kind == "cancel"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("don't cancel the budget review", "not to be done"),
        ("cancel the budget review if mike agrees", "condition"),
        ("Mike wants to cancel the budget review", "somebody else"),
    ],
)
def test_what_is_no_order_is_said_back(text: str, says: str) -> None:
    held = read_request(asked(text), NAMES).held
    assert says in HELD[held]


@each_row(
    "text, rule",
    [
        ("book a tea round with mike every other tuesday at 15:00 for 20 minutes", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU"),
        ("set up a standup with joni every weekday at 9:10, 10 minutes", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
        ("schedule a drill with mike on the last friday of every month at 11 for an hour", "FREQ=MONTHLY;BYDAY=-1FR"),
        ("book a tea round with mike every tuesday at 15:00 for 20 minutes until february",
         "FREQ=WEEKLY;BYDAY=TU;UNTIL=20270131T225959Z"),
        ("book a tea round with mike every tuesday at 15:00 for 20 minutes until the end of february",
         "FREQ=WEEKLY;BYDAY=TU;UNTIL=20270228T225959Z"),
        ("Trag jeden Dienstag um 15 Uhr 20 Minuten Teerunde mit Mike ein, bis Ende Februar",
         "FREQ=WEEKLY;BYDAY=TU;UNTIL=20270228T225959Z"),
    ],
)  # fmt: skip
def test_what_recurs_is_planned_as_such(text: str, rule: str, playbook: Playbook) -> None:
    _, plan = both(text, playbook)
    assert plan.steps[0].args.get("rule") == rule


def test_an_end_that_is_no_time_is_not_guessed(playbook: Playbook) -> None:
    text = "book a tea round with mike every tuesday at 15:00 for 20 minutes until ramadan"
    assert both(text, playbook)[1].steps == ()
    assert read_request(asked(text), NAMES).bounded == "ramadan"
    assert read_request(asked(text.replace("ramadan", "early ramadan")), NAMES).bounded


def test_a_name_of_two_people_is_asked_back_and_the_asker_is_not_meant(playbook: Playbook) -> None:
    two = [*PEOPLE, ["Anna Svensson", ["anna", "anna svensson"], ["U2"]], ["Mike Okoro", ["mike", "mike okoro"], []]]
    names = Landscape(labels={**NAMES.labels, "calendar_person": tuple(map(json.dumps, two))})
    assert read_request(asked("is anna free tomorrow at 3pm?"), names).others == ("Anna Svensson",)
    question = asked("is mike free tomorrow at 3pm?")
    intent = read_intent(question, names, NOW, playbook)
    assert intent.ambiguity is not None
    assert [o.value for o in intent.ambiguity.options] == ["Mike Sullivan", "Mike Okoro"]
    assert read_request(asked("is mike free tomorrow at 3pm? (Mike Okoro)?"), names).unclear is None


def test_a_name_that_nobody_has_is_looked_up_and_not_left_out(playbook: Playbook) -> None:
    _, plan = both("can I meet Zeynep on thursday afternoon?", playbook)
    assert plan.steps[0].args["people"] == "Anna Berger, Zeynep"


def test_a_time_of_another_zone_is_read_in_it(playbook: Playbook) -> None:
    far = [[*PEOPLE[0], "Europe/Berlin"], [*PEOPLE[1], "Asia/Tokyo"]]
    names = Landscape(labels={**NAMES.labels, "calendar_person": tuple(map(json.dumps, far))})
    question = asked("is joni free tomorrow at 4pm his time?")
    plan = make_plan(question, read_intent(question, names, NOW, playbook), names, playbook)
    assert plan.steps[0].args["start"] == "2026-11-26T16:00:00+09:00"


@each_row(
    "text, unread",
    [
        ("what do I have tomorrow?", ()),
        ("what do I have tomorrow with a blue label?", ("blue", "label")),
        ("¿qué tengo mañana por la tarde?", ()),
    ],
)
def test_words_that_nothing_was_made_of_are_known(text: str, unread: tuple[str, ...]) -> None:
    assert read_request(asked(text), NAMES).unread == unread


@each_row(
    "text, claims",
    [
        ("cancel the budget review", True),
        ("when can joni and I meet next week", True),
        ("did mike deploy the gateway on friday?", False),
        ("what changed in the budget service since friday?", False),
    ],
)
def test_people_and_appointments_that_are_named_claim_a_request(text: str, claims: bool) -> None:
    assert (claim(asked(text), NAMES) >= 0.9) is claims
