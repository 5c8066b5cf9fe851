"""True sentences of our own stand, whatever characters the names in them have."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.support.latency_evidence import VOICE
from workers.contracts import Claim, Draft, Evidence, Fact, Gap
from workers.grounding.ground import check_claim, check_grounding
from workers.grounding.known_names import unknown_specifics

WORD = st.text("abcdeiorstuxz_-", min_size=1, max_size=8).filter(lambda w: w.strip("_-") == w)
PLACE = st.one_of(
    st.builds("{{{}}}".format, WORD),
    st.builds("{{{}.id}}".format, WORD),
    st.builds("{{{}:int}}".format, WORD),
    st.builds("<{}>".format, WORD),
    st.builds("<int:{}>".format, WORD),
    st.builds(":{}".format, WORD),
    st.builds("@{}".format, WORD),
    st.builds("{}%20x".format, WORD),
    st.builds("{}:batch".format, WORD),
    st.just("*"),
    st.just("**"),
)
PATHS = st.builds(
    lambda first, rest: "/" + "/".join((first, *rest)), WORD, st.lists(st.one_of(WORD, PLACE), min_size=1, max_size=4)
)


def metric(name: str) -> Evidence:
    """The latency of an endpoint."""
    facts = {
        "metric": Fact(value="p95 latency", entity=name),
        "endpoint": Fact(value=name),
        "current": Fact(value=1.9, unit="s", entity=name),
    }
    return Evidence(id="E1", kind="metric", title=f"p95 latency of {name}", locator=name, facts=facts)


@given(PATHS)
def test_a_cited_sentence_with_such_a_name_stands(name: str) -> None:
    for written in (f"p95 latency of {name} is {{E1.current}}.", f"p95 latency of `{name}` is {{E1.current}}."):
        found = check_claim(Claim(template=written, evidence=("E1",)), {"E1": metric(name)}, VOICE)
        assert not found.struck, found.verdict.reason
        assert name in found.claim.text
        assert "1.9 s" in found.claim.text


@given(PATHS, st.lists(PATHS, min_size=1, max_size=4))
def test_a_list_of_names_that_exist_stands(asked: str, names: list[str]) -> None:
    said = f"I found nothing about {asked}. Endpoints with metrics here: {', '.join(names)} and {names[0]}."
    draft = Draft(headline=Claim(template=said), missing=(Gap(text=f"No metric of {asked}."),))
    answer, struck = check_grounding(
        draft, (), VOICE, (), known="\n".join((f"is {asked} ok?", *names)), asked=f"is {asked} ok?"
    )
    assert struck == ()
    assert answer.headline.text == said
    assert len(answer.missing) == 1


@given(PATHS, PATHS)
def test_a_name_that_nobody_named_is_still_found(name: str, other: str) -> None:
    assume(other not in name and name not in other)
    assert unknown_specifics(f"look at {other} now", f"why is {name} slow?")
    found = check_claim(
        Claim(template=f"p95 latency of {other} is {{E1.current}}.", evidence=("E1",)), {"E1": metric(name)}, VOICE
    )
    assert found.struck
