"""``oracle summarize``: an incident's channel, from a Slack export, as one message."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from bot.cli.shared_options import Json, asker_zone, open_oracle, print_json
from workers.contracts import Why
from workers.delivery.console import make_console
from workers.errors import ConfigError
from workers.grounding.value_format import Voice
from workers.incidents.channel.model_summary import open_summarizer
from workers.incidents.channel.terminal_summary import render_summary
from workers.incidents.summary.incident_detection import is_incident_name, title_in
from workers.incidents.summary.summarizer import summarize_channel
from workers.settings.load import load_settings
from workers.slack_messages.export import NoExport, channel_of, read_export

File = Annotated[Path, typer.Argument(help="A JSON file of a Slack export's channel, or the channel's folder.")]
Until = Annotated[str, typer.Option("--until", help="Only up to this message (its ts) or moment (RFC 3339).")]
TS = re.compile(r"\d{9,11}(?:\.\d{1,6})?")


def summarize(file: File, until: Until = "", json_out: Json = False) -> None:
    """Sum up an incident's channel: status, impact, timeline, decisions, action items, each with its messages."""
    settings = load_settings()
    try:
        messages = read_export(file.expanduser(), read_until(until))
    except NoExport as error:
        raise ConfigError(f"FILE: {error}") from error
    with open_oracle(settings) as oracle:
        clean = oracle.toolbox.redactor.talk
        messages = tuple(
            replace(m, text=clean(m.text), name=clean(m.name), files=tuple(map(clean, m.files))) for m in messages
        )
        now = messages[-1].at if messages else datetime.now(UTC)
        voice = Voice(now=now, zone=asker_zone(settings, ""))
        name, pattern = channel_of(file.expanduser()), settings.core.incidents.channels
        why: Why = "name" if is_incident_name(name, pattern) else ""
        summed = summarize_channel(
            messages, voice, open_summarizer(oracle.reasoner_access), name=f"summarize:{file.name}", why=why
        )
    title = title_in(name, summed.summary.title, pattern)
    summed = replace(summed, summary=summed.summary.model_copy(update={"title": title}))
    if json_out:
        print_json(
            summed.summary.model_dump(mode="json", exclude={"evidence"})
            | {"reasoner": summed.reasoner, "struck": [verdict.model_dump(mode="json") for verdict in summed.struck]}
        )
        return
    make_console().print(render_summary(summed, messages, voice))


def read_until(text: str) -> str:
    """``--until`` as a ts; empty for none. Raises: ConfigError."""
    if not text or TS.fullmatch(text):
        return text
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise ConfigError(
            f"--until: {text!r} is neither a ts such as 1763632330.000100 nor a time such as 2026-11-20T14:00:00Z"
        )
    return f"{moment.timestamp():.6f}"
