"""The tools over the vault: what they read, what they propose, and what a confirmed proposal does."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.support.vaults import make_vault
from workers.contracts import Proposal, ToolOutput
from workers.errors import ToolArgumentError, VaultConflict
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.toolkit.registry import build_tools
from workers.toolkit.tool import Resources, Tool

FILES: dict[str, str | bytes] = {
    "ops/Rollback.md": "---\ntags: [ops]\naliases: [Undo a release]\n---\n# Rollback\n\nRead first.\n\n"
    "## Steps\n\nRevert. #deploy\n",
    "ops/Pager.md": "See [[Rollback#Steps]] and ![[pic.png]].\n",
    "pic.png": b"\x89",
}
CONTEXT = ToolContext("request-1", "librarian", datetime(2026, 3, 1, tzinfo=UTC), user="local")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_vault(tmp_path / "vault", FILES).root


@pytest.fixture
def tools(root: Path, home: Path) -> dict[str, Tool]:
    settings = load_settings({"oracle.vault.path": str(root)}, home=home)
    return build_tools(Resources(settings, lambda start, end: ()))


DATED: dict[str, str | bytes] = {
    "a/Wharf.md": "---\ndate: 2026-02-03\nauthor: Ona Berg\n---\n# The wharf\n\nRotten planks.\n",
    "2026-02-09 tide.md": "---\ncreated: 2026-02-10T08:00\n---\nHigh water.\n",
    "2026-02-28-crane.md": "The crane squeaks, says Ona.\n",
    "Undated.md": "Rotten ropes.\n",
}


def test_notes_are_listed_by_their_days_newest_first(tmp_path: Path, home: Path) -> None:
    vault = make_vault(tmp_path / "dated", DATED)
    settings = load_settings({"oracle.vault.path": str(vault.root)}, home=home)
    tools = dict(build_tools(Resources(settings, lambda start, end: ())))

    def days(**args: Any) -> list[str]:
        return [row["date"] for row in read(tools, "list_notes", **args).data["notes"]]

    assert days(since="2026-02-01") == ["2026-02-28", "2026-02-10", "2026-02-03"]
    assert days(since="2026-02-03", until="2026-02-10") == ["2026-02-03"], "the last day is left out"
    assert days(since="2026-02-01", words="ona") == ["2026-02-28", "2026-02-03"], "an author, or in the text"
    assert days(since="2026-02-01", words="ona planks") == ["2026-02-03"]
    head, *_ = read(tools, "list_notes", since="2026-02-01", words="rotten zebra").evidence
    assert {name: head.facts[name].value for name in ("count", "words", "unread", "undated")} == {
        "count": 1,
        "words": "“rotten”",
        "unread": "zebra",
        "undated": 1,
    }


def read(tools: dict[str, Tool], name: str, context: ToolContext = CONTEXT, **args: Any) -> ToolOutput:
    tool = tools[name]
    return tool.run(tool.args.model_validate(args), context)


def proposed(tools: dict[str, Tool], name: str, **args: Any) -> Proposal:
    tool = tools[name]
    assert tool.access == "write"
    assert tool.propose is not None
    (found,) = tool.propose(tool.args.model_validate(args), CONTEXT).proposals
    assert found.title
    assert found.preview
    return found


def confirmed(tools: dict[str, Tool], proposal: Proposal) -> ToolOutput:
    tool = tools[proposal.tool]
    return tool.run(tool.args.model_validate(proposal.args), CONTEXT)


def test_what_reads(tools: dict[str, Tool], root: Path) -> None:
    listed = read(tools, "list_notes", tag="ops")
    assert [note["path"] for note in listed.data["notes"]] == ["ops/Rollback.md"]
    assert read(tools, "vault_list").data["total"] == 2
    note = read(tools, "read_note", path="Undo a release#Steps")
    assert note.data["text"] == "## Steps\n\nRevert. #deploy\n"
    assert (note.data["start_line"], note.data["backlinks"], note.data["proposed"]) == (9, 1, False)
    (evidence,) = note.evidence
    assert evidence.kind == "note"
    assert {"path", "title", "lines", "tags", "modified"} <= set(evidence.facts)
    assert evidence.facts["lines"].value == "ops/Rollback.md:9-12"
    found = read(tools, "search_notes", query="revert steps").data["sections"][0]
    assert (found["path"], found["heading"]) == ("ops/Rollback.md", "Steps")
    links = read(tools, "get_backlinks", path="rollback").data["links"]
    assert [(row["source"], row["line"]) for row in links] == [("ops/Pager.md", 1)]
    assert read(tools, "get_tags").data["tags"] == [{"tag": "ops", "notes": 1}, {"tag": "deploy", "notes": 1}]
    assert read(tools, "find_duplicate_notes").status == "empty"
    with pytest.raises(ToolArgumentError) as caught:
        read(tools, "read_note", path="Rolback")
    assert caught.value.nearest


@pytest.mark.parametrize(
    ("name", "args", "path", "text"),
    [
        ("write_note", {"path": "New.md", "body": "x [[Rollback]]\n"}, "New.md", "x [[Rollback]]\n"),
        ("vault_write", {"path": "ops/Pager.md", "body": "y"}, "ops/Pager.md", "y"),
        ("delete_note", {"path": "Rollback"}, "ops/Rollback.md", None),
        (
            "vault_move",
            {"source": "ops/Rollback.md", "target": "Back"},
            "ops/Pager.md",
            "See [[Back#Steps]] and ![[pic.png]].\n",
        ),
        ("vault_create_index", {"folder": "ops"}, "ops/ops.md", ""),
        ("vault_merge", {"keep": "Pager", "other": "Rollback"}, "ops/Rollback.md", None),
    ],
)
def test_a_change_waits_and_is_made_when_confirmed(
    tools: dict[str, Tool], root: Path, name: str, args: dict[str, str], path: str, text: str | None
) -> None:
    before = {place: place.read_bytes() for place in root.rglob("*") if place.is_file()}
    proposal = proposed(tools, name, **args)
    assert {place: place.read_bytes() for place in root.rglob("*") if place.is_file()} == before
    output = confirmed(tools, proposal)
    assert output.status == "ok"
    assert output.data["id"]
    place = root / path
    assert place.exists() == (text is not None)
    assert not text or place.read_text() == text


@pytest.mark.parametrize("name", ["write_note", "delete_note", "vault_move", "vault_create_index"])
def test_a_note_that_was_edited_meanwhile_stays(tools: dict[str, Tool], root: Path, name: str) -> None:
    (root / "ops" / "ops.md").write_text("mine\n")
    args: dict[str, dict[str, str]] = {
        "write_note": {"path": "ops/Rollback.md", "body": "y"},
        "delete_note": {"path": "ops/Rollback.md"},
        "vault_move": {"source": "ops/Rollback.md", "target": "Z.md"},
        "vault_create_index": {"folder": "ops"},
    }
    proposal = proposed(tools, name, **args[name])
    edited = root / "ops" / ("ops.md" if name == "vault_create_index" else "Rollback.md")
    edited.write_text("a person's\n")
    with pytest.raises(VaultConflict, match=edited.name):
        confirmed(tools, proposal)
    assert edited.read_text() == "a person's\n"


def test_later_calls_of_a_request_propose_it_with_their_own(tools: dict[str, Tool], root: Path) -> None:
    proposed(tools, "vault_move", source="ops/Rollback.md", target="guides/Back.md")
    assert "not yet done" in read(tools, "vault_read", path="Back").summary
    proposed(tools, "vault_write", path="guides/Back.md", body="short\n")
    whole = proposed(tools, "vault_move", source="guides", target="docs")
    other = ToolContext("request-2", "librarian", CONTEXT.now)
    assert read(tools, "vault_read", other, path="Rollback").data["path"] == "ops/Rollback.md"
    assert (whole.key, whole.title.count("; ")) == (f"notes:{CONTEXT.session}", 2)
    assert confirmed(tools, whole).status == "ok"
    assert (root / "docs" / "Back.md").read_text() == "short\n"
    assert (root / "ops" / "Pager.md").read_text() == "See [[Back#Steps]] and ![[pic.png]].\n"


def test_a_secret_that_was_taken_out_is_not_written_over(tools: dict[str, Tool], root: Path) -> None:
    tool = tools["write_note"]
    assert tool.propose is not None
    with pytest.raises(ToolArgumentError, match="secret"):
        tool.propose(tool.args.model_validate({"path": "ops/Pager.md", "body": "key [redacted:token]"}), CONTEXT)


def test_what_is_expected_has_to_be_there(tools: dict[str, Tool]) -> None:
    tool = tools["write_note"]
    assert tool.propose is not None
    for expected in ("new", "0" * 64):
        args = tool.args.model_validate({"path": "ops/Pager.md", "body": "x", "expected_sha256": expected})
        with pytest.raises(VaultConflict):
            tool.propose(args, CONTEXT)


def test_a_secret_in_a_note_outlives_the_log(tools: dict[str, Tool], root: Path) -> None:
    secret = "token = ghp_abcdefghijklmnopqrstuvwxyz0123456789AB\n"
    (root / "ops" / "Pager.md").write_text(f"See [[Rollback]].\n{secret}")
    proposal = proposed(tools, "vault_move", source="ops/Rollback.md", target="Back")
    assert "ghp_" not in proposal.model_dump_json()
    assert confirmed(tools, proposal).status == "ok"
    assert (root / "ops" / "Pager.md").read_text() == f"See [[Back]].\n{secret}"


def test_what_came_to_other_changes_since_is_not_done(tools: dict[str, Tool], root: Path) -> None:
    proposal = proposed(tools, "vault_move", source="ops/Rollback.md", target="Back")
    (root / "New.md").write_text("[[Rollback]]\n")
    with pytest.raises(VaultConflict, match=r"New\.md"):
        confirmed(tools, proposal)
    assert (root / "ops" / "Rollback.md").exists()
