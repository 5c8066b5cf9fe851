"""Who leads: named from the sentence that says so, and told above everything else."""

from __future__ import annotations

import pytest

from tests.support.channel_lines import channel
from workers.grounding.value_format import Voice
from workers.incidents.channel.summary_blocks import Shown, render_incident
from workers.incidents.channel.terminal_summary import headline
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_grounding import check_summary
from workers.incidents.summary.summary_types import Lead, Summary
from workers.incidents.summary.summary_views import changed

BEGAN = """
09:00 Mira: SEV2: checkout answers 502 for all customers
09:01 Tomas: looking at the gateway
09:02 Priya Shah: me too, 12 % of checkouts fail
"""


def led(said: str) -> Summary:
    """The summary of a talk at whose end something is said of who leads."""
    return summarize(channel(BEGAN + said))


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("09:03 Mira: I'm IC for this.", "Mira"),
        ("09:03 Mira: I'm incident lead, @Tomas is on the tech side.", "Mira"),
        ("09:03 Mira: I'm IC.\n09:20 Tomas: taking over as incident commander", "Tomas"),
        ("09:03 Mira: @Tomas is IC from now", "Tomas"),
        ("09:03 Mira: handing over IC to @Priya Shah", "Priya Shah"),
        ("09:03 Mira: handing over IC to Priya", "Priya Shah"),
    ],
)
def test_the_lead_has_a_name_and_stands_apart_from_what_is_known(said: str, name: str) -> None:
    found = led(said)
    assert found.lead is not None
    assert found.lead.name == name
    assert found.lead.ts
    assert not set(found.lead.ts) & {ts for line in found.known for ts in line.ts}


def test_a_sentence_that_names_nobody_makes_nobody_lead() -> None:
    assert led("09:03 Mira: the lead role is taken by the other site, they have command as of now").lead is None


def test_nobody_leads_while_nobody_said_so() -> None:
    assert led("").lead is None


def test_it_is_told_in_the_message_and_in_the_terminal() -> None:
    messages = channel(BEGAN + "09:03 Mira: I'm IC for this.")
    summary, now = summarize(messages), messages[-1].at
    address = "https://acme.slack.com/archives/C1/p1763632330000100"
    said = str(render_incident(Shown(summary=summary, incident=None, now=now, address=address)).blocks)
    assert summary.lead is not None
    assert "lead @Mira" in said
    assert summary.lead.ts[0].replace(".", "") in said
    assert "lead @Mira" in headline(summary, Voice(now=now))


def test_another_lead_is_a_change_worth_telling() -> None:
    before = led("09:03 Mira: I'm IC for this.")
    after = led("09:03 Mira: I'm IC for this.\n09:20 Tomas: taking over as incident commander")
    assert "@Tomas leads" in changed(before, after)
    assert not any("leads" in text for text in changed(before, before))


def test_a_lead_that_no_message_bears_out_is_struck() -> None:
    messages = channel(BEGAN + "09:03 Mira: I'm IC for this.")
    invented = Lead(text="@Mira: I lead since 03:17", ts=(messages[0].ts,), name="Mira")
    held, struck = check_summary(
        summarize(messages).model_copy(update={"lead": invented}), messages, Voice(now=messages[-1].at)
    )
    assert held.lead is None
    assert [verdict.id for verdict in struck] == ["lead"]
