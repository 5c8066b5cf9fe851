"""Which commits have to do with a question: first by what they say and the files they changed, then by their lines."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from workers.language.stems import stem
from workers.language.tokens import split_identifier
from workers.sources.code.file_kinds import kind_of, skip_path
from workers.sources.history.commits import Change
from workers.sources.history.diff import Hunk
from workers.sources.history.term_counts import Said, TermCounter
from workers.sources.terms.query_terms import Query

MAX_TEXT = 100_000
MOST_PATHS = 60
MOST_BODY = 1_500
LONG_NAME = 3
LITTLE = 0.05
SECONDARY = frozenset({"test", "doc", "history", "example", "generated", "vendored"})
SAYS_CHANGE = frozenset(
    stem(w)
    for w in "change changed changes commit commits committed touch touched modify modified update updated updates"
    " recent diff merged author authored history pr pull edited week weeks month months day days hour hours monday"
    " tuesday wednesday thursday friday saturday sunday new last latest".split()
)


# What counts how much, fitted on ten of the repositories of `python -m bench changes`: first without the lines that a
# commit changed, then with them.
FIRST = {
    "path": 5.1, "first": 3.1, "other": 1.0, "stem": 1.6, "prior": 2.7, "compound": 1.6, "near": 3.1, "found": 0.8,
    "place_file": 3.5, "files": -0.6, "merge": -1.0,
}  # fmt: skip
LAST = {
    "path": 4.6, "first": 0.8, "other": 1.3, "stem": 1.2, "prior": 2.9, "compound": 1.3, "near": 2.4, "found": 0.5,
    "place_file": 2.8, "files": -1.0, "merge": -0.9, "added": 0.7, "any": 3.8, "place": 0.9, "compound_lines": 1.2,
}  # fmt: skip
MIDDLE = 8.0
K1, B = 1.2, 0.75


@dataclass(frozen=True)
class Wish:
    """A question put to commits.

    ``terms``: what it names, with weights. ``files``: path -> 0..1, files that are known to matter to it; ``places``:
    (path, name) -> 0..1, definitions that do. ``words``: its plain words, stemmed.
    """

    terms: Mapping[str, float]
    files: Mapping[str, float] = field(default_factory=dict)
    places: Mapping[tuple[str, str], float] = field(default_factory=dict)
    words: frozenset[str] = frozenset()


def read_wish(
    query: Query, files: Mapping[str, float] | None = None, places: Mapping[tuple[str, str], float] | None = None
) -> Wish:
    """What a question wants of commits; words that only say that changes are asked for hardly count."""
    plain = {t: w * (LITTLE if t in SAYS_CHANGE else 1.0) for t, w in query.terms.items()}
    if plain and max(plain.values()) <= LITTLE:
        plain = dict(query.terms)
    terms = plain | dict.fromkeys(query.routes, 2.0) | dict.fromkeys((f"={x}" for x in query.compounds), 1.0)
    words = frozenset(stem(part) for word in query.words for part in split_identifier(word))
    return Wish(terms, files or {}, places or {}, words)


def with_old_names(wish: Wish, found: Iterable[Change]) -> Wish:
    """The same with what files were called before some commits, newest first, moved them."""
    files, places = dict(wish.files), dict(wish.places)
    for f in (f for c in found for f in c.files if f.old_path):
        if f.path in files:
            files.setdefault(f.old_path, files[f.path])
        for (path, name), weight in [*places.items()]:
            if path == f.path:
                places.setdefault((f.old_path, name), weight)
    return replace(wish, files=files, places=places)


@dataclass(frozen=True)
class Told:
    """A commit's own words: its subject, the paths it changed, what else it says."""

    subject: Said
    paths: Said
    body: Said

    @property
    def terms(self) -> set[str]:
        """The terms in any of them."""
        return {*self.subject.counts, *self.paths.counts, *self.body.counts}


def rank_commits(
    found: Sequence[Change], wish: Wish, most: int, read: Callable[[Sequence[Change]], list[Change]]
) -> tuple[list[Change], dict[str, float]]:
    """Put the commits that have most to do with a question first.

    Args:
        found: all of a span, with the paths they changed.
        wish: the question.
        most: of so many of the best are patches read; only these are returned.
        read: adds patches.

    Returns: the best commits, their scores 0..1, and what each term of the question is worth among all of them.
    """
    counter = TermCounter(wish.terms)
    told = [
        Told(counter.count(c.subject), counter.count_paths(paths_of(c)), counter.count(c.body[:MOST_BODY]))
        for c in found
    ]
    worth = worth_of(wish.terms, told)
    average = sum(t.paths.length for t in told) / max(len(told), 1)
    known = [describe_commit(c, t, average, worth, wish) for c, t in zip(found, told, strict=True)]
    first = [weigh(k, FIRST) for k in known]
    order = sorted(range(len(found)), key=lambda i: (-first[i], -found[i].at.timestamp(), found[i].commit))[:most]
    patched = read([found[i] for i in order])
    lines = [counter.count(lines_of(c)) for c in patched]
    usual = sum(said.length for said in lines) / max(len(lines), 1)
    out = []
    for i, c, said in zip(order, patched, lines, strict=True):
        more = describe_lines(c, (told[i], said), usual, worth, wish)
        out.append(replace(c, score=round(1 / (1 + math.exp(MIDDLE - weigh(known[i] | more, LAST))), 4)))
    return sorted(out, key=lambda c: (-c.score, -c.at.timestamp(), c.commit)), worth


