"""Prompt files: Jinja2 with strict variables, front matter with version, purpose and inputs; read again on change.

A file is a template for the system text; after a line ``=== user ===`` stands that of the user's message, of which what
is before a line ``=== then ===`` stays the same from question to question, so that prompt caching hits. The filter
``data`` writes a value as fenced JSON (`workers.reasoning.model.untrusted_data`). ``NAME_v1.2.md``
beside ``NAME.md`` is an older
version that ``config/models.yaml`` can pin.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from jinja2 import StrictUndefined, Template, TemplateError, meta
from jinja2.sandbox import SandboxedEnvironment

from workers.errors import ConfigError
from workers.reasoning.model.untrusted_data import as_data
from workers.settings.load import ROOT

logger = logging.getLogger(__name__)
FOLDER = ROOT / "prompts"
USER, THEN = "\n=== user ===\n", "\n=== then ===\n"
OLDER = re.compile(r"(?P<name>.+)_v(?P<version>\d+\.\d+)$")
ENVIRONMENT = SandboxedEnvironment(
    undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
)
ENVIRONMENT.filters["data"] = as_data


@dataclass(frozen=True)
class Rendered:
    """A filled prompt. ``label``: its name and version; ``user``: the blocks of the message, those that stay first."""

    label: str
    system: str
    user: tuple[str, ...]


@dataclass(frozen=True)
class Prompt:
    """One prompt file. ``inputs`` are the variables its text uses, no more and no fewer."""

    name: str
    version: str
    purpose: str
    inputs: tuple[str, ...]
    text: str

    def render(self, **values: Any) -> Rendered:
        """Fill it. Raises: ConfigError: an input is missing."""
        system, _, message = self.text.partition(USER)
        given = {name: values[name] for name in self.inputs if name in values}
        try:
            parts = (system, *message.split(THEN))
            system, *user = (template_of(part).render(**given).strip() for part in parts)
        except (TemplateError, TypeError, ValueError, ArithmeticError) as error:
            raise ConfigError(f"prompts/{self.name}.md: {error}") from error
        return Rendered(f"{self.name}@{self.version}", system, tuple(text for text in user if text))


@lru_cache(256)
def template_of(text: str) -> Template:
    """A part of a prompt, ready to be filled. Raises: TemplateError."""
    return ENVIRONMENT.from_string(text)


def read_prompt(path: Path, folder: Path) -> Prompt:
    """Read one file.

    Raises:
        ConfigError: the front matter is missing or wrong, the template does not parse, the declared inputs are not the
            ones it uses, or an older version says another one than its name.
    """
    name = path.relative_to(folder).with_suffix("").as_posix()
    place = f"prompts/{name}.md"
    try:
        raw = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{place}: cannot be read ({error})") from error
    return parse_prompt(name, raw)


@lru_cache(256)
def parse_prompt(name: str, raw: str) -> Prompt:
    """What a file says. Raises: ConfigError: see `read_prompt`."""
    place = f"prompts/{name}.md"
    _, _, rest = raw.partition("---\n")
    head, found, text = rest.partition("\n---\n")
    try:
        front = yaml.safe_load(head) if found else None
    except yaml.YAMLError as error:
        raise ConfigError(f"{place}: the front matter is not YAML") from error
    if not isinstance(front, dict) or set(front) != {"version", "purpose", "inputs"}:
        raise ConfigError(f"{place}: needs front matter with version, purpose and inputs")
    version, older = str(front["version"]), OLDER.match(name)
    if not re.fullmatch(r"\d+\.\d+", version) or (older and older["version"] != version):
        raise ConfigError(f"{place}: version {version!r} is not MAJOR.MINOR, or not that of its name")
    try:
        used = meta.find_undeclared_variables(ENVIRONMENT.parse(text))
    except TemplateError as error:
        raise ConfigError(f"{place}: {error}") from error
    inputs = tuple(str(i) for i in front["inputs"])
    if used != set(inputs):
        odd = ", ".join(sorted(used ^ set(inputs)))
        raise ConfigError(f"{place}: inputs do not match what the text uses ({odd})")
    return Prompt(name, version, str(front["purpose"]), inputs, text)


def read_prompts(folder: Path = FOLDER) -> dict[str, Prompt]:
    """Every prompt of a folder by name, older versions included. Raises: ConfigError: with one sentence a mistake."""
    prompts: dict[str, Prompt] = {}
    problems: list[str] = []
    for path in sorted(folder.rglob("*.md")):
        if path.name == "CHANGES.md":
            continue
        try:
            prompt = read_prompt(path, folder)
            prompts[prompt.name] = prompt
        except ConfigError as error:
            problems.extend(error.problems)
    if problems:
        raise ConfigError(*problems)
    return prompts


class PromptBook:
    """The prompts of a folder, each read again when its file changes; a file that broke is left as it was.

    Args:
        folder: of the files.
        pins: name -> version, ``latest`` or missing for the newest.

    Raises:
        ConfigError: a prompt is wrong, or a pinned one is missing or asks for other inputs than the newest.
    """

    def __init__(self, folder: Path = FOLDER, pins: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        self.files = {name: v for name, v in (pins or {}).items() if v != "latest"}
        self.prompts = read_prompts(folder)
        self.given = {name: frozenset(prompt.inputs) for name, prompt in self.prompts.items()}
        self.seen = {name: stamp(folder / f"{name}.md") for name in self.prompts}
        problems = [p for name, version in self.files.items() if (p := self.wrong_pin(name, version))]
        if problems:
            raise ConfigError(*problems)

    def require(self, wanted: Mapping[str, Sequence[str]]) -> None:
        """Raises: ConfigError: a prompt is missing. ``wanted``: who asks for them (file and key) -> their names."""
        asked = [(who, name) for who, names in wanted.items() for name in names]
        missing = [f"{who}: there is no prompts/{name}.md" for who, name in asked if name not in self.prompts]
        if missing:
            raise ConfigError(*missing)

    def wrong_pin(self, name: str, version: str) -> str:
        """What is wrong with a pin."""
        newest, pinned = self.prompts.get(name), self.prompts.get(self.file_of(name))
        if newest is None:
            return f"models.prompts.{name}: there is no prompts/{name}.md"
        if pinned is None:
            return f"models.prompts.{name}: there is no prompts/{name}_v{version}.md, and {name}.md is {newest.version}"
        if extra := set(pinned.inputs) - set(newest.inputs):
            return f"models.prompts.{name}: version {version} asks for {', '.join(sorted(extra))}, which is not given"
        return ""

    def file_of(self, name: str) -> str:
        """The file that holds the version wanted, without its ending."""
        version = self.files.get(name)
        newest = self.prompts.get(name)
        return name if version is None or (newest and newest.version == version) else f"{name}_v{version}"

    def get(self, name: str) -> Prompt:
        """The prompt as it stands on disk now."""
        file = self.file_of(name)
        path = self.folder / f"{file}.md"
        now = stamp(path)
        if now != self.seen[file]:
            self.seen[file] = now
            try:
                self.prompts[file] = self.accept(read_prompt(path, self.folder))
                logger.info("prompt %s was read again: version %s", file, self.prompts[file].version)
            except ConfigError as error:
                logger.warning("prompt %s stays as it was: %s", file, error)
        return self.prompts[file]

    def accept(self, new: Prompt) -> Prompt:
        """Raises: ConfigError: it asks for inputs that are not given."""
        if extra := set(new.inputs) - self.given[new.name]:
            raise ConfigError(f"prompts/{new.name}.md: nothing gives {', '.join(sorted(extra))}")
        return new


def stamp(path: Path) -> tuple[int, int]:
    """What changes when a file does; zeros when it is gone."""
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return found.st_mtime_ns, found.st_size
