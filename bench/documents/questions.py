"""Two sets of questions with the sections that answer them, and the trees to search.

``headings``: a section's heading, which is taken out of the tree. ``commits``: subjects of later commits, answered by
the sections that they changed. Both are made by code and stay the same from run to run.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.documents.changed import changed_sections
from bench.search.questions import NUMBER, check_out, git
from bench.search.questions import chosen as sample
from workers.search import DocIndex
from workers.sources.code.question_coverage import known
from workers.sources.documents.document import Section
from workers.sources.terms.query_terms import read_query

SETS = ("headings", "commits")
MOST = {"headings": 100, "commits": 80}
FOREIGN = 40
BACK = 400
SHARE = 5  # at most every fifth heading is hidden
FEWEST_WORDS = 20
HIDDEN = "Section"
SAYS_NOTHING = re.compile(
    r"(an? )?(overview|introduction|intro|installation|install|usage|examples?|summary|background|notes?|references?"
    r"|links?|see also|further reading|next steps?|what'?s next|prerequisites?|requirements?|getting started|status"
    r"|quick ?start|description|details|motivation|goals|non-goals|proposal|open questions|context|conclusion|faqs?"
    r"|misc\w*|other|general|about|changes|contents|table of contents|features?|basic usage|resources|appendix"
    r"|known issues|troubleshooting|limitations?|how it works|parameters|options|arguments|flags|syntax|steps?"
    r"|before you begin|clean ?up|alternatives|use cases|implementation|design|meaning|impact|diagnosis|mitigation"
    r"|more information)s?",
    re.IGNORECASE,
)
RELEASE = re.compile(r"v?\d[\d.]*\b|.*\bv?\d+\.\d+(\.\d+)?\b")
CHORES = re.compile(
    r"\b(bump|typos?|merge|changelog|lint\w*|style|format\w*|ci|tests?|revert|deps|spelling|grammar|wording|broken|links?"
    r"|formatting|whitespace|nits?|rename|urls?|publish|sync|prettier|cspell|textlint|redirects?|translat\w*|auto\w*|suggestions?|reviews?|feedback)\b",
    re.IGNORECASE,
)
PREFIX = re.compile(r"^(\[[^\]]*\]|\w+(\([^)]*\))?!?:|docs?\b[\s:/-]*)\s*", re.IGNORECASE)
VERBS = (
    "add allow apply authenticate build choose configure connect create customize define delete deploy disable enable"
    " expose find fix generate import install integrate manage migrate open override publish register remove render"
    " restore retry run send serve specify store switch track uninstall use verify write"
).split()
DOUBLED = frozenset({"run"})


@dataclass(frozen=True)
class Question:
    """``answers`` are sections: path, first and last line; none for something that no document speaks of."""

    text: str
    answers: tuple[tuple[str, int, int], ...] = ()


@dataclass(frozen=True)
class Exam:
    """Questions on one folder of documents."""

    repository: str
    set: str
    folder: Path
    questions: tuple[Question, ...]


def prepare(source: Path, folder: str, name: str, which: str, trees: Path) -> Exam:
    """Check out a tree under ``trees`` and collect the questions of one set on it.

    Args:
        source: a repository, bare or not.
        folder: where its documents are; empty for all of it.
        name: what the repository is called.
        which: one of `SETS`.
        trees: where trees are kept.
    """
    tree = trees / name / which
    if which == "commits":
        own = git(source, "rev-list", "--first-parent", "HEAD", "--", folder or ".").split()
        base = own[min(BACK, len(own) // 3)]
        check_out(source, tree, base)
        asked = chosen(list(subjects(source, base, tree, folder)), MOST[which])
    else:
        head = git(source, "rev-parse", "HEAD").strip()
        check_out(source, tree, head)
        laid = ["git", "-C", str(tree), "checkout-index", "-q", "-a", "-f"]
        subprocess.run(laid, capture_output=True, check=False)  # what an earlier run hid; a snapshot may lack blobs
        asked = hide_headings(tree / folder, MOST[which])
    return Exam(name, which, tree / folder, tuple(asked))


def chosen(questions: list[Question], most: int) -> list[Question]:
    """A sample that stays the same from run to run, no text twice."""
    times = Counter(q.text.lower() for q in questions)
    return sample([q for q in questions if times[q.text.lower()] == 1], most)


def documents(folder: Path) -> list[tuple[str, list[str], tuple[Section, ...]]]:
    """Documents of a folder whose lines are the file's own: path, lines and sections."""
    with tempfile.TemporaryDirectory() as scratch:
        index = DocIndex.build(folder, scratch)
        return [(r.path, index.lines_of(f), r.sections) for f, r in enumerate(index.records) if not r.extracted]


