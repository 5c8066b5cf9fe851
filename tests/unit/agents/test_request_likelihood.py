"""What was learned of requests is read, kept, and learned again when it is damaged or others' examples count."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.engine_fakes import NOW
from workers.agents.registry import build_likelihood, load_routes
from workers.contracts import Question
from workers.errors import ConfigError
from workers.language.question_kinds import read_fingerprint, weights_file
from workers.language.request_routes import MODEL, Examples, fingerprint, route_probabilities
from workers.language.train_question_kinds import route_files
from workers.settings.load import load_settings

OWN = {
    "canteen": ["when does the canteen open", "when is the canteen closed", "what is for lunch", "is lunch ready"],
    "garage": ["is my car ready", "is the car washed"],
}
WANTED = fingerprint({"canteen": b"- when does the canteen open"})


def own() -> Examples:
    return OWN


def never() -> Examples:
    raise AssertionError("examples are read though their weights are known")


def test_examples_of_others_are_learned_once_and_kept(tmp_path: Path) -> None:
    model = load_routes(WANTED, own, tmp_path)
    (kept,) = tmp_path.glob("*.npz")
    assert WANTED in kept.name
    again = load_routes(WANTED, never, tmp_path)
    said = route_probabilities(again, "when is lunch")
    assert said == pytest.approx(route_probabilities(model, "when is lunch"), abs=0.01)
    assert max(said, key=lambda label: said[label]) == "canteen"
    assert sum(said.values()) == pytest.approx(1)


@pytest.mark.parametrize("place", [100, 2000, -100])
def test_a_damaged_file_is_learned_again(tmp_path: Path, place: int) -> None:
    load_routes(WANTED, own, tmp_path)
    (kept,) = tmp_path.glob("*.npz")
    whole = kept.read_bytes()
    for damaged in (whole[:place], whole[:place] + bytes(40) + whole[place:][40:]):
        kept.write_bytes(damaged)
        assert load_routes(WANTED, own, tmp_path).kinds


def test_the_shipped_weights_are_of_the_shipped_examples() -> None:
    known = read_fingerprint(weights_file(MODEL))
    assert known == fingerprint(route_files()), "run python -m workers.language.train_question_kinds"


def test_what_the_shipped_weights_cover_is_not_parsed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.agents.registry.agent_examples", never)
    likely = build_likelihood(load_settings(home=tmp_path))
    found = likely(Question(request_id="r1", text="turn off the lights in the lab", received_at=NOW))
    assert max(found, key=lambda label: found[label]) == "home"


@pytest.mark.parametrize("written", ["when: does the canteen open", "- [1, 2]", "- 'open", "\xff"])
def test_examples_that_are_no_list_of_texts_are_a_mistake_at_boot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    package = tmp_path / "code" / "canteen_agent"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "examples.yaml").write_bytes(written.encode("latin-1"))
    monkeypatch.syspath_prepend(package.parent)
    (tmp_path / "config").mkdir()
    entry = "canteen: {module: canteen_agent, task: canteen, description: meals, tools: []}\n"
    (tmp_path / "config" / "agents.yaml").write_text(entry)
    with pytest.raises(ConfigError, match=r"canteen\.module: .*examples\.yaml is no list of texts"):
        build_likelihood(load_settings(home=tmp_path))


def test_a_request_that_says_little_is_read_with_its_thread(tmp_path: Path) -> None:
    likely = build_likelihood(load_settings(home=tmp_path))

    def best(text: str, *context: str) -> str:
        found = likely(Question(request_id="r1", text=text, received_at=NOW, context=context))
        return max(found, key=lambda label: found[label])

    assert best("and since when?", "Why is /api/search slow?", "p95 latency of /api/search rose.") == "research"
    assert best("and since when?", "Is the garage door open?", "The garage door is open.") == "home"
