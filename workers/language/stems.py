"""Stems of words: what "retry", "retries" and "retried" have in common, and what "colour" has with "color"."""

from __future__ import annotations

import re
from functools import lru_cache
from threading import local

from Stemmer import Stemmer

_local = local()
KEPT_ISE = (
    "exerc prom prec expert enterpr otherw likew adv rev superv surpr comprom prem conc compr telev improv franch "
    "parad pra advert exc circumc inc"
)
"""Beginnings of words in -ise that nobody writes with z: supervise and supervision have one stem."""
DOUBLED_L = "label model cancel travel signal tunnel channel total fuel marshal level panel"
"""Words whose last letter is doubled in British English."""
BRITISH_SPELLINGS = (
    (re.compile(rf"^(?!(?:{KEPT_ISE.replace(' ', '|')})is)([a-z]{{3,}})is(e[drs]?|ers?|ing|ations?|able)$"), r"\1iz\2"),
    (re.compile(r"^(cata|ana|para|dia)lys(e[drs]?|ers?|ing)$"), r"\1lyz\2"),
    (
        re.compile(r"^((?:dis|un|mis|re)?(?:col|behavi|fav|hon|neighb|flav|lab|harb|hum|arm|rum|vap|rig|vig))our"),
        r"\1or",
    ),
    (re.compile(r"^(\w*met|\w*lit|cent|theat|fib|calib|spect)r(?:e(s?)|(ed|ing))$"), r"\1er\2\3"),
    (re.compile(r"^(catal|dial|anal|prol)ogue(s|d)?$"), r"\1og\2"),
    (re.compile(r"^(licen|defen|offen|preten)ce(s|d)?$"), r"\1se\2"),
    (re.compile(rf"^(\w*(?:{'|'.join(DOUBLED_L.split())}))l(ed|ing|ers?|ations?)$"), r"\1\2"),
    (re.compile(r"^grey"), "gray"),
)
"""British spellings -> the American ones, which code is mostly written in."""


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Stem one lower-case word by the Snowball English rules; British and American spellings have one stem."""
    stemmer = getattr(_local, "stemmer", None)
    if stemmer is None:
        stemmer = _local.stemmer = Stemmer("english", 0)  # not safe to share between threads
    return str(stemmer.stemWord(american(word)))


def american(word: str) -> str:
    """The American spelling of a lower-case word."""
    for form, spelling in BRITISH_SPELLINGS:
        if form.search(word):  # a substitution that finds nothing takes eight times as long, and most find nothing
            return form.sub(spelling, word, count=1)
    return word
