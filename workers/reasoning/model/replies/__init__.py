"""The objects that a language model answers with, and what of them may be used.

Each reader turns a reply into a contract or raises `Unusable` with a sentence that tells the model what to mend.
"""

from workers.reasoning.model.replies.allowed_words import Known, Unusable, known_to
from workers.reasoning.model.replies.answer import (
    CompressReply,
    DraftReply,
    StyleReply,
    draft_from,
    summary_from,
    templates_from,
)
from workers.reasoning.model.replies.intent import IntentReply, RouteReply, intent_from, intent_schema
from workers.reasoning.model.replies.plan import (
    PLAN_FORM,
    PlanReply,
    RefineReply,
    args_from,
    args_of,
    check_args,
    plan_from,
    plan_schema,
    refine_schema,
)

__all__ = [
    "PLAN_FORM",
    "CompressReply",
    "DraftReply",
    "IntentReply",
    "Known",
    "PlanReply",
    "RefineReply",
    "RouteReply",
    "StyleReply",
    "Unusable",
    "args_from",
    "args_of",
    "check_args",
    "draft_from",
    "intent_from",
    "intent_schema",
    "known_to",
    "plan_from",
    "plan_schema",
    "refine_schema",
    "summary_from",
    "templates_from",
]
