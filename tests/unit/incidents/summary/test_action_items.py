"""What people are given to do, and how it is told that it is done."""

from __future__ import annotations

import pytest

from tests.support.channel_lines import channel
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_types import ActionItem, Summary

BEGUN = """
10:00 sam: sev2, I'm IC, checkout is down
10:01 lena: on it
10:02 ravi: here
"""


def told(text: str) -> Summary:
    return summarize(channel(BEGUN + text))


def only(summary: Summary) -> ActionItem:
    (item,) = summary.action_items
    return item


@pytest.mark.parametrize(
    ("given", "report"),
    [
        ("@lena open a ticket for the patch team", "ticket is PATCH-3391, both points in it"),
        ("@lena turn off auto update on archive-2", "auto update is off on archive-2"),
        ("@lena answer the 61 tickets", "tickets answered, all 61"),
        ("@lena move the billing contact to a shared mailbox", "billing contact is a shared mailbox now"),
        ("@lena an apology note to the creators please", "apology note went to 41 creators"),
        ("@lena hold outgoing payouts please", "held. 1,900 in the queue"),
        ("@lena take a packet capture before and after sw-core-7", "capture is done, 90 GB"),
    ],
)
def test_its_owner_tells_that_it_is_done(given: str, report: str) -> None:
    item = only(told(f"10:05 sam: {given}\n10:20 lena: {report}"))
    assert (item.owner, item.done, len(item.ts)) == ("lena", True, 2)


@pytest.mark.parametrize(
    ("name", "report"),
    [
        ("lena", "the ticket is half written"),
        ("lena", "still waiting for the patch team"),
        ("lena", "ticket form is not loading"),
        ("ravi", "the patch team was slow last week"),
    ],
)
def test_what_is_under_way_or_told_by_others_is_not_done(name: str, report: str) -> None:
    assert not only(told(f"10:05 sam: @lena open a ticket for the patch team\n10:20 {name}: {report}")).done


@pytest.mark.parametrize(
    ("text", "owner", "words"),
    [
        ("lena ring the data centre for remote hands", "lena", "remote hands"),
        ("@lena RCA for Brightwater by tomorrow 17:00", "lena", "RCA for Brightwater"),
        ("[video] AI @lena: alert per host, not only per region", "lena", "per host"),
        ("AI for me: ask product about compensation", "sam", "compensation"),
        ("I'll report the texts in the CI log to security", "sam", "security"),
        ("I write the timeline for the review, draft by noon", "sam", "timeline for the review"),
        ("recon should refuse to run if the replica lags. I'll do that today", "sam", "refuse to run"),
    ],
)
def test_who_has_what_to_do(text: str, owner: str, words: str) -> None:
    item = only(told(f"10:05 sam: {text}"))
    assert (item.owner, item.done) == (owner, False)
    assert words in item.text


def test_one_who_says_forget_that_of_something_else_drops_no_task() -> None:
    found = told("10:05 sam: @lena open a case with the vendor\n10:06 ravi >: scrap the 21,500, that was only ios")
    assert only(found).owner == "lena"


def test_a_tick_on_a_message_that_ends_it_is_not_of_its_task() -> None:
    assert not only(told("10:30 sam: resolved at 10:30. the report is mine {white_check_mark lena}")).done


def test_a_report_that_a_task_is_done_is_not_told_twice() -> None:
    found = told("10:05 sam: @lena can you post on the status page?\n10:20 lena: status page updated\n10:21 ravi: hm")
    assert only(found).done
    assert "Status page updated" not in [line.text for line in found.known]
