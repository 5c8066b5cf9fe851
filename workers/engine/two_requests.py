"""Two requests in one message, each for another agent: the first is answered, the second is offered."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from workers.contracts import Landscape, Question
from workers.language.message_parts import read_parts
from workers.language.phrase_to_window import without_phrases
from workers.language.pronouns import PRONOUN
from workers.language.request_routes import OUT_OF_SCOPE, UNSAFE
from workers.language.route_notation import ROUTE
from workers.language.stop_words import content_words
from workers.ports import Likely

JOINT = re.compile(r"(?<=[.?!;])\s|\n|,?\s(?:and|und|y|et)\s(?:also\s|then\s)?", re.IGNORECASE)
"""What may stand between two requests: the end of a sentence, or a word for "and"."""
CONDITION = re.compile(
    r"(?:but|except|if|only|unless|not|never|once|when|while|until|wenn|falls|nur|sobald|außer|si|solo|sauf)\b",
    re.IGNORECASE,
)
"""What takes back or limits the part before it: both are one request."""
TOGETHER = re.compile(r"(?:I|me|we|us|ich|mich|wir|uns|yo|moi)\b", re.IGNORECASE)
"""After a bare "and" more people of the same request: "when can Ann and I meet"."""
FEWEST_WORDS, MOST_JOINTS = 3, 3
SURE = 0.8
"""So likely each of both has to be for its agent. How often two are told apart: ``bench/README.md``."""


def two_requests(
    question: Question, likely: Likely, names: Callable[[], Landscape] = Landscape
) -> tuple[str, str] | None:
    """The two parts of a message that are surely for two agents; None for one request, however long, and where the
    second part only goes on with names that exist: "compare fw-1 and fw-2".
    """
    said, best, found = read_parts(question.text), 2 * SURE, None
    if said.pasted or said.quoted:
        return None
    for first, second in parts(question.text):
        if PRONOUN.search(without_phrases(second)):
            continue  # it rests on what was said before it; “this week” does not
        (one, p), (other, q) = (
            most_likely(question.model_copy(update={"text": part, "context": ()}), likely) for part in (first, second)
        )
        if one != other and not {one, other} & {UNSAFE, OUT_OF_SCOPE} and min(p, q) >= SURE and p + q >= best:
            best, found = p + q, (first, second)
    return None if found is None or is_named(found[1], names()) else found


def is_named(text: str, names: Landscape) -> bool:
    """Whether a text says nothing beside names of sources and times."""
    for name in {name for known in names.labels.values() for name in known if name.lower() in text.lower()}:
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", " ", text, flags=re.IGNORECASE)
    return not says_something(text)


def parts(text: str) -> Iterator[tuple[str, str]]:
    """Each way to cut a text in two where two requests may meet, both of some words."""
    for joint in list(JOINT.finditer(text))[:MOST_JOINTS]:
        first, second = text[: joint.start()].strip(" ,"), text[joint.end() :].strip(" ,")
        if min(len(first.split()), len(second.split())) < FEWEST_WORDS or CONDITION.match(second):
            continue
        if TOGETHER.match(second) and not re.search(r"[^\w\s]", joint.group()):
            continue
        if says_something(first) and says_something(second):
            yield first, second


def says_something(text: str) -> bool:
    """Whether more than endpoints and times is said: "/api/orders right now" goes on with a list."""
    return bool(content_words(ROUTE.sub(" ", without_phrases(text))))


def most_likely(question: Question, likely: Likely) -> tuple[str, float]:
    """The likeliest label and how likely it is; empty when nothing was learned."""
    found = likely(question)
    label = max(found, key=lambda name: found[name], default="")
    return label, found.get(label, 0.0)
