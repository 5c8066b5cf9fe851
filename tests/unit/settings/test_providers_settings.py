"""Providers in config/models.yaml: what speaks to them is installed, or the boot is refused with the key."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from workers.errors import ConfigError
from workers.settings import load
from workers.settings.load import load_settings


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """litellm is not installed."""
    monkeypatch.setattr(load, "find_spec", lambda name: None if name == "litellm" else find_spec(name))


def write(home: Path, **models: Any) -> None:
    (home / "config").mkdir()
    (home / "config" / "models.yaml").write_text(yaml.safe_dump(models))


ADDRESS = {"base_url": "http://127.0.0.1:9/v1", "api_key": "k"}


@pytest.mark.usefixtures("without")
def test_a_provider_without_its_library_is_refused(home: Path) -> None:
    local = {"provider": "ollama", "model": "llama3.2", **ADDRESS}
    write(home, endpoint={"provider": "openai", **ADDRESS}, roles={"verifier": local})
    with pytest.raises(ConfigError) as caught:
        load_settings()
    said = [re.sub(r"^\S*/(models\.yaml)", r"\1", problem) for problem in caught.value.problems]
    needs = "needs litellm: pip install '.[providers]'"
    assert [line.partition(": ")[2] for line in said] == [
        f"endpoint.provider: openai {needs}",
        f"roles.verifier.provider: ollama {needs}",
    ]
    assert all(re.match(r"models\.yaml:\d+: ", line) for line in said)


@pytest.mark.usefixtures("without")
def test_anthropic_needs_none(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    assert load_settings().tree.models.thinks


@pytest.mark.usefixtures("without")
def test_the_rules_need_none(home: Path) -> None:
    write(home, reasoner="rules", endpoint={"provider": "openai", **ADDRESS})
    assert not load_settings().tree.models.thinks


@pytest.mark.parametrize("key", ["api_key", "auth_token", "base_url"])
def test_what_is_anthropic_s_goes_to_no_other_provider(home: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv(f"ANTHROPIC_{key.upper()}", "http://127.0.0.1:9")
    write(home, endpoint={"provider": "openai"})
    with pytest.raises(ConfigError, match=rf"endpoint\.{key}: it is Anthropic's, of ANTHROPIC_{key.upper()}"):
        load_settings()


def test_with_its_library_a_provider_thinks(home: Path) -> None:
    write(home, endpoint={"provider": "openai", **ADDRESS})
    assert load_settings().tree.models.endpoint.provider == "openai"
