"""Home: how the things of a home stand, since when, and what is to be changed. See `workers.ports.AgentModule`."""

from workers.agents.home.agent import claim, make_plan, owns_phrase, read_intent, read_order, write_answer
from workers.agents.home.sections import HomeAssistantSection
from workers.ports import Need

QUESTION_TYPES = {
    "state": "how things of the home stand now: lights, doors, temperatures",
    "since": "since when something is as it is, or when it was last open, on or unlocked",
    "change": "something of the home is to be switched, opened, locked or set",
    "routine": "a scene or routine of the home is to be run",
    "other": "none of these",
}
NEEDS = {
    "home_assistant": Need(
        met=lambda settings: settings.section(HomeAssistantSection).url != "",
        lacks="I have no home to look at: name your Home Assistant in `home_assistant.url` and `home_assistant.token` "
        "of oracle.yaml.",
    )
}
WHICH = ("entities", "state", "above", "below", "inclusive", "longer_s", "shorter_s")
PLAN_SLOTS = frozenset({"action", "value", "order", "routine", "if_none", *WHICH, *(f"if_{slot}" for slot in WHICH)})
PROMPTS = ("home",)

__all__ = [
    "NEEDS",
    "PLAN_SLOTS",
    "PROMPTS",
    "QUESTION_TYPES",
    "claim",
    "make_plan",
    "owns_phrase",
    "read_intent",
    "read_order",
    "write_answer",
]
