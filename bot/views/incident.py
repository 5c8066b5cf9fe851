"""A declared incident in its channel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from workers.delivery import action_ids
from workers.delivery.rich_text import Element, clip, link, person, safe, words
from workers.delivery.rich_text_blocks import (
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
from workers.incidents.channel.summary_blocks import Shown, line_words, says_next, sources
from workers.incidents.summary.snapshot import Snapshot
from workers.incidents.summary.summary_types import NO_DRAFT, IncidentStatus, Summary
from workers.ports import Post
from workers.store.incidents import Incident

HEADING = 140
NOTE = 1_500
MOST = 10
NOBODY = [words("nobody said so yet")]


@dataclass(frozen=True)
class Known:
    """An incident, the summary that its message shows (None while there is none), and the message's address."""

    incident: Incident
    last: Snapshot | None
    url: str

    @property
    def lasted(self) -> str:
        """How long it was from its first sign to its end, as a person says it."""
        began = self.incident.began(self.last.summary.since if self.last else None)
        return lasted(((self.incident.resolved_at or began) - began).total_seconds())

    @property
    def drafts(self) -> bool:
        """Whether a postmortem is drafted of it: not of a false alarm, nor where nobody said anything."""
        return bool(self.incident.ts) and self.last is not None and self.last.summary.status.state not in NO_DRAFT


def opening_post(title: str, by: str, since: datetime, command: str) -> Post:
    """The message that declares an incident."""
    said = paragraph(words("Declared by "), person(by), words(" · open since "), moment(since))
    how = paragraph(words(f"{command} resolve", code=True), words(" ends it, with a note if you like."))
    return post_of(header(heading("Incident: ", title)), block(said, how))


def resolved_post(known: Known) -> Post:
    """What the opening message says once it is over, until its summary does."""
    incident = known.incident
    ended = incident.resolved_at or incident.opened_at
    opened = paragraph(words("Declared by "), person(incident.opened_by), words(" · "), moment(incident.opened_at))
    closed = paragraph(
        words("Resolved by "),
        person(incident.resolved_by),
        words(" · "),
        moment(ended),
        words(f" · lasted {known.lasted}"),
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


def ended_post(known: Known, missed: str, *, paused: bool) -> Post:
    """What whoever ended an incident is told: how long it lasted, and where the draft of its postmortem comes.

    Args:
        known: what was ended.
        missed: why the channel could not be told; empty when it was.
        paused: whether the channel is; its draft waits.
    """
    said = [words(f"Resolved after {known.lasted}.")]
    if known.drafts:
        thread = link(known.url, "its thread") if known.url else words("its thread")
        when = ", once the channel is resumed" if paused else " shortly"
        said += [words(" A draft of its postmortem comes into "), thread, words(f"{when}.")]
    if missed:
        said.append(words(f" I could not say so in the channel ({missed})."))
    return post_of(block(paragraph(*said)))


def no_incident_post(command: str, ended: Known | None) -> Post:
    """``/oracle incident`` where none is open. ``ended``: the last one there; None where there was none."""
    said = [words("No incident is open in this channel. ")]
    if ended and ended.incident.resolved_at:
        incident, title = ended.incident, clip(safe(ended.incident.title), HEADING) or "Incident"
        said += [words("The last one, "), link(ended.url, title) if ended.url else words(title, bold=True)]
        said += [words(", was over "), moment(ended.incident.resolved_at), words(f" after {ended.lasted}")]
        said += [words(", ended by "), person(incident.resolved_by)] if incident.resolved_by else []
        said += [words(". ")]
    said += [words("Declare one with "), words(f'{command} incident "what happens"', code=True), words(".")]
    return post_of(block(paragraph(*said)))


def state_post(
    known: Known, summary: Summary | None, threads: Mapping[str, str], now: datetime, command: str, *, paused: bool
) -> Post:
    """``/oracle incident`` in a channel: a line each for severity, state, since when, who leads, the next update.

    Args:
        known: what is open there.
        summary: of all that was said by now; None where no channel is followed.
        threads: ts of a reply -> the message it replies to.
        now: aware.
        command: the app's.
        paused: whether the channel is: its message stays as it was then.
    """
    here, url = known.incident, known.url
    told = summary or Summary(title="", status=IncidentStatus(text="", state="none"))
    shown = Shown(summary=told, incident=here, now=now, address=url, threads=threads)
    since, status = here.began(told.since), told.status
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
        "" if told.next_update and says_next(told.next_update) else "Next update": update,
    }
    title = words(clip(safe(here.title or told.title), HEADING) or "Incident", bold=True)
    opens = [words(" "), link(url, "Open its message")] if url else []
    rows = [[words(f"{name}: " if name else "", bold=True), *said] for name, said in lines.items()]
    return post_of(block(paragraph(title, *opens), *paused_line(known.last, command, paused=paused), bullets(rows)))


def paused_line(last: Snapshot | None, command: str, *, paused: bool) -> list[Element]:
    """That the message of a paused channel stays as it was, while what follows is how it stands."""
    if not paused:
        return []
    since = [words(" since "), moment(last.at)] if last else []
    resume = [words(f"{command} resume", code=True), words(" lets me go on. Right now it stands so:")]
    return [paragraph(words("Paused: my message there stays as it was"), *since, words(". "), *resume)]


def newcomer_post(incident: Incident) -> Post:
    """What someone who comes into the channel of an incident is offered."""
    said = [words("An incident is open here: "), words(clip(safe(incident.title), HEADING) or " ", bold=True)]
    asks = [words(". Shall I tell you what went on so far?")]
    actions = {"type": "actions", "elements": [button("Catch me up", action_ids.INCIDENT_CATCHUP)]}
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
