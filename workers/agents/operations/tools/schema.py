"""get_schema: what tables, columns and terms of the operations data mean."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from workers.agents.operations.source.glossary import TABLES, TERMS, describe_table, find_terms
from workers.contracts import Evidence, Fact, ToolOutput
from workers.ports import ToolContext
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

MOST = 6


class SchemaArgs(ToolArgs):
    """What to explain."""

    subject: str = Field("", max_length=4_000, description="a table, a column or a term; empty for all tables")


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    del resources
    NoOptions.model_validate(options)
    return Tool(
        name="get_schema",
        source="operations data",
        key="context.url",
        description="Say what a table, a column or a term of the operations data means; without one, list the tables.",
        access="read",
        args=SchemaArgs,
        run=run,
        ping=lambda: f"{len(TABLES)} tables, {len(TERMS)} terms",
    )


def run(args: SchemaArgs, context: ToolContext) -> ToolOutput:
    """Answer one call.

    Returns: ``data = {"tables": {name: meaning}, "terms": {name: meaning}}``: what is asked for; all tables otherwise.
    """
    del context
    found = dict(list(find_terms(args.subject))[:MOST])
    if found:
        evidence = tuple(meaning(name, text) for name, text in found.items())
        tables = {name: text for name, text in found.items() if name in TABLES}
        terms = {name: text for name, text in found.items() if name not in TABLES}
        return ToolOutput(
            summary=f"explained {', '.join(found)}", data={"tables": tables, "terms": terms}, evidence=evidence
        )
    listed = ", ".join(TABLES)
    overview = Evidence(
        kind="doc",
        title="tables of the operations data",
        locator="context://schema",
        excerpt="\n".join(f"- {name}: {text}." for name, text in TABLES.items()),
        facts={
            "table_count": Fact(value=len(TABLES), unit="count", entity="schema"),
            "listed": Fact(value=listed, entity="schema"),
        },
    )
    described = tuple(meaning(name, describe_table(name)) for name in TABLES)
    return ToolOutput(
        summary=f"{len(TABLES)} tables", data={"tables": TABLES, "terms": {}}, evidence=(overview, *described)
    )


def meaning(name: str, text: str) -> Evidence:
    """One name explained."""
    facts = {"name": Fact(value=name, entity=name), "meaning": Fact(value=text, entity=name)}
    return Evidence(
        kind="doc", title=f"meaning of {name}", locator=f"context://schema/{name}", excerpt=text, facts=facts
    )
