"""A pasted stack trace: the places of its frames that are of the repositories, the innermost first."""

from __future__ import annotations

from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import code_claim, has, of_kind
from workers.reasoning.empty_answer import unanswered

MOST = 8
MOST_BESIDE = 2


def write_trace(brief: Brief) -> Draft:
    """The innermost frame in the headline, then those that called it, then what the message finds."""
    code = of_kind(brief.evidence, "code")
    frames = [c for c in code if has(c, "frame_line")]
    beside = tuple(code_claim(c, "See also ") for c in code if c not in frames)[:MOST_BESIDE]
    if not frames:
        lost = unanswered(brief, "repo_search")
        said = (
            f"{lost}, so I can't say where the trace leads." if lost else "No frame of this trace is of the code here."
        )
        return Draft(headline=Claim(template=said), code=beside, missing=brief.gaps, confidence="low")
    inner, *callers = frames
    head = frame_claim(inner, "The innermost frame of the code here is ")
    rest = tuple(frame_claim(f, "Called from ") for f in callers[:MOST])
    return Draft(headline=head, code=(*rest, *beside), missing=brief.gaps, confidence="high")


def frame_claim(item: Evidence, lead: str) -> Claim:
    """``Called from src/cart.py:12 in `Cart.add```, with a note where the line is not sure."""
    k = item.id
    symbol = f" in `{{{k}.symbol}}`" if text_of(item, "symbol") else ""
    note = f" ({{{k}.frame_note}})" if has(item, "frame_note") else ""
    return Claim(template=f"{lead}{{{k}.frame_line}}{symbol}{note}.", evidence=(k,))
