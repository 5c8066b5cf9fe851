"""What a question says in full: misspelt names put right, and what it leaves to its thread put in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workers.contracts import Landscape, Question
from workers.language.message_parts import Parts, read_parts
from workers.language.phrase_to_window import phrases_in
from workers.reasoning.name_spelling import correct
from workers.reasoning.question_features import questions_in
from workers.reasoning.question_subjects import WORD, is_small, names_in, strip, with_hints

WHOLE = re.compile(r"\b(?:everything|anything|all|overall)\b", re.IGNORECASE)
"""Asks of the whole, whatever its thread is about."""
SHOWN = re.compile(r"\b(?:this|that|these|those|it|here)\b", re.IGNORECASE)
CODE_LINE = re.compile(r"[\w-]\.[a-z]{1,6}\b(?:\", line |:line |:|\()\d+")
"""A place in code, as stack traces write it."""
MOST_POINTING = 6
"""A question of so few words beside a paste is about what is pasted."""
MOST_LEANING = 3
"""So few words that name nothing lean on the question before."""
WHY = re.compile(r"\bwhy\b|\bhow come\b", re.IGNORECASE)


@dataclass(frozen=True)
class Heard:
    """A question as it is meant.

    ``subjects``: what its thread is about, where it names nothing itself. ``leans``: it rests on its thread. ``bare``:
    it says nothing but names, times and small words. ``notes``: which names were read as others.
    """

    text: str
    subjects: tuple[str, ...] = ()
    leans: bool = False
    bare: bool = False
    notes: tuple[str, ...] = ()


def hear(question: Question, landscape: Landscape) -> Heard:
    """The question in full; a rest of one ("and for /api/orders?") is the question before it, asked of that.

    One about a stack trace that was shown ("where does this come from?") holds the trace.
    """
    text, notes = correct(asked_of(read_parts(question.text)), landscape)
    hints = phrases_in(text)
    own = tuple(dict.fromkeys(names_in(strip(text, hints), landscape)))
    bare = is_bare(strip(text, hints), own) and not WHOLE.search(text)
    earlier = [m for m in question.context if m.strip()]
    if not earlier:
        return Heard(text, bare=bare, notes=notes)
    thread = () if own or WHOLE.search(text) else thread_subjects(earlier, landscape)
    if not (own or thread) and SHOWN.search(text) and CODE_LINE.search(earlier[-1]):
        return Heard(f"{text} {earlier[-1]}", notes=notes)
    asked = questions_in(earlier)
    if asked and not own and not bare and not WHOLE.search(text) and len(text.split()) <= MOST_LEANING and not hints:
        return Heard(f"{asked[-1].rstrip('?., ')} {text}", thread, leans=True, notes=notes)
    if not bare or not asked or (WHY.search(text) and not own):
        when = phrases_in(asked[-1]) if asked and not hints and (thread or bare) else ()
        return Heard(with_hints(text, when), thread, leans=bool(thread) or bare, bare=bare, notes=notes)
    base = next((q for q in reversed(asked) if not is_bare(strip(q, phrases_in(q)), named(q, landscape))), asked[-1])
    return Heard(instead(with_hints(base, hints), own, landscape), thread, leans=True, notes=notes)


def asked_of(parts: Parts) -> str:
    """The author's own words; with the error and the innermost place of what they paste, where they point to it."""
    if not parts.pasted or not (SHOWN.search(parts.own) or len(parts.own.split()) <= MOST_POINTING):
        return parts.own
    frames = [frame.path.rpartition("/")[2] for frame in parts.frames]
    inner = frames[-1:] if "Traceback" in parts.pasted else frames[:1]
    return " ".join(dict.fromkeys((parts.own, parts.error, *inner))).strip()


def named(text: str, landscape: Landscape) -> tuple[str, ...]:
    """What a text names."""
    return tuple(dict.fromkeys(names_in(strip(text, phrases_in(text)), landscape)))


def is_bare(text: str, names: Sequence[str]) -> bool:
    """Whether nothing but names and small words is said."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(re.escape(name), " ", text, flags=re.IGNORECASE)
    return all(is_small(w.lower().replace("’", "'")) for w in WORD.findall(text))


def instead(base: str, names: Sequence[str], landscape: Landscape) -> str:
    """The earlier question, asked of something else."""
    if not names:
        return base
    old = named(base, landscape)
    said = " and ".join(names)
    if old and old[0] in base:
        return base.replace(old[0], said, 1)
    return f"{base.rstrip('?., ')} for {said}?"


def thread_subjects(earlier: Sequence[str], landscape: Landscape) -> tuple[str, ...]:
    """The last names that exist in a thread."""
    for message in reversed(earlier):
        known = [name for name in named(message, landscape) if name in landscape.names]
        if known:
            return tuple(known[:4])
    return ()
