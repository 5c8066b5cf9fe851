"""What was asked, declared and said in a channel since a moment, from Oracle's own ledger."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from workers.delivery.block_limits import weigh
from workers.delivery.rich_text import clip, link, person, unmarked, words
from workers.delivery.rich_text_blocks import Line, block, bullets, lasted, moment, paragraph, post_of, quoted, several
from workers.ports import Post
from workers.store.feedback import Tally
from workers.store.incidents import Incident
from workers.store.request_jobs import Asked

MOST_ASKED = 12
MOST_INCIDENTS = 5
QUOTE = 120
HEADLINE = 240
TITLE = 120
ROOM = 11_000
"""Of a message's characters, as Slack counts blocks."""
ONLY = (
    "From my own ledger: what was asked of me and declared with me here. I have not read the channel's other messages."
)

READ = "From my own ledger. I read {read} here besides, and saw no incident in them."


@dataclass(frozen=True)
class Caught:
    """What happened in a channel. ``links``: request id -> address of its thread, for as many as were looked up;
    ``read``: how many messages were looked through for an incident, None when none could be.
    """

    since: datetime
    asked: tuple[Asked, ...]
    more: bool
    incidents: tuple[Incident, ...]
    said: Tally
    links: Mapping[str, str]
    read: int | None = None


def catchup_post(caught: Caught) -> Post:
    """``/oracle catchup``: the newest questions with their answers, oldest first, then incidents and feedback."""
    post = rendered(caught)
    while caught.asked and sum(map(weigh, post.blocks)) > ROOM:
        caught = replace(caught, asked=caught.asked[1:], more=True)
        post = rendered(caught)
    return post


def rendered(caught: Caught) -> Post:
    """All of it, as one message."""
    parts = [paragraph(words("Since ", bold=True), moment(caught.since), words(f": {counted(caught)}", bold=True))]
    if caught.asked:
        parts.append(bullets(asked_words(asked, caught.links.get(asked.request_id, "")) for asked in caught.asked))
    if caught.incidents:
        shown = caught.incidents[-MOST_INCIDENTS:]
        parts += [paragraph(words("Incidents", bold=True)), bullets(map(incident_words, shown))]
    if caught.said.good or caught.said.bad:
        parts.append(paragraph(words(f"Feedback on these answers: {caught.said.good} good, {caught.said.bad} bad")))
    looked = ONLY if caught.read is None else READ.format(read=several(caught.read, "message"))
    parts.append(paragraph(words(f"\n{looked}", italic=True)))
    return post_of(block(*parts))


def counted(caught: Caught) -> str:
    """What follows, in numbers."""
    if not caught.asked and not caught.incidents:
        return "nobody asked me anything here, and no incident was declared."
    asked = several(len(caught.asked), "question")
    if caught.more:
        asked = f"more questions than fit here; the newest {len(caught.asked)}"
    number = len(caught.incidents)
    incidents = f", {several(number, 'incident')}" if number else ""
    if number > MOST_INCIDENTS:
        incidents += f" (the newest {MOST_INCIDENTS} below)"
    return asked + incidents


def asked_words(asked: Asked, url: str) -> Line:
    """One question: when, who, what, and what came of it."""
    said = [moment(asked.accepted_at), words(" "), person(asked.asker), words(" "), quoted(asked.text, QUOTE)]
    if asked.headline:
        said.append(words(f" → {clip(unmarked(asked.headline), HEADLINE)}"))
    if not asked.answered:
        said.append(words(f" ({outcome(asked)})"))
    return [*said, words(" "), link(url, "open thread")] if url else said


def outcome(asked: Asked) -> str:
    """What came of a question, in a word or two."""
    words_of = {
        "done": "answered",
        "waiting": "waits for a reply",
        "stopped": "stopped",
        "stop": "being stopped",
        "dead": "no answer could be posted",
        "apologize": "gave up",
    }
    if asked.stage == "done" and not asked.headline:
        return "ended without an answer"
    return words_of.get(asked.stage, "being worked on")


def incident_words(incident: Incident) -> Line:
    """One incident, open or ended."""
    said = [words(clip(unmarked(incident.title), TITLE) or "untitled"), words(" · since "), moment(incident.opened_at)]
    if incident.resolved_at is None:
        return [*said, words(" · still open")]
    took = lasted((incident.resolved_at - incident.opened_at).total_seconds())
    return [*said, words(f" · resolved after {took} by "), person(incident.resolved_by)]
