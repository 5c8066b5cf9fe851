"""A language model as the librarian: its tools see what it proposed before, and all of it is confirmed at once."""

from __future__ import annotations

from pathlib import Path

from tests.support.bot_with_model import answer_args, good, run_bot
from tests.support.conversation_reading import results_in
from tests.support.model_server.replies import Message, call_tools
from tests.support.model_server.server import MessagesServer, Request
from tests.support.sandbox_process import Running
from workers.contracts import Question, name_proposal

TASK = "move the note old.md to archive/old.md and tidy up"


def test_its_changes_wait_together_and_are_made_when_confirmed(
    sandbox: Running, server: MessagesServer, demo_home: Path, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "old.md").write_text("# Old\n\nWords of old.\n")
    (vault / "index.md").write_text("See [[old]].\n")

    def reads(request: Request) -> Message:
        assert {"vault_move", "vault_read", "vault_write"} <= set(request.tools)
        assert not {"metrics_query", "repo_search", "remember"} & set(request.tools)
        return call_tools([("vault_read", {"path": "archive/old.md"})])

    def writes(request: Request) -> Message:
        assert "Words of old." in str(results_in(request))
        return call_tools([("vault_write", {"path": "archive/README.md", "body": "What is old: [[old]].\n"})])

    def ends(request: Request) -> Message:
        args = answer_args(request, "The note would move and get an index beside it. [TOOL]")
        return call_tools([("answer", args | {"question_type": "move"})])

    move = call_tools([("vault_move", {"source": "old.md", "target": "archive/old.md"})])
    good(server, investigator=[move, reads, writes, ends])
    with run_bot(sandbox, server, demo_home, tmp_path / "oracle.db", oracle__vault__path=str(vault)) as bot:
        thread = bot.ask(TASK)
        (proposal,) = thread.log.proposals
        assert (proposal.tool, [c["path"] for c in proposal.args["changes"]]) == (
            "apply_changes",
            ["archive/README.md", "archive/old.md"],
        )
        assert (vault / "old.md").exists()
        assert "Confirm" in thread.everything

        before = thread.log.question
        confirms = {"request_id": "c0", "confirms": name_proposal(thread.log.request_id, 0), "event_id": "decision"}
        done = bot.oracle.engine.ask(Question.model_validate({**before.model_dump(), **confirms}))
        assert done.answer is not None
        assert done.answer.headline.text.startswith("Done")
        assert (vault / "archive" / "old.md").read_text() == "# Old\n\nWords of old.\n"
        assert not (vault / "old.md").exists()
