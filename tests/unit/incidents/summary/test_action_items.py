"""Tasks: who has them, what is done, handed over or refused; what the machine makes of acts."""

from __future__ import annotations

from tests.support.spoken_acts import summed

LED = "09:00 Maya [lead]: I'm IC\n09:01 Tomas: here\n09:02 Priya: here too\n"
MAIL = "09:10 Maya [task_request]: @Tomas please write the mail to all partners\n"


def tasks(text: str) -> list[tuple[str, str, bool]]:
    return [(item.text, item.owner, item.done) for item in summed(LED + text).action_items]


def test_whoever_is_asked_has_the_task() -> None:
    assert tasks(MAIL) == [("Write the mail to all partners", "Tomas", False)]


def test_a_promise_is_a_task_of_who_makes_it() -> None:
    assert tasks("09:10 Priya [commitment]: I'll order the spare disks") == [("Order the spare disks", "Priya", False)]


def test_a_bare_yes_promises_nothing_of_its_own() -> None:
    assert tasks("09:10 Priya [commitment]: will do") == []


def test_each_owner_of_a_list_has_a_task_of_their_own() -> None:
    listed = tasks("09:10 Maya [task_request]: @Tomas check the retry queue, @Priya post on the status page")
    assert [(owner, done) for _, owner, done in listed] == [("Tomas", False), ("Priya", False)]
    assert ["retry queue" in text for text, _, _ in listed] == [True, False]


def test_a_report_of_its_owner_closes_it_and_others_reports_do_not() -> None:
    assert tasks(f"{MAIL}09:30 Tomas [done]: mail to the partners is out")[0][2]
    assert not tasks(f"{MAIL}09:30 Priya [done]: cache is warm again")[0][2]


def test_a_tick_of_its_owner_closes_it() -> None:
    assert tasks(f"{MAIL.rstrip()} {{white_check_mark Tomas}}\n")[0][2]


def test_who_takes_what_nobody_had_owns_it() -> None:
    free = "09:10 Maya [task_request]: someone should check the mirror in Oslo\n"
    assert tasks(free)[0][1] == ""
    assert tasks(f"{free}09:11 Priya [commitment]: on it")[0][1] == "Priya"


def test_what_is_refused_is_free_again() -> None:
    assert tasks(f"{MAIL}09:11 Tomas [decline]: can't, sorry")[0][1] == ""


def test_the_same_task_again_is_one() -> None:
    again = "09:30 Maya [task_request]: @Tomas the mail to all partners please, write it"
    assert len(tasks(MAIL + again)) == 1
