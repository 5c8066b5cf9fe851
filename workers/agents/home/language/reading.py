"""A sentence -> what it asks of a home: by Home Assistant's templates where one fits, else by its parts.

A sentence of another form is read by its parts: a verb, a state or a value, and the names, rooms and kinds of things.
What is left out ("but the fridge") is read first, as no template knows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rapidfuzz.distance import OSA

from workers.agents.home.language.conditions import (
    ADJECTIVES,
    BY_HOW_MUCH,
    DIFFERENCE,
    DOWN,
    FORMS,
    LASTING,
    MORE_OF,
    NUMBER_WORD,
    SELECTING,
    THAN,
    UP,
    Conditions,
    noun_of,
    read_conditions,
    read_step,
)
from workers.agents.home.language.gloss import gloss
from workers.agents.home.language.phrases import Mark, Phrases, Token, marks_in, phrases_of, tokens_of
from workers.agents.home.language.request import Found, HomeRequest, Target
from workers.agents.home.language.targets import find_targets
from workers.agents.home.language.templates import LANGUAGE, read_template
from workers.agents.home.language.value_words import SHARES, Value, read_value
from workers.agents.home.language.verbs import (
    action_in,
    acts,
    domains_of,
    moved,
    outside,
    outside_text,
    state_in,
    without_places,
)
from workers.agents.home.language.vocabulary import (
    BINARY_STATES,
    FILLERS,
    MASS,
    MEASURED,
    NOUN_BASES,
    NOUNS,
    OPPOSITES,
    PERCENT,
    RUN,
    SETTING,
    SIGNS,
    STATE_WORDS,
    SWITCHING,
    UNREAD,
    VERBS,
    WHOLE,
    kinds_of,
)
from workers.contracts import EntityInfo
from workers.language.stop_words import STOP_WORDS

ASKING = r"(?:can|could|would|will) (?:you|someone|somebody|anyone|u)|is it possible to|i want to|i'd like to|let's"
POLITE = re.compile(rf"^\W{{0,5}}(?:(?:hey|hi|hello|ok|please|pls|kindly|{ASKING})[, ]+){{0,3}}", re.IGNORECASE)
BUT = r"but(?: not)?|except(?: for)?|apart from|other than|besides|excluding|without|save for|not counting"
NOT_A = r"(?:that|which) (?:is|are)(?: not|n't) (?:an?|in|on|the)"
EXCEPT = re.compile(
    rf"(?:,|\band) (?:but )?(?:leave|keep|not) |,? (?:{BUT}) |,? (?:just |only |and )?not (?=(?:in|on|at|the) )"
    rf"|,? {NOT_A} ",
    re.IGNORECASE,
)
BUT_LIMITED = re.compile(rf"\bbut (?:only )?(?=(?:{UP}|{DOWN}) )", re.IGNORECASE)
"""A "but" before a condition leaves nothing out."""
QUESTION = re.compile(
    r"^(?:is|are|was|were|what|what's|whats|which|who|where|how|why|when|since|does|do|did|has|have|any|anything"
    r"|tell me|show|list|name|count)\b",
    re.IGNORECASE,
)
WHETHER = re.compile(r"^(?:is|are|was|were|does|do|did|has|have|any|anything)\b", re.IGNORECASE)
SINCE = re.compile(
    r"\b(?:since when|how long|when (?:was|did|were|has)|what time (?:was|did)|last time)\b", re.IGNORECASE
)
RELATIVE = re.compile(
    r"\bby (?:\d|half)|\b(?:a bit|a little|warmer|cooler|colder|brighter|darker|louder|quieter|step)\b", re.IGNORECASE
)
NEGATIVE = re.compile(r"\b(?:not|n't)\b|n't\b", re.IGNORECASE)
LATER = re.compile(
    rf"\b(?:for|in) (?:a few |some |{NUMBER_WORD} )(?:sec|min|hour|day)|"
    r"\d:\d\d|\d ?[ap]m\b|\bo'clock\b|\bat (?:[1-9]|1[0-2])\b(?! ?(?:%|percent|degrees|°))"
    r"|\b(?:until|till|tomorrow|later|if|once|when|whenever|unless|then"
    r"|every (?:day|hour|week|time|night|morning|evening|\w{3,6}day)|(?:for|in) (?:\d+|an?|half an) ?(?:s|m|h)"
    r"|tonight|night|morning|evening|noon|midnight|sunset|sunrise|weekend|\w{3,6}days?\b)",
    re.IGNORECASE,
)
"""What makes an order one for later, for a while or on a condition."""
AT_ONCE = "I change things at once only, not later, for a while or on a condition."
IF = re.compile(r"^(?:if|in case) (?P<rest>.+)$", re.IGNORECASE)
IF_LAST = re.compile(r"^(?P<act>.+?),? (?:if|in case) (?P<holds>.+)$", re.IGNORECASE)
ACTING = VERBS.keys() | SETTING | SWITCHING
THEN = re.compile(rf",? then |, |\s(?=(?:{'|'.join(sorted(ACTING))})\b)", re.IGNORECASE)
WHEN = re.compile(
    r"^(?:when(?:ever)?|once|as soon as|every time|each time|at \d+)\b"
    r"(?! (?:is|are|was|were|did|does|do|has|have|will)\b)",
    re.IGNORECASE,
)
"""What begins a standing rule."""
EVERY = re.compile(r"\b(?:all|every|everything|each)\b", re.IGNORECASE)
NEGATED = re.compile(r"\b(?:do not|don't|dont|never|no longer|should(?:n't)?|shall)\b", re.IGNORECASE)
SELECTED = re.compile(rf"\b(?:{'|'.join(map(re.escape, STATE_WORDS))})\b", re.IGNORECASE)
KIND_OF_RUN = re.compile(r" (?:scene|mode|routine|script)$", re.IGNORECASE)
TO_VALUE = re.compile(r"\b(?:to|at|on) -?\d", re.IGNORECASE)
AGAIN = re.compile(r"^(?:and|what about|how about|same for)\b(?: (?:what|how) about\b)? *", re.IGNORECASE)
SENTENCES = re.compile(r"(?<=[.!?])\s+|\n+")
CLAUSES = re.compile(r"(?:,| - | – |\(|;| because | so | for (?!\d)).*$", re.IGNORECASE | re.DOTALL)
THANKS = re.compile(r"[, ](?:please|pls|thanks|thank you|thx|now|asap)$", re.IGNORECASE)
AND = frozenset({"and", "plus", "or"})
POINTING = frozenset("it that this those these them they ones".split())
ARTICLES = (STOP_WORDS | frozenset("the my our a an of to in on off out at up down many much".split())) - UNREAD
LEAVING_OUT = frozenset("but except besides apart from excluding without save counting".split())
KNOWN_WORDS = (
    ARTICLES | FILLERS | UNREAD | STATE_WORDS.keys() | VERBS.keys() | SETTING | SWITCHING | WHOLE | SHARES.keys()
) | LEAVING_OUT
ROOM = frozenset({"room", "rooms"})
FEWEST_SPELLED, LONG_WORD = 4, 7
"""Letters of a word that is read as another one which is spelled almost so."""


def read_request(
    text: str,
    entities: tuple[EntityInfo, ...],
    languages: tuple[str, ...] = (LANGUAGE,),
    area: str = "",
    thread: tuple[str, ...] = (),
) -> HomeRequest:
    """What is asked. Of several sentences one may ask; two that do are not taken apart, and what stands behind an order
    may set it a time or a condition.

    Args:
        text: what somebody wrote.
        entities: the things of the home.
        languages: in which people write.
        area: where the speaker is, when that is known.
        thread: what was written before it, oldest first.
    """
    parts = [part for part in SENTENCES.split(text.strip()) if part.strip()]
    read = [read_sentence(part, entities, languages, area) for part in parts] or [HomeRequest("unclear")]
    read = [leaned(one, part, entities, languages, thread) for one, part in zip(read, parts or [""], strict=True)]
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


def leaned(
    request: HomeRequest,
    text: str,
    entities: tuple[EntityInfo, ...],
    languages: tuple[str, ...],
    thread: tuple[str, ...],
) -> HomeRequest:
    """What points to what was said before, or goes on with it: of those things, or in that other place."""
    phrases = phrases_of(entities)
    sentence = bare_sentence(gloss(text, phrases, languages))
    tokens = tokens_of(sentence)
    named = [t for t in request.targets if t.names or t.areas or t.floors or t.nouns or t.words]
    if AGAIN.match(sentence) and named and not any(t.words for t in named) and not request.action:
        for before in reversed(thread):
            earlier = read_sentence(before, entities, languages)
            if earlier.kind != "unclear" and any(t.nouns or t.whole for t in earlier.targets):
                there = [t for t in named if not (t.nouns or t.names)]
                moved = [replace(earlier.targets[0], areas=t.areas, floors=t.floors, names=()) for t in there]
                kept = replace(earlier.targets[0], names=(), nouns=(), words=())
                other = [replace(t, areas=t.areas or kept.areas, floors=t.floors or kept.floors) for t in named]
                return replace(earlier, targets=tuple(moved if there else other))
    if named or not POINTING & {t.text for t in tokens} or request.kind == "unclear":
        return request
    for before in reversed(thread):
        marks = [m for m in marks_in(tokens_of(before), phrases) if m.meaning.ids]
        if marks:
            meant = Target(names=tuple((m.text, m.meaning.ids) for m in marks), whole=True)
            return replace(request, targets=(meant,), lacks=request.lacks if request.action or request.lacks else "")
    said = next(t.text for t in tokens if t.text in POINTING)
    return replace(request, lacks=f"What is meant by “{said}”?") if request.kind == "change" else request


def asks(request: HomeRequest, entities: tuple[EntityInfo, ...]) -> bool:
    """Whether it orders something, or asks of something that is there."""
    if request.kind == "change":
        return bool(request.action) or meets(find_targets(request, entities))
    return request.kind != "unclear" and meets(find_targets(request, entities))


def read_sentence(
    text: str, entities: tuple[EntityInfo, ...], languages: tuple[str, ...], area: str = ""
) -> HomeRequest:
    """What one sentence asks; where it is not understood, its first clause, when the rest names nothing of the home."""
    whole = read_languages(text, entities, languages, area)
    first = CLAUSES.sub("", text)
    if whole.lacks or first == text or not first.strip():
        return whole
    rest = gloss(text[len(first) :], phrases_of(entities), languages)
    limits = any(t.text in UNREAD | LEAVING_OUT or t.text.isdigit() for t in tokens_of(rest))
    if limits or marks_in(tokens_of(rest), phrases_of(entities)) or LATER.search(rest) or NEGATED.search(rest):
        return whole
    short = read_languages(first, entities, languages, area)
    better = short.kind == "change" or not meets(find_targets(whole, entities))
    return short if better and meets(find_targets(short, entities)) else whole


def read_languages(text: str, entities: tuple[EntityInfo, ...], languages: tuple[str, ...], area: str) -> HomeRequest:
    """In English, with misspelled words as they are spelled; else by the templates of another language."""
    phrases = phrases_of(entities)
    english = spelled(gloss(text, phrases, languages), phrases)
    sentence = bare_sentence(english)
    written = read_whole(bare_sentence(text), entities, LANGUAGE, area) if english != text else None
    if written and written.kind == "state" and not written.targets[0].names and WHETHER.match(text):
        return replace(written, whether=True)
    for holding, acting in conditional(sentence):
        holds = read_clause(f"is {holding}", entities, (LANGUAGE,), area)
        act = read_clause(acting, entities, (LANGUAGE,), area)
        act, holds = sharing_places(act, holds, entities)
        if act.kind == "change" and asked_now(holds, entities):
            return replace(act, holds=holds)
    if WHEN.match(sentence) and any(t.text in ACTING for t in tokens_of(sentence)):
        return HomeRequest("change", targets=read_targets(tokens_of(sentence), phrases), lacks=AT_ONCE)
    read = read_clause(english, entities, (LANGUAGE,), area)
    if not meets(find_targets(read, entities)):
        others = (read_whole(bare_sentence(text), entities, code, area) for code in languages if code != LANGUAGE)
        return next((found for found in others if found), read)
    return read


def conditional(sentence: str) -> Iterator[tuple[str, str]]:
    """Each way to read a sentence as a condition and what is to be done then."""
    if first := IF.match(sentence):
        for joint in THEN.finditer(first["rest"]):
            yield first["rest"][: joint.start()], first["rest"][joint.end() :]
    elif last := IF_LAST.match(sentence):
        yield last["holds"], last["act"]


def sharing_places(
    act: HomeRequest, holds: HomeRequest, entities: tuple[EntityInfo, ...]
) -> tuple[HomeRequest, HomeRequest]:
    """An order and its condition, of which one may name the place of both; without any, "it" is what is ordered."""
    lone = all(t.nouns and not (t.names or t.areas or t.floors) for t in holds.targets)
    if not holds.targets:
        return act, replace(holds, targets=act.targets)
    if lone:  # a condition of nothing in particular is that of the room
        ids = set(find_targets(act, entities).ids)
        areas = {e.area for e in entities if e.id in ids}
        areas = areas if len(areas) == 1 else set()
        return act, replace(holds, targets=tuple(replace(t, areas=tuple(areas)) for t in holds.targets if areas))
    place = next((t for t in holds.targets if t.areas or t.floors), None)
    if place is None:
        return act, holds
    here = tuple(
        t if t.names or t.areas or t.floors else replace(t, areas=place.areas, floors=place.floors) for t in act.targets
    )
    moved = replace(act, targets=here)
    return (moved if meets(find_targets(moved, entities)) else act), holds


def asked_now(request: HomeRequest, entities: tuple[EntityInfo, ...]) -> bool:
    """Whether a question says which state or number has to be there, of things that are."""
    says = bool(request.state) or request.conditions.limits
    return request.kind == "state" and says and meets(find_targets(request, entities))


def spelled(sentence: str, phrases: Phrases) -> str:
    """A sentence in which a word that is in no name is replaced by the one word of names that is spelled almost so."""
    tokens = tokens_of(sentence)
    inside = {place for mark in marks_in(tokens, phrases) for place in range(mark.start, mark.end)}
    words = {word for phrase in phrases.known for word in phrase if len(word) >= FEWEST_SPELLED}
    for place, token in reversed(list(enumerate(tokens))):
        known = token.text in KNOWN_WORDS or token.text in FORMS or token.base in words or place in inside
        if known or len(token.text) < FEWEST_SPELLED:
            continue
        near = {w for w in words if w[0] == token.text[0] and misspells(token.base, w)}
        if len(near) == 1:
            sentence = sentence[: token.start] + near.pop() + sentence[token.end :]
    return sentence


def misspells(word: str, known: str) -> bool:
    """Whether one letter is missing, too many or in a neighbour's place; in a long word one may be another too."""
    swapped = len(word) != len(known) or sorted(word) == sorted(known) or len(word) >= LONG_WORD
    return swapped and OSA.distance(word, known, score_cutoff=1) <= 1


