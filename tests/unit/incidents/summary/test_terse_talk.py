"""Chats in fragments: orders of a word or two, answers that say nothing without their question, nods, denials."""

from __future__ import annotations

import pytest

from tests.support.channel_lines import channel
from workers.incidents.summary.conversation import read_conversation
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_types import Summary

PAYOUTS = """
13:40 PagerDuty*: [TRIGGERED] payments-worker queue depth 48,000 > 5,000
13:41 lena: looking
13:43 lena: payouts aren't going out. queue is at 51k and climbing
13:44 sam: want me to open an incident?
13:44 lena: yes please, sev2
13:45 sam: ok opened. I'm IC, lena you're on the workers, ravi can you check with the bank?
13:47 ravi: bank side says they're fine, no errors on their end
13:48 lena: workers are all stuck on redis BLPOP
13:49 sam: so redis is full?
13:50 lena: yep redis-payments is at 100% memory
13:51 sam: could it be the batch import? it ran at noon
13:52 ravi: nah that finished at 12:20
13:53 sam: who holds all that
13:54 lena: the idempotency keys, idem:* has 41 million
13:55 lena: bingo, idem:* is 92% of the keyspace
13:56 sam: nice find. options?
13:57 lena: bump maxmemory to 24gb now, then expire the old ones
13:57 sam: do it
13:58 lena: maxmemory set to 24gb
14:00 lena: queue going down, 51k -> 38k
14:02 sam: how many payouts are late
14:04 ravi: 1,240
14:05 sam: ravi revert the ttl change pls, I'll tell support
14:10 lena: someone should alert on redis memory
14:11 sam: ravi that's yours?
14:12 ravi: yep
14:22 lena: queue empty, all payouts since 13:20 sent
14:30 sam: calling it. thanks everyone
"""


@pytest.fixture(scope="module")
def payouts() -> Summary:
    return summarize(channel(PAYOUTS))


def texts(summary: Summary, section: str) -> list[str]:
    return [line.text for line in getattr(summary, section)]


def owners(summary: Summary) -> dict[str, str]:
    return {item.text: item.owner for item in summary.action_items}


def told(text: str) -> Summary:
    """A summary of messages after an outage was declared by sam, who leads."""
    return summarize(channel("10:00 sam: sev2, I'm IC, checkout is down\n10:01 lena: on it\n" + text))


def test_a_bare_yes_is_a_decision_with_what_it_says_yes_to(payouts: Summary) -> None:
    line = next(line for line in payouts.decisions if "Do it" in line.text)
    assert line.text.startswith("Bump maxmemory to 24gb now")
    assert len(line.ts) == 2


def test_a_line_of_a_question_and_its_answer_rests_on_both(payouts: Summary) -> None:
    said = {message.ts: message.text.lower() for message in channel(PAYOUTS)}
    pairs = [
        line
        for section in ("impact", "known", "ruled_out", "decisions")
        for line in getattr(payouts, section)
        if " → " in line.text
    ]
    assert len(pairs) >= 3
    for line in pairs:
        for half in line.text.split(" → "):
            assert any(half.lower().strip(" .?") in said[ts] for ts in line.ts), line


def test_a_denied_guess_stands_as_ruled_out_with_the_answer(payouts: Summary) -> None:
    assert any("batch import" in text and "finished at 12:20" in text for text in texts(payouts, "ruled_out"))
    assert not any("batch import" in text for text in texts(payouts, "hypotheses"))


def test_what_a_question_was_answered_with_is_known(payouts: Summary) -> None:
    known = texts(payouts, "known")
    assert any("92% of the keyspace" in text for text in known)
    assert any("100% memory" in text for text in known)


def test_a_figure_that_was_asked_for_is_the_impact(payouts: Summary) -> None:
    assert any("1,240" in text for text in texts(payouts, "impact"))


def test_a_deed_without_its_doer_was_tried_and_its_figures_are_what_came_of_it(payouts: Summary) -> None:
    assert any(text.startswith("Maxmemory set to 24gb →") and "38k" in text for text in texts(payouts, "tried"))


def test_tasks_go_to_whom_a_bare_name_asks_and_to_who_takes_something_on(payouts: Summary) -> None:
    assert owners(payouts)["Revert the ttl change pls"] == "ravi"
    assert owners(payouts)["Tell support"] == "sam"
    assert owners(payouts)["Someone should alert on redis memory"] == "ravi"


def test_who_only_had_to_look_has_nothing_left_to_do_once_it_is_over(payouts: Summary) -> None:
    assert payouts.status.state == "resolved"
    assert not any("bank" in text for text in texts(payouts, "action_items"))


@pytest.mark.parametrize(
    "end",
    [
        "calling it",
        "all green for 20 min. resolved, thanks all",
        "flat since 10:20. done here",
        "99.4, good enough. closing",
    ],
)
def test_an_end_in_two_words_is_one(end: str) -> None:
    assert told(f"10:30 sam: {end}").status.state == "resolved"


