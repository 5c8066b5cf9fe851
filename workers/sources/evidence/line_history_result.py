"""A pasted stack trace, or the history of the lines that answer a question, as a tool's output."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import datetime

from workers.contracts import Deploy, ToolOutput
from workers.language.tokens import NAME_PARTS, joined
from workers.sources.code.index import CodeHit, CodeIndex, shares_lines, whole_lines
from workers.sources.connections.multi_index_search import Survey
from workers.sources.connections.open_sources import Source
from workers.sources.evidence.line_history import (
    best_steps,
    frame_data,
    frame_evidence,
    named_in,
    step_data,
    step_evidence,
)
from workers.sources.evidence.search_hits import Details, code_evidence
from workers.sources.evidence.search_result import Opened, cut_notes, names_of, nothing, shape, with_notes
from workers.sources.git import open_repository, remote_url
from workers.sources.history.blame import LineChange, line_history, line_mover
from workers.sources.history.releases import commit_of
from workers.sources.history.stack_traces import Trace, words_of
from workers.sources.history.term_counts import TermCounter
from workers.sources.history.trace_hits import Mover, TraceHit, find_frames
from workers.sources.history.value_changes import sets_value
from workers.sources.terms.query_terms import read_query

MOST_STEPS = 12
MOST_FOUND, MOST_PLACES = 12, 4  # places looked at, and those whose history is read
PLACE_S = 5.0  # that git gets for the history of a place
BEYOND_MESSAGE = 2
Ask = Callable[[str, int], Survey[CodeHit]]


@dataclass(frozen=True)
class TracePlaces:
    """``frames`` of a trace that are of the repositories, and other places that its message finds.

    ``survey``: what was found, and what of the message stands nowhere.
    """

    frames: list[tuple[Source, TraceHit]]
    rest: list[tuple[Source, CodeHit]]
    survey: Survey[CodeHit]


@dataclass(frozen=True)
class Lines:
    """Where to look, and what for: at most ``k`` places of at most ``max_lines`` lines.

    ``ask`` puts a question to all repositories. ``deploys`` are those of all environments up to ``now``.
    """

    opened: Opened
    ask: Ask
    k: int
    max_lines: int
    now: datetime
    problems: tuple[str, ...] = ()
    deploys: Sequence[Deploy] = ()
    environment: str = ""


def trace_places(trace: Trace, wanted: Lines) -> TracePlaces:
    """Where a trace leads: its frames that are of the repositories, innermost first, then what its message finds."""
    own: list[tuple[Source, TraceHit]] = []
    for source, index in wanted.opened:
        found = find_frames(index, trace, wanted.k, wanted.max_lines, mover(source, index, wanted))
        own += [(source, f) for f in found]
    order = {frame: i for i, frame in enumerate(trace.frames)}
    own = sorted(own, key=lambda pair: order[pair[1].frame])[: wanted.k]
    survey = wanted.ask(" ".join(words_of(trace)), wanted.k)
    said = survey.hits if survey.likely else ()
    rest = [(source, hit) for source, hit in said if not any(shares_lines(hit, f.hit) for _, f in own)]
    return TracePlaces(own, rest[: max(wanted.k - len(own), BEYOND_MESSAGE)], survey)


def show_trace(trace: Trace, wanted: Lines) -> ToolOutput:
    """What a trace leads to. ``data["frames"]``: path, line and note of each frame, and what the trace said."""
    places = trace_places(trace, wanted)
    own, rest, survey = places.frames, places.rest, places.survey
    if not own and not rest:
        return nothing(survey, wanted.opened, " ".join(words_of(trace)), "")
    evidence = (
        *(frame_evidence(source.name, f, Details()) for source, f in own),
        *(code_evidence(source.name, hit, Details()) for source, hit in rest),
    )
    hits = [(source, f.hit) for source, f in own] + rest
    snippets = [asdict(hit) | {"repository": source.name} for source, hit in hits]
    data = {**shape(survey, snippets=snippets), "frames": frame_data(f for _, f in own)}
    called = f"{len(own)} of {len(trace.frames)} frames are in {names_of(wanted.opened)}"
    first = f", the innermost at {own[0][1].hit.path}:{own[0][1].line}" if own else ""
    notes = dict.fromkeys(f.note for _, f in own if f.note)
    return ToolOutput(
        summary=called + first, data=data, evidence=evidence, reason="; ".join([*wanted.problems, *notes])
    )


def mover(source: Source, index: CodeIndex, wanted: Lines) -> Mover | None:
    """What turns lines as they were deployed into those of the index; None when no deploy of it is known."""
    past = [d for d in wanted.deploys if d.at <= wanted.now and d.environment == wanted.environment]
    repo = open_repository(source.path)
    for deploy in sorted(past, key=lambda d: d.at, reverse=True)[:20]:
        commit = commit_of(deploy, repo, source.name)
        if commit:
            return line_mover(repo, commit, index.commit)
    return None


def changed_place(
    hits: Sequence[tuple[Source, CodeHit]], query: str, indexes: Mapping[Source, CodeIndex]
) -> tuple[tuple[Source, CodeHit], Sequence[LineChange]]:
    """The place where a commit changed a value, or that sets one, which the question names most of; else the first.

    What reads a value matches a question as well as what sets it, and only the latter tells when it changed. A type or
    function that is named is meant itself, with all of its lines.
    """
    named = {joined(NAME_PARTS.split(n)[-1]) for n in read_query(query).names}
    own = [pair for pair in hits if pair[1].symbols and joined(pair[1].symbols[0].rpartition(".")[2]) in named]
    defined = [pair for pair in own if not sets_value(pair[1].excerpt.split("\n")[0]) and pair[1].kind == "code"]
    hits = defined[:1] or hits
    sets = {pair[1]: values_named(pair[1], query) for pair in hits}
    setting = sorted((pair for pair in hits[1:] if sets[pair[1]]), key=lambda pair: -sets[pair[1]])
    places = [hits[0], *setting[: MOST_PLACES - 1]]

    def read(pair: tuple[Source, CodeHit]) -> Sequence[LineChange]:
        source, hit = pair
        span = whole_lines(indexes[source], hit) if defined else (hit.start_line, hit.end_line)
        lines = (hit.path, *span)
        return line_history(open_repository(source.path), hit.commit, *lines, MOST_STEPS, timeout_s=PLACE_S)

    with ThreadPoolExecutor(len(places)) as pool:
        each = list(zip(places, pool.map(read, places), strict=True))
    return max(each, key=lambda place: (max((named_in(s, query) for s in place[1]), default=0), sets[place[0][1]]))


def values_named(hit: CodeHit, query: str) -> int:
    """How many words of a question the lines that set a value hold, with path and symbols; 0 for less than half."""
    if hit.kind in {"test", "example", "docs"}:
        return 0
    counter = TermCounter(read_query(query).terms)

    def held(text: str) -> int:
        said = counter.count(text)
        return len(said.counts.keys() | said.others)

    lines = [line for line in hit.excerpt.split("\n") if sets_value(line)]
    place = f"{hit.path} {' '.join(hit.symbols)}"
    most = max((held(f"{place} {line}") for line in lines if held(line)), default=0)
    return most if most * 2 >= held(query) else 0


def show_history(query: str, wanted: Lines) -> ToolOutput:
    """The place that answers a question, then the commits that changed its lines.

    Those that changed a value which the question names come first, then newest first. ``data["steps"]``: each commit
    with the values it changed, old and new.
    """
    survey = wanted.ask(query, MOST_FOUND)
    if not survey.likely:
        return nothing(survey, wanted.opened, query, "")
    (source, hit), steps = changed_place(survey.hits, query, dict(wanted.opened))
    index = next(index for known, index in wanted.opened if known == source)
    repo = open_repository(source.path)
    best: list[LineChange] = best_steps(steps, query)[: wanted.k]
    remote = remote_url(repo)
    evidence = (
        code_evidence(source.name, hit, Details(last=steps[0].by if steps else None)),
        *(step_evidence(source.name, step, index, remote, query) for step in best),
    )
    snippets = [asdict(hit) | {"repository": source.name}]
    data = {**shape(survey, snippets=snippets), "steps": [step_data(source.name, s, query) for s in best]}
    place = f"{hit.path}:{hit.start_line}-{hit.end_line}"
    said = f"{place} was changed in {len(steps)} commit{'s' * (len(steps) != 1)}"
    first = f", first {best[0].by.short} {best[0].by.subject}" if best else ""
    output = ToolOutput(summary=said + first, data=data, evidence=evidence, reason="; ".join(wanted.problems))
    whole = bool(steps) and steps[-1].first
    return output if whole else with_notes(output, cut_notes([(source.name, repo, hit.commit)]))
