"""Locate_code: the lines, the value in force, what else sets it, when it last changed."""

from __future__ import annotations

import re

from workers.agents.research.write_settings import (
    decided,
    further_places,
    scopes_in,
    setting_places,
    settings_aside,
    settings_claim,
)
from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import (
    DOC_FILE,
    MOST_QUOTED,
    TEST_FILE,
    code_claim,
    code_words,
    has,
    is_config,
    join,
    last_change_claims,
    lines_of,
    of_kind,
    passage_claim,
)
from workers.reasoning.question_features import asks_aside, asks_value, asks_yes_no
from workers.reasoning.relevance import asked_words, share_of

CONFIGURED = re.compile(r"\b(?:configur\w+|set|turn(?:s|ed)? (?:on|off)|enabled|disabled|settings?)\b", re.IGNORECASE)
PRODUCTION = re.compile(r"(?:\b|_)(?:prod|production|live)(?:\b|_)", re.IGNORECASE)
STAGING = re.compile(r"(?:\b|_)(?:staging|stage|dev|development|local|test|example|sample)(?:\b|_)", re.IGNORECASE)
GIVEN = re.compile(r"[:=(]\s*[\"']?-?\d|\b(?:true|false|on|off)\b", re.IGNORECASE)
KEY = re.compile(r"[\"']?(\w+)[\"']?\s*(?::|=)")
FILE_ORDER, LAST_FILE = {"": 0, "code": 0, "config": 1, "example": 2, "test": 3, "doc": 4}, 5
"""In which order places are told, by the kinds of their files."""
NO_VALUE, SETS_KEY, MOST_OTHERS = 0.5, 3.0, 3
MOST_WORDS = 2 / 3
"""Of the question's words, so many stand in the place that answers."""
BESIDE = 1 / 3
"""Of the question's words, so many stand in a section that is told beside the place."""


def write_places(brief: Brief) -> Draft | None:
    """The place that holds all that is asked about; None when none does, or gives no value where one is asked for."""
    code = rank_places([c for c in of_kind(brief.evidence, "code") if not has(c, "setting")], brief)
    docs = of_kind(brief.evidence, "doc")
    if not code:
        return None
    code = sorted(code, key=lambda c: not (has(c, "key") or share_of(c, brief) >= MOST_WORDS))
    main = code[0]
    valued = not asks_value(brief.question.text) or given(main, brief)
    if not valued or not (has(main, "key") or share_of(main, brief) >= MOST_WORDS):
        return None
    if asks_yes_no(brief.question.text) and not has(main, "key"):  # lines that speak of it decide nothing
        return None
    live = in_force(main, code[1:], brief)
    return Draft(
        headline=headline(main, live, brief),
        code=tuple(
            c
            for c in (*about(main, brief), *(about(live[0], brief) if live else ()), *others(code[1:], live, brief))
            if c
        ),
        docs=tuple(passage_claim(d) for d in docs[:2] if share_of(d, brief) >= BESIDE),
        confidence="high",
    )


def write_values(brief: Brief) -> Draft | None:
    """What a setting is in each environment, when its lines last changed, and what documents say; None without one."""
    groups = setting_places(brief)
    if not groups:
        return None
    asked = scopes_in(brief.question.text)
    lead = decided(groups[0], asked, brief.question.text) if len(groups) == 1 else ""
    head = settings_claim(groups, asked, lead)
    lines = [c for c in of_kind(brief.evidence, "code") if not has(c, "setting") and has(c, "start_line", "end_line")]
    own = [c for c in lines if any(shares_lines(c, place) for place in groups[0])]
    docs = [d for d in of_kind(brief.evidence, "doc") if share_of(d, brief) >= BESIDE]
    return Draft(
        headline=head,
        code=(*further_places(groups, head), *(c for item in own[:2] for c in about(item, brief))),
        docs=tuple(passage_claim(d) for d in docs[:2]),
        missing=settings_aside(brief, groups),
        confidence="high",
    )


def shares_lines(one: Evidence, other: Evidence) -> bool:
    """Whether two pieces of code share lines of a file."""
    first, last = (int(one.facts[name].value) for name in ("start_line", "end_line"))
    begin, end = (int(other.facts[name].value) for name in ("start_line", "end_line"))
    return text_of(one, "path") == text_of(other, "path") and first <= end and begin <= last


