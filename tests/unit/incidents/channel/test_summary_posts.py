"""What programs post: alarms, changes for someone, what trackers say."""

from __future__ import annotations

import pytest

from tests.support.channel_lines import channel
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_types import Entry, Summary


def told(*lines: str) -> Summary:
    begun = (
        "10:00 sam: sev2, I'm IC, checkout and its session ttl are in trouble\n10:01 lena: on it\n10:02 ravi: here\n"
    )
    return summarize(channel(begun + "\n".join(lines)))


def entries(summary: Summary, kind: str) -> list[Entry]:
    return [entry for entry in summary.timeline if entry.kind == kind]


@pytest.mark.parametrize(
    "post",
    [
        "config push session_ttl=1800 to eu-west-1 by lena",
        "power-off checkout-dev: 88 hosts, requested by lena",
        "job checkout-restart scheduled, started by lena",
        "terraform apply checkout by lena: read policy restored",
    ],
)
def test_what_a_program_did_for_someone_is_a_change(post: str) -> None:
    (change,) = entries(told(f"10:05 Tower*: {post}"), "change")
    assert change.text.lower() in post


@pytest.mark.parametrize(
    "post",
    [
        "OPS-149 moved to In Review by Gustav",
        'OPS-195 commented by Aksel: "checkout will be looked at next sprint"',
        "WEB-264 created by Quentin: typo on the checkout page",
        "config push colour=blue to the intranet by Quentin",
    ],
)
def test_what_trackers_say_and_what_nobody_speaks_of_is_none(post: str) -> None:
    assert not entries(told(f"10:05 Tracker*: {post}"), "change")


def test_the_post_that_a_channel_begins_with_is_its_alarm_whatever_its_program() -> None:
    found = summarize(
        channel(
            "08:15 Recon*: DRIFT 412,880.15 EUR ledger and bank file\n08:19 ines: i'm on call, i lead. sev2\n"
            "08:20 bram: looking at the ledger\n08:45 Recon*: DRIFT 437,112.90 EUR ledger and bank file\n08:46 bram: hm"
        )
    )
    assert entries(found, "alert")[0].text.startswith("DRIFT 412,880.15")


def test_a_severity_of_a_vendors_ticket_is_not_of_the_incident() -> None:
    assert told("10:05 lena: opened a sev1 w/ the cloud, case 5590123").severity == "SEV2"


def test_a_program_gives_the_severity_in_its_own_line() -> None:
    found = summarize(
        channel(
            "22:16 Pingdom*: [DOWN] eu-login is down\n"
            "22:19 incident.io*: INC-377 opened\\nSeverity: SEV1 (automatic, P1)\n"
            "22:20 marek: looking, login is down for all users"
        )
    )
    assert found.severity == "SEV1"