def test_calling_it_mitigated_is_no_end() -> None:
    assert told("10:30 sam: calling it mitigated, watching till 12").status.state == "mitigated"


@pytest.mark.parametrize("said", ["pushwell status is all green", "the vendor's status page says all green"])
def test_the_page_of_another_company_mitigates_nothing(said: str) -> None:
    assert told(f"10:30 lena: {said}").status.state == "investigating"


@pytest.mark.parametrize(
    "order",
    [
        "lena roll it back",
        "roll 4.18 back",
        "turn the flag off",
        "not in prod before the vendor says so",
    ],
)
def test_an_order_of_who_leads_is_a_decision(order: str) -> None:
    assert any(order.rstrip("!").lower() in text.lower() for text in texts(told(f"10:05 sam: {order}"), "decisions"))


@pytest.mark.parametrize("said", ["roll it back"])
def test_an_order_of_anybody_else_counts_when_someone_takes_it(said: str) -> None:
    refused = told(f"10:05 kim: {said}\n10:06 kim: hm")
    taken = told(f"10:05 kim: {said}\n10:06 lena: on it\n10:07 kim: ty")
    assert not texts(refused, "decisions")
    assert texts(taken, "decisions")


def test_a_decision_is_gone_once_it_is_turned_back() -> None:
    found = told("10:05 sam: turn brotli off for the blog\n10:20 sam: lena put brotli back, off does nothing for us")
    assert not any("Turn brotli off" in text for text in texts(found, "decisions"))


def test_a_suspicion_stays_until_someone_denies_it() -> None:
    guess = "10:05 lena: could be the new line item query, its a big join\n"
    assert texts(told(guess), "hypotheses")
    assert not texts(told(guess + "10:07 sam: no, same plan as yesterday"), "hypotheses")


def test_a_nod_makes_what_was_just_written_the_cause() -> None:
    talk = "10:05 lena: sandbox answers unregistered for every prod token\n10:06 sam: "
    assert told(talk + "that'd do it").status.state == "identified"
    assert told(talk + "hm").status.state == "investigating"


def test_got_it_announces_what_follows_in_the_same_breath_alone() -> None:
    why = "keystore returns null on 14 if the key was made by 8.1, we removed the check in !4412"
    assert told(f"10:05 lena: ok got it. {why}").status.state == "identified"
    assert told(f"10:05 lena: ok got it\n10:09 lena: {why}").status.state == "investigating"


def test_no_cause_yet_takes_a_finding_back_when_who_leads_says_so() -> None:
    found = "10:05 lena: found it. the edge keeps a brotli copy\n"
    assert told(found).status.state == "identified"
    assert told(found + "10:20 sam: next 10:40, still no cause").status.state == "investigating"


def test_an_alarm_is_the_only_figure_until_someone_gives_one() -> None:
    alarm = "09:58 Datadog*: [Triggered] push.delivered 41% of sent, usual 96%\n"
    assert any("41%" in text for text in texts(summarize(channel(alarm + "10:00 sam: sev2, push is down")), "impact"))
    told_since = alarm + "10:00 sam: sev2, push is down\n10:02 sam: 12% of riders wait for a code"
    assert texts(summarize(channel(told_since)), "impact") == ["12% of riders wait for a code"]


def test_a_scope_is_impact_and_rules_nothing_out() -> None:
    found = told("10:05 lena: ios only, android 97%\n10:06 lena: lhr fra = old, us is fine")
    assert len([text for text in texts(found, "impact") if "ios" in text.lower() or "lhr" in text.lower()]) == 2
    assert not texts(found, "ruled_out")


def test_an_update_that_is_long_due_is_no_promise() -> None:
    assert told("10:05 sam: next update 10:30").next_update
    assert not told("10:05 sam: next update 10:30\n11:20 lena: still digging").next_update


def test_a_question_that_was_answered_with_a_name_is_closed() -> None:
    asked = "10:05 sam: what went out this morning?\n"
    assert texts(told(asked), "open_questions")
    assert not texts(told(asked + "10:06 lena: 4.18.0, at 08:20"), "open_questions")


def test_who_leads_may_be_the_answer_to_a_question() -> None:
    talk = read_conversation(channel("10:00 ron: checkout is down\n10:01 ron: who runs this\n10:01 tess: me"))
    assert talk.leaders == {message.user for message in talk.messages if message.name == "tess"}


def test_a_minus_before_a_figure_is_no_bullet() -> None:
    found = told(
        "10:05 lena: found something. -3 bumps the session library to 4.0, that opens a connection per request"
    )
    assert any("-3 bumps" in text for text in texts(found, "known"))


def test_a_thousand_messages_that_go_on_are_read() -> None:
    lines = "\n".join(f"10:{5 + i // 60:02d} lena: and so on {i}" for i in range(1_000))
    assert told(lines).status.state == "investigating"


def test_what_a_sudden_visitor_asks_stands_nowhere() -> None:
    talk = PAYOUTS.replace("13:53 sam: who holds all that", "13:53 zed: who holds the golden ticket")
    lines = [line for section in ("known", "impact", "ruled_out") for line in texts(summarize(channel(talk)), section)]
    assert lines
    assert not any("golden ticket" in line for line in lines)