def rank_places(code: list[Evidence], brief: Brief) -> list[Evidence]:
    """Code before configuration, examples, tests and documents, unless one of these is asked for.

    Where a value is asked for, the lines that give it come before those that use it.
    """
    text, wanted = brief.question.text, asked_words(brief)
    code = code if asks_aside(text) else sorted(code, key=lambda c: FILE_ORDER.get(text_of(c, "file_kind"), LAST_FILE))
    if not (asks_value(text) or CONFIGURED.search(text)):
        return code

    def score(item: Evidence) -> float:
        place = [c.id for c in code if c.step == item.step].index(item.id)
        path = text_of(item, "path")
        shared = max((len(code_words(x) & wanted) for x in settings(item) if GIVEN.search(x)), default=0)
        total = 0.6 * shared + 0.3 * len(code_words(f"{path} {text_of(item, 'symbol')}") & wanted) - 0.35 * place
        total -= 0.0 if shared else NO_VALUE
        total += SETS_KEY if has(item, "key") and text_of(item, "file_kind") in {"code", "config"} else 0.0
        total -= 1.0 if STAGING.search(path) and not STAGING.search(text) else 0.0
        total -= 2.0 if TEST_FILE.search(path) or DOC_FILE.search(path) else 0.0
        return total - (1.0 if text_of(item, "alert_1") else 0.0)

    return sorted(code, key=lambda item: -score(item))


def settings(item: Evidence) -> list[str]:
    """The lines of an excerpt that may give a value, the most telling first."""
    found = (text_of(item, name) for name in ("telling", *(f"setting_{i}" for i in range(1, 9))))
    return [line for line in found if line]


def given(item: Evidence, brief: Brief) -> bool:
    """Whether a line gives a value to something that is asked for."""
    wanted = asked_words(brief)
    return any(GIVEN.search(line) and code_words(line) & wanted for line in settings(item))


def in_force(main: Evidence, rest: list[Evidence], brief: Brief) -> tuple[Evidence, str] | None:
    """The production setting of a key that the main place gives a default, as evidence and fact."""
    if PRODUCTION.search(text_of(main, "path")) or STAGING.search(brief.question.text):
        return None
    keys = {m[1].lower() for line in settings(main) if GIVEN.search(line) and (m := KEY.search(line))}
    for item in rest:
        if not (is_config(item) and PRODUCTION.search(text_of(item, "path"))):
            continue
        for name in ("telling", *(f"setting_{i}" for i in range(1, 9))):
            match = KEY.search(text_of(item, name))
            if match and match[1].lower() in keys and GIVEN.search(text_of(item, name)):
                return item, name
    return None


def headline(main: Evidence, live: tuple[Evidence, str] | None, brief: Brief) -> Claim:
    """Where it is, with the lines that say most; the value that production sets before the default."""
    k = main.id
    said = lines_of(main, asked_words(brief), MOST_QUOTED, more=True).removeprefix(": ")
    symbol = f" (`{{{k}.symbol}}`)" if text_of(main, "symbol") else ""
    place = f"{{{k}.lines}}{symbol}{f': {said}' if said else ''}"
    if live is None:
        return Claim(template=place, evidence=(k,))
    item, name = live
    return Claim(
        template=f"In production `{{{item.id}.{name}}}`, set in {{{item.id}.lines}}; the default is in {place}",
        evidence=(item.id, k),
    )


def about(item: Evidence, brief: Brief) -> list[Claim]:
    """What the lines say of themselves, when and by whom they last changed, and who uses a definition that is named."""
    k, out = item.id, []
    if has(item, "comment"):
        out.append(Claim(template=f"{{{k}.lines}} says: “{{{k}.comment}}”.", evidence=(k,)))
    last = text_of(item, "last_commit")
    changes = (c for c in of_kind(brief.evidence, "change") if text_of(c, "commit") == last and has(c, "author"))
    change = next(changes, None)
    out += last_change_claims(item, f"{{{change.id}.author}}", change.id) if change else last_change_claims(item, "")
    users = [f"{{{k}.reference_{i}}}" for i in range(1, 4) if has(item, f"reference_{i}")]
    if users and text_of(item, "symbol") and text_of(item, "symbol") in brief.question.text:
        out.append(Claim(template=f"Used (`{{{k}.symbol}}`) by {join(users)}.", evidence=(k,)))
    return out


def others(code: list[Evidence], live: tuple[Evidence, str] | None, brief: Brief) -> list[Claim]:
    """Further places: configuration that sets it too, then code; of each the lines that speak of what was asked."""
    wanted = asked_words(brief)
    shown = [c for c in code[:MOST_OTHERS] if live is None or c.id != live[0].id]
    lead = {c.id: "Also set in " if is_config(c) and given(c, brief) else "See also " for c in shown}
    return [code_claim(c, lead[c.id], wanted, 2) for c in sorted(shown, key=lambda c: not is_config(c))]
