"""Configuration: config/default.yaml, overlaid key by key by config/<environment>.yaml.

We run on the standard library alone (ADR 0001), so this reads the part of YAML that our files use:
nested mappings, one value a line, lists in brackets, comments.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "config"


class SettingsError(Exception):
    """A configuration file is wrong; the message names file and line."""


class Settings:
    """Values by dotted key: ``settings.get("payments.retry.max_attempts")``."""

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def get(self, key: str) -> Any:
        value: Any = self._values
        for part in key.split("."):
            if not isinstance(value, dict) or part not in value:
                raise SettingsError(f"no setting {key!r}")
            value = value[part]
        return value


def load_settings(environment: str, folder: Path = FOLDER) -> Settings:
    values = read_yaml(folder / "default.yaml")
    overlay = folder / f"{environment}.yaml"
    if not overlay.is_file():
        raise SettingsError(f"no configuration for environment {environment!r} in {folder}")
    merge(values, read_yaml(overlay))
    return Settings(values)


def merge(into: dict[str, Any], overlay: dict[str, Any]) -> None:
    for key, value in overlay.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            merge(into[key], value)
        else:
            into[key] = value


def read_yaml(path: Path) -> dict[str, Any]:
    root: dict[str, Any] = {}
    levels: list[tuple[int, dict[str, Any]]] = [(-1, root)]
    for number, raw in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        line = raw.split(" #")[0].rstrip()
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        indent = len(line) - len(line.lstrip())
        key, colon, value = line.strip().partition(":")
        if not colon:
            raise SettingsError(f"{path.name}:{number}: expected 'key: value'")
        while levels[-1][0] >= indent:
            levels.pop()
        if value.strip():
            levels[-1][1][key] = scalar(value.strip())
        else:
            levels[-1][1][key] = {}
            levels.append((indent, levels[-1][1][key]))
    return root


def scalar(text: str) -> Any:
    if text.startswith("[") and text.endswith("]"):
        return [scalar(item.strip()) for item in text[1:-1].split(",") if item.strip()]
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text.strip("\"'")
