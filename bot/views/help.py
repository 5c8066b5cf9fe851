"""PURE: what the app can do, with examples made from this team's own names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workers.contracts import Landscape
from workers.ports import Post

CAN = (
    "I answer engineering questions with evidence: metrics, deploys, code and documents. Each statement names what it "
    "rests on, and I say what I could not check."
)
LONGEST_NAME = 80


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
    blocks = (
        rich_text(section(CAN)),
        rich_text(section("For example"), bullets(questions)),
        rich_text(section(ask), section(back)),
    )
    text = escape(" ".join((CAN, f"For example: {' · '.join(questions)}", ask, back)))
    return Post(text=text, blocks=blocks)


def examples(landscape: Landscape) -> tuple[str, ...]:
    """Three or four questions, about things that exist where anything is known."""
    endpoints = [v for values in landscape.labels.values() for v in values if v.startswith("/")]
    endpoint = first(endpoints, "/api/search")
    alert = first(landscape.alerts, "")
    repository = first(landscape.repositories, "")
    document = first(landscape.documents, "")
    place = f" in {repository}" if repository else ""
    questions = (
        f"Why did latency spike on {endpoint} after the last deploy?",
        f"What does the alert {alert} mean, and what should I do?" if alert else "Which alerts are firing right now?",
        f"Where is the retry policy configured{place}?",
    )
    return (*questions, f"What does “{document}” say?") if document else questions


def first(names: Iterable[str], otherwise: str) -> str:
    """The first printable name that is short enough to be read in an example."""
    fit = (name for name in names if name and name.isprintable() and len(name) <= LONGEST_NAME)
    return next(fit, otherwise)


def escape(text: str) -> str:
    """Slack's three entities, so that nothing in it becomes a mention or a link."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def rich_text(*elements: dict[str, Any]) -> dict[str, Any]:
    """A block whose texts are never parsed."""
    return {"type": "rich_text", "elements": list(elements)}


def section(text: str) -> dict[str, Any]:
    """A paragraph."""
    return {"type": "rich_text_section", "elements": [{"type": "text", "text": text}]}


def bullets(texts: Iterable[str]) -> dict[str, Any]:
    """A list."""
    return {"type": "rich_text_list", "style": "bullet", "elements": [section(text) for text in texts]}
