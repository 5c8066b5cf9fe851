"""The rules of plans: a query that would be refused is not planned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from tests.support.reasoner_inputs import INTENT, LANDSCAPE, LIMITS, RULES
from workers.contracts import Plan, Scalar, Step
from workers.engine.validate import check_plan
from workers.errors import PlanRejected
from workers.ports import Asked


def mistakes(tool: str, args: Mapping[str, Scalar]) -> str:
    """As the guard of SQL speaks."""
    return "" if str(args["query"]).startswith("select") else f"{tool}: only SELECT"


def check(query: str, tool: str = "safe_sql_query") -> None:
    limits = replace(LIMITS, validators=("sql_rules",))
    asked = Asked("How many requests failed?", INTENT, LANDSCAPE, limits, mistakes, RULES)
    steps = (Step(id="rows", tool=tool, args={"query": query}, purpose="count"),)
    check_plan(Plan(pattern="NOVEL", query_intent="other", steps=steps), asked)


def test_a_query_that_would_be_refused_is_not_planned() -> None:
    check("select count(*) from requests")
    with pytest.raises(PlanRejected, match="sql_rules: safe_sql_query: only SELECT"):
        check("delete from requests")


def test_only_whole_queries_are_checked_before_they_run() -> None:
    check("{rows.query}")
    check("delete", tool="repo_search")
