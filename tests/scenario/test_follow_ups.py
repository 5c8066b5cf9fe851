"""Threads that mix services and model deployments: who answers, what is kept, and what asks for nothing."""

from __future__ import annotations

from workers.bootstrap import Oracle as Built
from workers.contracts import RequestLog

from .test_operations import INCIDENT, headline, log_of


def talk(oracle: Built, *texts: str) -> list[RequestLog]:
    """Questions of one thread, each with what was said before; no agent is named."""
    context: list[str] = []
    logs = []
    for text in texts:
        logs.append(log_of(oracle, text, *context, agent=None))
        context += [text, headline(logs[-1])]
    return logs


def args(log: RequestLog, tool: str) -> dict[str, object]:
    return dict(next(call.args for call in log.tool_calls if call.name == tool))


def test_follow_ups_keep_model_backend_and_time(team: Built) -> None:
    slow, there, before = talk(team, "why is lumen-flash slow?", "and on west-edge?", "in the last 3 hours?")
    assert args(slow, "get_latency_trends")["model_id"] == "lumen-flash"
    assert args(there, "get_latency_trends")["deployment_id"] == "lumen-flash/west-edge"
    assert before.intent is not None
    assert before.intent.subjects == ("lumen-flash/west-edge",)
    assert before.intent.time_hints == ("in the last 3 hours",)


def test_errors_after_a_state_are_those_of_what_was_asked_about(team: Built) -> None:
    _, errors = talk(team, "how is lumen-flash/east-cloud doing?", "show me the errors")
    assert errors.plan is not None
    assert errors.plan.pattern == "ERROR_INVESTIGATION"
    assert args(errors, "get_recent_requests")["deployment_id"] == "lumen-flash/east-cloud"


def test_why_after_a_state_looks_into_what_was_told(team: Built) -> None:
    _, why = talk(team, "how are our models doing?", "why?")
    assert why.route is not None
    assert why.route.task == "operations"
    assert why.intent is not None
    assert why.intent.subjects == ("lumen-flash/east-cloud",)


def test_a_question_of_the_whole_tells_of_the_deployments_where_nothing_else_is_connected(team: Built) -> None:
    (log,) = talk(team, "is everything ok?")
    assert {call.name for call in log.tool_calls} >= {"get_active_incidents", "get_deployment_status"}
    assert INCIDENT in headline(log)


def test_thanks_run_no_tool_and_cite_nothing(team: Built) -> None:
    _, thanks = talk(team, "how is lumen-pro doing?", "thanks!")
    assert headline(thanks) == "You're welcome."
    assert (thanks.tool_calls, thanks.evidence, thanks.plan) == ((), (), None)