def read_clause(text: str, entities: tuple[EntityInfo, ...], languages: tuple[str, ...], area: str) -> HomeRequest:
    """By the templates of each language, else by the parts; an order for later or a prohibition is no order."""
    sentence = bare_sentence(text)
    phrases = phrases_of(entities)
    main, excepted = split_exceptions(sentence, phrases)
    if run := started(main, phrases):
        return run
    found = next((r for code in languages if (r := read_whole(main, entities, code, area))), None)
    parts = read_parts(main, phrases)
    if (
        found is None
        or (found.kind == parts.kind == "change" and any(t.one for t in parts.targets))
        or SINCE.search(main)
    ):
        found = parts
    if found.kind == "state" and SINCE.search(main) and not found.conditions.order:
        found = replace(found, kind="since", action="", lacks="")
    request = replace(found, excepted=excepted, whether=bool(WHETHER.match(main)))
    if request.kind == "state" and request.whether and request.state in OPPOSITES and EVERY.search(main):
        request = replace(request, state=OPPOSITES[request.state], every=True)
    if request.kind == "change" and NEGATED.search(sentence):
        return replace(request, lacks="That does not order anything to be done now.")
    tokens = tokens_of(sentence)
    plain = outside_text(sentence, tokens, marks_in(tokens, phrases))
    if request.kind == "change" and LATER.search(LASTING.sub(" ", plain) if request.conditions.limits else plain):
        return replace(request, lacks=AT_ONCE)
    return request


