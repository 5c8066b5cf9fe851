"""Operations: model deployments, answered from the operations database. See `workers.ports.AgentModule`."""

from typing import Any

from workers.agents.operations.agent import claim, disclaim, make_plan, read_intent, replan, write_answer
from workers.agents.operations.sections import data_address
from workers.agents.operations.validators import OPS_FIRST, ops_first, sql_rules
from workers.ports import Need

QUESTION_TYPES = {
    "debug_incident": "deployments, models or backends got slow or fail, or answers got worse, and why is asked",
    "operations_status": "how deployments stand now, which incidents are active",
    "traffic": "how many requests were served, and what they cost",
    "request_lookup": "one request by its id",
    "user_lookup": "one user by their id",
    "other": "none of these",
}
VALIDATORS = {"ops_first": ops_first, "sql_rules": sql_rules}
NEEDS = {
    "context": Need(
        met=lambda settings: bool(data_address(settings)),
        lacks="I have no operations data to answer from: load them with `oracle load`, or name their database in "
        "`context.url` of oracle.yaml.",
    )
}
PLAN_SLOTS = frozenset(
    "since until model_id backend_id deployment_id user_id request_id user_tier status failing granularity "
    "group_by of_model of_backend".split()
)
FIRST_TOOLS = OPS_FIRST
PROMPTS = ("operations",)


def prompt_values() -> dict[str, Any]:
    """The tables of the data, a line each."""
    from workers.agents.operations.source.glossary import schema_summary  # noqa: PLC0415 - told to models alone

    return {"tables": schema_summary()}


__all__ = [
    "FIRST_TOOLS",
    "NEEDS",
    "PLAN_SLOTS",
    "PROMPTS",
    "QUESTION_TYPES",
    "VALIDATORS",
    "claim",
    "disclaim",
    "make_plan",
    "prompt_values",
    "read_intent",
    "replan",
    "write_answer",
]
