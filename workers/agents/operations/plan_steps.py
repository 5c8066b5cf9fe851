"""Single steps of composed plans: a tool with the arguments that are known, or one SELECT."""

from __future__ import annotations

from collections.abc import Mapping

from workers.agents.operations.parameters import Parameters
from workers.agents.operations.sql_text import Query, write_sql
from workers.agents.operations.tool_coverage import FILTERS
from workers.agents.operations.validators import SQL_TOOL
from workers.contracts import Scalar, Step

INCIDENTS = Step(id="incidents", tool="get_active_incidents", args={}, purpose="see what is wrong now")
ROWS, THEN = "rows", "then"
"""The steps whose rows answer a question, and that tell what went on in a span."""


def sql_step(name: str, query: Query) -> Step:
    """One SELECT."""
    return Step(id=name, tool=SQL_TOOL, args={"query": write_sql(query)}, purpose=query.purpose)


def step_of(tool: str, name: str, purpose: str, values: Mapping[str, str]) -> Step:
    """A call with the arguments that are known."""
    args: dict[str, Scalar] = {arg: values[slot] for arg, slot in FILTERS[tool] if values.get(slot)}
    return Step(id=name, tool=tool, args=args, purpose=purpose)


def status_step(parameters: Parameters) -> Step:
    """How the deployments do that are named, or all."""
    return step_of("get_deployment_status", "status", "see how the deployments do", parameters.values)