def started(sentence: str, phrases: Phrases) -> HomeRequest | None:
    """A scene or script that is called by nothing but its name."""
    sentence = KIND_OF_RUN.sub("", sentence)
    meaning = phrases.known.get(tuple(t.base for t in tokens_of(sentence)))
    if meaning is None or not meaning.ids or not all(i.partition(".")[0] in RUN for i in meaning.ids):
        return None
    return HomeRequest("change", "turn_on", targets=(Target(names=((sentence, meaning.ids),)),))


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
    sentence = BUT_LIMITED.sub("and ", sentence)
    parts = EXCEPT.split(sentence, maxsplit=1)
    if len(parts) == 1 or not parts[0]:
        return sentence, ()
    left_out = read_targets(tokens_of(parts[1].rstrip(" ?.!")), phrases)
    if NEGATIVE.search(sentence[len(parts[0]) :]) and all(not (t.names or t.nouns or t.areas) for t in left_out):
        return sentence, ()  # "that are not on" is a state
    return parts[0], left_out or (Target(words=tuple(t.text for t in tokens_of(parts[1]))),)


def read_parts(sentence: str, phrases: Phrases) -> HomeRequest:
    """What the parts of a sentence say."""
    marked, sentence = sentence.endswith("?"), sentence.rstrip(" ?.!")
    tokens = tokens_of(sentence)
    marks = marks_in(tokens, phrases)
    names = [m for m in marks if not m.meaning.noun]
    questions = bool(QUESTION.match(sentence)) or (marked and not acts(outside(tokens, marks)))
    selected = ""
    selects = SELECTING.search(outside_text(sentence, tokens, names))
    plain, conditions = outside_text(sentence, tokens, names), Conditions()
    if questions and (compared := compare(sentence, plain, phrases)):
        return compared
    if questions or selects or not acts(outside(tokens, marks)):
        at = 0 if questions or not selects else selects.start()
        rest, blank, conditions = read_conditions(sentence[at:], plain[at:], asks=questions)
        selected = state_in(tokens_of(rest)) if at else ""
        if at:  # what is on is no order to turn it on
            rest = SELECTED.sub(lambda found: " " * len(found.group()), rest)
        sentence, plain = sentence[:at] + rest, plain[:at] + (" " * len(blank) if at else blank)
    step, unit, noun, words = read_step(plain, tokens[0].text if tokens else "") if not questions else ("", "", "", "")
    if step:
        at = plain.index(words)
        sentence = MORE_OF.sub(" ", sentence[:at] + " " * len(words) + sentence[at + len(words) :])
    tokens = tokens_of(sentence)
    marks = marks_in(tokens, phrases)
    free = outside(tokens, marks)
    value = read_value(outside_text(sentence, tokens, marks)) if not conditions.limits else Value()
    targets = with_noun(read_targets(tokens, phrases, value), conditions.noun, conditions)
    if step:
        return set_to(
            Value(step, unit),
            with_noun(targets, noun if noun != "temperature" else "", conditions),
            sentence,
            noun,
        )
    signs = sign_of(targets) if questions else ""
    state = state_in(without_places(tokens, marks)) or signs
    none = bool(signs) and any(t.text == "no" for t in free)
    if none:
        targets = tuple(replace(t, words=tuple(w for w in t.words if w != "no")) for t in targets)
    if questions:
        targets = targets or ((Target(whole=True),) if state or conditions.limits else ())
        return HomeRequest("state", state=state, targets=targets, conditions=conditions, every=none)
    action = action_in(tokens, marks) or moved(free, targets)
    sets = bool(action) or acts(free) or bool(value.unit) or TO_VALUE.search(sentence) is not None
    goes = not action or value.unit or TO_VALUE.search(sentence)
    if value.text and sets and goes and action in {"", "turn_on", "turn_off", "close", "open"}:
        return set_to(value, targets, sentence)
    ids = {i.partition(".")[0] for t in targets for _, called in t.names for i in called}
    if ids and ids <= RUN and (action in {"", "start", "play"} and acts(free)):
        return HomeRequest("change", "turn_on", targets=targets)
    if not action:
        verb = free[0].text if free else ""
        if verb in SETTING and not conditions.limits:
            lacks = "By how much, as a number?" if RELATIVE.search(sentence) else "To what should it be set?"
            return HomeRequest("change", "", targets=targets, lacks=lacks)
        said = bool(state or targets or conditions.order)
        return HomeRequest("state" if said else "unclear", state=state, targets=targets, conditions=conditions)
    return HomeRequest("change", action, state=selected, targets=targets, conditions=conditions)


