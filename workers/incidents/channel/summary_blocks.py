"""How an incident stands, as one message: each line opens the messages that it rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from workers.contracts import Evidence
from workers.delivery import action_ids
from workers.delivery.block_limits import weigh
from workers.delivery.cited_evidence import link_of
from workers.delivery.rich_text import clip, fallback, link, safe, words
from workers.delivery.rich_text_blocks import (
    Block,
    Words,
    block,
    bullets,
    button,
    clock,
    header,
    lasted,
    moment,
    paragraph,
)
from workers.incidents.channel.terminal_summary import TITLES
from workers.incidents.summary.narrative import causes_in
from workers.incidents.summary.summary_types import OVER, ActionItem, Entry, Line, Summary
from workers.ports import Post
from workers.store.incidents import Incident

HEADING, TITLE, LINE, CHANGE = 150, 90, 220, 100
ROOM = 12_400
"""Of a message's characters, as Slack counts blocks."""
MOST_LINKS = 2
SHORT = timedelta(hours=12)
"""Moments of an incident this short need no day; it stands above them."""
SIZES = ((8, 16), (8, 10), (6, 10), (6, 8), (5, 8), (4, 8), (3, 6), (2, 4), (1, 2))
"""Lines of each part, and of the timeline, until they fit."""
NONE = "I see no incident here yet. This message will say how it stands as soon as someone says what is wrong."
WEIGHTY = frozenset({"detected", "declared", "deploy", "rollback", "decision", "mitigated", "resolved"})
"""Kinds of entries that stay when a timeline is cut: what people wrote of before what a program alone told."""


@dataclass(frozen=True)
class Shown:
    """All that the message says.

    ``address``: of any message in the channel, from which those of others are made; empty: there are no links.
    ``threads``: ts of a reply -> the message it replies to. ``changes``: since ``before``. ``reading``: how many
    earlier messages were read, None when all were.
    """

    summary: Summary
    incident: Incident | None
    now: datetime
    address: str = ""
    threads: Mapping[str, str] = field(default_factory=dict)
    changes: Sequence[str] = ()
    before: datetime | None = None
    reading: int | None = None
    paused: bool = False
    command: str = "/oracle"


def render_incident(shown: Shown) -> Post:
    """The pinned message, within Slack's limits: what does not fit is counted."""
    for most, moments in SIZES:
        post = whole(shown, most, moments)
        if sum(map(weigh, post.blocks)) <= ROOM:
            break
    return post


def whole(shown: Shown, most: int, moments: int) -> Post:
    """The message with at most so many lines in each part, and so many moments."""
    summary = shown.summary
    head = heading(shown)
    blocks = [header(head), block(*under(shown))]
    if summary.status.state != "none":
        parts = sections(shown, most)
        blocks += [block(*parts)] if parts else []
        if summary.timeline:
            blocks.append(block(paragraph(words("Timeline", bold=True)), timeline(shown, moments)))
    blocks.append({"type": "actions", "elements": buttons(shown)})
    said = summary.status.text
    return Post(text=fallback(f"{head}. {said}" if said else head), blocks=tuple(blocks))


def render_told(shown: Shown, intro: Words) -> Post:
    """The same for one person who asked, without buttons; ``intro`` says since when and for whom."""
    summary = shown.summary
    for most, moments in SIZES:
        blocks = [block(paragraph(words(heading(shown), bold=True)), paragraph(intro), *under(shown))]
        parts = sections(shown, most)
        blocks += [block(*parts)] if parts else []
        if summary.timeline:
            blocks.append(block(paragraph(words("Timeline", bold=True)), timeline(shown, moments)))
        if sum(map(weigh, blocks)) <= ROOM:
            break
    return Post(text=fallback(heading(shown)), blocks=tuple(blocks))


def render_unchanged(shown: Shown, since: datetime, *, looked: bool) -> Post:
    """The same where nothing is new: since when, and how it stands in one line. ``looked``: they were told then."""
    status = shown.summary.status
    stands = [words(f"{heading(shown)}{': ' if status.text else ''}", bold=True)]
    told = line_words(shown, status) if status.text else ()
    when = (words("you looked ("), moment(since), words(").")) if looked else (moment(since), words("."))
    nothing = paragraph(words("Nothing new since "), *when)
    return Post(text=fallback(f"Nothing new. {heading(shown)}"), blocks=(block(nothing, paragraph(*stands, *told)),))


# --- above --------------------------------------------------------------------------------------------------------


def heading(shown: Shown) -> str:
    """Title, severity, state."""
    summary, incident = shown.summary, shown.incident
    title = clip(safe((incident.title if incident else "") or summary.title), TITLE) or "Incident"
    state = "resolved" if ended(shown) else summary.status.state.replace("_", " ")
    parts = [title, safe(summary.severity), "" if state == "none" else state]
    return clip(" · ".join(filter(None, parts)), HEADING)


def ended(shown: Shown) -> datetime | None:
    """When people said that it is over."""
    return shown.incident.resolved_at if shown.incident else None


