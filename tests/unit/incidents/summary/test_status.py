"""How an incident stands, who leads, how grave it is: what the machine makes of acts."""

from __future__ import annotations

import pytest

from tests.support.spoken_acts import summed

LED = """
09:00 Grafana*: [FIRING:1] CheckoutErrors critical
09:01 Maya [lead]: I'm IC
09:02 Tomas [investigating]: looking at the gateway
09:03 Priya [impact]: 4 % of checkouts fail
"""


def state(text: str) -> str:
    return summed(LED + text).status.state


@pytest.mark.parametrize(
    ("act", "wanted"),
    [
        ("cause", "identified"),
        ("mitigated", "mitigated"),
        ("monitoring", "monitoring"),
        ("resolved", "resolved"),
        ("false_alarm", "false_alarm"),
        ("observation", "investigating"),
    ],
)
def test_a_word_of_who_leads_changes_how_it_stands(act: str, wanted: str) -> None:
    assert state(f"09:20 Maya [{act}]: the gateway is what it is now") == wanted


@pytest.mark.parametrize(
    "line", ["Resolved: the pool is larger", "[RESOLVED] pool", "*Resolved* - pool is larger", "resolved"]
)
def test_a_line_may_begin_with_how_it_stands(line: str) -> None:
    assert state(f"09:20 Maya []: {line}") == "resolved"
    assert state(f"09:20 Maya []: {line}?") == "investigating"


def test_only_who_leads_ends_it() -> None:
    assert state("09:20 Tomas [resolved]: gateway is fine, closing") == "investigating"
    assert state("09:20 Tomas [mitigated]: gateway answers again") == "mitigated"


def test_a_passer_by_says_nothing_of_it() -> None:
    talk = "\n".join(f"09:{10 + n} Tomas [observation]: reading gateway log number {n}" for n in range(12))
    assert state(f"{talk}\n09:40 Zoe [mitigated]: works for me") == "investigating"


@pytest.mark.parametrize(
    "line",
    [
        "09:20 Maya [resolved]: is it resolved?",
        "09:20 Maya [resolved]: > all resolved",
        "09:20 Maya [resolved]: we are all saved {joy Tomas} {joy Priya}",
    ],
)
def test_a_question_a_quote_and_a_joke_change_nothing(line: str) -> None:
    assert state(line) == "investigating"


def test_what_came_back_is_open_again() -> None:
    over = "09:20 Maya [resolved]: gateway works, closing\n"
    assert state(over) == "resolved"
    assert state(f"{over}09:25 Maya [again]: it is back") == "investigating"


def test_a_false_alarm_stays_one_when_it_is_closed() -> None:
    assert state("09:20 Maya [false_alarm]: it was a test\n09:21 Maya [resolved]: closing the ticket") == "false_alarm"


def test_it_does_not_go_back_by_itself() -> None:
    assert state("09:20 Maya [monitoring]: fix is out\n09:22 Tomas [cause]: the pool was full of leaks") == "monitoring"


# --- who leads -----------------------------------------------------------------------------------------------------


def lead(text: str) -> str:
    found = summed(f"09:00 Grafana*: [FIRING:1] CheckoutErrors critical\n{text}").lead
    return found.name if found else ""


def test_who_says_so_leads_and_whom_they_name_after() -> None:
    assert lead("09:01 Maya [lead]: I'm IC") == "Maya"
    assert lead("09:01 Maya [lead]: I'm IC\n09:30 Maya [lead]: @Tomas has the lead now\n09:31 Tomas: fine") == "Tomas"


def test_whoever_is_asked_leads_once_they_say_yes() -> None:
    asked = "09:01 Maya [lead]: I'm IC\n09:30 Maya [lead]: @Tomas can you take the lead?\n"
    assert lead(f"{asked}09:31 Priya: hm") == "Maya"
    assert lead(f"{asked}09:31 Tomas [commitment]: ok") == "Tomas"
    assert lead(f"{asked}09:31 Tomas [decline]: no, sorry") == "Maya"


def test_nobody_leads_while_nobody_said_so() -> None:
    assert lead("09:01 Maya [investigating]: looking") == ""


# --- how grave -----------------------------------------------------------------------------------------------------


def severity(text: str) -> str:
    return summed(f"09:00 Maya [lead]: I'm IC\n{text}").severity


def test_a_severity_is_given_raised_by_anybody_and_lowered_by_who_leads() -> None:
    given = "09:01 Maya [severity]: SEV2\n"
    assert severity(given) == "SEV2"
    assert severity(f"{given}09:05 Tomas [severity]: this is sev1") == "SEV1"
    assert severity(f"{given}09:05 Tomas [severity]: this is sev3") == "SEV2"
    assert severity(f"{given}09:05 Maya [severity]: down to sev3") == "SEV3"


def test_a_severity_that_is_only_spoken_of_is_none() -> None:
    assert severity("09:01 Tomas [observation]: last year's SEV1 looked like this") == ""
    assert severity("09:01 Tomas [severity]: is it a SEV1?") == ""
