"""triage_alerts: which of the alerts whose files are connected should wake somebody, and which are noise."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import Field

from workers.agents.causes.evidence.triage_evidence import triage_evidence
from workers.agents.causes.sections import incident_folder
from workers.agents.causes.source.triage.batch import AlertBatch, has_batch, read_alerts
from workers.agents.causes.source.triage.decision import Decision, triage
from workers.contracts import Landscape, ToolOutput
from workers.errors import ConfigError, NotConnected, ToolUnavailable
from workers.ports import ToolContext
from workers.settings.load import Settings
from workers.toolkit.tool import NoOptions, Resources, Tool, ToolArgs

UNCONNECTED = "no files of alerts are connected: oracle ask --bundle FOLDER (docs/causes.md)"


class TriageArgs(ToolArgs):
    """Which alert is meant."""

    alert: str = Field("", max_length=200, description="the id of one alert; empty for all")


class AlertFiles:
    """The alerts of a folder, read once."""

    def __init__(self, settings: Settings) -> None:
        self.folder = incident_folder(settings)

    @cached_property
    def batch(self) -> AlertBatch:
        """Raises: ToolUnavailable: no folder is named, or it holds no alert that can be read."""
        if not self.folder:
            raise NotConnected(UNCONNECTED)
        try:
            return read_alerts(Path(self.folder))
        except ConfigError as error:
            raise ToolUnavailable(str(error)) from error

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """What is done about each. Raises: ToolUnavailable."""
        return triage(self.batch)

    def ping(self) -> str:
        """What was read. Raises: ToolUnavailable."""
        return f"{len(self.batch.alerts)} alerts, {len(self.batch.series)} series"

    def landscape(self, context: ToolContext) -> Landscape:
        """The alerts of a folder that holds several, and their services."""
        del context
        if not self.folder or not has_batch(Path(self.folder)):
            return Landscape()
        alerts = self.batch.alerts
        names = {"alert": tuple(a.id for a in alerts), "service": tuple(sorted({a.service for a in alerts}))}
        return Landscape(labels=names)

    def run(self, args: TriageArgs, context: ToolContext) -> ToolOutput:
        """Returns: ``data = {"decisions", "unread"}``: each with alert, decision, duplicate_of, confidence, reasons.

        Raises: ToolUnavailable.
        """
        del context
        chosen = tuple(d for d in self.decisions if args.alert in ("", d.alert.id))
        if not chosen:
            return ToolOutput(status="empty", summary=f"no alert is called {args.alert}", data={"decisions": []})
        return ToolOutput(
            summary=f"{sum(d.pages for d in chosen)} of {len(chosen)} alerts are worth a page",
            data={
                "decisions": [
                    {
                        "alert": d.alert.id,
                        "decision": "page" if d.pages else "suppress",
                        "duplicate_of": d.duplicate_of,
                        "confidence": round(d.confidence, 2),
                        "reasons": [r.text for r in (*d.deciding, *d.against)],
                    }
                    for d in chosen
                ],
                "unread": list(self.batch.unread),
            },
            evidence=triage_evidence(chosen),
        )


def build(options: dict[str, Any], resources: Resources) -> Tool:
    """Make the tool. Raises: pydantic.ValidationError: an option is unknown."""
    NoOptions.model_validate(options)
    files = resources.shared(AlertFiles)
    return Tool(
        name="triage_alerts",
        source="files of an incident",
        key="bundle",
        purpose="tell alerts worth a page from noise",
        description="Which of the connected alerts should wake somebody and which are noise, by what each metric did "
        "after its alert, how often it fired and cleared, its log lines, deploys, planned work and open incidents; "
        "alerts of one incident make one page. Each with what speaks for and against. Reads only.",
        access="read",
        args=TriageArgs,
        run=files.run,
        ping=files.ping,
        landscape=files.landscape,
    )
