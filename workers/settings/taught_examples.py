"""``taught.yaml`` under ORACLE_HOME: what a team taught in its own words.

sentences:
  - {text: "flipped to blue", acts: [deed, done]}
  - {text: "blue is a nice colour", acts: []}
  - {text: "mine", before: "who takes the comms?", acts: [commitment]}
questions:
  - {text: "who has the pager?", agent: operations}
  - {text: "is the line red?", agent: research, kind: incident}
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from workers.errors import ConfigError
from workers.language.speech_acts import ACTS
from workers.language.taught_examples import NOTHING, TaughtExamples, TaughtSentence

logger = logging.getLogger(__name__)
FILE = "taught.yaml"
MOST_CHARS, MOST = 1_000, 500
"""Characters of an example, and examples: the weights are fitted to all of them at once when they are read."""


class Entry(BaseModel):
    """What every example has."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: str = Field(min_length=1, max_length=MOST_CHARS)


class SentenceEntry(Entry):
    """A sentence of an incident, and all that it does; none: it does nothing."""

    acts: tuple[Literal[ACTS], ...]  # type: ignore[valid-type]
    before: str = Field(default="", max_length=MOST_CHARS)


class QuestionEntry(Entry):
    """A question, who answers it, and of which kind it is."""

    agent: str = ""
    kind: str = ""

    @model_validator(mode="after")
    def says_something(self) -> QuestionEntry:
        """Refuse one without either."""
        if not (self.agent or self.kind):
            raise ValueError("neither agent nor kind")
        return self


class TaughtFile(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sentences: tuple[SentenceEntry, ...] = Field(default=(), max_length=MOST)
    questions: tuple[QuestionEntry, ...] = Field(default=(), max_length=MOST)

    def examples(self) -> TaughtExamples:
        """As the classifiers take them."""
        return TaughtExamples(
            sentences=tuple(TaughtSentence(one.text, one.acts, one.before) for one in self.sentences),
            kinds=tuple((one.text, one.kind) for one in self.questions if one.kind),
            agents=tuple((one.text, one.agent) for one in self.questions if one.agent),
        )


def read_taught(file: Path) -> TaughtFile:
    """Read a file of examples. Raises: ConfigError: it cannot be read, or says something that is not known."""
    try:
        data: Any = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
        return TaughtFile.model_validate(data)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ConfigError(f"{file}: cannot be read ({error})") from error
    except ValidationError as error:
        raise ConfigError(
            *(
                f"{file}: {'.'.join(map(str, e['loc']))}: {e['msg'].removeprefix('Value error, ')}"
                for e in error.errors()
            )
        ) from error


def check_names(taught: TaughtFile, file: Path, *, agents: Collection[str], kinds: Collection[str]) -> None:
    """Refuse agents and kinds that there are not. Raises: ConfigError."""
    named: list[tuple[str, str, str, Collection[str]]] = []
    for n, one in enumerate(taught.questions):
        named += [(f"questions.{n}.agent", "agent", one.agent, agents)] if one.agent else []
        named += [(f"questions.{n}.kind", "kind", one.kind, kinds)] if one.kind else []
    problems = [
        f"{file}: {place}: no {what} named {value!r}; known are {', '.join(sorted(known))}"
        for place, what, value, known in named
        if value not in known
    ]
    if problems:
        raise ConfigError(*problems)


def merged(old: TaughtFile, new: TaughtFile) -> TaughtFile:
    """Both; of two examples with the same words the newer one. Raises: ConfigError: they are too many together."""

    def newest(entries: Iterable[Any]) -> tuple[Any, ...]:
        return tuple({(one.text, getattr(one, "before", "")): one for one in entries}.values())

    sentences, questions = newest((*old.sentences, *new.sentences)), newest((*old.questions, *new.questions))
    if max(len(sentences), len(questions)) > MOST:
        raise ConfigError(f"{len(sentences)} sentences and {len(questions)} questions: {MOST} of each are the most")
    return TaughtFile(sentences=sentences, questions=questions)


def write_taught(file: Path, taught: TaughtFile) -> None:
    """Write a file of examples, all of it or nothing. Raises: OSError."""
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    data = taught.model_dump(mode="json", exclude_defaults=True)
    part.write_text(yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=120), encoding="utf-8")
    part.replace(file)


def watch_taught(home: Path) -> Callable[[], TaughtExamples]:
    """What is taught in a home, read again whenever its file changes; of a file that is wrong the last good state."""
    file = home / FILE
    stamp: tuple[int, int] | None = None
    known = NOTHING

    def read() -> TaughtExamples:
        nonlocal stamp, known
        try:
            stat = file.stat()
        except OSError:
            stamp, known = None, NOTHING
            return known
        if (now := (stat.st_mtime_ns, stat.st_size)) != stamp:
            stamp = now
            try:
                known = read_taught(file).examples()
            except ConfigError as error:
                logger.warning("what was taught is left as it was: %s", error)
        return known

    return read
