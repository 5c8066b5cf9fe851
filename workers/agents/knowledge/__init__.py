"""Knowledge: what documents, notes and saved pages say in general; asked too when no other agent is sure.

See `workers.ports.AgentModule`.
"""

from workers.agents.knowledge.agent import make_plan, read_intent, write_answer

QUESTION_TYPES = {"conceptual": "what documents, notes or saved pages say, and general notions"}
PLAN_SLOTS = frozenset({"question"})
PROMPTS = ("knowledge",)

__all__ = ["PLAN_SLOTS", "PROMPTS", "QUESTION_TYPES", "make_plan", "read_intent", "write_answer"]
