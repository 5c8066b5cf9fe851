"""A change that waits for its asker, as a Slack message: what it does, what would be different, Confirm and Decline."""

from __future__ import annotations

from collections.abc import Sequence

from workers.contracts import Proposal, RequestLog, name_proposal
from workers.delivery import action_ids
from workers.delivery.rich_text import clip, fallback, person, safe, words
from workers.delivery.rich_text_blocks import Block, block, button, paragraph
from workers.ports import Post

TITLE_CHARS, PREVIEW_CHARS = 600, 2_400


def render_proposals(log: RequestLog) -> tuple[Post, ...]:
    """One message for each change that a request proposes, with its buttons."""
    return tuple(render_proposal(log, number) for number in range(len(log.proposals)))


def render_proposal(log: RequestLog, number: int) -> Post:
    """One change, with the buttons that confirm or decline it."""
    name = name_proposal(log.request_id, number)
    pressed = [
        button("Confirm", action_ids.CONFIRM, name, style="primary"),
        button("Decline", action_ids.DECLINE, name),
    ]
    who = [*words("Nothing is changed until "), *person(log.question.asker), *words(" confirms.")]
    actions: Block = {"type": "actions", "block_id": f"proposal:{number}", "elements": pressed}
    return post_of_change(log.proposals[number], (block(paragraph(who)), actions))


def render_decided(log: RequestLog, number: int, user: str, *, confirmed: bool) -> Post:
    """The same without its buttons, and who decided."""
    sign, what = ("✅", "Confirmed by ") if confirmed else ("🚫", "Declined by ")
    return post_of_change(log.proposals[number], (block(paragraph(words(f"{sign} {what}"), person(user))),))


def post_of_change(proposal: Proposal, below: Sequence[Block]) -> Post:
    """What a change does and what would be different, above who decides."""
    title = clip(safe(proposal.title).strip(), TITLE_CHARS) or proposal.tool
    preview = shortened(safe(proposal.preview).rstrip())
    parts = [paragraph(words(title, bold=True))]  # what a button does stands beside it, whoever wrote the answer above
    if preview:
        parts.append({"type": "rich_text_preformatted", "elements": words(preview)})
    return Post(fallback(title), (block(*parts), *below))


def shortened(preview: str) -> str:
    """The first lines that fit, and how many more there are."""
    if len(preview) <= PREVIEW_CHARS:
        return preview
    kept = preview[:PREVIEW_CHARS].rpartition("\n")[0] or preview[:PREVIEW_CHARS]
    return f"{kept}\n… {preview[len(kept) :].count(chr(10))} more lines"
