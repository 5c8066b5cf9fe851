"""Plans, drafts and turns of the loop as messages that a model reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from workers.contracts import SECTIONS, Draft, Plan
from workers.ports import Turn
from workers.reasoning.model.model_call import CACHED
from workers.reasoning.model.untrusted_data import as_data, output_data


def user(*texts: str) -> dict[str, Any]:
    """A message of the user's side; what stays the same from question to question ends at a mark of the cache."""
    blocks: list[dict[str, Any]] = [{"type": "text", "text": text} for text in texts]
    if len(blocks) > 1:
        blocks[0]["cache_control"] = CACHED
    return {"role": "user", "content": blocks}


def plan_data(plan: Plan) -> dict[str, Any]:
    """The steps of a plan for a planner."""
    return {"query_intent": plan.query_intent, "steps": [s.model_dump(mode="json") for s in plan.steps]}


def draft_data(draft: Draft) -> dict[str, Any]:
    """A draft as a writer gives it."""
    claim_fields = {"template", "evidence", "status"}
    return {
        "headline": draft.headline.model_dump(mode="json", include=claim_fields),
        **{s: [c.model_dump(mode="json", include=claim_fields) for c in getattr(draft, s)] for s in SECTIONS},
        "missing": [gap.text for gap in draft.missing],
        "confidence": draft.confidence,
    }


def turn_messages(turn: Turn) -> list[dict[str, Any]]:
    """A turn of the loop as the model's calls and their results, fenced as data."""
    uses = [{"type": "tool_use", "id": s.id, "name": s.tool, "input": dict(s.args)} for s in turn.steps]
    results = [
        {"type": "tool_result", "tool_use_id": s.id, "content": f"<data>{as_data(output_data(o))}</data>"}
        for s, o in zip(turn.steps, turn.outputs, strict=True)
    ]
    return [{"role": "assistant", "content": uses}, {"role": "user", "content": results}]


def merged(messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Words of the user's side right after results stand in the same message; the end of the last one is cached."""
    out: list[dict[str, Any]] = []
    for message in messages:
        blocks = [dict(b) for b in message["content"]]
        if out and out[-1]["role"] == message["role"]:
            out[-1] = {**out[-1], "content": [*out[-1]["content"], *blocks]}
        else:
            out.append({"role": message["role"], "content": blocks})
    out[-1]["content"][-1]["cache_control"] = CACHED
    return out
