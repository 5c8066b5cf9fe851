"""What the app can do, with examples made from this team's own names."""

from __future__ import annotations

from collections.abc import Iterable

from bot.parse import FAMILY_SUBCOMMANDS
from workers.contracts import Landscape
from workers.delivery.rich_text import escape, words
from workers.delivery.rich_text_blocks import Block, block, bullets, paragraph, post_of
from workers.ports import Post

CAN = (
    "I answer engineering questions with evidence: metrics, deploys, code and documents. Each statement names what it "
    "rests on, and I say what I could not check."
)
LONGEST_NAME = 80
COMMANDS = (
    ("QUESTION", "asks; the answer comes in a thread"),
    ("", "opens a window to ask in"),
    ("status", "how I am, and who is before you"),
    ("sources", "what I read, and how fresh it is"),
    (
        "catchup [2h | 09:30 | LINK] [for stakeholders]",
        "what went on in this channel or thread, or since you last looked; for stakeholders or my boss: in plain words",
    ),
    (
        'incident "TITLE"',
        "declares an incident here; without a title: how it stands, who leads, when the next update comes",
    ),
    ("resolve [NOTE]", "ends it"),
    ("pause", "nothing comes here unasked, the summary stays as it is; I go on listening"),
    ("resume", "it goes on, and I say what changed meanwhile"),
    ("feedback good|bad TEXT", "on your last answer here"),
    ("cancel [ID]", "stops your open questions here"),
    ("why ID", "how I came to an answer"),
    ("notes WORDS", "what our notes say about it"),
    *((one.name, one.summary.removesuffix(".")) for one in FAMILY_SUBCOMMANDS.values()),
    ("help", "this"),
)


def help_post(landscape: Landscape | None = None, command: str = "/oracle") -> Post:
    """What the app can do, questions to start with, and how to ask back.

    Args:
        landscape: this team's real names, when they are known.
        command: the slash command's name.
    """
    questions = examples(landscape or Landscape())
    ask = (
        f"Mention me in a channel, write me directly, use {command} with your question, or use a message's menu. "
        "I answer in a thread."
    )
    back = "Ask on in the same thread by mentioning me again. When I ask something, press a button or just reply there."
    return post_of(
        block(paragraph(words(CAN))),
        block(paragraph(words("For example")), bullets([words(text)] for text in questions)),
        block(paragraph(words(ask)), paragraph(words(back))),
    )


def mistyped_post(command: str, text: str, meant: str) -> Post:
    """A word that is nearly a subcommand opens no thread. ``text``: what was typed; ``meant``: the nearest command."""
    return Post(escape(f"Did you mean {command} {meant}? To ask it as a question: {command} ask {text}"))


def examples(landscape: Landscape) -> tuple[str, ...]:
    """Three to six questions, about things that exist where anything is known."""
    endpoints = [v for values in landscape.labels.values() for v in values if v.startswith("/")]
    endpoint = first(endpoints, "/api/search")
    repository = first(landscape.repositories, "")
    document = first(landscape.documents, "")
    place = f" in {repository}" if repository else ""
    questions = (
        f"Why did latency spike on {endpoint} after the last deploy?",
        "Which alerts are firing right now?",
        f"Where is the retry policy configured{place}?",
    )
    more = [f"What does “{document}” say?"] if document else []
    lamps = [e.name for e in landscape.entities if e.domain in {"light", "switch"}]
    more += [f"Is the {first(lamps, 'lamp').lower()} on?"] if lamps else []
    sectors = landscape.labels.get("deal_sector", ())
    more += [f"Find precedents for a {first(sectors, 'software')} platform with add-ons"] if sectors else []
    return (*questions, *more)


def first(names: Iterable[str], otherwise: str) -> str:
    """The first printable name that is short enough to be read in an example."""
    fit = (name for name in names if name and name.isprintable() and len(name) <= LONGEST_NAME)
    return next(fit, otherwise)


def manual(command: str) -> Block:
    """A list of all subcommands.

    Args:
        command: the slash command's name.
    """
    lines = [[words(f"{command} {form}".strip(), code=True), words(f" {does}")] for form, does in COMMANDS]
    return block(paragraph(words("Commands", bold=True)), bullets(lines))
