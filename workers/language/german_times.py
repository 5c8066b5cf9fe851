"""German and Spanish words of time as English ones, so that one grammar reads all; everything else stays as it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from workers.language import spanish_times

DAYS = {
    "montag": "monday", "dienstag": "tuesday", "mittwoch": "wednesday", "donnerstag": "thursday", "freitag": "friday",
    "samstag": "saturday", "sonnabend": "saturday", "sonntag": "sunday", "heute": "today", "übermorgen": "overmorrow",
    "gestern": "yesterday", "morgen": "tomorrow", "januar": "january", "februar": "february", "märz": "march",
    "mai": "may", "juni": "june", "juli": "july", "oktober": "october", "dezember": "december", "woche": "week",
    "wochen": "weeks", "wochenende": "weekend", "monat": "month", "tag": "day", "tage": "days", "tagen": "days",
    "vormittag": "morning", "früh": "morning", "mittag": "midday", "nachmittag": "afternoon", "abend": "evening",
}  # fmt: skip
NUMBERS = {
    "ein": "a", "eine": "a", "einen": "a", "einer": "a", "ne": "a", "zwei": "two", "drei": "three", "vier": "four",
    "fünf": "five", "sechs": "six", "sieben": "seven", "acht": "eight", "neun": "nine", "zehn": "ten", "elf": "eleven",
    "zwölf": "twelve", "fünfzehn": "fifteen", "zwanzig": "twenty", "dreißig": "thirty", "vierzig": "forty",
    "fünfundvierzig": "forty-five", "neunzig": "ninety", "eineinhalb": "1.5", "anderthalb": "1.5",
    "zweieinhalb": "2.5", "dreieinhalb": "3.5", "halbe": "half a", "halben": "half a", "viertelstunde": "15 minutes",
    "dreiviertelstunde": "45 minutes", "halbstündig": "30 minutes",
}  # fmt: skip
RELATIONS = {
    "nächste": "next", "nächsten": "next", "nächster": "next", "nächstes": "next", "kommende": "coming",
    "kommenden": "coming", "kommender": "coming", "diese": "this", "dieser": "this", "diesen": "this", "uhr": "o'clock",
    "um": "at", "gegen": "around", "ab": "from", "bis": "until", "vor": "before", "nach": "after", "auf": "to",
    "zwischen": "between", "und": "and", "oder": "or", "am": "on", "von": "from", "vom": "of", "nicht": "not",
    "kein": "not", "alle": "every", "nacht": "night", "nachts": "night", "zweite": "second", "zweiten": "second",
    "dritte": "third",
    "dritten": "third", "mittagessen": "lunch", "jedes": "every", "außerdem": "besides", "vormittags": "mornings",
    "nachmittags": "afternoons", "mittags": "midday", "abends": "evenings", "letzten": "last", "ersten": "first",
    "keinen": "not", "außer": "except", "stunde": "hour", "stunden": "hours", "std": "hours",
    "minute": "minute", "minuten": "minutes", "später": "later", "früher": "earlier", "eher": "earlier",
    "jeden": "every", "jede": "every", "für": "for", "übernächste": "after next", "mit": "with",
    "seit": "since", "ende": "end", "zeit": "time", "ihrer": "her", "seiner": "his", "meiner": "my",
}  # fmt: skip
GERMAN = DAYS | NUMBERS | RELATIONS
FEWEST = 4
"""Letters of a word of time that tells its language."""
SHORT = {"tmrw": "tomorrow", "tmr": "tomorrow", "tmw": "tomorrow", "tonite": "tonight"}
TELLING = re.compile(
    r"\b(?:der|die|das|den|dem|warum|wie|ich|wir|mir|ist|hat|bitte|uhr|am|und|mit|wer|wann|was|bei|auf|im|zum|"
    rf"{'|'.join(word for word, english in GERMAN.items() if len(word) >= FEWEST and word != english)})\b",
    re.IGNORECASE,
)
PIECES = re.compile(r"\w+|\W")


@dataclass(frozen=True)
class PlainText:
    """A text in lower case with words of time replaced; ``at[i]``: where its i-th character comes from."""

    text: str
    at: tuple[int, ...]
    original: str

    def source(self, start: int, end: int) -> tuple[int, int]:
        """A span of it as a span of the original."""
        return self.at[start], self.at[end] if end < len(self.at) else len(self.original)


def plain_text(text: str) -> PlainText:
    """A text as the grammar of times reads it. Words are taken as German where two others or an umlaut say so."""
    german = len(TELLING.findall(text)) > 1 or bool(re.search("[äöüß]", text, re.IGNORECASE))
    spanish = not german and spanish_times.is_spanish(text)
    out: list[str] = []
    at: list[int] = []
    before = ""
    for match in (spanish_times.PIECES if spanish else PIECES).finditer(text):
        word = match.group().lower().replace("’", "'")
        new = SHORT.get(word, word)
        if german:
            new = translate(word, before)
        elif spanish:
            new = spanish_times.translate(word)
        if word.strip():
            before = new
        out.append(new)
        at.extend([match.start()] * len(new))
    return PlainText("".join(out), (*at, len(text)), text)


def translate(word: str, before: str) -> str:
    """One word. "Morgen" after a day is its morning; "montags" is the plural of the day."""
    if word == "morgen" and before in {*DAYS.values()} - {"tomorrow"}:
        return "morning"
    if word in GERMAN:
        return GERMAN[word]
    if word.startswith(("wöchentlich", "monatlich", "täglich")):
        return {"wö": "weekly", "mo": "monthly", "tä": "daily"}[word[:2]]
    if word.endswith("s") and word[:-1] in DAYS:
        return f"{DAYS[word[:-1]]}s" if word[:-1].endswith(("tag", "woch")) else DAYS[word[:-1]]
    return SHORT.get(word, word)
