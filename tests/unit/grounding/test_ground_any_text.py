"""Whatever is written, filling and checking end with a verdict."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.latency_evidence import EVIDENCE, VOICE
from workers.contracts import Claim, Evidence, Fact
from workers.grounding.ground import LONGEST, check_claim
from workers.grounding.template_slots import SLOT
from workers.language.normalization import normalise

VERDICTS = {"supported", "hypothesis", "struck"}
HUGE = "1" + "0" * 320
PIECES = (
    "p95 latency of /api/search|the database|cache_key|`search/cache.py:15`|line 13 of search/cache.py|210 ms|1.9 s|"
    "9 times|×9|14:06 UTC|two minutes|after|before|by the time|followed by|then|rose|fell|unchanged|doubled|from|to|→|"
    "because|led to|made|was|is now|baseline|peak|the deploy|SearchLatencyHigh|v1.42.0|4f2c1ab|all|only|never|"
    "three files|step 3|,|.|;|(|)|than|slower|faster|more than|about|a third of|Mara Lindqvist|“a quote”|{E1.peak}|"
    "{move(E1.baseline,E1.current)}|{E9.x}|{|}|3 times every 0 seconds|once every zero hours|0 in 0|"
    "2026-11-31 10:00 UTC|2026-11-20T14:04:00+24:00|2026-11-20T25:04:00Z|14:04 +99:99|25:99 UTC|31 February|"
    "0001-01-01T00:00:00+14:00|nan s|{E8.no_time}|{E8.not_a_number}|{E8.huge}|{E8.no_zone}|"
    "{lag(E8.no_zone,E4.at)}|{span(E8.no_time,E4.at)}|"
    "{ratio(E8.baseline,E8.not_a_number)}|{change(E8.huge,E8.current)}|{clock(E8.no_time)}"
    f"|{HUGE}|{HUGE} hours and 2 minutes|×{HUGE}"
).split("|")
ODD = Evidence(
    id="E8",
    kind="metric",
    title="p95 latency of /api/search",
    locator="odd",
    excerpt="3 times every 0 seconds since 2026-11-31 10:00 UTC, " + HUGE,
    facts={
        "no_time": Fact(value="some time ago", unit="time"),
        "peak_at": Fact(value=7, unit="time"),
        "onset_at": Fact(value="0001-01-01T00:00:00+14:00", unit="time"),
        "no_zone": Fact(value="2026-11-20T14:04:00", unit="time"),
        "not_a_number": Fact(value=float("nan"), unit="s"),
        "current": Fact(value=float("nan"), unit="s"),
        "baseline": Fact(value=0.0, unit="s"),
        "peak": Fact(value=float("inf"), unit="s"),
        "huge": Fact(value=10**400, unit="s"),
    },
)
EVERYTHING = {**EVIDENCE, ODD.id: ODD}
REPEATED = ("a/", "1:", "1.", "0.34 s → 1.9 s and ", "before ", "of ", "`", "x_", "((", "until ", "A b ")
SENTENCES = st.lists(st.sampled_from(PIECES), min_size=1, max_size=25).map(" ".join)


def check(text: str) -> str:
    claim = Claim(template=text, evidence=tuple(EVERYTHING))
    checked = check_claim(claim, EVERYTHING, VOICE, "c")
    assert checked.claim.template == (normalise(text) if len(text) <= LONGEST else text)
    return checked.verdict.verdict


@given(st.text(max_size=400))
def test_any_text_gets_a_verdict(text: str) -> None:
    assert check(text) in VERDICTS


@given(SENTENCES)
def test_any_sentence_of_its_own_words_gets_a_verdict(text: str) -> None:
    assert check(text) in VERDICTS


@given(SENTENCES)
def test_a_supported_claim_is_filled_and_shows_no_slot(text: str) -> None:
    checked = check_claim(Claim(template=text, evidence=tuple(EVIDENCE)), EVIDENCE, VOICE, "c")
    if checked.verdict.verdict == "supported":
        assert not SLOT.search(checked.claim.text)
        assert checked.verdict.reason == ""


@each_row("piece", PIECES)
@each_row("form", ["{}", "p95 latency of /api/search rose from {} to 1.9 s at {}, 2 minutes before {}."])
def test_each_piece_alone_gets_a_verdict(piece: str, form: str) -> None:
    assert check(form.replace("{}", piece)) in VERDICTS


@each_row("piece", ["3 times every 0 seconds", "2026-11-31 10:00 UTC", HUGE, "{E8.no_time}"])
def test_what_is_no_number_and_no_time_is_struck(piece: str) -> None:
    claim = Claim(template=f"p95 latency of /api/search: {piece}.", evidence=tuple(EVIDENCE))
    assert check_claim(claim, EVIDENCE, VOICE, "c").verdict.verdict == "struck"


@each_row("piece", REPEATED)
def test_endless_repeats_end(piece: str) -> None:
    assert check((piece * LONGEST)[:LONGEST]) in VERDICTS


def test_what_is_longer_than_a_claim_is_struck() -> None:
    assert check("p95 latency of /api/search is 1.9 s. " * 100) == "struck"


def test_a_claim_that_lists_endless_values_is_struck() -> None:
    assert check("p95 latency of /api/search: " + "1.9 s, " * 60) == "struck"


def test_a_text_without_words_is_not_supported() -> None:
    assert check("…") != "supported"
