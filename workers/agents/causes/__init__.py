"""Causes: who did it in an incident whose files are connected, who did not, or that no change did."""

from workers.agents.causes.agent import make_plan, read_intent, write_answer
from workers.agents.causes.sections import incident_folder
from workers.ports import Need

QUESTION_TYPES = {
    "incident_cause": "what caused the incident whose files are connected, and what did not",
    "alert_triage": "which of the alerts whose files are connected should wake somebody, and which are noise",
    "other": "none of these",
}
NEEDS = {
    "bundle": Need(
        met=lambda settings: bool(incident_folder(settings)),
        lacks="No files of an incident are connected: oracle ask --bundle FOLDER (docs/causes.md).",
    )
}
PLAN_SLOTS = frozenset({"question"})
PROMPTS = ("causes",)

__all__ = ["NEEDS", "PLAN_SLOTS", "PROMPTS", "QUESTION_TYPES", "make_plan", "read_intent", "write_answer"]
