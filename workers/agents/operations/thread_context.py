"""A question about operations that leans on its thread, made whole: "and on west-edge?", "why?", "only premium"."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from workers.agents.operations.parameters import nearest, read_parameters
from workers.agents.operations.question_words import REQUEST_ID, names_in, stands_in
from workers.contracts import Landscape
from workers.grounding.lexicon import words
from workers.language.phrase_to_window import phrases_in
from workers.reasoning.claim_phrases import join
from workers.reasoning.deployment_parts import SERVED
from workers.reasoning.question_features import questions_in
from workers.reasoning.question_subjects import ENDPOINT, SMALL, WORD, strip, with_hints

ASKERS = ("user", "tier")
KINDS = (*SERVED, *ASKERS, "task_type")
MOST_WORDS, MOST_LEFT = 8, 4
"""Of a question that may lean on another; of what is left of one that asks nothing by itself, without its names."""
TOPIC = words(
    r"errors?|error rates?|fail(?:ures?|ed|ing|s)?|timeouts?|timed out|latenc\w+|slow\w*|p50|p9\d|ttft|quality|scores?|traffic|volume|requests?|"
    r"costs?|spend\w*|spent|budget|tokens?|incidents?|status|health\w*|usage|queue"
)
SYMPTOM = words(
    r"errors?|error rates?|fail(?:ures?|ed|ing|s)|timeouts?|timed out|latenc\w+|slow\w*|p95|p99|quality|scores?|degraded|down"
)
BARE_WHY = re.compile(
    r"^\W*(?:(?:and|but|so|ok|hm+|then)\W+)*(?:why(?: (?:is|was|did|does) (?:that|this|it)(?: (?:so|happen|happening|the case))?| so| not)?|how come|"
    r"what(?:['’]s| is| was) (?:the (?:reason|cause|root cause)|causing (?:it|that|this)|behind (?:it|that|this))|(?:the )?(?:reason|root cause|cause)|what caused (?:it|that|this)|what happened(?: there)?)\W*$",
    re.IGNORECASE,
)
BARE_WHEN = re.compile(
    r"^\W*(?:(?:and|but|so|ok|then)\W+)*(?:since when|for how long|how long(?: (?:has|is) (?:it|that|this).*| now| already| so far)?|when did (?:it|that|this) (?:start|begin)|still|is (?:it|that|this) still so)\W*$",
    re.IGNORECASE,
)
ASKS = re.compile(
    r"\b(?:why|who(?:se|m)?|where|when|which|is|are|was|were|do|does|did|has|have|had|can|could|should|will|show|list|give|tell|find|open|explain|compare|count|"
    r"how(?! about)|what(?!['’]?s? (?:about|of)\b))\b",
    re.IGNORECASE,
)
LEANS = re.compile(
    r"^\W*(?:and|so|but|then|also|what about|how about|same|or|now)\b(?! (?:what|who) (?:do|does|is|are) an?\b)|"
    r"\b(?:it|its|that|those|them|they|there(?<!is there)(?<!are there)(?<!was there)(?<!were there)|the same|ones?|others?)\b|"
    r"\b(?:how long|how bad|still|back to normal|the (?:slowest|worst|newest|latest|last|first|failed|slow)? ?(?:ones?|requests?|errors?|timeouts?|failures|incidents?|deployments?|users?|numbers?|details?|trend|latency|traffic|costs?))\b",
    re.IGNORECASE,
)
LEANS_SURELY = words(r"affected|impacted|since when|how long has (?:it|that|this)|how bad is (?:it|that|this)|the same")
OF_ALL = words(
    r"we|our|us|all|overall|any|every\w*|anything|total|in general|system|platform|models|deployments|backends|users|tiers|customers|"
    r"(?:per|by|each|which|top \w+) (?:tier|model|backend|deployment|user|task)s?|tables?|columns?"
)
LEAD = re.compile(r"^\W*(?:(?:and|but|or|ok|so|then|what about|how about|same|now)\b\W*)+", re.IGNORECASE)
GROUPED = re.compile(r"\b(?:by|per|each) \w+|\b(?:hourly|daily)\b", re.IGNORECASE)
KIND_WORDS = words(r"tiers?|users?|customers?|models?|backends?|deployments?|tasks?")
PLACED = re.compile(r"\b(?:on|at|in|from)\s+(?:the )?$", re.IGNORECASE)


@dataclass(frozen=True)
class Whole:
    """``text``: the question as it is meant. ``thread``: those before it, whole. ``leans``: on the last of them."""

    text: str
    thread: tuple[str, ...] = ()
    leans: bool = False


def whole_of(text: str, context: Sequence[str], landscape: Landscape) -> Whole:
    """A question with what it leaves to its thread put in, each earlier one made whole first."""
    asked, done, answers = set(questions_in(context)), list[str](), list[str]()
    for message in context:
        if message in asked:
            done.append(merged(message, done, answers, landscape).text)
            answers = []
        else:
            answers.append(message)
    return merged(text.strip(), done, answers, landscape)


def merged(text: str, before: Sequence[str], answers: Sequence[str], landscape: Landscape) -> Whole:
    """One question, made whole with the one before it."""
    alone = Whole(text, tuple(before))
    if not before or REQUEST_ID.search(text) or ENDPOINT.search(text):
        return alone
    base, hints = before[-1], phrases_in(text)
    rest = strip(text, hints)
    if BARE_WHY.match(rest):
        return replace(alone, text=why(base, hints, answers, landscape), leans=True)
    if BARE_WHEN.match(rest):
        return replace(alone, text=base, leans=True)  # whatever told how it is, tells since when
    if not ASKS.search(rest) and (varies := varied(text, hints, base, landscape)):
        return replace(alone, text=varies, leans=True)
    own = names_of(rest, landscape)
    short = len(WORD.findall(rest)) <= MOST_WORDS
    topical = TOPIC.search(rest) and not hints and not own
    if short and (LEANS_SURELY.search(rest) or ((LEANS.search(rest) or topical) and not OF_ALL.search(rest))):
        return replace(alone, text=framed(text, own, hints, base, landscape), leans=True)
    return alone


def names_of(text: str, landscape: Landscape) -> dict[str, tuple[str, ...]]:
    """What is named, by kind."""
    return {kind: own for kind, own in read_parameters(text, landscape).names.items() if kind in KINDS}


def with_tier(text: str, landscape: Landscape) -> dict[str, tuple[str, ...]]:
    """What a rest of a question names; the word of a tier alone is the tier: "only standard"."""
    bare = [t for t in landscape.labels.get("tier", ()) if stands_in(t, text)]
    return {**names_of(text, landscape), **({"tier": tuple(bare)} if bare else {})}


def without(text: str, names: Mapping[str, Iterable[str]], landscape: Landscape) -> str:
    """A text without what it names, however that is written."""
    for name in sorted((n for own in names.values() for n in own), key=len, reverse=True):
        if written := spelt(name, text, landscape):
            text = re.sub(rf"(?<![\w-]){re.escape(written)}(?![\w-])", " ", text)
    return KIND_WORDS.sub(" ", text)


def spelt(name: str, text: str, landscape: Landscape) -> str:
    """How a name stands in a text: as it is, cut short or misspelt; empty when it does not."""
    if found := stands_in(name, text):
        return found.group()
    known = next((own for own in landscape.labels.values() if name in own), (name,))
    parts = [m.group() for m in re.finditer(r"[A-Za-z][\w./-]*\w", text)]
    return next(
        (p for p in parts if p.lower() == re.split(r"[-_./]", name.lower())[0] or nearest(p, known) == name), ""
    )


# --- the ways to lean -----------------------------------------------------------------------------------------


def varied(text: str, hints: Sequence[str], base: str, landscape: Landscape) -> str:
    """The earlier question, asked of another name or time, or with something added: "and yesterday?", "by hour".

    Returns: empty when too much is said for that; a measure of its own is asked of whom the earlier one was about.
    """
    rest = strip(text, hints)
    if read_parameters(rest, landscape).excluded:
        return f"{with_hints(base, hints).rstrip('?., ')} {LEAD.sub('', rest).strip(' ?.,')}?"
    own = with_tier(rest, landscape)
    said = without(LEAD.sub("", rest), own, landscape)
    left = [w for w in WORD.findall(said) if w.lower().replace("’", "'") not in SMALL] or GROUPED.findall(said)
    if len(left) > MOST_LEFT:
        return ""
    if TOPIC.search(" ".join(left)):
        return framed(text, own, hints, base, landscape)
    out, old = with_hints(base, hints), names_of(strip(base, phrases_in(base)), landscape)
    for kind, names in own.items():
        written = spelt(names[0], text, landscape) or names[0]
        out = put(out, kind, names, old, landscape, PLACED.search(text[: max(text.find(written), 0)]) is not None)
    out = f"{out.rstrip('?., ')} {said.strip(' ?.,')}?" if left else out
    return re.sub(r"\s{2,}", " ", out)


def put(
    text: str, kind: str, names: Sequence[str], old: Mapping[str, tuple[str, ...]], landscape: Landscape, placed: bool
) -> str:
    """Names in place of those that they stand against; beside them when they narrow them down."""
    said = f"{join(names)} tier" if kind == "tier" else join(names)
    against = SERVED if kind in SERVED else ASKERS if kind in ASKERS else (kind,)
    for other in (kind, *against):
        if not old.get(other) or (other == "model" and kind == "backend"):
            continue
        if other == "deployment" and kind == "backend":
            model = old[other][0].partition("/")[0]
            pair = f"{model}/{names[0]}"
            said = pair if pair in landscape.labels.get("deployment", ()) else said
        if written := spelt(old[other][0], text, landscape):
            return re.sub(rf"(?<![\w-]){re.escape(written)}(?![\w-])(?: tier)?", said, text, count=1)
    lead = "on" if placed or kind == "backend" else "for"
    return f"{text.rstrip('?., ')} {lead} {said}?"


def framed(text: str, own: Mapping[str, tuple[str, ...]], hints: Sequence[str], base: str, landscape: Landscape) -> str:
    """A question of its own that takes from the earlier one whom it is about and when."""
    taken = phrases_in(base)
    frame = frame_of(own, base, landscape)
    parts = [text.rstrip("?., "), *frame, *(() if hints else taken)]
    return f"{' '.join(parts)}?" if len(parts) > 1 else text


def frame_of(own: Mapping[str, tuple[str, ...]], base: str, landscape: Landscape) -> list[str]:
    """Whom the earlier question is about, as far as the new one does not say: ``for heron-mini``, ``for premium tier``."""
    old = names_of(strip(base, phrases_in(base)), landscape)
    named = {group for group in (SERVED, ASKERS, ("task_type",)) if set(group) & set(own)}
    keep = [kind for group in (SERVED, ASKERS, ("task_type",)) if group not in named for kind in group if old.get(kind)]
    return [f"for {join(old[kind])}{' tier' if kind == 'tier' else ''}" for kind in keep]


def why(base: str, hints: Sequence[str], answers: Sequence[str], landscape: Landscape) -> str:
    """Why it is so: the symptom of the earlier question, else of its answer, for what that is about."""
    told = " ".join(answers)
    if names_in(told, landscape.alerts)[0] and not names_of(base, landscape):
        return base  # what was told first is not of the operations data
    symptoms = SYMPTOM.findall(base) or SYMPTOM.findall(told)
    frame = frame_of({}, base, landscape)
    if not frame and told:
        served = names_of(told, landscape)
        frame = [f"for {served[kind][0]}" for kind in SERVED if served.get(kind)][:1]
    if not symptoms and not frame:
        return base
    when = hints or phrases_in(base)
    topic = join([*dict.fromkeys(s.lower() for s in symptoms)][:2]) if symptoms else "it like this"
    return f"why {' '.join((topic, *frame, *when))}?"
