"""Suites: what is read, and how mistakes are named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from tests.support.eval_cases import write_suite
from workers.errors import ConfigError
from workers.evals.cases import Expect, load_suite

GOOD = {"id": "a", "question": "why?", "world": "worlds/fleet.yaml", "expect": {"facts": ["x"]}}


def problems(folder: Path, *cases: Any) -> str:
    """What is wrong with cases, one sentence a line."""
    with pytest.raises(ConfigError) as caught:
        load_suite(write_suite(folder, json.dumps(cases)))
    return str(caught.value)


def test_a_folder_is_read_with_its_worlds(tmp_path: Path) -> None:
    write_suite(tmp_path, yaml.safe_dump([GOOD]))
    (tmp_path / "b").mkdir()
    more = {**GOOD, "id": "b", "world": "../worlds/fleet.yaml"}
    (tmp_path / "b" / "more.yml").write_text(yaml.safe_dump([more]), encoding="utf-8")
    suite = load_suite(tmp_path)
    assert [entry.case.id for entry in suite.cases] == ["b", "a"]
    assert [world.name for world in suite.worlds.values()] == ["fleet"]
    assert suite.now(suite.cases[0]) == next(iter(suite.worlds.values())).now


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"expected": {}}, "cases.yaml: a: expected: unknown key"),
        ({"expect": {"fact": []}}, "a: expect.fact: unknown key"),
        ({"expect": {"kind": "maybe"}}, "a: expect.kind: "),
        ({"expect": {"facts": [{"a": 1}]}}, "a: expect.facts.0"),
        ({"expect": {"facts": [""]}}, "a: expect.facts.0.0: "),
        ({"expect": {"question_type": "Debug it"}}, "a: expect.question_type.0: "),
        ({"world": ""}, "a: needs exactly one of world, source and tools (has none)"),
        ({"source": {"demo": 3}}, "a: needs exactly one of world, source and tools (has world, source)"),
        ({"world": "", "source": {"demo": 3}}, "a: now: is required with recorded tools and with the demo"),
        ({"world": "", "source": {"demo": 1, "prometheus": "http://x"}}, "a: source: must be {demo: SEED}, or "),
        ({"landscape": {}}, "a: landscape: goes with tools only"),
        ({"world": "worlds/none.yaml"}, "a: world: worlds/none.yaml is not a file"),
        ({"timezone": "Mars/Phobos"}, "a: timezone: 'Mars/Phobos' is not an IANA name"),
        ({"evidence": "some"}, "a: evidence: "),
        ({"now": "2026-11-20T10:00:00"}, "a: now: "),
        ({"id": "two words"}, "two words: id: "),
    ],
)
def test_a_mistake_is_named_with_file_and_case(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    assert said in problems(tmp_path, {**GOOD, **change})


def test_a_wrong_pattern_of_a_recorded_result_is_named(tmp_path: Path) -> None:
    tools = {"doc_search": [{"when": {"query": "(", "k": "1"}, "output": {}}]}
    assert "a: tools.doc_search.0.when: query: '(' is not a regular expression" in problems(
        tmp_path, {**GOOD, "world": "", "tools": tools, "now": "2026-11-20T10:00:00Z"}
    )


def test_all_mistakes_are_named_at_once(tmp_path: Path) -> None:
    said = problems(tmp_path, {"id": "a"}, "text", GOOD, GOOD)
    assert "a: question: is required" in said
    assert "a: expect: is required" in said
    assert "cases.yaml: case 2: " in said
    assert "the id stands in" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "not YAML"),
        ("- &x {id: a}\n- *x", "aliases"),
        ("- {id: a, id: b}", ":1: not YAML (id stands twice)"),
        ("name: x", "must be a list of cases"),
        ("", "must be a list of cases"),
        ("[]", "holds no case"),
        ("- 2026-99-99", "cannot be read"),
    ],
)
def test_files_that_are_no_suites(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "cases.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load_suite(path)
    assert said in str(caught.value)


def test_a_suite_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        load_suite(tmp_path / "none")


WORDS = st.text(min_size=1, max_size=8)


@given(st.lists(st.one_of(WORDS, st.lists(WORDS, min_size=1, max_size=3)), max_size=4), st.booleans())
def test_one_text_stands_for_a_list_of_it(facts: list[Any], alone: bool) -> None:
    read = Expect.model_validate({"facts": facts[0] if alone and len(facts) == 1 else facts}).facts
    if alone and len(facts) == 1 and isinstance(facts[0], list):
        assert read == tuple((word,) for word in facts[0])
    else:
        assert read == tuple((f,) if isinstance(f, str) else tuple(f) for f in facts)
