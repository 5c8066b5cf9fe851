"""Claims against one request's evidence: true ones pass, each planted fault is caught."""

from __future__ import annotations

import pytest

from tests.support.each_row import each_row
from tests.support.latency_evidence import EVIDENCE, VOICE
from workers.contracts import Claim, Draft, Evidence, Fact, Menu, Option
from workers.grounding.ground import check_claim, check_grounding

ALL = tuple(EVIDENCE)


def verdict(text: str, *cited: str, status: str = "supported") -> tuple[str, str]:
    claim = Claim(template=text, evidence=cited or ALL, status=status)
    checked = check_claim(claim, EVIDENCE, VOICE, "c1")
    return checked.verdict.verdict, f"{checked.verdict.reason} <- {checked.claim.text}"


TRUE = [
    "p95 latency of /api/search rose from 210 ms to 1.9 s at 14:06 UTC.",
    "p95 on `/api/search` went from 210 ms to 1.9 s at 14:06 UTC, 2 minutes after deploy `shop 4f2c1ab`.",
    "p95 latency of /api/search peaked at 1.9 s.",
    "Database p95 latency of /api/search rose from 18 ms to 240 ms.",
    "The database p95 latency rose 1 minute before the p95 latency of /api/search.",
    "p95 latency of /api/checkout is unchanged at 121 ms.",
    "`SearchLatencyHigh` has been firing since 14:11 UTC.",
    "Deploy v1.42.0 of shop went out at 14:04 UTC.",
    "The deploy at 14:04 came before the latency of /api/search rose.",
    "`search/cache.py:15` appends `received_at` to the parts of the key.",
    "search/cache.py:12-16 defines cache_key.",
    "Latency of /api/search is about 9 times what it was (×9).",
    "{E1.metric} {move(E1.baseline,E1.current)} at {E1.onset_at}, {lag(E1.onset_at,E4.at)} deploy {E4.version}.",
    "The p95 of /api/search is now 1.87 s, up from 210 ms.",
]

FALSE = [
    ("p95 latency of /api/search rose from 1.9 s to 210 ms at 14:06 UTC yesterday.", "swapped before and after"),
    ("p95 latency of /api/search fell from 210 ms to 1.9 s.", "wrong direction"),
    ("p95 latency of /api/checkout rose to 1.9 s.", "another endpoint's number"),
    ("p95 latency of /api/search is 121 ms.", "another endpoint's number"),
    ("p95 latency of /api/search rose from 210 s to 1.9 s.", "wrong unit"),
    ("p95 latency of /api/search rose from 210 ms to 1.9 ms.", "wrong unit"),
    ("Database p95 latency of /api/search rose from 18 ms to 1.9 s.", "another metric's number"),
    ("p95 latency of /api/search rose at 14:06 CET.", "wrong zone"),
    ("The deploy at 14:04 came after the latency of /api/search rose.", "wrong order"),
    ("The p95 latency of /api/search rose before the deploy.", "wrong order"),
    ("search/cache.py:13-17 defines cache_key.", "a range that nothing shows"),
    ("search/keys.py:12-16 defines cache_key.", "another file"),
    ("`make_cache_key` builds the key.", "an invented symbol"),
    ("See https://example.org/shop/blob/4f2c1ab/search/cache.py#L12-L17.", "a URL off by one"),
    ("p95 latency of /api/search doubled.", "wrong factor"),
    ("p95 latency of /api/search is unchanged.", "wrong direction"),
    ("Deploy v1.41.0 of shop went out at 14:04 UTC.", "another version"),
    ("Deploy 5f2c1ab of shop went out at 14:04 UTC.", "another commit"),
    ("{E1.metric} is {E9.current}.", "no such evidence"),
    ("{E1.metric} is {E1.median}.", "no such fact"),
]

UNSHOWN = [
    ("p95 latency of /api/search may be 1.9 s because of the deploy.", "a supposition"),
]


@each_row("text", TRUE)
def test_true_claims_pass(text: str) -> None:
    found, why = verdict(text)
    assert found == "supported", why


@each_row("text, fault", FALSE)
def test_planted_faults_are_struck(text: str, fault: str) -> None:
    found, why = verdict(text)
    assert found == "struck", f"{fault}: {why}"


@pytest.mark.parametrize(("text", "fault"), UNSHOWN)
def test_what_the_evidence_does_not_show_is_never_supported(text: str, fault: str) -> None:
    found, why = verdict(text)
    assert found != "supported", f"{fault}: {why}"


def test_a_cause_with_both_ends_in_order_is_supported_and_without_is_a_hypothesis() -> None:
    assert verdict("The deploy of shop caused the latency of /api/search to rise.", "E1", "E4")[0] == "supported"
    assert verdict("The cache caused the latency of /api/search to rise.", "E1", "E5")[0] == "hypothesis"


