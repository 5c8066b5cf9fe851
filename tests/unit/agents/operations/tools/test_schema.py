"""What the operations data mean: each table and column as it stands in the database."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.engine_fakes import NOW
from workers.agents.operations.source.glossary import TABLES, schema_summary
from workers.agents.operations.source.tables import metadata
from workers.agents.operations.tools.schema import SchemaArgs, build
from workers.contracts import ToolOutput
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.toolkit.tool import Resources

TOOL = build({}, Resources(settings=load_settings(home=Path("/nonexistent")), deploys=lambda *_: ()))


def explained(subject: str = "") -> ToolOutput:
    return TOOL.run(SchemaArgs(subject=subject), ToolContext("r1", "operations", NOW))


def test_every_table_is_described_with_all_of_its_columns() -> None:
    assert set(TABLES) == set(metadata.tables)
    for line, table in zip(schema_summary(), metadata.tables.values(), strict=True):
        assert line.startswith(f"{table.name}: ")
        assert all(f"{column.name} (" in line for column in table.columns)


def test_without_a_name_the_tables_are_listed() -> None:
    output = explained()
    assert output.data["tables"] == TABLES
    assert output.evidence[0].facts["table_count"].value == 9
    assert len(output.evidence) == 10


@each_row(
    "subject, says",
    [
        ("what does is_stale mean?", "60 seconds"),
        ("what is the error rate", "share of requests with status error"),
        ("columns of the requests table", "latency_ms (number"),
        ("what is latency_sla_override_ms", "users.latency_sla_override_ms is a number"),
    ],
)
def test_a_name_is_explained(subject: str, says: str) -> None:
    first = explained(subject).evidence[0]
    assert says in str(first.facts["meaning"].value)
    assert first.excerpt == first.facts["meaning"].value


@given(st.text(max_size=200))
def test_any_text_gets_an_answer(subject: str) -> None:
    output = explained(subject)
    assert output.status == "ok"
    assert output.evidence
