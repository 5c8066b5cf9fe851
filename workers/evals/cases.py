"""A suite: YAML files of cases, each a question with its sources and what a good answer must hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BeforeValidator, Field, field_validator, model_validator

from workers.contracts import EvidenceKind, Landscape, QuestionType, ToolOutput
from workers.errors import ConfigError
from workers.evals.world import World, load_world
from workers.evals.yaml_models import Piece, all_problems, checked, read_yaml
from workers.settings.load import is_zone, shown_path
from workers.settings.schema import DocumentSource, RepositorySource

ENDINGS = (".yaml", ".yml")
FIXED_ZONE = re.compile(r"[+-]\d{2}:\d{2}")
EvidenceSort = Literal["complete", "missing", "contradicting", "misleading"]


def as_list(value: Any) -> Any:
    """One thing stands for a list of it."""
    return [value] if isinstance(value, str) else value


def as_path(value: Any) -> Any:
    """A path alone stands for a source with nothing but its path."""
    return {"path": value} if isinstance(value, str) else value


Text = Annotated[str, Field(min_length=1)]
AnyOf = Annotated[tuple[Text, ...], BeforeValidator(as_list), Field(min_length=1)]
"""Texts of which one must stand there."""
Texts = Annotated[tuple[Text, ...], BeforeValidator(as_list)]


class Expect(Piece):
    """What is demanded of the answer; what is left out is not looked at."""

    kind: Literal["answer", "clarify", "refusal"] = "answer"
    question_type: Annotated[tuple[QuestionType, ...], BeforeValidator(as_list)] = ()
    tools: Texts = ()
    not_tools: Texts = ()
    cites: Texts = ()
    facts: Annotated[tuple[AnyOf, ...], BeforeValidator(as_list)] = ()
    not_facts: Annotated[tuple[AnyOf, ...], BeforeValidator(as_list)] = ()
    gaps: Annotated[tuple[AnyOf, ...], BeforeValidator(as_list)] = ()


class Recorded(Piece):
    """A recorded result. ``when``: argument -> a regular expression that is found in it; all must be."""

    when: dict[str, str] = Field(default_factory=dict)
    output: ToolOutput

    @field_validator("when")
    @classmethod
    def compiles(cls, value: dict[str, str]) -> dict[str, str]:
        """Regular expressions that are none are named."""
        for name, pattern in value.items():
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{name}: {pattern!r} is not a regular expression ({error})") from error
        return value


class LiveSource(Piece):
    """The demo team with the fault of a seed, or repositories, documents and a Prometheus server that exist."""

    demo: Annotated[int, Field(ge=0)] | None = None
    repositories: tuple[Annotated[RepositorySource, BeforeValidator(as_path)], ...] = ()
    documents: tuple[Annotated[DocumentSource, BeforeValidator(as_path)], ...] = ()
    prometheus: Annotated[str, Field(pattern=r"^(https?://.+)?$")] = ""

    @model_validator(mode="after")
    def is_one(self) -> LiveSource:
        """The demo or one's own, not both."""
        own = bool(self.repositories or self.documents or self.prometheus)
        if own == (self.demo is not None):
            raise ValueError("must be {demo: SEED}, or repositories, documents and prometheus")
        return self


class Case(Piece):
    """One case. Exactly one of ``world``, ``source`` and ``tools`` says what is asked."""

    id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]*$", max_length=120)]
    question: Annotated[str, Field(min_length=1, max_length=50_000)]
    context: Texts = ()
    timezone: str = "UTC"
    now: AwareDatetime | None = None
    evidence: EvidenceSort = "complete"
    world: str = ""
    source: LiveSource | None = None
    tools: dict[str, tuple[Recorded, ...]] | None = None
    landscape: Landscape | None = None
    expect: Expect

    @field_validator("timezone")
    @classmethod
    def exists(cls, value: str) -> str:
        """An IANA name or a fixed offset."""
        if not (is_zone(value) or FIXED_ZONE.fullmatch(value)):
            raise ValueError(f"{value!r} is not an IANA name such as Europe/Berlin, or an offset such as +01:00")
        return value

    @model_validator(mode="after")
    def has_one_source(self) -> Case:
        """One source; a moment where the source has none."""
        given = [n for n in ("world", "source", "tools") if getattr(self, n) is not None and getattr(self, n) != ""]
        if len(given) != 1:
            raise ValueError(f"needs exactly one of world, source and tools (has {', '.join(given) or 'none'})")
        if self.landscape is not None and self.tools is None:
            raise ValueError("landscape: goes with tools only")
        if self.now is None and (self.tools is not None or (self.source and self.source.demo is not None)):
            raise ValueError("now: is required with recorded tools and with the demo")
        return self