def test_a_cause_after_its_effect_is_struck() -> None:
    late = EVIDENCE["E4"].model_copy(
        update={"facts": {**EVIDENCE["E4"].facts, "at": EVIDENCE["E6"].facts["since"]}},
    )
    claim = Claim(template="The deploy caused the latency of /api/search to rise.", evidence=("E1", "E4"))
    checked = check_claim(claim, {**EVIDENCE, "E4": late}, VOICE, "c")
    assert checked.verdict.verdict == "struck"


def test_behaviour_needs_metric_evidence() -> None:
    assert verdict("Latency is high in `cache_key`.", "E5")[0] == "struck"


def test_a_hypothesis_stays_one_and_its_numbers_are_still_checked() -> None:
    assert verdict("The cache may send each search to the database.", "E7", status="hypothesis")[0] == "hypothesis"
    assert verdict("The cache may add 77 ms.", "E7", status="hypothesis")[0] == "struck"


@each_row("status", ["supported", "hypothesis"])
@each_row(
    "text",
    [
        "A third of the requests to /api/search are slow.",
        "Perhaps 1 in 70 requests to /api/search is slow.",
        "p95 latency of /api/search is now 1.87 s, about 43 minutes of the day.",
        "search/cache.py sets a limit of 5000 ms.",
        "/api/search may have slowed at a quarter past seven.",
        "/api/search answered 400 to some requests.",
        "It is in item 77 of the list for /api/search.",
        "The Night Shift deployed v1.42.0 of shop, perhaps.",
        "p95 latency of /api/search may be in /srv/other.py:3.",
    ],
)
def test_a_specific_that_no_cited_evidence_holds_is_struck(text: str, status: str) -> None:
    found, reason = verdict(text, status=status)
    assert found == "struck", reason
    assert "is in no cited evidence" in reason


def test_what_fills_up_to_too_much_is_struck() -> None:
    assert "too much" in verdict("{E1.peak} " * 60)[1]
    long = EVIDENCE["E5"].model_copy(update={"facts": {"note": Fact(value="word " * 500)}})
    checked = check_claim(Claim(template="{E5.note}", evidence=("E5",)), {"E5": long}, VOICE)
    assert checked.verdict.reason == "is too long to check"


@pytest.mark.parametrize("name", ["Þøæð Łø", "Þór Ðan"])
def test_a_name_without_plain_letters_matches_only_itself(name: str) -> None:
    doc = Evidence(id="D1", kind="doc", title="Owners", locator="docs/owners.md", excerpt="Ask Mara or an owner.")
    checked = check_claim(Claim(template=f"Written by {name}.", evidence=("D1",)), {"D1": doc}, VOICE)
    assert checked.verdict.verdict == "struck"


def test_struck_claims_are_listed_and_never_shown() -> None:
    draft = Draft(
        headline=Claim(template="{E1.metric} {move(E1.baseline,E1.current)}.", evidence=("E1",)),
        metrics=(
            Claim(template="p95 latency of /api/search is 121 ms.", evidence=("E1", "E2")),
            Claim(template="Database p95 latency {move(E3.baseline,E3.current)}.", evidence=("E3",)),
        ),
    )
    answer, struck = check_grounding(draft, list(EVIDENCE.values()), VOICE, ("metrics_query ×1",))
    assert [c.text for c in answer.metrics] == ["Database p95 latency rose from 18 ms to 240 ms."]
    assert len(struck) == 1
    assert any("Could not verify" in g.text for g in answer.missing)
    assert "121 ms" in answer.missing[0].text


def test_a_struck_headline_gives_way_to_the_first_claim_that_holds() -> None:
    draft = Draft(
        headline=Claim(template="p95 latency of /api/search is 3 s.", evidence=("E1",)),
        metrics=(Claim(template="Database p95 latency {move(E3.baseline,E3.current)}.", evidence=("E3",)),),
    )
    answer, _ = check_grounding(draft, list(EVIDENCE.values()), VOICE, ())
    assert answer.headline.text == "Database p95 latency rose from 18 ms to 240 ms."


def test_that_a_metric_has_no_recent_value_is_no_guess() -> None:
    facts = {"last_known": Fact(value=0.2, unit="s", entity="/api/pay")}
    title = "p95 latency of /api/pay"
    ended = Evidence(id="E1", kind="metric", title=title, locator="pay", excerpt=title, facts=facts)
    claim = Claim(template=f"{title} has no recent value; the last known one is {{E1.last_known}}.", evidence=("E1",))
    assert check_claim(claim, {"E1": ended}, VOICE).verdict.verdict == "supported"


def test_menus_are_carried_over_as_they_are() -> None:
    menu = Menu(name="Region", kind="[region:", options=(Option(value="[region: DACH]", label="DACH"),))
    draft = Draft(headline=Claim(template="Nothing was found."), menus=(menu,))
    answer, _ = check_grounding(draft, (), VOICE, ())
    assert answer.menus == (menu,)
