"""What a question says in full: misspelt names put right, and what it leaves to its thread put in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from workers.contracts import Landscape, Question
from workers.engine.follow_ups import RECHECK, follow_up_of
from workers.language.message_parts import POINTS, Frame, read_parts, without_address
from workers.language.phrase_to_window import phrases_in
from workers.language.question_kinds import likeliest_of
from workers.language.stop_words import content_words
from workers.reasoning.metric_selection import parts as name_parts
from workers.reasoning.metric_selection import roles_in
from workers.reasoning.name_spelling import correct
from workers.reasoning.question_features import asks_to_do, questions_in
from workers.reasoning.question_subjects import WORD, is_small, names_in, strip, with_hints
from workers.reasoning.wish import WHO, WORDED, kind_chances

WHOLE = re.compile(r"\b(?:everything|anything|all|overall)\b", re.IGNORECASE)
"""Asks of the whole, whatever its thread is about."""
CODE_LINE = re.compile(r"[\w-]\.[a-z]{1,6}\b(?:\", line |:line |:|\()\d+")
"""A place in code, as stack traces write it."""
CERTAIN = 0.5
"""So likely a kind has to be, to say what a question is answered from."""
MOST_LEANING, LONGEST_CORRECTION, MOST_POINTED_CHARS = 3, 12, 300
"""So few words that name nothing lean on the question before; so few of another person put it right; so much of what
was said last is what "that" is."""
WHY = re.compile(r"\bwhy\b|\bhow come\b", re.IGNORECASE)


@dataclass(frozen=True)
class Heard:
    """A question as it is meant.

    ``subjects``: what its thread is about, where it names nothing itself. ``about``: the sentences of the thread that
    say what it points to. ``leans``: it rests on its thread. ``bare``: it says nothing but names, times and small
    words. ``notes``: which words were read as others. ``frames``: the places of the trace that it is about.
    """

    text: str
    subjects: tuple[str, ...] = ()
    about: str = ""
    leans: bool = False
    bare: bool = False
    notes: tuple[str, ...] = ()
    frames: tuple[Frame, ...] = ()

    @property
    def whole(self) -> str:
        """What is looked for: the question with what it points to."""
        return f"{self.text} {self.about}".strip()


def hear(question: Question, landscape: Landscape) -> Heard:
    """The question in full; a rest of one ("and for /api/orders?") is the question before it, asked of that.

    One about a stack trace that was shown ("where does this come from?") holds the trace.
    """
    parts = read_parts(question.text)
    names = bool(named(parts.own, landscape))
    text, notes = correct(parts.asked(names=names), landscape)
    heard = hear_in_thread(text, [said for m in question.context if (said := without_address(m))], landscape)
    frames = parts.frames if parts.points_to_paste(names=names) else ()
    return replace(heard, notes=notes, frames=frames)


def hear_in_thread(text: str, earlier: Sequence[str], landscape: Landscape) -> Heard:
    """See `hear`."""
    hints = phrases_in(text)
    own = tuple(dict.fromkeys(names_in(strip(text, hints), landscape)))
    whole = WHOLE.search(text) is not None
    again = not own and follow_up_of(text) == RECHECK
    bare = (again or is_bare(strip(text, hints), own)) and not whole
    if not earlier:
        return Heard(text, bare=bare)
    thread = () if own or whole else thread_subjects(earlier, landscape)
    if not (own or thread) and POINTS.search(text) and CODE_LINE.search(earlier[-1]):
        return Heard(f"{text} {earlier[-1]}")
    asked = questions_in(earlier)
    if asked and not (own or bare or whole or hints) and len(text.split()) <= MOST_LEANING:
        return Heard(f"{asked[-1].rstrip('?., ')} {text}", thread, leans=True)
    apart = not own and (WHY.search(text) or WHO.search(text))  # asks something else of the same
    if bare and not apart and (base := discussed(earlier, landscape)):
        return Heard(instead(with_hints(base, hints), own, landscape), thread, leans=True)
    when = phrases_in(asked[-1]) if asked and not hints and (thread or bare) else ()
    about = "" if own or bare or whole else pointed_to(text, earlier)
    subjects = thread or named(about, landscape)
    return Heard(with_hints(text, when), subjects, about, leans=bool(subjects or about) or bare, bare=bare)


def discussed(earlier: Sequence[str], landscape: Landscape) -> str:
    """The last full question of a thread, or the last word on a measure where nobody asked, as it was put right since.

    What is short and names another thing, or a time, puts it right; an answer names what was asked about.
    Empty when there is neither.
    """
    asked = [place for place, said in enumerate(earlier) if questions_in([said])]
    full = [i for i in asked if not is_bare(strip(earlier[i], phrases_in(earlier[i])), named(earlier[i], landscape))]
    measured = [i for i, said in enumerate(earlier) if not CODE_LINE.search(said) and roles_in(said)]
    told = full or asked or measured
    if not told:
        return ""
    base = earlier[told[-1]]
    for said in earlier[told[-1] + 1 :]:
        before = named(base, landscape)
        names = [name for name in named(said, landscape) if name in landscape.names]
        if not before or set(names) & set(before) or len(said.split()) > LONGEST_CORRECTION:
            continue
        base = with_hints(instead(base, names, landscape), phrases_in(said))
    return base


def pointed_to(text: str, earlier: Sequence[str]) -> str:
    """The last sentences of a thread, where a question of texts points to what they speak of; else empty."""
    kinds = kind_chances(text)
    likeliest = likeliest_of(kinds)
    of_texts = likeliest in WORDED or kinds[likeliest] < CERTAIN or asks_to_do(text)
    if not POINTS.search(text) or not of_texts:
        return ""
    return " ".join(re.split(r"(?<=[.!?])\s+|\n", earlier[-1].strip())[-2:])[-MOST_POINTED_CHARS:]


def named(text: str, landscape: Landscape) -> tuple[str, ...]:
    """What a text names."""
    return tuple(dict.fromkeys(names_in(strip(text, phrases_in(text)), landscape)))


def is_bare(text: str, names: Sequence[str]) -> bool:
    """Whether nothing but names and small words is said."""
    for name in sorted(names, key=len, reverse=True):
        if written := written_as(name, text):
            text = text.replace(written, " ")
    return all(is_small(w.lower().replace("’", "'")) for w in WORD.findall(text))


def written_as(name: str, text: str) -> str:
    """How a text writes a name: as it is, else the word that names it; empty when it does not."""
    if match := re.search(re.escape(name), text, re.IGNORECASE):
        return match.group()
    return next((word for word in WORD.findall(text) if content_words(word) & name_parts(name)), "")


def instead(base: str, names: Sequence[str], landscape: Landscape) -> str:
    """The earlier question, asked of something else."""
    if not names:
        return base
    old = named(base, landscape)
    said = " and ".join(names)
    if old and (written := written_as(old[0], base)):
        return base.replace(written, said, 1)
    return f"{base.rstrip('?., ')} for {said}?"


def thread_subjects(earlier: Sequence[str], landscape: Landscape) -> tuple[str, ...]:
    """The last names that exist in a thread."""
    for message in reversed(earlier):
        known = [name for name in named(message, landscape) if name in landscape.names]
        if known:
            return tuple(known[:4])
    return ()
