"""Trigger ids live 3 s and open one view; response URLs live 30 min and answer five times."""

import pytest

from slack_sandbox.errors import Refused
from slack_sandbox.trigger_ids import Triggers


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def refused(call, *args):
    with pytest.raises(Refused) as caught:
        call(*args)
    return caught.value.code


def test_a_trigger_opens_one_view_within_three_seconds():
    clock = Clock()
    triggers = Triggers(clock=clock)
    first, second = triggers.issue_trigger("U1"), triggers.issue_trigger("U2")
    assert triggers.use_trigger(first) == "U1"
    assert refused(triggers.use_trigger, first) == "exchanged_trigger_id"
    clock.now = 3.1
    assert refused(triggers.use_trigger, second) == "expired_trigger_id"
    assert refused(triggers.use_trigger, "made.up") == "invalid_trigger_id"


def test_a_response_url_answers_five_times_in_half_an_hour():
    clock = Clock()
    triggers = Triggers(clock=clock)
    token, late = (triggers.issue_response("C1", "U1", message_ts="1.0") for _ in range(2))
    assert [triggers.use_response(token).channel for _ in range(5)] == ["C1"] * 5
    assert refused(triggers.use_response, token) == "used_url"
    clock.now = 1801
    assert refused(triggers.use_response, late) == "expired_url"
    assert refused(triggers.use_response, "made-up") == "invalid_url"
