"""What may be near in time is found without looking at all; a crowd's noise is let go of."""

from __future__ import annotations

import gc
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.channel_lines import DAY, OUTAGE, channel
from workers.contracts import ChannelMessage, Deploy
from workers.incidents.summary import external_events
from workers.incidents.summary import rules_summary as summarizing
from workers.incidents.summary.conversation import Conversation
from workers.incidents.summary.external_events import read_external_events
from workers.incidents.summary.moment_index import InTime
from workers.incidents.summary.rules_summary import summarize
from workers.incidents.summary.summary_types import Summary
from workers.incidents.summary.utterances import Utterance
from workers.sources.metrics.metric_evidence import deploy_evidence

COUNT = 1_000


@given(st.lists(st.integers(-200, 200)), st.integers(-200, 200))
def test_all_that_happened_around_a_moment_are_near_in_time(known: list[int], one: int) -> None:
    moments = InTime(60)
    for number, second in enumerate(known):
        moments.add("alert" if number % 3 else "deploy", DAY + timedelta(seconds=second), number)
    found = moments.near("alert", DAY + timedelta(seconds=one))
    assert found == sorted(found)
    assert set(found) >= {n for n, second in enumerate(known) if n % 3 and abs(second - one) <= 60}
    assert all(number % 3 for number in found)


def said(texts: list[str]) -> list[ChannelMessage]:
    """A message a minute, of eight people."""
    start = int(DAY.timestamp())
    return [
        ChannelMessage(ts=f"{start + 60 * n}.{n:06}", user=f"U{n % 8}", name=f"Person{n % 8}", text=text)
        for n, text in enumerate(["Checkout is down, SEV1, 502 for all customers", *texts])
    ]


def test_while_it_is_summed_up_the_rooms_noise_is_let_go_of(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = "anybody for lunch at the noodle bar"
    people = [f"09:{n % 60:02} Person{n}: {noise}" for n in range(40)]
    alive: list[int] = []
    real = summarizing.of_talk

    def of_talk(talk: Conversation) -> Summary:
        remarks = [found for found in gc.get_objects() if isinstance(found, Utterance)]
        alive.append(sum(remark.text.lower() == noise for remark in remarks))
        return real(talk)

    monkeypatch.setattr(summarizing, "of_talk", of_talk)
    assert summarize(channel("\n".join([OUTAGE.strip(), *people]))).status.state != "none"
    assert alive == [0]


def test_a_channel_is_searched_once_for_each_service_that_was_deployed(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    real = external_events.names
    monkeypatch.setattr(external_events, "names", lambda text, name: (searched.append(name), real(text, name))[1])
    many = [Deploy(service=f"svc-{n % 3}", version=f"v{n}", at=DAY + timedelta(minutes=n)) for n in range(COUNT)]
    found = read_external_events([*map(deploy_evidence, many)], said(["svc-1 is slow"]))
    assert len(found) == COUNT // 3
    assert sorted(searched) == ["svc-0", "svc-1", "svc-2"]
