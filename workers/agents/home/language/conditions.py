"""The conditions of a sentence: above or below a number, for how long, the highest of all, more or less than now.

Each is taken out of the sentence once it is read, so that what is left over is what was not understood.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

NUMBER_WORDS = {
    "half an": 0.5,
    "half a": 0.5,
    "half": 0.5,
    "an": 1,
    "a": 1,
    **{word: i + 1 for i, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split())},
    "fifteen": 15,
    "twenty": 20,
    "thirty": 30,
}
NUMBER_WORD = f"(?:{'|'.join(NUMBER_WORDS)})"
NUMBER = rf"(?P<n>-?\d+(?:[.,]\d+)?|{NUMBER_WORD})"
SUPERLATIVES = {"most": ("", 1), "least": ("", -1)}
ADJECTIVES = {
    "warm": ("temperature", 1),
    "hot": ("temperature", 1),
    "cold": ("temperature", -1),
    "cool": ("temperature", -1),
    "humid": ("humidity", 1),
    "damp": ("humidity", 1),
    "bright": ("light", 1),
    "dim": ("light", -1),
    "dark": ("light", -1),
    "loud": ("media player", 1),
    "quiet": ("media player", -1),
    "high": ("", 1),
    "great": ("", 1),
    "big": ("", 1),
    "low": ("", -1),
    "small": ("", -1),
    "long": ("", 1),
    "short": ("", -1),
}
"""What is compared -> the kind of thing that is, and whether its comparative is more or less."""
FORMS = {
    f"{stem}{ending}": word for word in ADJECTIVES for stem in (word, f"{word}{word[-1]}") for ending in ("er", "est")
} | {"more humid": "humid", "most humid": "humid", "less humid": "humid", "least humid": "humid"}
COMPARATIVE = "|".join(form for form in FORMS if form.endswith("er") or form == "more humid")
SUPERLATIVE = "|".join(form for form in FORMS if form.endswith("est") or form == "most humid")
UPWARDS, DOWNWARDS = (
    "|".join(form for form, word in FORMS.items() if form.endswith("er") and ADJECTIVES[word][1] == sign)
    for sign in (1, -1)
)
UP = rf"above|over|more than|(?:{UPWARDS}) than|at least|exceed(?:s|ing)?"
DOWN = rf"below|under|less than|fewer than|(?:{DOWNWARDS}) than|at most"
TIME = r"(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|h|days?|d)\b"
SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
MEASURED = r"(?P<unit>%|percent|per cent|°\s?[cf]?|degrees?(?: celsius)?|[cf]\b|k?w(?:att)?s?\b)?"
LASTING = re.compile(
    rf"(?:\b(?:for|already)\s+){{0,2}}\b(?:(?P<up>{UP})|(?P<down>{DOWN})|for)\s+(?:already\s+)?{NUMBER}\s*{TIME}"
    r"(?: or (?:more|longer))?",
    re.IGNORECASE,
)
RECENT = re.compile(rf"\b(?:in|within|during) the (?:last|past) (?:{NUMBER}\s*)?{TIME}", re.IGNORECASE)
LIMIT = re.compile(rf"\b(?:(?P<up>{UP})|(?P<down>{DOWN}))\s+{NUMBER}\s*{MEASURED}(?! (?:as|in) )", re.IGNORECASE)
BEYOND = re.compile(rf"(?:(?P<up>>=?)|(?P<down><=?))\s*{NUMBER}\s*{MEASURED}", re.IGNORECASE)
MOST = re.compile(rf"\b(?:the )?(?P<form>{SUPERLATIVE}|most|least)\b", re.IGNORECASE)
THAN = re.compile(rf"\b(?P<form>{COMPARATIVE}|more|less)\b(?P<between>.{{0,80}}?)\bthan\b", re.IGNORECASE)
MORE_OF = re.compile(rf"\b(?P<form>{COMPARATIVE})\b", re.IGNORECASE)
PARTLY = re.compile(
    r"\b(?:not (?:fully|completely|entirely)|part(?:ly|ially)|half(?:way)?)(?= (?:open|closed)\b)", re.IGNORECASE
)
DIFFERENCE = re.compile(
    r"(?:(?P<of>\w+) )?difference (?:in (?:\w+ )?)?between (?P<one>.+?) and (?P<other>.+)$", re.IGNORECASE
)
BY_HOW_MUCH = re.compile(r",? ?(?:and )?by how (?:much|many(?: degrees)?)", re.IGNORECASE)
WAYS = {"up": 1, "raise": 1, "increase": 1, "brighten": 1, "more": 1, "higher": 1}
WAYS |= {"down": -1, "lower": -1, "reduce": -1, "decrease": -1, "drop": -1, "less": -1, "dim": -1}
STEP = re.compile(
    rf"(?P<by>\bby )?\b{NUMBER}\s*{MEASURED}\s*(?P<way>\b(?:{COMPARATIVE}|up|down|more|less))?"
    r"(?!\w)(?!\s*(?:%|percent|degrees))",
    re.IGNORECASE,
)
SELECTING = re.compile(r"\b(?:that|which|who)(?:'s|'re| is| are| has been| have been| was| were)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Conditions:
    """What was read. ``least``, ``most``: of the number of a thing; ``longer_s``, ``shorter_s``: how long it has been
    so; ``inclusive``: whether the limit itself is within; ``order``: ``highest``, ``lowest``, ``longest``,
    ``shortest``, or ``difference`` of two; ``noun``: the kind of
    thing that an adjective speaks of; ``sign``: 1 or -1 when the first of two is said to be more or less; ``unit``:
    of the limit, as `unit_in`."""

    least: float | None = None
    most: float | None = None
    longer_s: float = 0
    shorter_s: float = 0
    order: str = ""
    noun: str = ""
    sign: int = 0
    unit: str = ""
    inclusive: bool = False

    @property
    def limits(self) -> bool:
        """Whether some things are in and others out."""
        return bool(self.least is not None or self.most is not None or self.longer_s or self.shorter_s)


def number_in(found: re.Match[str]) -> float:
    """The number of a match, in digits or in words."""
    said = (found["n"] or "one").lower()
    if said == "half" and not (found["unit"] or "").strip():
        return 50.0  # percent
    return float(NUMBER_WORDS[said]) if said in NUMBER_WORDS else float(said.replace(",", "."))


def seconds_in(found: re.Match[str]) -> float:
    """The length of time of a match."""
    return number_in(found) * SECONDS[found["unit"][0].lower()]


def unit_in(found: re.Match[str]) -> str:
    """``percent``, ``degree``, ``watt`` or empty."""
    said = (found["unit"] or "").lower()
    if said.startswith(("%", "per")):
        return "percent"
    if said.startswith(("°", "d", "c", "f")):
        return "degree"
    return "watt" if said else ""


def noun_of(form: str) -> str:
    """The kind of thing that a comparative or superlative speaks of; empty for "higher"."""
    word = FORMS.get(form.lower().removesuffix(" than").strip(), "")
    return ADJECTIVES[word][0] if word else ""


def read_conditions(sentence: str, plain: str, *, asks: bool = True) -> tuple[str, str, Conditions]:
    """The conditions of a question, and the sentence without them.

    Args:
        sentence: as it stands.
        plain: the same with blanks in place of names, of the same length.
        asks: whether it is a question, in which the warmer of two is the warmest.

    Returns: both without what was read, and what that was.
    """
    held: dict[str, object] = {}

    def take(pattern: re.Pattern[str]) -> re.Match[str] | None:
        nonlocal sentence, plain
        found = pattern.search(plain)
        if found:
            gap = " " * len(found.group())
            sentence = sentence[: found.start()] + gap + sentence[found.end() :]
            plain = plain[: found.start()] + gap + plain[found.end() :]
        return found

    if found := take(RECENT):
        held["shorter_s"] = seconds_in(found)
    elif found := take(LASTING):
        held["shorter_s" if found["down"] else "longer_s"] = seconds_in(found)
    while found := take(LIMIT) or take(BEYOND):
        edge = "most" if found["down"] else "least"
        if edge in held:
            break
        held[edge] = number_in(found)
        held["unit"] = unit_in(found)
        held["inclusive"] = (found["up"] or found["down"]).lower().startswith(("at ", ">=", "<="))
        held["noun"] = noun_of(found["up"] or found["down"]) or held.get("noun", "")
    if take(PARTLY):
        held |= {"least": 0.0, "most": 100.0}
    take(BY_HOW_MUCH)
    if found := take(MOST) or (take(MORE_OF) if asks else None):
        form = found["form"].lower()
        word = FORMS.get(form, form)
        sign = (ADJECTIVES | SUPERLATIVES)[word][1]
        lasts = word in {"long", "short"}
        held["order"] = ("longest" if sign > 0 else "shortest") if lasts else "highest" if sign > 0 else "lowest"
        held["noun"] = noun_of(form) or held.get("noun", "")
    return sentence, plain, Conditions(**held)  # type: ignore[arg-type]


def read_step(plain: str, first: str) -> tuple[str, str, str, str]:
    """By how much an order changes something, as ``by +2`` or ``by -10``, its unit, the kind of thing, and its words;
    empty when it does not.

    Args:
        plain: the order with blanks in place of names.
        first: its first word.
    """
    for found in STEP.finditer(plain):
        form = (found["way"] or "").lower()
        sign = ADJECTIVES[FORMS[form]][1] if form in FORMS else WAYS.get(form, 0)
        verb = next((w for w in re.findall(r"\w+", plain.lower()) if w in WAYS), "")
        sets = re.search(r"\b(?:to|at|on)\s*$", plain[: found.start()], re.IGNORECASE)
        if sets or (found["n"].lower() in {"a", "an"} and not found["unit"]):
            continue
        if not form and (found["by"] or unit_in(found)):
            form = next((w for w in re.findall(r"\w+", plain.lower()) if w in FORMS), "")
            sign = ADJECTIVES[FORMS[form]][1] if form else WAYS.get(verb or first, 0)
        if sign and (form or found["by"] or verb in {"raise", "lower", "increase", "decrease", "reduce", "up", "down"}):
            return f"by {sign * number_in(found):+g}", unit_in(found), noun_of(form), found.group()
    return "", "", "", ""