def sign_of(targets: Sequence[Target]) -> str:
    """What is asked of sensors that only tell whether something is there: leaks, motion, smoke; empty for others."""
    kinds = {kind for t in targets for noun in t.nouns for kind in kinds_of(noun)}
    classes = {kind.partition(".")[2] for kind in kinds}
    return BINARY_STATES[classes.pop()][0] if len(classes) == 1 and classes <= SIGNS else ""


def compare(sentence: str, plain: str, phrases: Phrases) -> HomeRequest | None:
    """A question of how much more one thing is than another; None when it names no two."""
    if than := THAN.search(plain):
        before = f"{sentence[: than.start()]} {sentence[than.start('between') : than.end('between')]}"
        sides, form = (before, BY_HOW_MUCH.sub(" ", sentence[than.end() :])), than["form"].lower()
    elif apart := DIFFERENCE.search(sentence):
        sides, form = (f"{apart['of'] or ''} {apart['one']}", apart["other"]), ""
    else:
        return None
    noun = noun_of(form) or next((n for t in tokens_of(sentence) if (n := NOUN_BASES.get((t.base,))) in MEASURED), "")
    found = [read_targets(tokens_of(side), phrases) for side in sides]
    if any(len(targets) != 1 for targets in found):
        return None
    nouns = next((t.nouns for (t,) in found if t.nouns), (noun,) if noun else ())
    both = tuple(t if t.names else replace(t, nouns=t.nouns or nouns) for (t,) in found)
    if not all(t.names or t.areas or t.floors for t in both):
        return None
    sign = {"": 0, "more": 1, "less": -1}.get(form) if form not in FORMS else ADJECTIVES[FORMS[form]][1]
    return HomeRequest("state", targets=both, conditions=Conditions(order="difference", sign=sign or 0, noun=noun))


