"""Past deals: precedents, profiles, lists, lessons. See `workers.ports.AgentModule`; `run_agent` is of its own."""

from workers.agents.deals.agent import claim, disclaim, make_plan, read_intent, write_answer
from workers.agents.deals.agent_log import AgentLog, ReasoningOutput, ToolCallSummary
from workers.agents.deals.orchestrator import AgentOrchestratorError, reset_cached_ranker, run_agent
from workers.ports import Need

QUESTION_TYPES = {
    "deal_precedents": "which earlier deals are like a described or named one",
    "deal_profile": "what is recorded of a named deal, or of two that are compared",
    "deal_events": "what was added to a named deal, or how it was sold",
    "deal_list": "how many deals, or which ones, meet conditions of sector, region, status, years",
    "deal_levers": "what raised value in deals of a kind",
    "deal_risks": "what went wrong, or might, in deals of a kind",
    "deal_lessons": "both: what is to be learned from deals of a kind",
    "deal_change": "an order to change what is recorded, which nobody may",
    "other": "none of these",
}
NEEDS = {
    "deals": Need(
        met=lambda settings: settings.shows("deals:book") and (settings.home / "deals" / "book.json").is_file(),
        lacks="I know of no deals: load them with `oracle deals load FOLDER` (docs/deals.md).",
    )
}
PLAN_SLOTS = frozenset({"query", "group_by", "tells"})
PROMPTS = ("deals",)

__all__ = [
    "NEEDS",
    "PLAN_SLOTS",
    "PROMPTS",
    "QUESTION_TYPES",
    "AgentLog",
    "AgentOrchestratorError",
    "ReasoningOutput",
    "ToolCallSummary",
    "claim",
    "disclaim",
    "make_plan",
    "read_intent",
    "reset_cached_ranker",
    "run_agent",
    "write_answer",
]
