"""save_answer: an answer that was given becomes a note of the vault, by the template of research notes."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from workers.agents.memory.source.vault.apply import apply
from workers.agents.memory.source.vault.change_diff import diff
from workers.agents.memory.source.vault.changes import ChangeSet
from workers.agents.memory.source.vault.note_templates import place_of, render_note
from workers.agents.memory.source.vault.open_vault import OpenVault, open_vault
from workers.contracts import Answer, Claim, Proposal, RequestLog, ToolOutput
from workers.errors import RequestNotFound, ToolArgumentError, ToolUnavailable
from workers.ports import ToolContext
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

TEMPLATE = "research_note"
TITLE_CHARS = 90
READ_BY_ALL = "Who will read it: everyone who may ask me."


class SaveArgs(ToolArgs):
    """Which answer."""

    request_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="the request that was answered")


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)
    saving = AnswerSaving(resources, resources.shared(open_vault))
    return Tool(
        name="save_answer",
        purpose="save an answer as a note",
        description="Save an answer that was given as a research note of the vault. A person confirms it first.",
        access="write",
        args=SaveArgs,
        run=saving.save,
        propose=saving.propose,
        prepare=saving.opened.prepare,
        personal=True,
    )


class AnswerSaving:
    """The tool's state: where answers are read, and the vault."""

    def __init__(self, resources: Resources, opened: OpenVault) -> None:
        self.resources, self.opened = resources, opened

    def propose(self, args: SaveArgs, context: ToolContext) -> ToolOutput:
        """The note as it would be. Raises: as `changes`."""
        changes = self.changes(args, context)
        shown = diff(changes, self.opened.vault.read)
        if self.resources.settings.shown is None:
            shown = f"{READ_BY_ALL}\n\n{shown}"
        proposal = Proposal(tool="save_answer", args=args.model_dump(), title=changes.title, preview=shown)
        return ToolOutput(summary=f"proposed, not done: {changes.title}", proposals=(proposal,))

    def save(self, args: SaveArgs, context: ToolContext) -> ToolOutput:
        """Write the note. Returns: ``data = {"path", "id"}``. Raises: as `changes`; VaultConflict."""
        changes = self.changes(args, context)
        entry = apply(self.opened.vault, changes, self.opened.log, user=context.user)
        path = changes.changes[0].path
        said = f"saved as {path} (`oracle vault undo {entry.id}` takes it back)"
        return ToolOutput(summary=said, data={"path": path, "id": entry.id})

    def changes(self, args: SaveArgs, context: ToolContext) -> ChangeSet:
        """The new note.

        Raises:
            ToolArgumentError: there is no such answer, or it was given elsewhere.
            ToolUnavailable: no answers are kept here.
        """
        if self.resources.load is None:
            raise ToolUnavailable("no answers are kept here")
        try:
            log = self.resources.load(args.request_id)
        except RequestNotFound as error:
            raise ToolArgumentError(str(error)) from error
        here = bool(context.space) and log.question.space == context.space
        mine = here or (log.question.user == context.user and not context.kept_apart)
        if log.answer is None or log.answer.kind != "answer" or not mine:
            raise ToolArgumentError(f"you have no answer {args.request_id} to save")
        staging = self.opened.stage()
        values = note_values(log, log.answer)
        path = place_of(staging.index, TEMPLATE, values["title"], values["date"])
        staging.write(path, render_note(TEMPLATE, values))
        return staging.change_set(f"Save the answer as {path}")


def note_values(log: RequestLog, answer: Answer) -> dict[str, Any]:
    """What the template asks for: the question, the claims as findings, the evidence they rest on, what is missing."""
    cited = {i for claim in answer.claims for i in claim.evidence}
    sources = [f"{e.id}: {e.title} ({e.url or e.locator})" for e in log.evidence if e.id in cited]
    return {
        "title": log.question.text[:TITLE_CHARS].rstrip(" ?.!") or log.request_id,
        "question": log.question.text,
        "date": f"{log.question.received_at:%Y-%m-%d}",
        "findings": [finding(claim) for claim in answer.claims if claim.text],
        "sources": sources,
        "open_questions": [gap.text for gap in answer.missing],
    }


def finding(claim: Claim) -> str:
    """A claim with what it rests on; a guess says so."""
    guess = "Hypothesis: " if claim.status == "hypothesis" else ""
    cited = f" [{', '.join(claim.evidence)}]" if claim.evidence else ""
    return f"{guess}{claim.text}{cited}"
