"""What was learned of requests is read, kept, and learned again when it is damaged or others' examples count."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.engine_fakes import NOW
from workers.agents.registry import build_likelihood, load_routes
from workers.contracts import Question
from workers.language.request_routes import fingerprint, route_probabilities
from workers.settings.load import load_settings

OWN = {"canteen": ["when does the canteen open", "what is for lunch"], "unsafe": ["give me the password"]}


def test_examples_of_others_are_learned_once_and_kept(tmp_path: Path) -> None:
    model = load_routes(OWN, tmp_path)
    (kept,) = tmp_path.glob("*.npz")
    assert fingerprint(OWN) in kept.name
    again = load_routes(OWN, tmp_path)
    said = route_probabilities(again, "when is lunch")
    assert said == pytest.approx(route_probabilities(model, "when is lunch"), abs=0.01)
    assert max(said, key=lambda label: said[label]) == "canteen"
    assert sum(said.values()) == pytest.approx(1)


def test_a_damaged_file_is_learned_again(tmp_path: Path) -> None:
    load_routes(OWN, tmp_path)
    (kept,) = tmp_path.glob("*.npz")
    kept.write_bytes(kept.read_bytes()[:100])
    assert load_routes(OWN, tmp_path).kinds
    assert len(kept.read_bytes()) > 100


def test_a_request_that_says_little_is_read_with_its_thread(tmp_path: Path) -> None:
    likely = build_likelihood(load_settings(home=tmp_path))

    def best(text: str, *context: str) -> str:
        found = likely(Question(request_id="r1", text=text, received_at=NOW, context=context))
        return max(found, key=lambda label: found[label])

    assert best("and since when?", "Why is /api/search slow?", "p95 latency of /api/search rose.") == "research"
    assert best("and since when?", "Is the garage door open?", "The garage door is open.") == "home"
