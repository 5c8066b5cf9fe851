"""First looks on the demo team's documents: while metrics cannot be read, and where none moved."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.real_servers import free_port
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Question, RequestLog
from workers.requests.newsworthiness import is_worth_telling
from workers.settings.load import load_settings
from workers.toolkit.clock import SystemClock


@pytest.fixture(scope="module")
def oracle(demo_home: Path) -> Iterator[Oracle]:
    """An engine on the demo team, its sources read."""
    with opened(demo_home) as built:
        yield built


@contextmanager
def opened(home: Path, **overrides: object) -> Iterator[Oracle]:
    """An engine, its sources read."""
    built = build_engine(load_settings(overrides, home=home))
    try:
        for _ in built.toolbox.refresh():
            pass
        yield built
    finally:
        built.close()


def looked_at(oracle: Oracle, text: str, age: timedelta = timedelta()) -> RequestLog:
    """The first look at something that nobody asked, so long after now."""
    now = datetime.now(UTC) + age
    question = Question(request_id=f"look-{len(text)}", text=text, unasked=True, source="alert", received_at=now)
    return replace(oracle.engine, clock=SystemClock(now)).ask(question)


def test_the_runbook_is_told_of_what_an_incident_names_though_nothing_moved(oracle: Oracle) -> None:
    log = looked_at(oracle, "What is wrong: Checkout fails with 502?")
    assert log.answer is not None
    assert is_worth_telling(log)
    assert (
        "of /api/checkout" in log.answer.headline.text
    )  # steady; or of a while ago, as the demo team was built earlier
    assert any("Runbook: Checkout errors and latency" in claim.text for claim in log.answer.docs)
    assert log.struck == ()
    assert not is_worth_telling(looked_at(oracle, "What is wrong: wishlists down?"))


@pytest.mark.parametrize("age_min", [26, 60, 120])
def test_the_headline_is_of_the_endpoint_however_old_the_demo_is(age_min: int, oracle: Oracle) -> None:
    log = looked_at(oracle, "What is wrong: Checkout fails with 502?", timedelta(minutes=age_min))
    assert log.answer is not None
    assert "of /api/checkout" in log.answer.headline.text
    assert log.struck == ()


def test_the_runbooks_steps_the_owner_and_what_was_not_checked_are_told(demo_home: Path) -> None:
    down = {"oracle.samples": "", "oracle.prometheus.url": f"http://127.0.0.1:{free_port()}"}
    with opened(demo_home, **down) as oracle:
        log = looked_at(oracle, "Why is AccountsPoolExhausted firing for shop /api/users?")
    assert log.answer is not None
    assert is_worth_telling(log)
    assert log.answer.headline.text == "metrics_query failed, so I can't say how /api/users behaved."
    steps = [claim.text for claim in log.answer.next_steps]
    assert steps[0].startswith("Look for acquire without a release")
    assert any(step.startswith("Switch to the standby") for step in steps)
    assert "Owner, by *Runbook: Users latency*: team platform." in [claim.text for claim in log.answer.docs]
    assert any("cannot be reached" in gap.text for gap in log.answer.missing)
    assert log.struck == ()
