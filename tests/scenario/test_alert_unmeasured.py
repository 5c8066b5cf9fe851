"""A first look at an alert while metrics cannot be read, on the demo team's documents."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.real_servers import free_port
from workers.bootstrap import build_engine
from workers.contracts import Question
from workers.first_look import is_worth_telling
from workers.settings import load_settings


def test_the_runbooks_steps_the_owner_and_what_was_not_checked_are_told(demo_home: Path) -> None:
    down = {"oracle.samples": "", "oracle.prometheus.url": f"http://127.0.0.1:{free_port()}"}
    oracle = build_engine(load_settings(down, home=demo_home))
    try:
        for _ in oracle.rack.refresh():
            pass
        question = Question(
            request_id="look-unmeasured",
            text="Why is AccountsPoolExhausted firing for shop /api/users?",
            unasked=True,
            source="alert",
            received_at=datetime.now(UTC),
        )
        log = oracle.engine.ask(question)
    finally:
        oracle.close()
    assert log.answer is not None
    assert is_worth_telling(log)
    assert log.answer.headline.text == "metrics_query failed, so I can't say how /api/users behaved."
    steps = [claim.text for claim in log.answer.next_steps]
    assert steps[0].startswith("Look for acquire without a release")
    assert any(step.startswith("Switch to the standby") for step in steps)
    assert "Owner, by *Runbook: Users latency*: team platform." in [claim.text for claim in log.answer.docs]
    assert any("cannot be reached" in gap.text for gap in log.answer.missing)
    assert log.struck == ()
