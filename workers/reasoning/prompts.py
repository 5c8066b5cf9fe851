"""Prompt files: Jinja2 with strict variables, front matter with version, purpose and inputs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from jinja2 import StrictUndefined, TemplateError, meta
from jinja2.sandbox import SandboxedEnvironment

from workers.errors import ConfigError
from workers.settings import ROOT

FOLDER = ROOT / "prompts"
ENVIRONMENT = SandboxedEnvironment(
    undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True
)


@dataclass(frozen=True)
class Prompt:
    """One prompt file. ``inputs`` are the variables its text uses, no more and no fewer."""

    name: str
    version: str
    purpose: str
    inputs: tuple[str, ...]
    text: str

    def render(self, **values: Any) -> str:
        """Fill it. Raises: ConfigError: an input is missing."""
        try:
            return ENVIRONMENT.from_string(self.text).render(**values)
        except TemplateError as error:
            raise ConfigError(f"prompts/{self.name}.md: {error}") from error


def read_prompt(path: Path) -> Prompt:
    """Read one file.

    Raises:
        ConfigError: the front matter is missing or wrong, the template does not parse, or the declared inputs are
            not the ones it uses.
    """
    place = f"prompts/{path.name}"
    _, _, rest = path.read_text(encoding="utf-8").partition("---\n")
    head, found, text = rest.partition("\n---\n")
    try:
        front = yaml.safe_load(head) if found else None
    except yaml.YAMLError as error:
        raise ConfigError(f"{place}: the front matter is not YAML") from error
    if not isinstance(front, dict) or set(front) != {"version", "purpose", "inputs"}:
        raise ConfigError(f"{place}: needs front matter with version, purpose and inputs")
    try:
        used = meta.find_undeclared_variables(ENVIRONMENT.parse(text))
    except TemplateError as error:
        raise ConfigError(f"{place}: {error}") from error
    inputs = tuple(str(i) for i in front["inputs"])
    if used != set(inputs):
        odd = ", ".join(sorted(used ^ set(inputs)))
        raise ConfigError(f"{place}: inputs do not match what the text uses ({odd})")
    return Prompt(path.stem, str(front["version"]), str(front["purpose"]), inputs, text)


def read_prompts(folder: Path = FOLDER) -> dict[str, Prompt]:
    """Every prompt of a folder by name. Raises: ConfigError: with one sentence a mistake."""
    prompts: dict[str, Prompt] = {}
    problems: list[str] = []
    for path in sorted(folder.glob("*.md")):
        if path.name == "CHANGES.md":
            continue
        try:
            prompts[path.stem] = read_prompt(path)
        except ConfigError as error:
            problems.extend(error.problems)
    if problems:
        raise ConfigError(*problems)
    return prompts
