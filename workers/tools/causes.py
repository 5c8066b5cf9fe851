"""candidate_causes: what may have caused the incident whose files are connected, and what did not, each with why."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field

from workers.contracts import Evidence, Landscape, ToolOutput
from workers.errors import ConfigError, ToolUnavailable
from workers.ports import ToolContext
from workers.settings.load import Settings
from workers.sources.causes.bundle import read_bundle
from workers.sources.causes.evidence import verdict_evidence
from workers.sources.causes.incident import Incident
from workers.sources.causes.verdict import Verdict, reach_verdict
from workers.sources.triage.batch import has_batch
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

UNCONNECTED = "no files of an incident are connected: oracle ask --bundle FOLDER (docs/causes.md)"


class CauseArgs(ToolArgs):
    """What is asked."""

    question: str = Field("", max_length=2_000, description="the question, in the asker's words")


class IncidentFiles:
    """The incident of a folder, read once."""

    def __init__(self, settings: Settings) -> None:
        self.folder = settings.core.bundle

    @cached_property
    def incident(self) -> Incident:
        """Raises: ToolUnavailable: no folder is named, or it cannot be read."""
        if not self.folder:
            raise ToolUnavailable(UNCONNECTED)
        try:
            return read_bundle(Path(self.folder))
        except ConfigError as error:
            raise ToolUnavailable(str(error)) from error

    @cached_property
    def verdict(self) -> Verdict:
        """What caused it. Raises: ToolUnavailable."""
        return reach_verdict(self.incident)

    def ping(self) -> str:
        """What was read. Raises: ToolUnavailable."""
        found = self.incident
        return f"{len(found.commits)} commits, {len(found.releases)} deploys, {len(found.series)} series"

    def landscape(self, context: ToolContext) -> Landscape:
        """The services that the files of one incident name; none for those of several alerts."""
        del context
        if not self.folder or has_batch(Path(self.folder)):
            return Landscape()
        return Landscape(labels={"service": tuple(sorted(self.incident.services))})

    def run(self, args: CauseArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data = {"commit", "cause", "confidence", "first_service", "candidates", "unread"}``."""
        del args, context
        verdict = self.verdict
        evidence: tuple[Evidence, ...] = verdict_evidence(verdict)
        cause = verdict.cause
        said = f"{cause.kind} {cause.name[:12]}" if cause else "no candidate explains it"
        return ToolOutput(
            summary=f"{said}; {len(verdict.candidates)} candidates",
            data={
                "commit": verdict.commit,
                "cause": {"kind": cause.kind, "name": cause.name, "title": cause.title} if cause else None,
                "confidence": round(verdict.confidence, 2),
                "first_service": verdict.symptoms.first,
                "candidates": [
                    {"kind": c.kind, "name": c.name, "score": round(c.score, 2), "reasons": [r.text for r in c.reasons]}
                    for c in verdict.candidates[:8]
                ],
                "unread": list(self.incident.unread),
            },
            evidence=evidence,
        )


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)
    files = resources.shared(IncidentFiles)
    return Tool(
        name="candidate_causes",
        purpose="weigh what may have caused it",
        description="Candidates for the cause of the connected incident: commits that ran before the onset and what "
        "their diffs can do, flags, traffic, something outside, what carries the services, data; each with what speaks "
        "for and against it, with the series that moved and the log lines that are new. Reads only.",
        access="read",
        args=CauseArgs,
        run=files.run,
        ping=files.ping,
        landscape=files.landscape,
    )
