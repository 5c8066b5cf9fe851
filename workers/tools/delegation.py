"""delegate_librarian: a task about notes, given to the librarian, which works with its own prompt and tools only."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from workers.contracts import Evidence, Fact, Question, RequestLog, ToolOutput, asker_of
from workers.errors import ToolArgumentError, ToolUnavailable
from workers.ports import ToolContext
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

LIBRARIAN = "librarian"


class DelegateArgs(ToolArgs):
    """What is to be done, and with which notes."""

    task: str = Field(min_length=3, max_length=4_000, description="what is to be done, in one or two sentences")
    files: str = Field("", max_length=8_000, description="paths of the notes it is about, one a line; empty: any")


def build_delegate_librarian(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    del resources
    NoOptions.model_validate(options)

    def run(args: DelegateArgs, context: ToolContext) -> ToolOutput:
        if not args.task.strip():
            raise ToolArgumentError("task is empty; say what is to be done")
        if context.ask is None:
            raise ToolUnavailable("nobody is here to delegate to")
        return report(context.ask(question_of(args, context)))

    return Tool(
        name="delegate_librarian",
        purpose="have notes put in order",
        description="Give the librarian a task: move, rename, link, index or merge notes, write an overview. It reads "
        "and proposes; a person confirms. Returns {success, files_modified, summary}.",
        access="read",
        args=DelegateArgs,
        run=run,
        personal=True,
    )


def question_of(args: DelegateArgs, context: ToolContext) -> Question:
    """The task as a request of its own, for the same person."""
    files = "".join(f"\n- {path.strip()}" for path in args.files.splitlines() if path.strip())
    return Question(
        request_id=f"{context.request_id[:56]}-{LIBRARIAN[:3]}",
        text=args.task + (f"\nIt is about these notes:{files}" if files else ""),
        received_at=context.now,
        timezone=context.timezone,
        agent=LIBRARIAN,
        relayed=True,
        trace=context.request_id,
        **asker_of(context.user),
    )


def report(log: RequestLog) -> ToolOutput:
    """What the librarian came to.

    Returns: ``data = {"success", "files_modified", "summary", "request_id"}``; files are modified when a person
    confirms.
    """
    answer = log.answer
    summary = answer.headline.text if answer else "it came to no answer"
    success = answer is not None and answer.kind == "answer" and not log.struck
    files = sorted({path for p in log.proposals for path in paths_of(p.args)})
    facts = {"summary": Fact(value=summary), "request": Fact(value=log.request_id)}
    return ToolOutput(
        summary=summary,
        data={"success": success, "files_modified": files, "summary": summary, "request_id": log.request_id},
        evidence=(Evidence(kind="tool", title="librarian", locator=log.request_id, excerpt=summary, facts=facts),),
        proposals=log.proposals,
    )


def paths_of(args: dict[str, Any]) -> list[str]:
    """The notes that a change touches."""
    changes = args.get("changes")
    named = changes if isinstance(changes, list) else [args]
    return [str(one["path"]) for one in named if isinstance(one, dict) and one.get("path")]
