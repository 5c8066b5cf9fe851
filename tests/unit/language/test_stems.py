"""Words that are one word have one stem."""

from __future__ import annotations

from tests.support.each_row import each_row
from workers.language.stems import american, stem


@each_row(
    "british, other",
    [
        ("colour", "color"),
        ("coloured", "colors"),
        ("behaviour", "behavior"),
        ("serialiser", "serializer"),
        ("normalisation", "normalization"),
        ("analysed", "analyzed"),
        ("centre", "center"),
        ("metres", "meters"),
        ("catalogue", "catalog"),
        ("licence", "license"),
        ("cancelled", "canceled"),
        ("greyscale", "grayscale"),
    ],
)
def test_british_and_american_spellings_have_one_stem(british: str, other: str) -> None:
    assert stem(british) == stem(other)


@each_row("verb, noun", [("supervised", "supervision"), ("advertised", "advertisement"), ("revised", "revision")])
def test_words_in_ise_keep_the_stem_of_their_nouns(verb: str, noun: str) -> None:
    assert stem(verb)[:5] == stem(noun)[:5]
    assert american(verb) == verb


def test_other_words_stay_as_they_are() -> None:
    words = "exercise promise otherwise raise rise wise noise precise size hour four your called".split()
    assert [american(word) for word in words] == words
