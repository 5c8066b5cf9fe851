"""Text as it is checked and shown: compatible forms made one, no invisible characters, no look-alike letters."""

from __future__ import annotations

import re
import unicodedata

KEPT = frozenset("…µ½¼¾²³")  # no look-alikes of anything; readers expect them as they are
BLANKS = frozenset("\n\t")
# letters of other alphabets that look like Latin ones
ALIKE = str.maketrans(
    "аеорсухіјѕԁһӏвкмнтзгАВЕКМНОРСТУХІЈЅԌαοενρτυχικΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhlbkmht3rABEKMHOPCTYXIJSGaoevptuxikABEZHIKMNOPTYX",
)
LOOKS_LATIN = frozenset(ALIKE)
FOREIGN = re.compile(r"[\u0370-\u03ff\u0400-\u052f]")
TOKEN = re.compile(r"[^\s]+")
OTHER = re.compile(r"[^\n\t -~]")  # all but plain ASCII, which stays as it is


def normalise(text: str) -> str:
    """One form of a text; doing it twice changes nothing more."""
    if text.isascii():
        return "".join(c for c in text if c in BLANKS or c.isprintable()) if not text.isprintable() else text
    plain = OTHER.sub(lambda m: m[0] if m[0] in KEPT else unicodedata.normalize("NFKC", m[0]), text)
    plain = unicodedata.normalize("NFC", plain)
    seen = OTHER.sub(lambda m: shown(m[0]), plain)
    return TOKEN.sub(lambda m: latin(m.group()), seen) if FOREIGN.search(seen) else seen


def shown(char: str) -> str:
    """A character as it is shown: nothing for those that nobody sees."""
    if char in BLANKS:
        return char
    kind = unicodedata.category(char)
    if kind in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}:
        return ""
    return " " if kind == "Zs" else char


def latin(token: str) -> str:
    """A word that mixes alphabets, or looks Latin throughout, in Latin letters."""
    foreign = FOREIGN.findall(token)
    if not foreign or any(ord(c) not in LOOKS_LATIN for c in foreign):
        return token
    mixed = bool(re.search(r"[A-Za-z0-9]", token))
    return token.translate(ALIKE) if mixed or len(foreign) >= 3 else token