@pytest.mark.parametrize("answer", ["abena: NEVER", "lena: no way", "kim: joke"])
def test_what_was_refused_or_meant_as_a_joke_is_no_decision(answer: str) -> None:
    assert not texts(told(f"10:05 kim: delete the wal\n10:05 {answer}\n10:06 lena: ok so"), "decisions")


def test_a_name_and_a_verb_are_a_task_and_a_name_and_a_statement_are_none() -> None:
    talk = "10:05 sam: lena chase the vendor tomorrow morning\n10:06 sam: lena saw the same on tuesday"
    assert owners(told(talk)) == {"Chase the vendor tomorrow morning": "lena"}


def test_a_name_that_is_a_word_too_is_one_before_a_comma() -> None:
    talk = channel("10:00 sam: sev2, I'm IC, checkout is down\n10:01 mark: on it\n10:02 mark: hm")
    assert read_conversation(talk).addressed("Mark the old pods as failed") == ("", "Mark the old pods as failed")
    assert read_conversation(talk).addressed("mark, drain the old pods") == ("mark", "drain the old pods")


def test_what_is_other_than_it_should_be_is_known() -> None:
    found = told("10:05 kim: barcode font isnt in the v88 image, its falling back to dejavu\n10:06 kim: hm")
    assert any("barcode font" in text.lower() for text in texts(found, "known"))


def test_alarms_that_all_went_back_mitigate_and_one_that_fires_on_does_not() -> None:
    fired = "09:58 Datadog*: [Alert] exam-db disk 94%\n09:59 Datadog*: [Alert] exam-web p99 9s\n10:00 noor: sev2\n"
    one = fired + "10:20 Datadog*: [Recovered] exam-db disk 34%"
    both = one + "\n10:21 Datadog*: [Recovered] exam-web p99 0.3s"
    assert summarize(channel(one)).status.state == "investigating"
    assert summarize(channel(both)).status.state == "mitigated"
    assert summarize(channel(both + "\n10:30 Datadog*: [Alert] exam-db disk 95%")).status.state == "investigating"


def test_who_takes_over_in_two_words_leads() -> None:
    found = told("10:05 sam: i have to go. lena can you take it\n10:06 lena: yep mine now")
    assert found.lead is not None
    assert found.lead.name == "lena"


@pytest.mark.parametrize(
    "order",
    [
        "go: all pcie nodes back to 550, 3 at a time",
        "the wildcard block stays on until the cost limit is built",
        "Decision: no banner",
    ],
)
def test_what_who_leads_says_is_to_hold_is_a_decision(order: str) -> None:
    (decision,) = texts(told(f"10:05 sam: {order}"), "decisions")
    assert order.lower().endswith(decision.lower().removeprefix("lena "))


@pytest.mark.parametrize(
    "guess",
    [
        "so its the cdn or our purges",
        "maybe the yearly key rotation fired early?",
        "next candidate: the token cache. TTL on tokens was raised this morning",
    ],
)
def test_a_guess_without_a_word_of_doubt_is_a_hypothesis(guess: str) -> None:
    assert texts(told(f"10:05 lena: {guess}"), "hypotheses")


def test_so_no_is_of_what_was_supposed_last() -> None:
    found = told("10:05 lena: if the retry went out twice thats your 412k\n10:08 sam: good. so no double payment")
    assert (texts(found, "hypotheses"), len(texts(found, "ruled_out"))) == ([], 1)


@pytest.mark.parametrize(
    "question",
    [
        "are partners with hardcoded ips on .40 too?",
        "next payout is friday 06:00, do we delay it?",
        "why does the bank file say 06-30 when it has the 29th in it too",
        "how come the rollout didnt stop on notready nodes?",
    ],
)
def test_a_question_that_nobody_answers_stays_open(question: str) -> None:
    found = told(
        f"10:05 ravi: hello\n10:06 lena: {question}\n10:07 ravi: calling it mitigated, watching\n10:08 sam: ok"
    )
    assert [text.lower() for text in texts(found, "open_questions")] == [question]


def test_so_many_of_whom_say_something_is_impact() -> None:
    assert "3 hospitals say captions stop mid sentence" in texts(
        told("10:05 gwen: 3 hospitals say captions stop mid sentence\n10:06 gwen: ouch"), "impact"
    )


def test_an_impact_that_is_called_so_stays_when_it_is_over() -> None:
    found = told(
        "10:05 sam: Impact: 61 tenants with SAML cannot log in, password login is fine\n"
        "10:30 lena: logins work for all 61 tenants again\n10:31 sam: resolved"
    )
    assert any(text.startswith("61 tenants with SAML") for text in texts(found, "impact"))


def test_who_takes_the_lead_over_by_the_word_of_who_has_it_may_end_it() -> None:
    found = told("10:05 sam: handing the lead to @lena at 11:00\n11:30 lena: resolved at 11:30")
    assert found.status.state == "resolved"
