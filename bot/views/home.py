"""The Home tab: what I can do, what is going on, what I read, and settings for administrators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.views.catchup import outcome
from bot.views.incident import incident_lines
from bot.views.notice import NO_DATABASE
from bot.views.settings import told
from bot.views.status import NO_SOURCES, Health, all_source_lines, open_words, some, verdict
from workers.access.policy import Rule
from workers.contracts import Landscape
from workers.delivery import action_ids
from workers.delivery.rich_text import clip, escape, person, safe, unmarked, words
from workers.delivery.rich_text_blocks import Block, Line, block, bullets, button, header, in_small, paragraph, small
from workers.store.channels import ChangedChannel
from workers.store.incidents import Incident
from workers.store.memories import Memory
from workers.store.request_jobs import Asked

MOST_RECENT = 6
MOST_MEMORIES = 5
MOST_CHANNELS = 25
MOST_RULES = 12
RULE = 400
QUESTION = 200
HEADLINE = 220
WHAT = (
    "I answer questions about your services from metrics, code, deploys and documents, and show what each statement "
    "rests on. Mention me in a channel, write me a message, or press the button."
)
NO_POLICY = "There is no policy: everyone who may ask me may see all that I read. config/access.yaml makes one."
GIVEN_ONLY = "What no rule gives is not there. oracle who-may says which line decides."
ORDINARY = "Everywhere else I answer when I am mentioned, in short."


@dataclass(frozen=True)
class PolicyTold:
    """The policy for administrators. ``rules``: None where there is no policy; ``idle``: sentences on rules that give
    nothing that is there.
    """

    rules: tuple[Rule, ...] | None
    idle: tuple[str, ...] = ()


@dataclass(frozen=True)
class Home:
    """All that stands on one person's Home tab.

    ``links``: request id -> address of its thread. ``incidents``: each with the address of its message. ``channels``:
    None for people who may not change settings, as is ``policy``.
    """

    user: str
    health: Health
    recent: tuple[Asked, ...]
    examples: tuple[str, ...]
    landscape: Landscape
    command: str
    links: Mapping[str, str] = field(default_factory=dict)
    incidents: tuple[tuple[Incident, str], ...] = ()
    channels: tuple[ChangedChannel, ...] | None = None
    memories: tuple[Memory, ...] = ()
    policy: PolicyTold | None = None


def home_view(home: Home, now: datetime) -> dict[str, Any]:
    """The tab."""
    blocks = [*greeting(home), *open_incidents(home, now), *recent(home), *remembered(home), *sources(home, now)]
    if home.channels is not None:
        blocks += settings(home.channels)
    if home.policy is not None:
        blocks += policy(home.policy)
    blocks.append(small(footer(home)))
    return {"type": "home", "blocks": blocks}


def closed_view() -> dict[str, Any]:
    """The tab while the database does not answer."""
    return {
        "type": "home",
        "blocks": [block(paragraph(words(NO_DATABASE))), actions(button("Refresh", action_ids.HOME_REFRESH))],
    }


def greeting(home: Home) -> Iterator[Block]:
    """Who I am, how to ask, and what to begin with."""
    yield header("Ask me what is going on")
    yield block(paragraph(words("Hello "), person(home.user), words(f". {WHAT}")))
    yield actions(
        button("Ask a question", action_ids.HOME_ASK, style="primary"),
        button("Refresh", action_ids.HOME_REFRESH),
    )
    if home.examples:
        yield block(
            paragraph(words("You could ask", bold=True)),
            bullets([words(text)] for text in home.examples),
        )


def open_incidents(home: Home, now: datetime) -> Iterator[Block]:
    """What is burning; nothing is said where nothing is."""
    if home.incidents:
        yield header("Open incidents")
        yield block(incident_lines(home.incidents, now))


def recent(home: Home) -> Iterator[Block]:
    """What this person asked last."""
    yield header("Your recent questions")
    if not home.recent:
        yield block(paragraph(words("None yet. What you ask appears here, with its answer and its proof.")))
    for place, asked in enumerate(home.recent[:MOST_RECENT]):
        yield from one_question(place, asked, home.links.get(asked.request_id, ""))


def one_question(place: int, asked: Asked, url: str) -> Iterator[Block]:
    """A question with its headline, the button that shows its proof, and where it stands."""
    text = {"type": "plain_text", "text": clip(safe(asked.text), QUESTION) or "…", "emoji": False}
    proof = {"accessory": button("Show proof", action_ids.HOME_PROOF, asked.request_id)} if asked.headline else {}
    yield {"type": "section", "block_id": f"recent:{place}", "text": text, **proof}
    where = "in a direct message" if asked.channel.startswith("D") else f"in <#{asked.channel}>"
    state = f"{outcome(asked).capitalize()} · {in_small(asked.accepted_at)} {where}"
    if url:
        state += f" · <{escape(url)}|Open thread>"
    yield small(*filter(None, [escape(clip(unmarked(asked.headline), HEADLINE)), state]))


def remembered(home: Home) -> Iterator[Block]:
    """What is remembered of this person, each with the button that removes it; nothing where nothing is."""
    if not home.memories:
        return
    yield header("What I remember of you")
    for memory in home.memories[:MOST_MEMORIES]:
        text = {"type": "plain_text", "text": clip(safe(memory.text), QUESTION) or "…", "emoji": False}
        forget = button("Forget", action_ids.FORGET, str(memory.id))
        yield {"type": "section", "block_id": f"memory:{memory.id}", "text": text, "accessory": forget}
    more = len(home.memories) - MOST_MEMORIES
    yield small(f"{f'And {more} more. ' if more > 0 else ''}Nobody else is told; `{home.command} memories` lists all.")


def sources(home: Home, now: datetime) -> Iterator[Block]:
    """Health, and what is read."""
    yield header("How I am, and what I read")
    said: list[Line] = [[words(verdict(home.health, now), bold=True)], [words(open_words(home.health))]]
    said += some(all_source_lines(home.health.sources, home.landscape, now))
    if len(said) == 2:
        said.append([words(NO_SOURCES)])
    yield block(bullets(said))


def policy(told: PolicyTold) -> Iterator[Block]:
    """For administrators: who may see what, each rule with the line where it stands."""
    yield header("Who may see what")
    if told.rules is None:
        yield block(paragraph(words(NO_POLICY)))
        return
    for rule in told.rules[:MOST_RULES]:
        given = (("agents", rule.agents), ("tools", rule.tools), ("sources", rule.sources))
        lines = [
            [words(f"{name}: ", bold=True), words(clip(safe(", ".join(which)) or "none", RULE))]
            for name, which in given
        ]
        whom = clip(safe(", ".join(rule.who)) or "nobody", RULE)
        yield block(paragraph(words(whom, bold=True)), bullets(lines))
        yield small(escape(rule.line))
    more = len(told.rules) - MOST_RULES
    last = [f"And {more} more rules." if more > 0 else "", GIVEN_ONLY, *told.idle[:MOST_RULES]]
    yield small(escape(clip(" ".join(filter(None, last)), QUESTION * 5)))


def settings(channels: Sequence[ChangedChannel]) -> Iterator[Block]:
    """For administrators: the channels that behave otherwise, each with a button."""
    yield header("Settings")
    yield small("Only administrators see this part.")
    for changed in channels[:MOST_CHANNELS]:
        text = f"<#{changed.channel}> · {escape(told(changed.settings))}"
        yield {
            "type": "section",
            "text": {"type": "mrkdwn", "text": text, "verbatim": True},
            "accessory": button("Change", action_ids.HOME_SETTINGS, changed.channel),
        }
        yield small(f"changed by <@{changed.changed_by}> · {in_small(changed.changed_at)}")
    more = len(channels) - MOST_CHANNELS
    yield block(paragraph(words(f"And {more} more channels. {ORDINARY}" if more > 0 else ORDINARY)))
    yield actions(button("Set up a channel", action_ids.HOME_SETTINGS))


def footer(home: Home) -> str:
    """What to type, and which version this is."""
    version = f" · version {home.health.version}" if home.health.version else ""
    return f"`{home.command} help` lists everything I do{version}"


def actions(*elements: Block) -> Block:
    """A row of buttons; its name stays when the tab is published again, for someone may be pressing one."""
    return {"type": "actions", "block_id": elements[0]["action_id"], "elements": list(elements)}
