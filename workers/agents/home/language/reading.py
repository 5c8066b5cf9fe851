"""A sentence -> what it asks of a home: by Home Assistant's templates where one fits, else by its parts.

A sentence of another form is read by its parts: a verb, a state or a value, and the names, rooms and kinds of things.
What is left out ("but the fridge") is read first, as no template knows it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from workers.agents.home.language.phrases import Mark, Phrases, Token, marks_in, phrases_of, tokens_of
from workers.agents.home.language.request import Found, HomeRequest, Target
from workers.agents.home.language.targets import find_targets
from workers.agents.home.language.templates import LANGUAGE, read_template
from workers.agents.home.language.value_words import Value, read_value
from workers.agents.home.language.verbs import action_in, acts, moved, outside, outside_text, state_in
from workers.agents.home.language.vocabulary import (
    FILLERS,
    PERCENT,
    SETTING,
    STATE_WORDS,
    SWITCHING,
    VERBS,
    WHOLE,
    kinds_of,
)
from workers.contracts import EntityInfo
from workers.language.stop_words import STOP_WORDS

ASKING = r"(?:can|could|would|will) (?:you|someone|somebody|anyone|u)|is it possible to|i want to|i'd like to|let's"
POLITE = re.compile(rf"^\W{{0,5}}(?:(?:hey|hi|hello|ok|please|pls|kindly|{ASKING})[, ]+){{0,3}}", re.IGNORECASE)
BUT = r"but(?: not)?|except(?: for)?|apart from|other than|besides|excluding"
EXCEPT = re.compile(rf"(?:,|\band) (?:but )?(?:leave|keep|not) |,? (?:{BUT}) ", re.IGNORECASE)
QUESTION = re.compile(
    r"^(?:is|are|was|were|what|what's|whats|which|who|where|how|why|when|since|does|do|did|has|have|tell me|show)\b",
    re.IGNORECASE,
)
SINCE = re.compile(
    r"\b(?:since when|how long|when (?:was|did|were|has)|what time (?:was|did)|last time)\b", re.IGNORECASE
)
RELATIVE = re.compile(
    r"\bby (?:\d|half)|\b(?:a bit|a little|warmer|cooler|colder|brighter|darker|louder|quieter|step)\b", re.IGNORECASE
)
LATER = re.compile(
    r"\d:\d\d|\d ?[ap]m\b|\bat (?:[1-9]|1[0-2])\b(?! ?(?:%|percent|degrees|°))"
    r"|\b(?:until|till|tomorrow|later|if|once|when|unless|then|(?:for|in) (?:\d+|an?|half an) ?(?:s|m|h)"
    r"|tonight|night|morning|evening|noon|weekend|\w{3,6}days?\b)",
    re.IGNORECASE,
)
"""What makes an order one for later, for a while or on a condition."""
AT_ONCE = "I change things at once only, not later, for a while or on a condition."
NEGATED = re.compile(r"\b(?:do not|don't|dont|never|no longer|should(?:n't)?|shall)\b", re.IGNORECASE)
TO_VALUE = re.compile(r"\b(?:to|at|on) -?\d", re.IGNORECASE)
SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
CLAUSES = re.compile(r"(?:,| - | – |\(|;| because | so | for (?!\d)).*$", re.IGNORECASE | re.DOTALL)
THANKS = re.compile(r"[, ](?:please|pls|thanks|thank you|thx|now|asap)$", re.IGNORECASE)
AND = frozenset({"and", "plus"})
ARTICLES = STOP_WORDS | frozenset("the my our a an of to in on off out at up down many much".split())


def read_request(
    text: str, entities: tuple[EntityInfo, ...], languages: tuple[str, ...] = (LANGUAGE,), area: str = ""
) -> HomeRequest:
    """What is asked. Of several sentences one may ask; two that do are not taken apart, and what stands behind an order
    may set it a time or a condition.

    Args:
        text: what somebody wrote.
        entities: the things of the home.
        languages: in which people write.
        area: where the speaker is, when that is known.
    """
    parts = [part for part in SENTENCES.split(text.strip()) if part.strip()]
    read = [read_sentence(part, entities, languages, area) for part in parts] or [HomeRequest("unclear")]
    asking = [r for r in read if asks(r, entities)]
    if len(asking) > 1:
        changes = any(r.kind == "change" for r in asking)
        return replace(asking[0], kind="change", lacks="That asks for several things.") if changes else asking[0]
    if not asking:
        return read[0]
    behind = " ".join(parts[read.index(asking[0]) + 1 :])
    if asking[0].kind == "change" and not asking[0].lacks and (LATER.search(behind) or NEGATED.search(behind)):
        return replace(asking[0], lacks=AT_ONCE)
    return asking[0]


def asks(request: HomeRequest, entities: tuple[EntityInfo, ...]) -> bool:
    """Whether it orders something, or asks of something that is there."""
    if request.kind == "change":
        return bool(request.action) or meets(find_targets(request, entities))
    return request.kind != "unclear" and meets(find_targets(request, entities))


def read_sentence(
    text: str, entities: tuple[EntityInfo, ...], languages: tuple[str, ...], area: str = ""
) -> HomeRequest:
    """What one sentence asks; where it is not understood, its first clause, when the rest names nothing of the home."""
    whole = read_clause(text, entities, languages, area)
    first = CLAUSES.sub("", text)
    if whole.lacks or first == text or not first.strip():
        return whole
    rest = text[len(first) :]
    if marks_in(tokens_of(rest), phrases_of(entities)) or LATER.search(rest) or NEGATED.search(rest):
        return whole
    short = read_clause(first, entities, languages, area)
    better = short.kind == "change" or not meets(find_targets(whole, entities))
    return short if better and meets(find_targets(short, entities)) else whole


def read_clause(text: str, entities: tuple[EntityInfo, ...], languages: tuple[str, ...], area: str) -> HomeRequest:
    """By the templates of each language, else by the parts; an order for later or a prohibition is no order."""
    sentence = bare_sentence(text)
    phrases = phrases_of(entities)
    main, excepted = split_exceptions(sentence, phrases)
    if SINCE.search(main):
        return replace(read_parts(main, phrases), kind="since", action="", lacks="", excepted=excepted)
    found = next((r for code in languages if (r := read_whole(main, entities, code, area))), None)
    request = replace(found or read_parts(main, phrases), excepted=excepted)
    if request.kind == "change" and NEGATED.search(sentence):
        return replace(request, lacks="That does not order anything to be done now.")
    tokens = tokens_of(sentence)
    if request.kind == "change" and LATER.search(outside_text(sentence, tokens, marks_in(tokens, phrases))):
        return replace(request, lacks=AT_ONCE)
    return request


def bare_sentence(text: str) -> str:
    """A sentence with single blanks, without greeting, thanks and what stands at its end."""
    sentence = POLITE.sub("", " ".join(text.split()), count=1).strip(" .!")
    for _ in range(3):
        sentence = THANKS.sub("", sentence).rstrip(" ,")
    return sentence


def read_whole(main: str, entities: tuple[EntityInfo, ...], code: str, area: str) -> HomeRequest | None:
    """By a template whose names are there."""
    found = read_template(main, entities, code, area)
    return found if found is not None and meets(find_targets(found, entities)) else None


def meets(found: Found) -> bool:
    """Whether there is something that is meant."""
    return bool(found.ids or found.ambiguous) and not found.unknown


def split_exceptions(sentence: str, phrases: Phrases) -> tuple[str, tuple[Target, ...]]:
    """The sentence without what it leaves out, and that; a name that holds such a word is not taken apart."""
    parts = EXCEPT.split(sentence, maxsplit=1)
    if len(parts) == 1 or not parts[0]:
        return sentence, ()
    left_out = read_targets(tokens_of(parts[1].rstrip(" ?.!")), phrases)
    return parts[0], left_out or (Target(words=tuple(t.text for t in tokens_of(parts[1]))),)


def read_parts(sentence: str, phrases: Phrases) -> HomeRequest:
    """What the parts of a sentence say."""
    tokens = tokens_of(sentence.rstrip(" ?.!"))
    marks = marks_in(tokens, phrases)
    free = outside(tokens, marks)
    questions = bool(QUESTION.match(sentence)) or (sentence.endswith("?") and not acts(free))
    value = read_value(outside_text(sentence.rstrip(" ?.!"), tokens, marks))
    targets = read_targets(tokens, phrases, value)
    if questions:
        return HomeRequest("state", state=state_in(free), targets=targets)
    action = action_in(tokens, marks) or moved(free, targets)
    sets = bool(action) or acts(free) or bool(value.unit) or TO_VALUE.search(sentence) is not None
    if value.text and sets and action in {"", "turn_on", "turn_off", "close", "open"} and (not action or value.unit):
        return set_to(value, targets, sentence, marks)
    if not action:
        verb = free[0].text if free else ""
        if verb in SETTING:
            lacks = "by how much, as a number" if RELATIVE.search(sentence) else "to what it is to be set"
            return HomeRequest("change", "", targets=targets, lacks=f"That does not say {lacks}.")
        return HomeRequest("state" if state_in(free) or targets else "unclear", state=state_in(free), targets=targets)
    return HomeRequest("change", action, targets=targets)


def set_to(value: Value, targets: tuple[Target, ...], sentence: str, marks: Sequence[Mark]) -> HomeRequest:
    """What a value sets, by its unit, the words beside it and the kind of thing that is named."""
    lower = sentence.lower()
    if RELATIVE.search(lower):
        return HomeRequest("change", "", targets=targets, lacks="That does not say to which value it is to be set.")
    kinds = {kind.partition(".")[0] for t in targets for noun in t.nouns for kind in kinds_of(noun)}
    kinds |= {i.partition(".")[0] for mark in marks for i in mark.meaning.ids}
    if value.color:
        action = "set_color"
    elif value.unit == "degree" or ("climate" in kinds and value.unit != "percent"):
        action = "set_temperature"
    elif "volume" in lower:
        action = "set_volume"
    elif "brightness" in lower or re.match(r"(?:dim|brighten)\b", lower):
        action = "set_brightness"
    else:
        fitting = [PERCENT[kind] for kind in PERCENT if kind in kinds]
        action = fitting[0] if fitting else ""
    lacks = "" if action else "That does not say what is to be set."
    return HomeRequest("change", action, value.text, targets=targets, lacks=lacks)


def read_targets(tokens: Sequence[Token], phrases: Phrases, value: Value | None = None) -> tuple[Target, ...]:
    """What is named, one target a part between commas and "and"; a part without a place is where another part is."""
    marks = marks_in(tokens, phrases)
    parts: list[list[int]] = [[]]
    inside = {place: mark for mark in marks for place in range(mark.start, mark.end)}
    for place, token in enumerate(tokens):
        if token.text in AND and place not in inside:
            parts.append([])
        else:
            parts[-1].append(place)
    spoken = set(value.words) if value else set()
    found = [target_of(part, tokens, inside, spoken) for part in parts]
    named = [t for t in found if not t.empty]
    return tuple(filled(t, named) for t in named)


def target_of(part: Sequence[int], tokens: Sequence[Token], inside: dict[int, Mark], spoken: set[str]) -> Target:
    """One part's names, places and kinds, and the words that are left."""
    marks = list(dict.fromkeys(inside[place] for place in part if place in inside))
    words = [tokens[place] for place in part if place not in inside]
    left = [
        t.text
        for place, t in enumerate(words)
        if t.text not in ARTICLES | FILLERS | STATE_WORDS.keys() | VERBS.keys() | SETTING | SWITCHING | spoken
    ]
    return Target(
        names=tuple((m.text, m.meaning.ids) for m in marks if m.meaning.ids),
        areas=tuple(m.meaning.area for m in marks if m.meaning.area),
        floors=tuple(m.meaning.floor for m in marks if m.meaning.floor),
        nouns=tuple(m.meaning.noun for m in marks if m.meaning.noun),
        words=tuple(left),
        whole=any(t.text in WHOLE for t in words),
    )


def filled(target: Target, others: Sequence[Target]) -> Target:
    """A part with the place or the kind that only another part names: "the lights in the lab and the office"."""
    if target.names:
        return target
    if not target.nouns and not target.words and not target.whole:
        lent = next((o for o in others if o.nouns or o.whole), target)
        return replace(target, nouns=lent.nouns, whole=lent.whole)
    if not target.areas and not target.floors:
        lent = next((o for o in others if o.areas or o.floors), target)
        return replace(target, areas=lent.areas, floors=lent.floors)
    return target
