"""What patterns find stands when the second reader bears it out; what it is sure of stands by itself."""

from __future__ import annotations

from workers.incidents.summary.second_reading import acts_in, bears_out, read_again

from tests.support.channel_lines import channel
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_types import Summary
from workers.language.sentences import stems_of

BEGIN = """
10:00 Ana: checkout fails for a third of the customers, SEV2
10:01 Ana: I'm incident commander
10:02 Ben: looking at the gateway
"""


def told(more: str) -> Summary:
    return summarize(channel(BEGIN + more), why="name")


def texts(found: Summary, name: str) -> str:
    return " ".join(line.text.lower() for line in getattr(found, name))


def test_a_request_is_no_cause_and_nothing_that_is_known() -> None:
    found = told("10:03 Ana: @Ben please check whether the connection pool is full")
    assert found.status.state == "investigating"
    assert "pool" not in texts(found, "known")
    assert [(item.owner, item.done) for item in found.action_items] == [("Ben", False)]


def test_what_looks_fine_and_was_not_suspected_is_not_ruled_out() -> None:
    assert told("10:03 Ben: loads of 502s on the cart, the orders page looks fine").ruled_out == ()


def test_who_is_asked_to_lead_and_says_yes_leads() -> None:
    asked = told("10:20 Ana: @Ben you're IC from here, ok?")
    assert asked.lead
    assert asked.lead.name == "Ana"
    taken = told("10:20 Ana: @Ben you're IC from here, ok?\n10:20 Ben: ok got it")
    assert taken.lead
    assert taken.lead.name == "Ben"
    assert len(taken.lead.ts) == 2


def test_who_leads_calls_it_resolved_at_a_time() -> None:
    assert told("10:41 Ana: calling it resolved 10:41").status.state == "resolved"
    assert told("10:41 Ben: is it resolved?").status.state == "investigating"


def test_what_programs_post_is_not_read_twice() -> None:
    messages = channel("10:00 Grafana*: [FIRING:1] CheckoutErrors\n10:01 Ana: looking")
    reading = read_again(messages)
    assert reading[messages[0].ts] is None
    assert bears_out(reading, "resolved", [messages[0].ts], "CheckoutErrors")
    assert not bears_out(reading, "resolved", [messages[1].ts], "looking")


def test_a_label_needs_no_second_reader() -> None:
    messages = channel("10:00 Ana: Decision: blue\n10:01 Ana: blue")
    reading = read_again(messages)
    assert bears_out(reading, "decisions", [messages[0].ts], "blue")
    assert not bears_out(reading, "decisions", [messages[1].ts], "blue")


def test_acts_are_those_of_the_sentence_that_was_meant() -> None:
    messages = channel("10:00 Ana: the rollback is done. Who can tell the shops?")
    reading = read_again(messages)
    asked = acts_in(reading, messages[0].ts, stems_of("Who can tell the shops?"))
    done = acts_in(reading, messages[0].ts, stems_of("the rollback is done"))
    assert asked["done"] < done["done"]
    assert acts_in(reading, "1.000000", frozenset()) == {}