def hide_headings(folder: Path, most: int) -> list[Question]:
    """Take the words of some headings out of a folder, and return them as questions."""
    found, seen, sections = {}, Counter[str](), 0
    for path, lines, own in documents(folder):
        sections += len(own)
        for section in own:
            seen[section.heading.lower()] += 1
            if text := question_of(section, lines):
                found[path, section.start, section.end] = (section, text)
    alone = [Question(t, (at,)) for at, (s, t) in found.items() if seen[s.heading.lower()] == 1]
    questions = chosen(alone, min(most, sections // SHARE))
    for question in questions:
        path, start, _ = question.answers[0]
        place = folder / path
        lines = place.read_bytes().decode("utf-8", "replace").split("\n")
        at, line = heading_line(lines, start)
        lines[at] = line
        place.write_bytes("\n".join(lines).encode())
    return questions


def question_of(section: Section, lines: list[str]) -> str:
    """What a heading asks; empty when it says nothing, or when the section hardly says more."""
    text = re.sub(r"\s*\{#?[^}]*\}|[`*_]{1,2}(?=\w)|(?<=\w)[`*_]{1,2}(?=\W|$)", "", section.heading).strip()
    body = " ".join(lines[section.start : section.end]).split()
    if section.level < 2 or len(body) < FEWEST_WORDS or RELEASE.fullmatch(text) or SAYS_NOTHING.fullmatch(text):
        return ""
    if not heading_line(lines, section.start)[1]:
        return ""
    words = strong(text)
    if not words:
        return ""
    if len(words) < 2:
        above = next((c for c in reversed(section.breadcrumb[:-1]) if strong(c) and not SAYS_NOTHING.fullmatch(c)), "")
        return f"{above} {text}".strip() if above and not set(strong(above)) & set(words) else ""
    return asked(text)


def strong(text: str) -> list[str]:
    """Words that carry meaning, as search terms."""
    return [term for term, weight in read_query(text, prose=True).terms.items() if weight == 1.0 and len(term) > 1]


def asked(heading: str) -> str:
    """A heading that begins with a verb as a question, any other as it is."""
    first, _, rest = heading.partition(" ")
    verb = {**{v: v for v in VERBS}, **{gerund(v): v for v in VERBS}}.get(first.lower())
    return f"How do I {verb} {rest.rstrip('?.:')}?" if verb and rest else heading


def gerund(verb: str) -> str:
    """``use`` -> ``using``."""
    stem = verb + verb[-1] if verb in DOUBLED else verb.removesuffix("e")
    return f"{stem}ing"


def heading_line(lines: list[str], start: int) -> tuple[int, str]:
    """Which line holds a heading's words, from 0, and that line without them; an empty line when it is not clear."""
    if match := re.match(r"\s{0,3}(#{1,6}|={1,6})\s+\S", lines[start - 1]):
        return start - 1, f"{match[1]} {HIDDEN}"
    at = start if re.fullmatch(r"(\W)\1+\s*", lines[start - 1]) else start - 1
    below = lines[at + 1].rstrip() if at + 1 < len(lines) else ""
    return at, HIDDEN if re.fullmatch(r"(\W)\1{2,}", below) and len(below) >= len(HIDDEN) else ""


def foreign(exam: Exam, every: Sequence[str], indexes: Path) -> list[str]:
    """Some of the headings of other folders that say a word which no document of this one holds."""
    index = DocIndex.ensure(exam.folder, indexes / exam.repository / exam.set)
    own = {q.text for q in exam.questions}
    others = [Question(t) for t in every if t not in own and not all(known(index, term) for term in strong(t))]
    return [q.text for q in chosen(others, FOREIGN)]


def subjects(source: Path, base: str, tree: Path, folder: str) -> Iterator[Question]:
    """Subjects of the commits after ``base`` that changed one to three sections which it has.

    Those that name something which no document speaks of before the commit ask for what is not there, and are left out.
    """
    present: dict[tuple[str, tuple[str, ...]], list[tuple[str, int, int]]] = {}
    texts = []
    for path, lines, own in documents(tree / folder):
        texts += [path, *lines]
        for section in own:
            present.setdefault((path, section.breadcrumb), []).append((path, section.start, section.end))
    said = "\n".join(texts).lower()
    for subject, keys in changed_sections(source, base, folder, worth_asking):
        text = worth_asking(subject)
        named = read_query(text, prose=True)
        places = [present.get(key, []) for key in keys]
        known = all(name.lower() in said for name in (*named.names, *named.proper))
        if known and 1 <= len(places) <= 3 and all(len(p) == 1 for p in places):
            yield Question(text, tuple(sorted(p[0] for p in places)))


def worth_asking(subject: str) -> str:
    """A subject without prefix and number; empty when it speaks of chores or says too little."""
    text = NUMBER.sub("", PREFIX.sub("", subject)).strip(" .")
    return text if not CHORES.search(text) and len(strong(text)) > 2 else ""
