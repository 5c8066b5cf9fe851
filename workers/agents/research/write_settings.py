"""What a setting is in force: its value in each environment and by default, each with its line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.contracts import Claim, Evidence, Gap
from workers.grounding.health import text_of
from workers.language.environment_labels import KINDS
from workers.language.question_kinds import plain_words
from workers.language.stems import stem
from workers.language.stop_words import WEAK_WORDS, content_words
from workers.language.tokens import split_names
from workers.ports import Brief
from workers.reasoning.claim_phrases import has, join, of_kind
from workers.reasoning.empty_answer import name_unused
from workers.reasoning.question_features import AMOUNT, asks_value, asks_yes_no
from workers.reasoning.question_subjects import is_small, name_stems

MOST_TOLD = 3
ASIDE = 3
"""Fewer than one in so many words may stand at none of the places."""
SWITCHED = re.compile(
    r"\b(?:(?P<on>on|enabled|active|activated|aktiv|aktiviert)|(?P<off>off|disabled|inactive|deaktiviert))\b",
    re.IGNORECASE,
)
ON, OFF = frozenset({"true", "on", "yes", "enabled"}), frozenset({"false", "off", "no", "disabled"})
NUMBER = re.compile(r"(?<![\w.])(\d[\d_]*(?:\.\d+)?) ?(ms|s|min|h)?\b")
OF_NAMES = content_words("enabled enable active is use flag max maximum min default seconds minutes hours ms sec")
"""What names of settings hold beside what they set."""
DEFAULT = "default"
"""The scope of a value that holds where no environment has one of its own."""
BY_DEFAULT = re.compile(r"\b(?:by default|defaults?|out of the box|standardmäßig|standardwert)\b", re.IGNORECASE)
SENTENCE = re.compile(r"[?.!]\s+")
SWITCH_WORDS = "turned enabled disabled active activated inactive".split()
LITTLE = WEAK_WORDS | frozenset({*KINDS, *SWITCH_WORDS, *"time times till until take takes last lasts".split()})
"""Words that say nothing of which setting is meant."""


def setting_places(brief: Brief) -> list[list[Evidence]]:
    """The settings that a question asks the value of, each as its places in the order of their environments.

    Nothing where neither a value nor an environment is asked for, or where words of the question are left that stand
    at none of the places and are no names of the sources: then another setting may be meant.
    """
    groups: dict[str, list[Evidence]] = {}
    for item in of_kind(brief.evidence, "code"):
        if has(item, "setting", "setting_value", "setting_place"):
            groups.setdefault(text_of(item, "setting"), []).append(item)
    text = brief.question.text
    if not groups or not (asks_value(text) or environments_in(text)):
        return []
    words, left = asked_and_left(brief, [place for group in groups.values() for place in group])
    unnamed = left.keys() - name_stems(brief.landscape)
    return list(groups.values()) if len(unnamed) * ASIDE < max(words, 1) else []


def asked_and_left(brief: Brief, places: Sequence[Evidence]) -> tuple[int, dict[str, str]]:
    """How many words of a question say which setting is meant, and those, by stem, that stand at none of the places."""
    first = SENTENCE.split(brief.question.text.strip())[0]  # what follows tells why it is asked, or what others say
    plain = plain_words(split_names(AMOUNT.sub(" ", first)))
    words = {stem(w): w for w in plain if not is_small(w) and w not in LITTLE}
    said = content_words(split_names(" ".join(f"{p.excerpt} {p.locator} {text_of(p, 'setting')}" for p in places)))
    return len(words), {s: w for s, w in words.items() if s not in said}


def settings_aside(brief: Brief, groups: Sequence[Sequence[Evidence]]) -> tuple[Gap, ...]:
    """The words of the question that stand at none of the places."""
    _, left = asked_and_left(brief, [place for group in groups for place in group])
    return name_unused(list(left.values()))


def environments_in(text: str) -> list[str]:
    """The environments that a question names, as settings do."""
    words = (word.lower() for word in re.findall(r"[A-Za-z]+", text))
    return list(dict.fromkeys(KINDS[w] if KINDS[w] != "trial" else w for w in words if w in KINDS))


def scopes_in(text: str) -> list[str]:
    """The environments that a question names, and `DEFAULT` where it asks for that."""
    return [*environments_in(text), *([DEFAULT] if BY_DEFAULT.search(text) else [])]


def scope_of(place: Evidence) -> str:
    """The environment that a place sets a value for, else `DEFAULT`."""
    return text_of(place, "environment") or DEFAULT


def settings_claim(groups: Sequence[Sequence[Evidence]], asked: Sequence[str], lead: str = "") -> Claim:
    """The settings that fit, each with its values. ``lead``: what stands before them."""
    told = [told_first(group, asked) for group in groups]
    parts = [setting_phrase(group, shown, asked) for group, shown in zip(groups, told, strict=True)]
    cited = tuple(place.id for shown in told for place in shown)
    return Claim(template=f"{lead}{'; '.join(parts)}.", evidence=cited)


def decided(places: Sequence[Evidence], asked: Sequence[str], text: str) -> str:
    """``Yes: `` or ``No: `` to a question of a switch, or of whether the value is a number; else nothing."""
    main, first = told_first(places, asked)[0], SENTENCE.split(text.strip())[0]
    if not asks_yes_no(text) or (asked and scope_of(main) not in asked):
        return ""
    name = content_words(split_names(text_of(main, "setting").rpartition(".")[2])) - OF_NAMES
    if not name <= content_words(split_names(first)):  # ``retry_on_timeout``, ``disable_retry``: says something else
        return ""
    value = text_of(main, "setting_value").lower()
    if value in ON | OFF and (switched := SWITCHED.search(first)):
        return "Yes: " if (value in ON) == (switched.lastgroup == "on") else "No: "
    numbers = NUMBER.findall(first)
    if len(numbers) != 1 or NUMBER.fullmatch(value) is None or numbers[0][1] not in {"", text_of(main, "setting_unit")}:
        return ""
    if not value.replace("_", "").replace(".", "", 1).removeprefix("-").isdigit():  # "30s": the unit is not asked for
        return ""
    return "Yes: " if float(numbers[0][0]) == float(value.replace("_", "")) else "No: "


def told_first(places: Sequence[Evidence], asked: Sequence[str]) -> list[Evidence]:
    """The places to tell: what is asked for first, the default, the other environments."""
    of_asked = [p for p in places if scope_of(p) in asked]
    rest = [p for p in places if p not in of_asked and has(p, "environment")]
    general = [p for p in places if p not in of_asked and not has(p, "environment")][:1]
    return [*of_asked, *general, *rest][:MOST_TOLD] if of_asked else [*rest, *general][:MOST_TOLD]


def setting_phrase(places: Sequence[Evidence], shown: Sequence[Evidence], asked: Sequence[str]) -> str:
    """One setting: ```KEY` is `5` in production (FILE:31) and `3` by default (FILE:25)``."""
    k = shown[0].id
    lacking = [name for name in asked if all(scope_of(p) != name for p in places)]
    nothing = f"; I found nothing that sets it for {join(lacking)}" if lacking else ""
    if len(places) == 1 and not has(shown[0], "environment") and not has(shown[0], "setting_unit"):
        line = f"{{{k}.setting_text}}" if has(shown[0], "setting_text") else f"{{{k}.setting}} = {{{k}.setting_value}}"
        return f"{{{k}.setting_place}}: `{line}`{nothing}"
    parts = [value_phrase(p, default=len(shown) > 1) for p in shown]
    return f"`{{{k}.setting}}` is {join(parts)}{nothing}"


def value_phrase(place: Evidence, *, default: bool) -> str:
    """```5` in production (config/production.yaml:31)``, as slots."""
    k = place.id
    unit = f" {{{k}.setting_unit}}" if has(place, "setting_unit") else ""
    where = f" in {{{k}.environment}}" if has(place, "environment") else " by default" if default else ""
    return f"`{{{k}.setting_value}}`{unit}{where} ({{{k}.setting_place}})"


def further_places(groups: Sequence[Sequence[Evidence]], headline: Claim) -> list[Claim]:
    """The places that the headline leaves out."""
    left = [p for group in groups for p in group if p.id not in headline.evidence]
    return [Claim(template=f"`{{{p.id}.setting}}` is {value_phrase(p, default=True)}.", evidence=(p.id,)) for p in left]
