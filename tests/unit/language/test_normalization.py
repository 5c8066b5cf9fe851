"""One form of a text: nothing invisible, no look-alikes."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from tests.support.latency_evidence import EVIDENCE, VOICE
from workers.contracts import Claim
from workers.grounding.ground import check_claim
from workers.language.normalization import normalise


@each_row(
    "text, expected",
    [
        ("２４０ ms", "240 ms"),
        ("zero\u200bwidth and soft\u00adhyphen", "zerowidth and softhyphen"),
        ("\u202e1.9 s", "1.9 s"),
        ("sеаrch/сасhe.py", "search/cache.py"),
        ("р95", "p95"),
        ("сасhe_key", "cache_key"),
        ("a\u00a0b\u2009c", "a b c"),
        ("ﬁle", "file"),
        ("…, 5 µs, ×9, −3 %", "…, 5 µs, ×9, −3 %"),
        ("São Paulo, Straße", "São Paulo, Straße"),
        ("привет мир", "привет мир"),
    ],
)
def test_look_alikes_become_plain(text: str, expected: str) -> None:
    assert normalise(text) == expected


@given(st.text(max_size=200))
def test_twice_is_once_and_nothing_stays_invisible(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert not [c for c in once if unicodedata.category(c) in {"Cf", "Cs", "Co"}]


def test_claims_are_checked_and_shown_in_that_form() -> None:
    claim = Claim(template="р95 latency of /api/search is now １.87\u200b s.", evidence=("E1",))
    checked = check_claim(claim, EVIDENCE, VOICE)
    assert checked.verdict.verdict == "supported"
    assert checked.claim.text == "p95 latency of /api/search is now 1.87 s."


def test_a_name_in_other_letters_is_the_name_and_an_invented_one_is_struck() -> None:
    assert check_claim(
        Claim(template="`сасhe_kеy` is in search/cache.py.", evidence=("E5",)), EVIDENCE, VOICE
    ).claim.text == ("`cache_key` is in search/cache.py.")
    assert (
        check_claim(Claim(template="`ﬂush_kеy` is used.", evidence=("E5",)), EVIDENCE, VOICE).verdict.verdict
        == "struck"
    )