def under(shown: Shown) -> list[Block]:
    """Since when, who leads, as of when, what changed, and how it stands."""
    summary, closed = shown.summary, ended(shown)
    since = shown.incident.began(summary.since) if shown.incident else summary.since
    over = (closed or summary.until) if closed or summary.status.state in OVER else None
    when = clock if since and shown.now - since < SHORT else moment
    times: list[Words] = []
    if since and (closed or summary.status.state != "none"):
        took = lasted(((over or shown.now) - since).total_seconds())
        times = [words("since "), moment(since), words(f" ({'lasted ' if over else ''}{took}) · ")]
    if summary.lead:
        name = clip(safe(summary.lead.name), 60)
        times += [words(f"lead @{name}"), *sources(shown, summary.lead), words(" · ")]
    parts = [paragraph(*times, words("updated "), when(shown.now))]
    if shown.reading is not None:
        parts.append(paragraph(words(f"Reading earlier messages: {shown.reading:,} so far", italic=True)))
    if shown.paused:
        parts.append(paragraph(words("Paused: I go on listening, and change nothing here.", italic=True)))
    if shown.changes and shown.before:
        told = "; ".join(clip(safe(change), CHANGE) for change in shown.changes)
        parts.append(paragraph(words("Changed since "), when(shown.before), words(f": ➕ {told}")))
    if summary.status.state == "none":
        if not closed:
            parts.append(paragraph(words(NONE)))
    elif summary.status.text:
        parts.append(paragraph(*line_words(shown, summary.status)))
    if summary.next_update and not closed:
        named = says_next(summary.next_update)
        parts.append(
            paragraph(words("" if named else "Next update: ", bold=True), *line_words(shown, summary.next_update))
        )
    return parts


def says_next(update: Line) -> bool:
    """Whether a promise of an update begins with the words that stand before it otherwise."""
    return update.text.lower().startswith("next update")


# --- parts --------------------------------------------------------------------------------------------------------


def sections(shown: Shown, most: int) -> list[Block]:
    """The parts of the summary that say something."""
    out: list[Block] = []
    for name, title in TITLES.items():
        lines: Sequence[Line] = getattr(shown.summary, name)
        if lines:
            kept = chosen(shown.summary, lines, most)
            items = [item_words(shown, line) for line in kept]
            out += [paragraph(words(title, bold=True)), bullets(with_rest(items, len(lines) - len(kept)))]
    return out


def chosen(summary: Summary, lines: Sequence[Line], most: int) -> Sequence[Line]:
    """Of too many lines the newest, in their order: the cause before them, and what is to do before what is done."""
    causes = causes_in(summary)

    def rank(i: int) -> tuple[bool, int]:
        line = lines[i]
        if isinstance(line, ActionItem):
            return line.done, i
        return Line(text=line.text, ts=line.ts) not in causes, -i

    return [lines[i] for i in sorted(sorted(range(len(lines)), key=rank)[:most])]


def item_words(shown: Shown, line: Line) -> Sequence[Words]:
    """One line; of an action whether it is done, and whose it is."""
    if not isinstance(line, ActionItem):
        return line_words(shown, line)
    owner = words(f"@{clip(safe(line.owner), 60)}: ", bold=True) if line.owner else words("")
    return [words("☑ " if line.done else "☐ "), owner, *line_words(shown, line)]


def timeline(shown: Shown, most: int) -> Block:
    """The newest and the weightiest moments, in order."""
    entries = shown.summary.timeline
    told = [bool(entry.evidence) and not entry.ts for entry in entries]
    ranked = sorted(range(len(entries)), key=lambda i: (entries[i].kind not in WEIGHTY, told[i], -i))
    kept = [entries[i] for i in sorted(ranked[:most])]
    times = [entry.at for entry in entries]
    when = clock if times and max(times) - min(times) < SHORT else moment
    return bullets(with_rest([entry_words(shown, entry, when) for entry in kept], len(entries) - len(kept)))


def entry_words(shown: Shown, entry: Entry, when: Callable[[datetime], Words]) -> Sequence[Words]:
    """When, of what kind, what."""
    kind = words(f"{entry.kind}: ", bold=True) if entry.kind != "other" else words("")
    return [when(entry.at), words(" "), kind, *line_words(shown, entry)]


def with_rest(items: list[Sequence[Words]], left: int) -> list[Sequence[Words]]:
    """The lines, and how many there are besides."""
    return [*items, [words(f"and {left} more", italic=True)]] if left > 0 else items


def line_words(shown: Shown, line: Line) -> Sequence[Words]:
    """What a line says, then what it rests on."""
    return [words(clip(safe(line.text), LINE) or "…"), *sources(shown, line)]


def sources(shown: Shown, line: Line) -> Iterable[Words]:
    """Links to messages, and to what programs told."""
    known: Mapping[str, Evidence] = {item.id: item for item in shown.summary.evidence}
    urls = [("message", address_of(shown.address, ts, shown.threads.get(ts, ""))) for ts in line.ts]
    urls += [(known[key].kind, link_of(known[key])) for key in line.evidence if key in known]
    for name, url in [pair for pair in urls if pair[1]][:MOST_LINKS]:
        yield words(" ")
        yield link(url, f"[{name}]")


def address_of(address: str, ts: str, thread_ts: str = "") -> str:
    """The address of a message, from that of another one in its channel; empty where that is none.

    ``https://acme.slack.com/archives/C1/p1763632330000100``; of a reply with ``?thread_ts=…&cid=C1``.
    """
    archive, slash, _ = address.partition("?")[0].rpartition("/p")
    channel = archive.rpartition("/")[2]
    if not slash or "/archives/" not in archive:
        return ""
    url = f"{archive}/p{ts.replace('.', '')}"
    return f"{url}?thread_ts={thread_ts}&cid={channel}" if thread_ts else url


def buttons(shown: Shown) -> list[Block]:
    """What people can do with it."""
    out = [button("Update now", action_ids.INCIDENT_UPDATE)] if not (ended(shown) or shown.paused) else []
    out += [button("Catch me up", action_ids.INCIDENT_CATCHUP), button("Edit timeline", action_ids.INCIDENT_EDIT)]
    if not ended(shown):
        what = "resume" if shown.paused else "pause"
        out.append(button(what.capitalize(), action_ids.INCIDENT_PAUSE, what))
    return out
