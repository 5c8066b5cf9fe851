"""``config/agents.yaml`` -> agents. Every mistake is named with its file and key, and all of them at once."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any
from zipfile import BadZipFile

import yaml

from workers.agents.pattern_checks import check_patterns
from workers.contracts import Question
from workers.engine.route import Agent
from workers.engine.validate import RULES
from workers.errors import ConfigError
from workers.language.labelled_questions import question_files, read_questions
from workers.language.message_parts import read_parts
from workers.language.question_kinds import (
    KindModel,
    read_fingerprint,
    read_model,
    weights_file,
    with_taught,
    write_model,
)
from workers.language.request_routes import MODEL as ROUTES
from workers.language.request_routes import REFUSED, Examples, fingerprint, learn_routes, route_probabilities
from workers.language.taught_examples import TaughtExamples, taught
from workers.ports import AgentModule, Likely, Limits, Need, Playbook, nothing_likely, unmet_needs
from workers.reasoning.ambiguity import is_unclear
from workers.settings.agent_limits import given_to, limits_of
from workers.settings.entry_points import load_module
from workers.settings.load import Settings, find_package

QUESTION_TYPE = re.compile(r"[a-z][a-z0-9_]{0,40}")


def build_agents(settings: Settings) -> dict[str, Agent]:
    """Every agent by its name, with its module, its limits and what it lacks, in the order of the configuration.

    Raises:
        ConfigError: a module that is missing or lacks a name, a validator, need or type of question that no module
            brings, a known plan that cannot work.
    """
    modules = load_modules(settings)
    needs = {name: need for module in modules.values() for name, need in module.NEEDS.items()}
    problems = [*check_entries(settings, modules, needs), *check_patterns(settings, modules)]
    if problems:
        raise ConfigError(*problems)
    unmet = unmet_needs(modules.values(), settings)
    dry = {name for name, tool in settings.tree.tools.items() if tool.needs in unmet}
    return {
        name: Agent(
            name=name,
            task=entry.task,
            description=entry.description,
            limits=limits_of(entry, settings.tools_of((*entry.tools, *given_to(settings, name))), dry),
            module=modules[name],
            lacks=unmet.get(entry.needs, ""),
            sensitivity=entry.sensitivity,
        )
        for name, entry in settings.tree.agents.items()
    }


def playbook_of(settings: Settings, name: str, limits: Limits) -> Playbook:
    """The known plans of an agent: its own, and those of the first agent with the same module."""
    agents = settings.tree.agents
    first = next(n for n, entry in agents.items() if entry.module == agents[name].module)
    own = {n: pattern for n, pattern in settings.tree.patterns.items() if pattern.agent in {first, name}}
    return Playbook(own, limits.max_steps, limits.tools)


def question_types(modules: Iterable[AgentModule]) -> frozenset[str]:
    """All types of question that there are."""
    return frozenset(kind for module in modules for kind in module.QUESTION_TYPES)


# --- modules --------------------------------------------------------------------------------------------------


def load_modules(settings: Settings) -> dict[str, AgentModule]:
    """The module of each agent. Raises: ConfigError: with one sentence a mistake."""
    modules: dict[str, AgentModule] = {}
    problems: list[str] = []
    for name, entry in settings.tree.agents.items():
        place = f"{settings.where(f'agents.{name}.module')}: {name}.module"
        try:
            modules[name] = read_module(import_module(entry.module, place), place)
        except ConfigError as error:
            problems.extend(error.problems)
    if problems:
        raise ConfigError(*problems)
    return modules


def import_module(path: str, place: str) -> ModuleType:
    """Import a package. Raises: ConfigError: there is none, or it cannot be imported."""
    try:
        module = load_module(path)
    except ConfigError as error:
        raise ConfigError(f"{place}: {error}") from error
    if module is None:
        raise ConfigError(f"{place}: there is no Python package {path!r}")
    return module


def read_module(module: ModuleType, place: str) -> AgentModule:
    """What a package exports. Raises: ConfigError: a name is missing or is of another kind."""
    found: dict[str, Any] = {}
    problems: list[str] = []
    for wanted in fields(AgentModule):
        if hasattr(module, wanted.name):
            found[wanted.name] = getattr(module, wanted.name)
            problems.extend(
                f"{place}: {module.__name__}.{text}" for text in wrong_kind(wanted.name, found[wanted.name])
            )
        elif wanted.default is MISSING and wanted.default_factory is MISSING:
            problems.append(f"{place}: {module.__name__} has no {wanted.name}")
    if problems:
        raise ConfigError(*problems)
    return AgentModule(**found)


MAPPINGS = frozenset({"QUESTION_TYPES", "VALIDATORS", "NEEDS"})


def wrong_kind(name: str, value: object) -> Iterator[str]:
    """What is wrong with an exported value, after the name of its module and a dot."""
    if name.islower() and not callable(value):
        yield f"{name} is no function"
    elif name in MAPPINGS and not isinstance(value, Mapping):
        yield f"{name} is no mapping"
    elif name == "QUESTION_TYPES" and isinstance(value, Mapping):
        odd = [kind for kind in value if not QUESTION_TYPE.fullmatch(str(kind))]
        yield from (f"QUESTION_TYPES: {kind!r} is not in lower case with underscores" for kind in odd)
    elif name == "VALIDATORS" and isinstance(value, Mapping):
        yield from (f"VALIDATORS: {rule!r} is a rule of the engine" for rule in value if rule in RULES)


# --- entries --------------------------------------------------------------------------------------------------


def check_entries(settings: Settings, modules: Mapping[str, AgentModule], needs: Mapping[str, Need]) -> Iterator[str]:
    """Validators and needs that nothing brings."""
    for name, entry in settings.tree.agents.items():
        known = {*RULES, *modules[name].VALIDATORS}
        place = f"{settings.where(f'agents.{name}.validators')}: {name}.validators"
        for rule in entry.validators:
            if rule not in known:
                yield f"{place}: no validator named {rule!r}; known are {', '.join(sorted(known))}"
    wanted = [(f"agents.{name}", entry.needs) for name, entry in settings.tree.agents.items()]
    wanted += [(f"tools.{name}", tool.needs) for name, tool in settings.tree.tools.items() if tool.enabled]
    for key, need in wanted:
        if need and need not in needs:
            known_needs = ", ".join(sorted(needs)) or "none"
            place = f"{settings.where(f'{key}.needs')}: {key.partition('.')[2]}.needs"
            yield f"{place}: no agent's module has a need named {need!r}; known are {known_needs}"


# --- examples -------------------------------------------------------------------------------------------------

EXAMPLES_FILE = "examples.yaml"
"""In the folder of an agent: a list of requests that are its own."""
REFUSED_FILE = weights_file(REFUSED).with_suffix(".yaml")
DAMAGED = (OSError, ValueError, KeyError, BadZipFile, EOFError, zlib.error)
"""What reading weights raises that are none, or damaged: they are learned again."""
CONTEXT_MESSAGES, CONTEXT_CHARS, CLEAR = 2, 1_000, 0.9
"""Of the thread: with so much of it a request is read that is not so clear by itself."""


def build_likelihood(settings: Settings) -> Likely:
    """How likely a request is for each agent; without weights that are known, learned when it is first asked.

    Examples are parsed only when no known weights were learned from them.

    Raises:
        ConfigError: examples that are no list of texts.
    """
    files, folder = example_files(settings), settings.home / "routes"
    contents = {name: file.read_bytes() for name, file in files.items()}
    wanted = fingerprint(contents | {REFUSED: REFUSED_FILE.read_bytes()})

    @cache
    def examples() -> Examples:
        refused: Examples = yaml.safe_load(REFUSED_FILE.read_bytes())
        return agent_examples(settings) | dict(refused)

    @cache
    def model() -> KindModel:
        return load_routes(wanted, examples, folder)

    @lru_cache(maxsize=2)
    def taught_routes(examples: TaughtExamples) -> KindModel:
        shipped = model()
        return with_taught(shipped, [pair for pair in examples.agents if pair[1] in shipped.kinds])

    @lru_cache(maxsize=64)
    def read_once(text: str, examples: TaughtExamples) -> Mapping[str, float]:
        return route_probabilities(taught_routes(examples), text)

    def read(text: str) -> Mapping[str, float]:
        return read_once(text, taught())

    def likely(question: Question) -> Mapping[str, float]:
        own = read_parts(question.text).own
        alone = read(own)
        if not question.context or (max(alone.values()) >= CLEAR and not is_unclear(own)):
            return alone
        said = " ".join((*question.context[-CONTEXT_MESSAGES:], own))
        return read(said[-CONTEXT_CHARS:])

    if files and not any(is_learned(file, wanted) for file in weights_files(wanted, folder)):
        examples()
    return likely if files else nothing_likely


def example_files(settings: Settings) -> dict[str, Path]:
    """The file of examples of each agent that has one; of agents with one package, the first has it."""
    found: dict[str, Path] = {}
    seen = set[str]()
    for name, entry in settings.tree.agents.items():
        package = None if entry.module in seen else find_package(entry.module)
        seen.add(entry.module)
        if package is not None and (file := package / EXAMPLES_FILE).is_file():
            found[name] = file
    return found


def agent_examples(settings: Settings) -> dict[str, list[str]]:
    """The examples of each agent that has some. Raises: ConfigError."""
    found: dict[str, list[str]] = {}
    for name, file in example_files(settings).items():
        try:
            texts = yaml.safe_load(file.read_bytes())
        except (yaml.YAMLError, UnicodeDecodeError):
            texts = None
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise ConfigError(f"{settings.where(f'agents.{name}.module')}: {name}.module: {file} is no list of texts")
        found[name] = texts
    return found


def weights_files(wanted: str, folder: Path) -> tuple[Path, Path]:
    """Where weights for a fingerprint of examples may stand: the shipped ones, and what a folder keeps."""
    return weights_file(ROUTES), folder / f"{ROUTES}-{wanted}.npz"


def is_learned(file: Path, wanted: str) -> bool:
    """Whether a file's weights were learned from the examples with a fingerprint."""
    with suppress(*DAMAGED):
        return read_fingerprint(file) == wanted
    return False


def load_routes(wanted: str, examples: Callable[[], Examples], folder: Path) -> KindModel:
    """The model of a fingerprint: the shipped one, one that a folder keeps, or learned now, in some seconds."""
    shipped, kept = weights_files(wanted, folder)
    for file in (shipped, kept):
        with suppress(*DAMAGED):
            model, known = read_model(file)
            if known == wanted:
                return model
    model = learn_routes(examples(), read_questions(*question_files()))
    with suppress(OSError):  # a folder that cannot be written keeps nothing
        folder.mkdir(parents=True, exist_ok=True)
        write_model(kept, model, wanted)
    return model
