"""Rewording: words may change, facts may not."""

from __future__ import annotations

import pytest

from workers.contracts import Claim
from workers.engine.rewording import same_facts

BEFORE = "{E1.metric} {move(E1.baseline,E1.current)}, {lag(E1.onset_at,E4.at)} deploy {E4.version}."


@pytest.mark.parametrize(
    "after",
    [
        "{E1.metric} {move(E1.baseline,E1.current)}; that was {lag(E1.onset_at,E4.at)} the deploy of {E4.version}.",
    ],
)
def test_other_words_say_the_same(after: str) -> None:
    assert same_facts(Claim(template=BEFORE, evidence=("E1", "E4")), after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (BEFORE, BEFORE.replace("E1.baseline,E1.current", "E1.current,E1.baseline")),
        (BEFORE, BEFORE.replace("{E4.version}", "v1.42.0")),
        (BEFORE, BEFORE.replace("{E4.version}", "{E4.version} {E4.version}")),
        (BEFORE, BEFORE.replace(".", " by 5 ms.")),
        (BEFORE, BEFORE.replace("deploy", "because of deploy")),
        (BEFORE, BEFORE.replace("deploy", "see evil.example.com, deploy")),
        (BEFORE, BEFORE.replace("deploy", "<!channel> deploy")),
        ("{E1.metric} may be {E1.current}.", "{E1.metric} is {E1.current}."),
        ("{E1.metric} is {E1.current}.", "{E1.metric} may be {E1.current}."),
        ("One alert fires: {E6.name}.", "All alerts fire: {E6.name}."),
        ("{E6.name} is firing.", "{E6.name} is resolved."),
        ("{E6.name} is firing.", "{E6.name} is not firing."),
        ("{E1.metric} rose to {E1.current}.", "{E1.metric} fell to {E1.current}."),
        ("{E1.metric} is {E1.current}, {E3.metric} {E3.current}, before {E4.at}.",
         "{E3.metric} is {E1.current}, {E1.metric} {E3.current}, before {E4.at}."),
        ("Two files changed: {E5.path}.", "Three files changed: {E5.path}."),
    ],
)  # fmt: skip
def test_a_touched_fact_is_noticed(before: str, after: str) -> None:
    assert not same_facts(Claim(template=before, evidence=("E1", "E4")), after)
