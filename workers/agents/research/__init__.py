"""Research: engineering questions answered from code, documents and metrics. See `workers.ports.AgentModule`."""

from workers.agents.research.agent import make_plan, read_intent, write_answer
from workers.agents.research.option_ranking import options_step, weigh_options
from workers.agents.research.query_refinement import refine as refine_query
from workers.agents.research.validators import research_grounding
from workers.ports import Need

QUESTION_TYPES = {
    "debug_incident": "something got slow, fails, or changed its behaviour, and why is asked",
    "operations_status": "how things stand now, whether something is healthy, which alerts fire",
    "traffic": "how much something is used",
    "locate_code": "where something is defined, configured or called",
    "explain_code": "how a piece of code works",
    "design_overview": "how parts fit together, and why they were built so",
    "deploys": "what was deployed or released, and when",
    "alerting": "which alerts exist, what they watch, how they are routed",
    "conceptual": 'a general notion that needs no system ("what is a circuit breaker?")',
    "request_lookup": "one request or trace by its id",
    "user_lookup": "one user by their id",
    "other": "none of these",
}
NEEDS = {
    "logs": Need(
        met=lambda settings: bool(
            settings.core.logs.paths or settings.core.logs.loki.url or settings.core.logs.elasticsearch.url
        ),
        lacks="No logs are connected: set logs in oracle.yaml (docs/logs.md).",
    ),
    "traces": Need(
        met=lambda settings: bool(settings.core.traces.url or settings.core.traces.files),
        lacks="No traces are connected: set traces in oracle.yaml (docs/traces.md).",
    ),
    "flags": Need(
        met=lambda settings: bool(
            settings.core.hooks.token
            or settings.core.hooks.launchdarkly_secret
            or settings.core.flags.launchdarkly.token
            or settings.core.flags.unleash.url
        ),
        lacks="No feature flags are connected: set flags in oracle.yaml or open /hooks/flags (docs/flags.md).",
    ),
    "cluster": Need(
        met=lambda settings: bool(settings.core.cluster.url or settings.core.cluster.files),
        lacks="No cluster is connected: set cluster in oracle.yaml (docs/cluster.md).",
    ),
}
KNOWLEDGE_TYPES = frozenset({"conceptual"})
PLAN_SLOTS = frozenset(
    "question terms file written named identifier range deploy history subject subjects metric window filter".split()
)
VALIDATORS = {"research_grounding": research_grounding}

__all__ = [
    "KNOWLEDGE_TYPES",
    "NEEDS",
    "PLAN_SLOTS",
    "QUESTION_TYPES",
    "VALIDATORS",
    "make_plan",
    "options_step",
    "read_intent",
    "refine_query",
    "weigh_options",
    "write_answer",
]
