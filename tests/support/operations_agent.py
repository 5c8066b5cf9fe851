"""Questions about operations: the names that exist, the known patterns of the configuration, and what is read."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from tests.support.agent_rules import playbook
from tests.support.engine_fakes import NOW
from workers.agents.operations.inquiry import Inquiry, read_inquiry, read_intent
from workers.agents.operations.plan import make_plan
from workers.contracts import Intent, Landscape, PatternEntry, Plan, Question
from workers.settings.load import Settings, load_settings

LANDSCAPE = Landscape(
    labels={
        "model": ("heron-large", "heron-mini", "kestrel-70b", "kestrel-8b"),
        "backend": ("north-gpu", "east-cloud"),
        "deployment": ("heron-large/east-cloud", "heron-mini/north-gpu", "heron-mini/east-cloud"),
        "tier": ("premium", "standard", "budget"),
        "user": ("support-desk", "docs-search", "user_042"),
        "endpoint": ("/api/search",),
        "service": ("shop",),
    }
)


@lru_cache
def project() -> Settings:
    """The configuration as it is shipped."""
    return load_settings(home=Path("/nonexistent"))


@lru_cache
def patterns() -> Mapping[str, PatternEntry]:
    """Its known plans."""
    return playbook(project(), "operations").patterns


def question(text: str, *context: str, timezone: str = "UTC") -> Question:
    """A question to the operations agent."""
    return Question(request_id="r1", text=text, received_at=NOW, agent="operations", context=context, timezone=timezone)


def inquire(text: str, *context: str) -> Inquiry:
    """What is read from it."""
    return read_inquiry(question(text, *context), LANDSCAPE, patterns())


def intend(text: str, *context: str) -> Intent:
    """Its intent."""
    return read_intent(question(text, *context), inquire(text, *context), LANDSCAPE, NOW)


def plan(text: str, *context: str) -> Plan:
    """Its plan."""
    return make_plan(inquire(text, *context), intend(text, *context), LANDSCAPE, 6)


def tools(made: Plan) -> list[str]:
    """The tools of a plan, in order."""
    return [step.tool for step in made.steps]
