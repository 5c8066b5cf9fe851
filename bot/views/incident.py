"""PURE: a declared incident in its channel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from workers.delivery import names
from workers.delivery.incident_blocks import Shown, line_words, sources
from workers.delivery.rich_parts import (
    block,
    bullets,
    button,
    channel_link,
    header,
    lasted,
    moment,
    paragraph,
    post_of,
    quote_block,
)
from workers.delivery.rich_text import clip, link, person, safe, words
from workers.incidents.model import Standing, Summary
from workers.ports import Post
from workers.store.incidents import Incident

HEADING = 140
NOTE = 1_500
MOST = 10
NOBODY = [words("nobody said so yet")]


def opening_post(title: str, by: str, since: datetime, command: str) -> Post:
    """The message that declares an incident."""
    said = paragraph(words("Declared by "), person(by), words(" · open since "), moment(since))
    how = paragraph(words(f"{command} resolve", code=True), words(" ends it, with a note if you like."))
    return post_of(header(heading("Incident: ", title)), block(said, how))


def resolved_post(incident: Incident) -> Post:
    """What the opening message says once it is over."""
    ended = incident.resolved_at or incident.opened_at
    opened = paragraph(words("Declared by "), person(incident.opened_by), words(" · "), moment(incident.opened_at))
    closed = paragraph(
        words("Resolved by "),
        person(incident.resolved_by),
        words(" · "),
        moment(ended),
        words(f" · lasted {lasted((ended - incident.opened_at).total_seconds())}"),
    )
    return post_of(header(heading("Resolved: ", incident.title)), block(opened, closed))


def note_post(incident: Incident) -> Post:
    """What is said in its thread when it is over; how long it lasted stands above."""
    said = [paragraph(words("Resolved by "), person(incident.resolved_by), words("."))]
    if incident.note.strip():
        said.append(quote_block(clip(safe(incident.note), NOTE)))
    return post_of(block(*said))


def already_post(incident: Incident, url: str, command: str) -> Post:
    """Why a second one is not declared."""
    said = [words("An incident is open here already: "), words(clip(safe(incident.title), HEADING) or " ", bold=True)]
    said += [words(", since "), moment(incident.opened_at), words(", declared by "), person(incident.opened_by)]
    said += [words(". "), link(url, "Open it")] if url else [words(".")]
    said += [words(" End it with "), words(f"{command} resolve", code=True), words(" first.")]
    return post_of(block(paragraph(*said)))


def no_incident_post(command: str) -> Post:
    """``/oracle incident`` where none is open."""
    said = [words("No incident is open in this channel. Declare one with ")]
    said += [words(f'{command} incident "what happens"', code=True), words(".")]
    return post_of(block(paragraph(*said)))


def state_post(here: Incident, summary: Summary | None, url: str, threads: Mapping[str, str], now: datetime) -> Post:
    """``/oracle incident`` in a channel: a line each for severity, state, since when, who leads, the next update.

    Args:
        here: what is open there.
        summary: the one that is shown; None while there is none.
        url: of its message; empty when it has none.
        threads: ts of a reply -> the message it replies to.
        now: aware.
    """
    told = summary or Summary(title="", status=Standing(text="", state="none"))
    shown = Shown(summary=told, incident=here, now=now, address=url, threads=threads)
    since, status = told.since or here.opened_at, told.status
    state = status.state.replace("_", " ") if status.state != "none" else "nobody said yet"
    lead = [words(f"@{clip(safe(told.lead.name), HEADING)}"), *sources(shown, told.lead)] if told.lead else NOBODY
    update = line_words(shown, told.next_update) if told.next_update else [words("none is promised")]
    opened = [words(f" (open for {lasted((now - since).total_seconds())})")]
    if here.opened_by:
        opened += [words(", declared by "), person(here.opened_by)]
    lines = {
        "Severity": [words(safe(told.severity) or "not given yet")],
        "State": [words(f"{state}{': ' if status.text else ''}"), *(line_words(shown, status) if status.text else ())],
        "Since": [moment(since), *opened],
        "Lead": lead,
        "Next update": update,
    }
    title = words(clip(safe(here.title or told.title), HEADING) or "Incident", bold=True)
    opens = [words(" "), link(url, "Open its message")] if url else []
    rows = [[words(f"{name}: ", bold=True), *said] for name, said in lines.items()]
    return post_of(block(paragraph(title, *opens), bullets(rows)))


def newcomer_post(incident: Incident) -> Post:
    """What someone who comes into the channel of an incident is offered."""
    said = [words("An incident is open here: "), words(clip(safe(incident.title), HEADING) or " ", bold=True)]
    asks = [words(". Shall I tell you what went on so far?")]
    actions = {"type": "actions", "elements": [button("Catch me up", names.INCIDENT_CATCHUP)]}
    return post_of(block(paragraph(*said, *asks)), actions)


def heading(mark: str, title: str) -> str:
    """A title within a header."""
    return mark + (clip(safe(title), HEADING - len(mark)) or "no title")


def incident_lines(incidents: Sequence[tuple[Incident, str]], now: datetime) -> dict[str, object]:
    """Open incidents, each with its channel and the address of its message, as a list of the Home tab."""
    lines = []
    for incident, url in incidents[:MOST]:
        title = clip(safe(incident.title), HEADING) or "Incident"
        said = [link(url, title) if url else words(title, bold=True), words(" · "), channel_link(incident.channel)]
        lines.append([*said, words(f" · open for {lasted((now - incident.opened_at).total_seconds())}")])
    if len(incidents) > MOST:
        lines.append([words(f"and {len(incidents) - MOST} more")])
    return bullets(lines)