@dataclass(frozen=True)
class SuiteCase:
    """A case where it stands; ``world`` is its world's file as an absolute path."""

    case: Case
    file: Path
    world: Path | None = None

    @property
    def place(self) -> str:
        """File and id, for messages."""
        return f"{shown_path(self.file)}: {self.case.id}"


@dataclass(frozen=True)
class Suite:
    """All cases in order, and the worlds they are asked of."""

    cases: tuple[SuiteCase, ...]
    worlds: dict[Path, World]

    def now(self, entry: SuiteCase) -> datetime | None:
        """The moment a case is asked at; None: the real one."""
        return entry.case.now or (self.worlds[entry.world].now if entry.world else None)


def load_suite(path: Path) -> Suite:
    """A file of cases, or a folder of such files with the worlds they name.

    Raises:
        ConfigError: every mistake with file and case.
    """
    if not path.exists():
        raise ConfigError(f"{path}: does not exist")
    files = [p for p in sorted(path.rglob("*")) if p.suffix in ENDINGS and p.is_file()] if path.is_dir() else [path]
    lists, problems = all_problems(partial(read_cases, file, path.is_dir()) for file in files)
    cases = [entry for found in lists for entry in found[0]]
    problems += [problem for found in lists for problem in found[1]]
    problems += twice(cases)
    paths = list(dict.fromkeys(c.world for c in cases if c.world))
    loaded, wrong = all_problems(partial(load_named, p, cases) for p in paths)
    problems += wrong
    if not problems and not cases:
        problems.append(f"{path}: holds no case")
    if problems:
        raise ConfigError(*problems)
    return Suite(tuple(cases), dict(zip(paths, loaded, strict=True)))


def load_named(path: Path, cases: list[SuiteCase]) -> World:
    """A world that cases name. Raises: ConfigError."""
    if not path.is_file():
        named = next(c for c in cases if c.world == path)
        raise ConfigError(f"{named.place}: world: {named.case.world} is not a file")
    return load_world(path)


def read_cases(file: Path, in_folder: bool) -> tuple[list[SuiteCase], list[str]]:
    """The cases of one file and what is wrong with others of it. Raises: ConfigError: the file is no list."""
    raw = read_yaml(file)
    if in_folder and isinstance(raw, dict) and {"name", "now"} <= raw.keys():
        return [], []  # a world
    if not isinstance(raw, list):
        raise ConfigError(f"{shown_path(file)}: must be a list of cases")
    return all_problems(partial(read_case, file, number, value) for number, value in enumerate(raw, 1))


def read_case(file: Path, number: int, value: Any) -> SuiteCase:
    """One case. Raises: ConfigError."""
    name = value.get("id") if isinstance(value, dict) else None
    case = checked(Case, value, f"{shown_path(file)}: {name or f'case {number}'}")
    return SuiteCase(case, file, (file.parent / case.world).resolve() if case.world else None)


def twice(cases: list[SuiteCase]) -> Iterator[str]:
    """Ids that stand twice."""
    seen: dict[str, SuiteCase] = {}
    for entry in cases:
        first = seen.setdefault(entry.case.id, entry)
        if first is not entry:
            yield f"{entry.place}: the id stands in {shown_path(first.file)} already"


KINDS: frozenset[str] = frozenset(EvidenceKind.__args__)  # type: ignore[attr-defined]
