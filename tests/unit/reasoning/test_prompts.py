"""Every prompt renders with the messages it will be given, and says so when one is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.engine.samples import EVIDENCE
from workers.contracts import Gap, Intent, Landscape
from workers.errors import ConfigError
from workers.reasoning.prompts import read_prompt, read_prompts
from workers.settings import load_settings

INTENT = Intent(question_type="debug_incident", subjects=("/api/search",))


def test_every_prompt_renders_with_real_messages(home: Path) -> None:
    prompts = read_prompts()
    question = "Why is /api/search slow?"
    read = prompts["intent_classifier"].render(
        question=question,
        context=("p95 rose.",),
        landscape=Landscape(labels={"endpoint": ("/api/search",)}, repositories=("shop",)),
        now="2026-11-21T11:00:00Z",
        timezone="UTC",
    )
    assert "- endpoint: /api/search" in read
    patterns = load_settings(home=home).tree.patterns
    planned = prompts["planner"].render(question=question, intent=INTENT, tools=(), patterns=patterns, max_steps=8)
    assert "- debug_incident (debug_incident): metrics_query, repo_search" in planned
    gaps = (Gap(text="metrics for /api/x not found"),)
    written = prompts["executor"].render(question=question, intent=INTENT, evidence=EVIDENCE.values(), gaps=gaps)
    assert "{move(E2.baseline,E2.current)}" in written
    assert "- metrics for /api/x not found" in written


def test_a_missing_input_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"prompts/planner\.md"):
        read_prompts()["planner"].render(question="?")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("no front matter", "needs front matter"),
        ("---\nversion: '1'\npurpose: p\ninputs: [a]\n---\n{{ b }}", "inputs do not match"),
        ("---\nversion: '1'\npurpose: p\ninputs: []\n---\n{% if %}", "prompts/bad.md"),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "bad.md").write_text(text)
    with pytest.raises(ConfigError, match=reason):
        read_prompt(tmp_path / "bad.md")