def with_noun(targets: tuple[Target, ...], noun: str, conditions: Conditions) -> tuple[Target, ...]:
    """Targets that name no thing and no kind, with the kind that an adjective speaks of."""
    if not noun and conditions.unit == "degree":
        noun = "temperature"
    if not noun:
        return targets
    if not targets:
        return (Target(nouns=(noun,)),)
    return tuple(t if t.names or t.nouns else replace(t, nouns=(noun,)) for t in targets)


def set_to(value: Value, targets: tuple[Target, ...], sentence: str, noun: str = "") -> HomeRequest:
    """What a value sets, by its unit, the words beside it, the kind of thing that is named, an adjective."""
    lower = sentence.lower()
    if not value.text.startswith("by ") and RELATIVE.search(lower):
        return HomeRequest("change", "", targets=targets, lacks="To which value should it be set?")
    kinds = domains_of(targets)
    if value.color:
        action = "set_color"
    elif noun in {"light", "media player"}:
        action = "set_brightness" if noun == "light" else "set_volume"
    elif value.unit == "degree" or noun == "temperature" or ("climate" in kinds and value.unit != "percent"):
        action = "set_temperature"
    elif "volume" in lower:
        action = "set_volume"
    elif "brightness" in lower or re.match(r"(?:dim|brighten)\b", lower):
        action = "set_brightness"
    else:
        fitting = [PERCENT[kind] for kind in PERCENT if kind in kinds]
        rooms = bool(targets) and all(t.areas and not (t.nouns or t.names or t.words) for t in targets)
        of_room = "set_brightness" if value.unit == "percent" else "set_temperature"
        action = fitting[0] if fitting else of_room if rooms else ""
    lacks = "" if action else "What of it should be set?"
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
    named = [t for t in found if not t.empty] or [t for t in found if t.rooms][:1]
    return tuple(filled(t, named) for t in named)


