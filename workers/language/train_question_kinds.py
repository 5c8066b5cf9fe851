"""Learns each model of `question_kinds` from its examples: ``python -m workers.language.train_question_kinds``.

Of all questions, of who answers and of what is unclear it learns from `labelled_questions` too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import yaml

from workers.language import request_routes
from workers.language.calendar_kinds import masked
from workers.language.kind_training import Example, learn
from workers.language.labelled_questions import (
    CLEAR,
    CLEARNESS,
    LabelledQuestion,
    examples_of,
    question_files,
    read_questions,
)
from workers.language.question_kinds import (
    QUESTIONS,
    KindModel,
    masked_words,
    plain_words,
    weights_file,
    write_model,
)
from workers.language.request_routes import REFUSED
from workers.language.stems import stem

MEMORY, CALENDAR, PASSAGES = "memory_kinds", "calendar_kinds", "deal_passages"
MODELS = (
    QUESTIONS, "operations_kinds", MEMORY, CALENDAR, "network_kinds", "deal_kinds", PASSAGES, "follow_up_kinds",
    "measure_kinds", CLEARNESS,
)  # fmt: skip
LABELLED = {QUESTIONS: "kind", CLEARNESS: CLEARNESS}
"""Models that learn from labelled questions too, and which of their labels."""
LEFT_TO_OTHERS = {
    **dict.fromkeys(("debug_incident", "operations_status", "traffic", "deploys", "alerting"), "elsewhere"),
    **dict.fromkeys(("request_lookup", "user_lookup", "other"), "elsewhere"),
    "explain_code": "conceptual",
    "design_overview": "conceptual",
}
"""Kinds of all questions, and what those are to memory."""
LONG, POINTS = 5, frozenset("it its that this these those them they one".split())
"""Words of an example that says enough, unless one of these points at something."""
EVERY = 6
"""So many of those stand for all of them: as many as make it claim none of the held questions for others."""


def examples_file(name: str) -> Path:
    """Where the examples of a model stand."""
    return weights_file(name).with_suffix(".yaml")


def read_examples(name: str = QUESTIONS) -> list[Example]:
    """Pairs of question and kind; for memory with the questions that it leaves to others.

    Whether a question is clear its own example does not say: those that are long and point at nothing are.
    """
    if name == CLEARNESS:
        texts = (text for text, _ in read_examples())
        return [
            (text, CLEAR) for text in texts if len(text.split()) > LONG and not POINTS.intersection(plain_words(text))
        ]
    own = [pair for file in files_of(name) for pair in examples_in(file)]
    if name == CALENDAR:
        return [(masked(text), kind) for text, kind in own]
    if name != MEMORY:
        return own
    others = [(text, LEFT_TO_OTHERS[kind]) for text, kind in read_examples() if kind in LEFT_TO_OTHERS]
    return own + others[::EVERY]


def files_of(name: str) -> list[Path]:
    """The files of a model's own examples; passages stand in one a voice too."""
    voices = Path(__file__).parent / "data" / name
    return [examples_file(name), *(sorted(voices.glob("*.yaml")) if name == PASSAGES else ())]


def examples_in(file: Path) -> list[Example]:
    """The examples of a file."""
    by_kind = yaml.safe_load(file.read_text(encoding="utf-8"))
    return [(str(text), kind) for kind, texts in by_kind.items() for text in texts]


def fingerprint(name: str = QUESTIONS) -> str:
    """Changes when the examples do: the stored weights must carry the same."""
    read = {MEMORY: (MEMORY, QUESTIONS), CLEARNESS: (QUESTIONS,)}.get(name, (name,))
    files = [*(file for one in read for file in files_of(one)), *(question_files() if name in LABELLED else ())]
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def learn_kinds(name: str, questions: Sequence[LabelledQuestion]) -> KindModel:
    """One model, of its examples and the labelled questions where it learns from these.

    Of calendars a kind is made of all words of its examples: people, titles and teams stand in them as what they are.
    """
    examples = read_examples(name)
    model = learn(examples, list(examples_of(questions, LABELLED[name])) if name in LABELLED else ())
    if name != CALENDAR:
        return model
    every = {
        kind: frozenset(stem(w) for t, k in examples if k == kind for w in masked_words(t)) for kind in model.kinds
    }
    return replace(model, words=every)


def route_files() -> dict[str, bytes]:
    """The examples of each agent of this project, and of what is refused, as they stand in their files."""
    files = sorted((Path(__file__).parents[1] / "agents").rglob("examples.yaml"), key=lambda file: file.parent.name)
    return {f.parent.name: f.read_bytes() for f in files} | {REFUSED: examples_file(REFUSED).read_bytes()}


def shipped_examples(files: Mapping[str, bytes]) -> request_routes.Examples:
    """Requests by label."""
    texts = {name: yaml.safe_load(content) for name, content in files.items()}
    refused: request_routes.Examples = texts.pop(REFUSED)
    return texts | dict(refused)


def main() -> None:
    """Train and write."""
    questions = read_questions(*question_files())
    for name in MODELS:
        write_model(weights_file(name), learn_kinds(name, questions), fingerprint(name))
    files = route_files()
    routes = request_routes.learn_routes(shipped_examples(files), questions)
    write_model(weights_file(request_routes.MODEL), routes, request_routes.fingerprint(files))


if __name__ == "__main__":
    main()
