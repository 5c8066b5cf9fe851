"""The rules that a plan of research is held to."""

from __future__ import annotations

import re

from workers.contracts import Intent, Landscape, Plan
from workers.ports import Asked
from workers.reasoning.kind_groups import BEHAVIOUR_KINDS, CODE_KINDS, DOC_KINDS

WIDE_PATTERN = "wide"
DEPLOY = re.compile(r"deploy|release|roll-?out|ship|push|v\d", re.IGNORECASE)


def names_something(intent: Intent, landscape: Landscape) -> bool:
    """The question names an endpoint, a service, what is called, or a deploy."""
    known = {s.lower() for label in ("service", "target") for s in landscape.labels.get(label, ())}
    named = any(s.startswith("/") or s.lower() in known for s in intent.subjects)
    return named or any(DEPLOY.search(h) for h in intent.time_hints)


def research_grounding(plan: Plan, asked: Asked) -> str:
    """R0.5, R0.8: what a question speaks of decides which tools must be asked before anything is claimed."""
    tools = {s.tool for s in plan.steps}
    intent, kind = asked.intent, asked.intent.question_type
    named = names_something(intent, asked.landscape)
    kind = "other" if plan.pattern == WIDE_PATTERN else kind  # it is of no kind for sure
    needed = {
        "metrics_query": named or kind in BEHAVIOUR_KINDS,
        "repo_search": named or kind in CODE_KINDS,
        "doc_search": kind in DOC_KINDS,
    }
    missing = [tool for tool, wanted in needed.items() if wanted and tool not in tools]
    if kind in {"request_lookup", "user_lookup"}:
        missing = []
    return f"a {kind} question about {', '.join(intent.subjects) or 'the system'} needs {missing[0]}" if missing else ""
