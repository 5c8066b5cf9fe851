"""Kinds of documents, and which decision record replaces which."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.sources.documents.document import Document
from workers.sources.documents.document_kinds import DecisionStatus, decision_status, kind_of, successors
from workers.sources.documents.section_reader import read_document


def read(text: str, path: str = "adr/0001-a.md") -> Document:
    return read_document(path, text.split("\n"))


@each_row(
    "path, text, kind",
    [
        ("runbooks/a.md", "# A", "runbook"),
        ("docs/adr/0001-a.md", "# A", "adr"),
        ("a/Payments decisions 0123456789abcdef0123456789abcdef/b.md", "# B", "adr"),
        ("post-mortems/2026.md", "# A", "postmortem"),
        ("a.md", "# Design of search", "design"),
        ("a.md", "# Outage\n## Impact\n## Root cause\n## Action items", "postmortem"),
        ("a.md", "# KubeDown\n## Meaning\n## Impact\n## Mitigation", "runbook"),
        ("a.md", "# Use SQLite\n## Context\n## Decision\n## Consequences", "adr"),
        ("a.md", "# Impact of rain\n## Timeline", "guide"),
    ],
)
def test_kinds(path: str, text: str, kind: str) -> None:
    assert kind_of(path, read(text, path)) == kind


@each_row(
    "text, standing",
    [
        ("# 1. A\n\n## Status\n\nAccepted\n\n## Context", DecisionStatus("accepted")),
        ("# 1. A\n\n* Status: proposed\n* Deciders: Ada", DecisionStatus("proposed")),
        ("# 1. A\n\n**Status:** Rejected (too dear)", DecisionStatus("rejected")),
        ("# 1. A\n\n| Status | Deprecated |", DecisionStatus("deprecated")),
        ("---\nstatus: accepted\n---\n# A", DecisionStatus("accepted")),
        ("---\nstatus: superseded by [ADR-0005](0005-b.md)\n---\n# A", DecisionStatus("superseded", ("0005-b.md",))),
        ("# A\n\n## Status\n\nSuperceded by [3. B](0003-b.md)", DecisionStatus("superseded", ("0003-b.md",))),
        ("# A\n\nStatus: Superseded by ADR-12", DecisionStatus("superseded", ("12",))),
        ("# A\n\nStatus: Accepted, replaced by RFC 0007", DecisionStatus("superseded", ("7",))),
        (
            "# A\n\n## Status\n\nAccepted\n\nSupercedes [1. A](0001-a.md)",
            DecisionStatus("accepted", (), ("0001-a.md",)),
        ),
        ("---\nstatus: accepted\nsupersedes: ADR-0003\n---\n# A", DecisionStatus("accepted", (), ("3",))),
        ("# A\n\n## Context\n\nThe status is unknown.", DecisionStatus()),
        ("# A\n\n## Status\n\n## Context\n\naccepted", DecisionStatus()),
    ],
)
def test_what_a_record_says_of_itself(text: str, standing: DecisionStatus) -> None:
    found = decision_status("adr", read(text))
    assert DecisionStatus(found.status, tuple(map(bare, found.by)), tuple(map(bare, found.of))) == standing


def bare(target: str) -> str:
    """A number without zeros before it."""
    return target.lstrip("0") if target.isdigit() else target


def test_a_guide_has_no_status() -> None:
    assert decision_status("guide", read("# A\n\nStatus: deprecated")) == DecisionStatus()


def test_successors() -> None:
    assert successors(
        {
            "adr/0001-a.md": DecisionStatus("superseded", ("2",)),
            "adr/0002-b.md": DecisionStatus("superseded", ("0003-c.md",)),
            "adr/0003-c.md": DecisionStatus("accepted", (), ("2",)),
            "adr/0004-d.md": DecisionStatus("accepted"),
            "adr/0005-e.md": DecisionStatus("accepted", (), ("0004-d.md", "5", "99")),
            "adr/0006-f.md": DecisionStatus("proposed", (), ("3",)),
            "adr/0007-g.md": DecisionStatus("superseded", ("elsewhere.md",)),
            "other/adr-008.md": DecisionStatus("superseded", ("1",)),
        }
    ) == {
        "adr/0001-a.md": "adr/0002-b.md",
        "adr/0002-b.md": "adr/0003-c.md",
        "adr/0004-d.md": "adr/0005-e.md",
        "adr/0007-g.md": "",
        "other/adr-008.md": "",
    }


@given(
    st.lists(st.text(max_size=30) | st.sampled_from(["## Status", "Superseded by 1", "---", "Status: x"]), max_size=12)
)
def test_any_text_has_a_standing(lines: list[str]) -> None:
    found = decision_status("adr", read_document("1.md", [line.replace("\n", " ") for line in lines]))
    assert found.status in {"", "superseded", "rejected", "deprecated", "accepted", "proposed"}
    assert set(successors({"1.md": found, "2.md": found})) <= {"1.md", "2.md"}