def paths_of(c: Change) -> list[str]:
    """The first paths of a commit, those of moved files with their old names."""
    files = c.files[:MOST_PATHS]
    return [f.path for f in files] + [f.old_path for f in files if f.old_path]


def lines_of(c: Change) -> str:
    """The lines that a commit added, and where they lie."""
    hunks = [h for f in c.files if not skip_path(f.path) for h in f.hunks]
    return "\n".join(f"{h.near}\n{h.added_text}" for h in hunks)[:MAX_TEXT]


def worth_of(terms: Mapping[str, float], told: Sequence[Told]) -> dict[str, float]:
    """What each term is worth among commits: more the fewer hold it."""
    held = dict.fromkeys(terms, 0)
    for one in told:
        for term in one.terms:
            held[term] += 1
    return {t: w * math.log(1 + (len(told) + 1) / (held[t] + 0.5)) for t, w in terms.items()}


def weigh(known: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The sum of what is known of a commit."""
    return sum(weight * known[name] for name, weight in weights.items())


def share(terms: Iterable[str], worth: Mapping[str, float]) -> float:
    """The share of the question's worth that some of its words hold, compounds apart."""
    total = sum(w for t, w in worth.items() if not t.startswith("=")) or 1.0
    return sum(worth[t] for t in terms if not t.startswith("=")) / total


def compounds(terms: Iterable[str], worth: Mapping[str, float]) -> float:
    """The worth of identifiers that words of the question make up, as a share of that of its words."""
    total = sum(w for t, w in worth.items() if not t.startswith("=")) or 1.0
    return sum(worth[t] for t in terms if t.startswith("=")) / total


def dense(said: Said, average: float, worth: Mapping[str, float]) -> float:
    """BM25 of a text as a share of the question's worth."""
    total = sum(w for t, w in worth.items() if not t.startswith("=")) or 1.0
    norm = K1 * (1 - B + B * said.length / (average or 1.0))
    return sum(worth[t] * tf / (tf + norm) for t, tf in said.counts.items() if not t.startswith("=")) / total


def describe_commit(c: Change, told: Told, average: float, worth: Mapping[str, float], wish: Wish) -> dict[str, float]:
    """What is known of a commit without its lines, by the names in `FIRST`."""
    near = max((wish.files.get(f.path, 0.0) * prior_of(f.path) for f in c.files), default=0.0)
    others = (told.subject.others, told.paths.others, told.body.others)
    touched = {f.path for f in c.files} | {f.old_path for f in c.files}
    return {
        "path": dense(told.paths, average, worth),
        "first": share(told.terms, worth),
        "other": sum(share(o, worth) for o in others) / 2,
        "stem": best_stem(c, wish.words),
        "prior": prior(c),
        "compound": compounds({*told.subject.counts, *told.paths.counts}, worth)
        + compounds(told.body.counts, worth) / 2,
        "near": near,
        "found": float(near == 1.0),
        "place_file": max((v for (path, _), v in wish.places.items() if path in touched), default=0.0),
        "files": math.log1p(len(c.files)),
        "merge": float(c.merge),
    }


def describe_lines(
    c: Change, held: tuple[Told, Said], usual: float, worth: Mapping[str, float], wish: Wish
) -> dict[str, float]:
    """What is known of a commit by its lines, by the names that `LAST` has beside those of `FIRST`."""
    told, lines = held
    return {
        "added": dense(lines, usual, worth),
        "any": share(told.terms | set(lines.counts), worth),
        "place": placed(c, wish),
        "compound_lines": compounds(lines.counts, worth) / 2,
    }


def best_stem(c: Change, words: frozenset[str]) -> float:
    """The best of `stem_cover` among its sources."""
    return max((stem_cover(f.path, words) for f in c.files[:MOST_PATHS] if prior_of(f.path) == 1.0), default=0.0)


def stem_cover(path: str, words: frozenset[str]) -> float:
    """How much of a file's name the question says; names of one word say less."""
    parts = stems_of(path)
    same = parts & words
    return len(same) / len(parts) * min(len(parts), LONG_NAME) / LONG_NAME if same else 0.0


@lru_cache(maxsize=50_000)
def stems_of(path: str) -> frozenset[str]:
    """The words of a file's name, stemmed."""
    return frozenset(stem(w) for w in split_identifier(path.rpartition("/")[2].partition(".")[0]))


def placed(c: Change, wish: Wish) -> float:
    """Whether a commit changed lines of a definition that the question is about."""
    best = 0.0
    for f in c.files:
        for (path, name), weight in wish.places.items():
            if path in {f.path, f.old_path} and weight > best and any(names(h, name) for h in f.hunks):
                best = weight
    return best


def names(hunk: Hunk, name: str) -> bool:
    """True when a hunk lies in a definition of this name, as far as git shows, or its lines hold the name."""
    return any(name in text for text in (hunk.near, hunk.added_text, hunk.removed_text))


def prior(c: Change) -> float:
    """Commits that touch sources count in full, others less."""
    return max((prior_of(f.path) for f in c.files), default=0.3)


@lru_cache(maxsize=50_000)
def prior_of(path: str) -> float:
    """What a file counts for by its kind."""
    if skip_path(path):
        return 0.2
    return 0.4 if kind_of(path) in SECONDARY else 1.0