def target_of(part: Sequence[int], tokens: Sequence[Token], inside: dict[int, Mark], spoken: set[str]) -> Target:
    """One part's names, places and kinds, and the words that are left."""
    marks = list(dict.fromkeys(inside[place] for place in part if place in inside))
    words = [tokens[place] for place in part if place not in inside]
    left = [
        t.text
        for place, t in enumerate(words)
        if (t.text in UNREAD and not denies(place, words)) or t.text not in KNOWN_WORDS | spoken
    ]
    return Target(
        names=tuple((m.text, m.meaning.ids) for m in marks if m.meaning.ids),
        areas=tuple(m.meaning.area for m in marks if m.meaning.area),
        floors=tuple(m.meaning.floor for m in marks if m.meaning.floor),
        nouns=tuple(m.meaning.noun for m in marks if m.meaning.noun),
        words=tuple(left),
        whole=any(t.text in WHOLE for t in words),
        one=not any(t.text in WHOLE for t in words)
        and any(m.meaning.noun for m in marks)
        and all(m.text in NOUNS.keys() - MASS - {"lights"} for m in marks if m.meaning.noun),
        rooms=any(t.text in ROOM for t in words),
    )


def denies(place: int, words: Sequence[Token]) -> bool:
    """Whether a word is the "not" of a state: "that are not open"."""
    return words[place].text == "not" and any(t.text in STATE_WORDS for t in words[place + 1 : place + 2])


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
