"""The slash command: acknowledged at once, answered to one person, and nothing told that is another channel's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot.listeners import commands
from bot.parse import FAMILY_SUBCOMMANDS
from bot.views.notice import NO_DATABASE
from tests.support.bolt_with_ledger import Desk, all_words, answer, ask, busy, open_desk
from tests.support.slack_payloads import command, wait_for
from workers.store.feedback import Tally, tally
from workers.store.incidents import open_incident, resolve_incident
from workers.store.memories import add_memory, list_memories
from workers.store.source_refreshes import record_sources


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Desk]:
    with open_desk(tmp_path / "home") as opened:
        yield opened.listen(commands)


# --- questions and help -----------------------------------------------------------------------------------------


def test_a_question_that_was_accepted_is_rung_and_says_who_is_before_it(worker: Desk) -> None:
    busy(worker)
    ask(worker, 1)
    question = ask(worker, 2, ts="", thread_ts="", channel="C2")
    worker.noted = {"request_id": question.request_id, "question": question}
    told = json.loads(worker.send(command()).body)
    assert told["response_type"] == "ephemeral"
    assert told["text"].startswith("Looking into it…")
    assert told["text"].endswith("1 question is before yours.")
    assert wait_for(lambda: worker.rung) == [question.request_id]


def test_why_a_question_was_not_taken_is_said_at_once(worker: Desk) -> None:
    worker.noted = {"refusal": "You have asked 60 questions within an hour."}
    assert json.loads(worker.send(command()).body)["text"] == "You have asked 60 questions within an hour."
    assert worker.rung == []


def test_help_lists_every_subcommand(worker: Desk) -> None:
    told = all_words(json.loads(worker.send(command("help")).body))
    assert "/api/zones" in told
    for name in (*commands.SUBCOMMANDS, *FAMILY_SUBCOMMANDS, "help"):
        assert f"/oracle {name}" in told


def test_the_command_alone_opens_a_window(worker: Desk) -> None:
    assert worker.send(command("")).body == ""
    [opened] = wait_for(lambda: worker.slack.called("views.open"))
    assert opened["trigger_id"] == command("")["trigger_id"]
    assert opened["view"]["type"] == "modal"


def test_a_window_that_does_not_open_is_replaced_by_words(worker: Desk) -> None:
    worker.slack.answers["views.open"] = {"ok": False, "error": "expired_trigger_id"}
    assert "Commands" in worker.say("")


def test_a_command_is_told_when_too_much_waits_for_slack(worker: Desk) -> None:
    while worker.attention.later.room.acquire(blocking=False):
        pass
    assert json.loads(worker.send(command("cancel")).body)["text"] == commands.BUSY
    worker.attention.later.room.release()
    assert "You have no open question" in worker.say("cancel")


# --- status and sources -----------------------------------------------------------------------------------------


def test_status_in_words(worker: Desk) -> None:
    busy(worker)
    ask(worker, 1, asker="U9")
    ask(worker, 2, "and checkout?")
    record_sources(worker.database, [("repo_search", "shop: cannot be read", False)])
    told = worker.say("status")
    assert "Working, but 1 source has trouble." in told
    assert f"Questions: {2 + worker.ledger.limits.concurrency} open" in told
    assert "“and checkout?”" in told
    assert "1 question before it" in told
    assert "shop: cannot be read" in told


def test_sources_with_their_freshness(worker: Desk) -> None:
    record_sources(worker.database, [("doc_search", "docs: 12 documents", True)])
    told = worker.say("sources")
    assert "docs: 12 documents · read just now" in told
    assert "1 metric known" in told


@pytest.mark.parametrize("text", ["status", "catchup", "cancel", "feedback good", "why abcdef000001"])
def test_a_database_that_is_gone_is_one_sentence(worker: Desk, text: str) -> None:
    worker.broken()
    with worker.database.begin() as connection:
        connection.exec_driver_sql("alter table requests rename to lost")
    assert worker.say(text) == NO_DATABASE


# --- catch-up ---------------------------------------------------------------------------------------------------


def test_catching_up_on_this_channel_alone(worker: Desk) -> None:
    worker.slack.answers["chat.getPermalink"] = lambda a: {"permalink": f"https://t.slack.com/{a['message_ts']}"}
    answer(worker, ask(worker, 1))
    ask(worker, 2, "and now?", asker="U9")
    answer(worker, ask(worker, 3, "secret plans?", channel="C9"))
    open_incident(worker.database, "T1", "C1", "Checkout fails", "U2")
    resolve_incident(worker.database, "T1", "C1", "U3")
    open_incident(worker.database, "T1", "C9", "secret outage", "U2")
    told = worker.say("catchup")
    assert "2 questions, 1 incident" in told
    assert "“why is search slow?”  → It was the deploy" in told
    assert "“and now?”  (being worked on)" in told
    assert "Checkout fails" in told
    assert "secret" not in told
    assert '"url": "https://t.slack.com/100.1"' in json.dumps(worker.slack.told[-1])


def test_links_are_looked_up_for_five_threads_at_most_and_once(worker: Desk) -> None:
    worker.slack.answers["chat.getPermalink"] = lambda a: {"permalink": f"https://t.slack.com/{a['message_ts']}"}
    for number in range(8):
        ask(worker, number)
    worker.say("catchup 2h")
    worker.say("catchup 2h")
    assert [a["message_ts"] for a in worker.slack.called("chat.getPermalink")] == [f"100.{n}" for n in range(3, 8)]


def test_a_catch_up_without_links_where_slack_gives_none(worker: Desk) -> None:
    worker.slack.answers["chat.getPermalink"] = {"ok": False, "error": "message_not_found"}
    ask(worker, 1)
    assert "1 question." not in worker.say("catchup")
    assert "“why is search slow?”" in all_words(worker.slack.told[-1])


def test_clocks_are_read_in_the_person_s_zone(worker: Desk) -> None:
    worker.slack.answers["users.info"] = {"user": {"id": "U1", "tz": "Pacific/Kiritimati"}}
    worker.say("catchup yesterday")
    first = json.dumps(worker.slack.told[-1]).split('"timestamp": ')[1]
    since = datetime.fromtimestamp(int(first.split(",")[0]), UTC)
    assert (since + timedelta(hours=14)).hour == 0, "midnight on Kiritimati, 14 hours ahead of UTC"


def test_since_nonsense(worker: Desk) -> None:
    assert "Say since when as 2h, 1d, yesterday" in worker.say("catchup lunch")


# --- feedback ---------------------------------------------------------------------------------------------------


def test_feedback_is_on_the_last_answer_here_without_secrets(worker: Desk) -> None:
    answer(worker, ask(worker, 1))
    answer(worker, ask(worker, 2, "elsewhere?", channel="C9"))
    assert "“why is search slow?”" in worker.say("feedback bad the password is hunter2")
    assert tally(worker.database, 1) == Tally(bad=1)
    with worker.database.begin() as connection:
        rows = connection.exec_driver_sql('select request_id, "user", team, text from feedback').all()
    assert rows == [("abcdef000001", "U1", "T1", "the password is [redacted]")]
    worker.say("feedback 👍")
    assert tally(worker.database, 1) == Tally(good=1)


def test_feedback_without_a_verdict_asks_for_one(worker: Desk) -> None:
    answer(worker, ask(worker, 1))
    told = worker.say("feedback the wrong deploy")
    assert "/oracle feedback good the wrong deploy" in told
    assert "/oracle feedback bad the wrong deploy" in told
    assert tally(worker.database, 1) == Tally()


def test_feedback_needs_an_answer_of_one_s_own_here(worker: Desk) -> None:
    answer(worker, ask(worker, 1, asker="U9"))
    answer(worker, ask(worker, 2, channel="C9"))
    ask(worker, 3)
    assert worker.say("feedback good") == "I have not answered a question of yours in this channel yet."


# --- cancel -----------------------------------------------------------------------------------------------------


def test_cancel_stops_one_s_own_questions_here(worker: Desk) -> None:
    ask(worker, 1)
    ask(worker, 2, "another", asker="U9")
    ask(worker, 3, "elsewhere", channel="C9")
    told = worker.say("cancel")
    assert "Stopped:" in told
    assert "abcdef000001" in told
    assert worker.rung == ["abcdef000001"]
    assert worker.ledger.counts() == {"stop": 1, "plan": 2}
    assert (
        worker.say("cancel") == "You have no open question in this channel. Elsewhere: 1; /oracle cancel ID stops one."
    )
    assert "“elsewhere”" in worker.say("cancel abcdef000003")
    assert worker.ledger.counts() == {"stop": 2, "plan": 1}


def test_nobody_cancels_another_s_question(worker: Desk) -> None:
    ask(worker, 1, asker="U9")
    assert worker.say("cancel abcdef000001") == "You have no open question abcdef000001."
    assert worker.ledger.counts() == {"plan": 1}
    assert worker.rung == []


# --- why --------------------------------------------------------------------------------------------------------


def test_why_is_told_to_the_asker_and_in_the_channel(worker: Desk) -> None:
    answer(worker, ask(worker, 1))
    for place in ({}, {"channel_id": "C9"}, {"user_id": "U9"}):
        assert "abcdef000001" in worker.say("why abcdef000001", **place)
        assert "debug_incident" in all_words(worker.slack.told[-1]) + json.dumps(worker.slack.told[-1])
    assert "abcdef000001" in worker.say("why abcdef0"), "the beginning of an id is enough"


@pytest.mark.parametrize(
    "place", [{"user_id": "U9", "channel_id": "C9"}, {"team_id": "T9"}, {"user_id": "U9", "channel_id": "D1"}]
)
def test_why_is_not_found_elsewhere(worker: Desk, place: dict[str, str]) -> None:
    answer(worker, ask(worker, 1))
    told = worker.say("why abcdef000001", **place)
    assert told == worker.say("why 0123456789", **place).replace("0123456789", "abcdef000001")
    assert told.startswith("I know no request abcdef000001")


def test_a_response_that_slack_does_not_take_is_not_fatal(worker: Desk, caplog: pytest.LogCaptureFixture) -> None:
    worker.send(command("sources", response_url="http://127.0.0.1:1/gone"))
    wait_for(lambda: "was not delivered" in caplog.text)


# --- memories ---------------------------------------------------------------------------------------------------


def remembered(worker: Desk, user: str = "T1/U1") -> list[str]:
    return [memory.text for memory in list_memories(worker.database, user)]


def test_what_is_to_be_remembered_is_kept_without_secrets_for_its_person(worker: Desk) -> None:
    assert "frozen" in worker.say("remember Deploys are frozen, password hunter2")
    assert (remembered(worker), remembered(worker, "T1/U9")) == (["Deploys are frozen, password [redacted]"], [])
    worker.say("remember Deploys are frozen, password hunter2")
    assert len(remembered(worker)) == 1, "the same again is the same memory"
    assert "2,000" in worker.say("remember " + "long " * 2_000), "what is too long is refused, not cut"
    worker.say("remember")
    assert len(remembered(worker)) == 1


def test_memories_are_listed_to_their_person_alone(worker: Desk) -> None:
    add_memory(worker.database, "T1/U9", "the key is under the mat")
    assert "nothing" in worker.say("memories")
    for number in range(22):
        add_memory(worker.database, "T1/U1", f"fact {number}")
    told = worker.say("memories")
    assert "fact 21" in told
    assert "2 more" in told
    assert "under the mat" not in told
    assert "under the mat" in worker.say("memories", user_id="U9")


def test_one_is_forgotten_by_its_number_or_its_words(worker: Desk) -> None:
    mine = [add_memory(worker.database, "T1/U1", text) for text in ("deploys freeze", "deploys thaw", "I use Rust")]
    theirs = add_memory(worker.database, "T1/U9", "I use Go")
    for unclear in ("forget deploys", "forget", f"forget {theirs.id}", "forget go", "forget 999"):
        worker.say(unclear)
    assert (len(remembered(worker)), len(remembered(worker, "T1/U9"))) == (3, 1)
    assert "I use Rust" in worker.say("forget RUST")
    assert "deploys freeze" in worker.say(f"forget {mine[0].id}")
    assert remembered(worker) == ["deploys thaw"]


def test_a_number_means_the_memory_of_that_number_even_where_others_hold_it(worker: Desk) -> None:
    first = add_memory(worker.database, "T1/U1", "first")
    add_memory(worker.database, "T1/U1", f"port {first.id} is taken")
    worker.say(f"forget {first.id}")
    assert remembered(worker) == [f"port {first.id} is taken"]


@pytest.mark.parametrize("text", ["remember this", "memories", "forget this"])
def test_memories_while_the_database_is_gone(worker: Desk, text: str) -> None:
    with worker.database.begin() as connection:
        connection.exec_driver_sql("alter table memories rename to gone")
    assert NO_DATABASE in worker.say(text)
