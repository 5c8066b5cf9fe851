"""Health in words, and the sources with how fresh they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from workers.contracts import Landscape
from workers.delivery.rich_text import clip, safe, words
from workers.delivery.rich_text_blocks import (
    Line,
    ago,
    block,
    bullets,
    header,
    lasted,
    paragraph,
    post_of,
    quoted,
    sentence,
    several,
)
from workers.ports import Post
from workers.store.feedback import Tally
from workers.store.hook_events import HookEvents
from workers.store.refusals import Refusals
from workers.store.request_jobs import Asked
from workers.store.source_refreshes import Source

STALE_S = 900.0
"""A source that was not looked at for so long is named as trouble: nothing refreshes it."""
SLOW_S = 120.0
"""A question that waits longer than this is named as trouble."""
TITLES = {"repo_search": "Code", "doc_search": "Documents", "metrics_query": "Metrics"}
NOTHING_SAID = Tally()
QUOTE = 90
LINE, LONG_LINE = 120, 400
MOST_LINES = 8
MOST_ALL = 16
MOST_MINE = 5
NO_SOURCES = "No source has been read yet; oracle check, on my machine, says what is connected."


@dataclass(frozen=True)
class Health:
    """How Oracle is. ``mine``: this person's open questions, each with what `Ledger.ahead` says of it; ``unkept``: why
    nothing can be kept, in a sentence, empty when something can.
    """

    sources: tuple[Source, ...]
    open: int = 0
    waiting: int = 0
    oldest_s: float = 0.0
    mine: tuple[tuple[Asked, int | None], ...] = ()
    said: Tally = NOTHING_SAID
    version: str = ""
    hooks: tuple[HookEvents, ...] = ()
    refused: tuple[Refusals, ...] = ()
    unkept: str = ""


def status_post(health: Health, now: datetime) -> Post:
    """``/oracle status``."""
    said = health.said
    database = clip(safe(health.unkept), LONG_LINE) or "Database: answers, and takes what is written"
    lines: list[Line] = [[words(database)], [words(open_words(health))]]
    if said.good or said.bad:
        reasons = f" (most often: {said.reasons[0][0]})" if said.reasons else ""
        lines.append([words(f"Feedback in 7 days: {said.good:,} good, {said.bad:,} bad{reasons}")])
    lines += some([words(clip(refusal_line(one, now), LONG_LINE))] for one in health.refused)
    lines += some([words(clip(hook_line(hook, now), LONG_LINE))] for hook in health.hooks)
    lines.append([words(f"Version: {health.version or 'unknown'}")])
    parts = [paragraph(words(verdict(health, now), bold=True)), bullets(lines)]
    if health.mine:
        parts += [paragraph(words("\nYour open questions")), bullets(map(mine_words, health.mine[:MOST_MINE]))]
    troubled = [source for source in health.sources if in_trouble(source, now)]
    if troubled:
        parts += [paragraph(words("\nSources with trouble")), bullets(some(source_lines(troubled, now)))]
    return post_of(block(*parts))


def hook_line(hook: HookEvents, now: datetime) -> str:
    """The events of one hook, and why it did not take the last that it did not."""
    counts = [f"{hook.taken:,} taken"]
    counts += [f"{count:,} {name}" for name, count in (("ignored", hook.ignored), ("refused", hook.refused)) if count]
    why = f"; {ago(hook.reason_at, now)}: {safe(hook.reason)}" if hook.reason and hook.reason_at else ""
    return f"hook {safe(hook.hook)}: {', '.join(counts)}, the last {ago(hook.last_at, now)}{why}"


def refusal_line(one: Refusals, now: datetime) -> str:
    """What was refused at one door for one reason in the last days."""
    return f"{safe(one.door)}: {one.count:,} refused in 7 days ({safe(one.reason)}), the last {ago(one.last_at, now)}"


def verdict(health: Health, now: datetime) -> str:
    """All in one sentence."""
    if health.unkept:
        return clip(safe(health.unkept), LONG_LINE)
    troubles = [source for source in health.sources if in_trouble(source, now)]
    wrong = []
    if troubles:
        wrong.append("1 source has trouble" if len(troubles) == 1 else f"{len(troubles)} sources have trouble")
    if health.oldest_s > SLOW_S:
        wrong.append(f"a question has waited for {lasted(health.oldest_s)}")
    return f"Working, but {' and '.join(wrong)}." if wrong else "Everything works."


def open_words(health: Health) -> str:
    """The queue."""
    if not health.open:
        text = "Questions: none open"
    else:
        text = f"Questions: {health.open:,} open, the oldest for {lasted(health.oldest_s)}"
    return f"{text}; {health.waiting:,} waiting for someone's reply" if health.waiting else text


def mine_words(mine: tuple[Asked, int | None]) -> Line:
    """One open question, and its place in the queue."""
    asked, ahead = mine
    return [quoted(asked.text, QUOTE), words(f" · {stage_words(asked, ahead)} · "), words(asked.request_id, code=True)]


def stage_words(asked: Asked, ahead: int | None) -> str:
    """Where a question stands."""
    if asked.stage == "waiting":
        return "waits for your reply"
    if ahead is None:
        return "being worked on"
    return f"{several(ahead, 'question')} before it" if ahead else "next"


def in_trouble(source: Source, now: datetime) -> bool:
    """Whether the last look went wrong, or was long ago."""
    return not source.ok or is_stale(source, now)


def sources_post(sources: Sequence[Source], landscape: Landscape, now: datetime) -> Post:
    """``/oracle sources``."""
    found = some(all_source_lines(sources, landscape, now))
    if not found:
        return sentence(NO_SOURCES)
    return post_of(header("What I read"), block(bullets(found)))


def some(lines: Iterable[Line]) -> list[Line]:
    """As many lines as fit one message, and how many more there are."""
    found = list(lines)
    if len(found) <= MOST_ALL:
        return found
    return [*found[:MOST_ALL], [words(f"and {len(found) - MOST_ALL} more")]]


def all_source_lines(sources: Sequence[Source], landscape: Landscape, now: datetime) -> Iterator[Line]:
    """Indexed sources with their freshness, then what is asked live for every question."""
    yield from source_lines(sources, now)
    if landscape.metrics:
        names = several(len(landscape.metrics), "metric")
        yield [words("Metrics", bold=True), words(f" · {names} known, read anew for every question")]


def source_lines(sources: Sequence[Source], now: datetime) -> Iterator[Line]:
    """What each source said, at most `MOST_LINES` lines of each, those with trouble first, and when it was read."""
    for source in sources:
        title = words(clip(safe(TITLES.get(source.name, source.name)), 80), bold=True)
        lines = sorted(source.lines, key=lambda line: line[1])
        for line, ok in lines[:MOST_LINES] or (("", source.ok),):
            told = " · ".join(filter(None, [clip(safe(line), LINE), freshness(source, ok, now)]))
            yield [title, words(f" · {told}")]
        if len(source.lines) > MOST_LINES:
            yield [title, words(f" · and {len(source.lines) - MOST_LINES} more")]


def freshness(source: Source, ok: bool, now: datetime) -> str:
    """When one of a source's lines was read, and what is wrong with it."""
    looked = ago(source.checked_at, now)
    if ok:
        return f"{'⚠️ not looked at again, ' if is_stale(source, now) else ''}read {looked}"
    before = f"; all was last read {ago(source.fresh_at, now)}" if source.fresh_at else ""
    return f"⚠️ tried {looked}{before}"


def is_stale(source: Source, now: datetime) -> bool:
    """Whether nobody has looked for long."""
    return (now - source.checked_at).total_seconds() > STALE_S
