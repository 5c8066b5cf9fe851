"""Whether a question has to be asked back, and the question back: which of the real names is meant."""

from __future__ import annotations

from collections.abc import Sequence

from workers.contracts import Ambiguity, Option
from workers.language.labelled_questions import CLEARNESS, UNCLEAR
from workers.language.nearest_names import named_first
from workers.language.pronouns import PRONOUN
from workers.language.question_kinds import load_model

UNCLEAR_FROM = -0.25
"""From this score on nobody could tell what is meant: see ``bench/README.md``."""
MAX_OPTIONS = 5


def is_unclear(text: str) -> bool:
    """Whether nobody could tell by itself what a question means."""
    return load_model(CLEARNESS).scores(text)[UNCLEAR] >= UNCLEAR_FROM


def which_one(text: str, names: Sequence[str]) -> Ambiguity:
    """The question back, with names as its options, those first that are most like the text."""
    pronoun = PRONOUN.search(text)
    what = f"“{pronoun.group()}”" if pronoun else "That"
    return Ambiguity(
        question=f"{what[0].upper()}{what[1:]} could be several things. Which one do you mean?",
        options=tuple(Option(value=name, label=name) for name in named_first(text, names)[:MAX_OPTIONS]),
    )
