"""Memory: what was decided, noted and said, in notes, threads, code and pages. See `workers.ports.AgentModule`."""

from workers.agents.memory.agent import claim, disclaim, make_plan, read_intent, read_order, write_answer

QUESTION_TYPES = {
    "definition": "where something in the code is defined, or what it is",
    "references": "who uses something in the code",
    "conceptual": "how something of ours works, and why it was built so",
    "behavioral": "what something does in a certain case",
    "decision": "what was decided, agreed or discussed before",
    "notes": "what a note says, which notes there are, what links to them",
    "listing": "which notes there are of some days, or how many",
    "remembered": "what is remembered of the asker, or what they told before",
    "remember": "something is to be kept for the asker",
    "forget": "something that is remembered is to be removed",
    "web": "something to be looked up on the web, or a page to be read",
    "other": "none of these",
}
PLAN_SLOTS = frozenset({"question", "said", "symbol", "url", "since", "until", "words"})
PROMPTS = ("memory",)

__all__ = [
    "PLAN_SLOTS",
    "PROMPTS",
    "QUESTION_TYPES",
    "claim",
    "disclaim",
    "make_plan",
    "read_intent",
    "read_order",
    "write_answer",
]
