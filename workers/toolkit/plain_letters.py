"""A text in plain letters: full-width ones and curved quotes as ASCII writes them, and nothing that has no width."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb]"
)
QUOTES = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»＂", '"'),
        **dict.fromkeys("‘’‚‛‹›＇", "'"),
        **dict.fromkeys("\u00a0\u2007\u202f\u3000", " "),
    }
)
ODD = re.compile(r"[^\x00-\x7f]")


@lru_cache(maxsize=4_096)
def plain_letter(letter: str) -> str:
    """One letter as ASCII writes it, where it is another form of that; else itself."""
    plain = unicodedata.normalize("NFKC", letter)
    return plain if len(plain) == 1 and plain.isascii() else letter


def plain_letters(text: str) -> tuple[str, list[int] | None]:
    """The text in plain letters, and for each of them its place in the text; None where each has its own."""
    if text.isascii():
        return text, None
    plain = ODD.sub(lambda found: plain_letter(found[0]), text.translate(QUOTES))
    if not INVISIBLE.search(plain):
        return plain, None
    places = [at for at, letter in enumerate(plain) if not INVISIBLE.match(letter)]
    return "".join(plain[at] for at in places), places
