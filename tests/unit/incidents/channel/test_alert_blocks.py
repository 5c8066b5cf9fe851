"""A group of alerts as a message: what it says, and that Slack takes it whatever the alerts hold."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from workers.contracts import AlertEvent
from workers.delivery.block_limits import check_post
from workers.delivery.rich_text_blocks import as_text
from workers.incidents.channel.alert_blocks import ShownGroup, heading, render_group

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
LABELS = {"service": "shop", "severity": "page", "endpoint": "/api/search"}


def alert(state: Any = "firing", name: str = "SearchLatencyHigh", **more: Any) -> AlertEvent:
    ends = NOON + timedelta(minutes=26) if state == "resolved" else None
    fields = {"fingerprint": "f", "labels": LABELS, "summary": "p95 is 1.9 s", **more}
    return AlertEvent(name=name, state=state, starts_at=NOON, ends_at=ends, **fields)


def text_of(shown: ShownGroup) -> str:
    post = render_group(shown)
    assert check_post(post) == []
    return "\n".join(map(as_text, post.blocks))


def urls_of(shown: ShownGroup) -> list[str]:
    return [part.split('"')[0] for part in json.dumps(render_group(shown).blocks).split('"url": "')[1:]]


def test_one_alert_that_fires() -> None:
    links = {"runbook_url": "https://wiki.example/search", "generator_url": "http://prometheus:9090/graph?g0.expr=up"}
    shown = ShownGroup([alert(**links)], NOON, url="http://am:9093")
    text = text_of(shown)
    assert text.startswith("SearchLatencyHigh · shop · /api/search · page · firing\nsince ")
    assert "• p95 is 1.9 s [runbook] [query]" in text
    assert urls_of(shown) == ["http://am:9093", *links.values()]
    assert render_group(shown).text == "SearchLatencyHigh · shop · /api/search · page · firing: p95 is 1.9 s"


def test_the_heading_names_another_environment_and_a_thing_that_is_no_service() -> None:
    disk = alert(name="Disk", labels={"host": "mq-1", "path": "/"}, summary="")
    assert heading(ShownGroup([disk], NOON)) == "Disk · file system / on mq-1 · firing"
    assert heading(ShownGroup([alert()], NOON, environment="qa")).startswith("qa · SearchLatencyHigh · shop")


def test_several_alerts_are_told_apart_by_what_they_do_not_share() -> None:
    first = alert(labels={**LABELS, "shard": "1"})
    second = alert("resolved", labels={**LABELS, "shard": "2"}, summary="")
    text = text_of(ShownGroup([first, second], NOON))
    assert "1 of 2 firing" in text
    assert "• shard=1 since" in text
    assert "• shard=2 resolved" in text
    assert text.count("service=shop") == 1, "what they share is said once"
    other = alert(name="CheckoutErrorsHigh", labels={"service": "shop"})
    text = text_of(ShownGroup([first, other], NOON))
    assert text.startswith("2 alerts · shop · firing\n")
    assert "• CheckoutErrorsHigh since" in text


def test_how_it_ended_and_began_again() -> None:
    ended = ShownGroup([alert("resolved")], NOON, NOON + timedelta(minutes=26))
    assert heading(ended).endswith("· resolved")
    assert "lasted 26 min" in text_of(ended)
    again = ShownGroup([alert()], NOON, again_at=NOON + timedelta(minutes=40))
    assert heading(again).endswith("· firing again")
    assert "first since" in text_of(again)


def test_what_nobody_told_of_for_a_day_is_not_said_to_fire() -> None:
    shown = ShownGroup([alert()], NOON, unheard=True, told_at=NOON)
    assert "firing" not in heading(shown)
    assert "nobody knows whether it still fires" in text_of(shown)


def test_nothing_an_alert_says_pings_or_links() -> None:
    said = "<!channel> <@U1ABC> <https://evil.example|runbook> @here"
    hostile = alert(summary=said, labels={"service": said}, name=said, runbook_url="javascript:alert(1)")
    post = render_group(ShownGroup([hostile], NOON, url="file:///etc/passwd"))
    assert check_post(post) == []
    assert urls_of(ShownGroup([hostile], NOON, url="file:///etc/passwd")) == []
    assert "<!" not in post.text
    assert "<@" not in post.text


def test_what_does_not_fit_is_counted() -> None:
    many = [alert(labels={**LABELS, "shard": str(i)}, summary="x" * 900) for i in range(500)]
    text = text_of(ShownGroup(many, NOON))
    shown = text.count("• shard=")
    assert 1 <= shown < 500
    assert f"and {500 - shown} more" in text


ANY = st.text(max_size=400)
EVENTS = st.builds(
    alert,
    st.sampled_from(["firing", "resolved"]),
    ANY,
    labels=st.dictionaries(st.text(max_size=40), ANY, max_size=12),
    summary=ANY,
    runbook_url=ANY | st.just("https://wiki.example/" + "x" * 2_990),
    generator_url=ANY,
)


@given(
    st.lists(EVENTS, max_size=30),
    st.booleans(),
    st.none() | st.just(NOON + timedelta(hours=2)),
    st.none() | st.just(NOON + timedelta(hours=1)),
    ANY,
)
def test_slack_takes_any_group(
    alerts: list[AlertEvent], unheard: bool, ended: datetime | None, again: datetime | None, url: str
) -> None:
    shown = ShownGroup(alerts, NOON, ended, again, unheard=unheard, told_at=NOON, url=url)
    assert check_post(render_group(shown)) == []
