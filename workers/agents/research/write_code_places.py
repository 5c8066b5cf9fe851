"""Locate_code and explain_code: the lines, what overrides them, who uses them, when they last changed."""

from __future__ import annotations

import re

from workers.agents.research.relevance import asked_words, covers, is_of_folder, shown_words
from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import (
    DOC_FILE,
    TEST_FILE,
    capital,
    change_claim,
    code_claim,
    code_words,
    doc_claim,
    folder_claim,
    has,
    is_config,
    join,
    lines_of,
    of_kind,
    passage_claim,
)
from workers.reasoning.empty_answer import unanswered
from workers.reasoning.question_features import asks_history, asks_value, names_document

LONG, NO_VALUE, SETS_KEY = 9, 0.5, 3.0
SPECIFIC = re.compile(r"(?<!\S)\S*[/\d_]\S*")
SERVED = re.compile(r"\b(?:handled|handles?|served|serves?|implemented|routed|endpoint|code)\b", re.IGNORECASE)
CONFIGURED = re.compile(
    r"\b(?:configured|set|defined|turn(?:s|ed)? (?:on|off)|enabled|disabled|on in|off in|settings?)\b", re.IGNORECASE
)
PRODUCTION = re.compile(r"(?:\b|_)(?:prod|production|live)(?:\b|_)", re.IGNORECASE)
STAGING = re.compile(r"(?:\b|_)(?:staging|stage|dev|development|local|test|example|sample)(?:\b|_)", re.IGNORECASE)
ASIDE = re.compile(r"\b(?:tests?|tested|testing|specs?|examples?|samples?|demos?|fixtures?|mock\w*)\b", re.IGNORECASE)
AUTOMATION = re.compile(
    r"(?:^|/)\.(?:github|gitlab|circleci|buildkite)/|(?:^|/)(?:\.?renovate\.json5?|\.gitlab-ci\.yml|\.travis\.yml|"
    r"azure-pipelines\.yml|\.pre-commit-config\.yaml|\.readthedocs\.ya?ml)$"
)
AUTOMATED = re.compile(
    r"\b(?:ci|cd|pipelines?|workflows?|actions?|github|gitlab|dependabot|renovate|pre-?commit|builds?|jobs?|runners?)\b",
    re.IGNORECASE,
)
"""What tends the repository, not what it holds: of interest when the question speaks of it."""
GIVEN = re.compile(r"[:=(]\s*[\"']?-?\d|\b(?:true|false|on|off)\b", re.IGNORECASE)
NAMES_NOTHING = re.compile(r"\bnothing\b[^;]{0,300}? names ((?:“[^”]+”(?:, )?)+)")
"""How a tool says which things of a question no file names, though it found something."""
NO_PHRASE = re.compile(
    r"^(?:do|can|does|did|long|often|many|much|turns?|it|they|is|are|was|and|which|what|whats|who|when|how|we|i)\b|"
    r"[,&;]| and ",
    re.IGNORECASE,
)

QUESTION_HEAD = re.compile(
    r"^\W*(?:hey|hi|hello|so|ok|please|pls)?[, ]*(?:(?:can|could|would) (?:you|someone|anyone) (?:please )?)?"
    r"(?:tell me |show me |point me to |find |explain |walk me through |do (?:you|we) know )?"
    r"(?:where(?:['’]?s| is| are| do we| does| did| can i find| in the code is)?|what(?:['’]s| is| are)|"
    r"which (?:file|module|place)|"
    r"how (?:can|do|does|did|should|could|would) (?:i|we|you|one)|how(?: is| are| does| do| did)?)?\s*",
    re.IGNORECASE,
)
QUESTION_TAIL = re.compile(
    r"\s*(?:\b(?:is|are|gets?|being)\b\s*)?\b(?:configured|defined|implemented|set(?: up| to)?|located|declared|"
    r"live|lives|handled|stored|done|work|works|here|please|pls|again|in (?:the|our) (?:code|repo|codebase))\b"
    r"[\s?.!]*$|[\s?.!]+$",
    re.IGNORECASE,
)


def write_places(brief: Brief) -> Draft:
    """The best match first; when it covers too little of the question, it is offered as the closest instead."""
    code, docs = rank_places(of_kind(brief.evidence, "code"), brief), of_kind(brief.evidence, "doc")
    if not code and not docs:
        return Draft(headline=nothing(brief), missing=brief.gaps)
    code = sorted(code, key=lambda c: not is_of_folder(c, brief))
    sure = bool(code) and covers(code[0], brief) and not is_unnamed(code[0], brief)
    head = place_headline(code[0], brief, sure=sure) if code else doc_headline(docs[0])
    changes = of_kind(brief.evidence, "change")
    return Draft(
        headline=head,
        what_changed=tuple(change_claim(c) for c in changes[:1] if asks_history(brief.question.text)),
        code=tuple(c for item in code[:1] for c in around(item, changes)) + tuple(others(code, brief)),
        docs=tuple(passage_claim(d) for d in docs[:3] if speaks(d, brief)),
        next_steps=tuple(Claim(template=f"Open {{{c.id}.lines}}.", evidence=(c.id,)) for c in code[:1] if not sure),
        missing=tuple(g for g in brief.gaps if g.tool != "metrics_query"),
        confidence="high" if sure else "low",
    )


def rank_places(code: list[Evidence], brief: Brief) -> list[Evidence]:
    """Where a value is asked for, the lines that give it come before those that use it, and production before the rest.

    Otherwise the order of the search stands, but tests and examples come last unless they are asked for.
    """
    text = brief.question.text
    wanted = asked_words(brief)
    if not AUTOMATED.search(text):
        code = [c for c in code if not AUTOMATION.search(text_of(c, "path"))] or code
    code = code if ASIDE.search(text) else sorted(code, key=lambda c: bool(TEST_FILE.search(text_of(c, "path"))))
    places = [s for s in brief.intent.subjects if s.startswith("/")]
    if places and SERVED.search(text):
        return sorted(code, key=lambda c: not any(p in c.excerpt for p in places))
    if not (asks_value(text) or CONFIGURED.search(text)):
        return code
    live = PRODUCTION.search(text) is not None

    def score(item: Evidence) -> float:
        place = [c.id for c in code if c.step == item.step].index(item.id)
        path = text_of(item, "path")
        lines = [text_of(item, "telling"), *(text_of(item, f"setting_{i}") for i in range(1, 9))]
        shared = max((len(code_words(x) & wanted) for x in lines if GIVEN.search(x)), default=0)
        total = 0.6 * shared + 0.3 * len(code_words(f"{path} {text_of(item, 'symbol')}") & wanted) - 0.35 * place
        total -= 0.0 if shared else NO_VALUE
        total += SETS_KEY if has(item, "key") and text_of(item, "file_kind") in {"code", "config"} else 0.0
        total += 1.0 if live and shared and PRODUCTION.search(path) else 0.0
        total -= 1.0 if STAGING.search(path) and not STAGING.search(text) else 0.0
        total -= 2.0 if TEST_FILE.search(path) or DOC_FILE.search(path) else 0.0
        return total - (1.0 if text_of(item, "alert_1") else 0.0)

    return sorted(code, key=lambda item: -score(item))


def speaks(doc: Evidence, brief: Brief) -> bool:
    """It covers the question; a third of it is enough when the question speaks of documents."""
    if covers(doc, brief):
        return True
    wanted = asked_words(brief)
    loose = names_document(brief.question.text) and len(wanted & shown_words(doc)) >= max(1, len(wanted) / 3)
    return loose and bool(text_of(doc, "passage"))


def subject_phrase(text: str) -> str:
    """ "Where is the retry policy configured for our payment client?" -> "the retry policy for our payment client"."""
    core = QUESTION_TAIL.sub("", QUESTION_HEAD.sub("", text.strip(), count=1))
    core = re.sub(r"\b(?:configured|defined|implemented|set|located|declared) (?=for|of|in|on|by)", "", core)
    core = re.split(r"[.?!]\s", core)[0]
    return re.sub(r"\s+", " ", QUESTION_TAIL.sub("", core)).strip()[:120]


def is_unnamed(item: Evidence, brief: Brief) -> bool:
    """Whether a thing that is asked for stands nowhere, as a gap tells, and the evidence does not show it either."""
    asked, shown = subject_phrase(brief.question.text).lower(), shown_text(item).lower()
    told = " ".join(names[1] for gap in brief.gaps for names in NAMES_NOTHING.finditer(gap.text))
    return any(name in asked and name not in shown for name in re.findall(r"“([^”]+)”", told.lower()))


def place_headline(item: Evidence, brief: Brief, *, sure: bool) -> Claim:
    """Where it is, with the lines that say most; of a folder how many files it holds."""
    if is_of_folder(item, brief):
        return folder_claim(item)
    what = capital(subject_phrase(brief.question.text))
    most = 3 if asks_value(brief.question.text) else 2
    said = lines_of(item, asked_words(brief), most, more=asks_value(brief.question.text)).removeprefix(": ")
    line = f", {said}" if said else ""
    if not sure:
        return Claim(
            template=f"No clear place found for that; the closest is {{{item.id}.lines}}{line}", evidence=(item.id,)
        )
    strange = any(s not in shown_text(item) for s in SPECIFIC.findall(what))
    if not what or strange or len(what.split()) > LONG or NO_PHRASE.search(what):
        symbol = f" (`{{{item.id}.symbol}}`)" if text_of(item, "symbol") else ""
        return Claim(template=f"{{{item.id}.lines}}{symbol}{line}", evidence=(item.id,))
    return Claim(template=f"{what}: {{{item.id}.lines}}{line}", evidence=(item.id,))


def shown_text(item: Evidence) -> str:
    """All that an evidence says."""
    return f"{item.locator} {item.excerpt} {' '.join(str(f.value) for f in item.facts.values())}"


def doc_headline(item: Evidence) -> Claim:
    """No code, but a document speaks of it."""
    return doc_claim(item)


def around(item: Evidence, changes: list[Evidence]) -> list[Claim]:
    """When the lines last changed and by whom, and who uses them."""
    k, out = item.id, []
    if has(item, "comment"):
        out.append(Claim(template=f"{{{k}.lines}} says: “{{{k}.comment}}”.", evidence=(k,)))
    if has(item, "last_commit", "last_subject", "last_at"):
        last = text_of(item, "last_commit")
        change = next((c for c in changes if text_of(c, "commit") == last and has(c, "author")), None)
        who = f" by {{{change.id}.author}}" if change else ""
        said = (
            f"{{{k}.{blamed(item)}}} last changed {{{k}.last_at}}{who} in {{{k}.last_commit}} “{{{k}.last_subject}}”."
        )
        out.append(Claim(template=said, evidence=(k, change.id) if change else (k,)))
    users = [f"{{{k}.reference_{i}}}" for i in range(1, 4) if has(item, f"reference_{i}")]
    if users:
        name = f"`{{{k}.symbol}}`" if text_of(item, "symbol") else "it"
        out.append(Claim(template=f"Used ({name}) by {join(users)}.", evidence=(k,)))
    return out


def blamed(item: Evidence) -> str:
    """The fact that names the lines whose last change is known."""
    return "last_lines" if has(item, "last_lines") else "lines"


def others(code: list[Evidence], brief: Brief) -> list[Claim]:
    """Further places: configuration that overrides, then code; of each the lines that speak of what was asked."""
    wanted = asked_words(brief)
    rest = sorted(code[1:6], key=lambda c: not is_config(c))
    out = []
    for item in rest:
        lead = "Also set in " if is_config(item) and gives(item, wanted) else "See also "
        out.append(code_claim(item, lead, wanted, 2))
        if has(item, "comment") and brief.intent.question_type == "explain_code":
            out.append(Claim(template=f"{{{item.id}.lines}} says: “{{{item.id}.comment}}”.", evidence=(item.id,)))
        if has(item, "last_commit", "last_subject") and asks_history(brief.question.text):
            k = item.id
            said = f"{{{k}.{blamed(item)}}} last changed {{{k}.last_at}} in {{{k}.last_commit}} “{{{k}.last_subject}}”."
            out.append(Claim(template=said, evidence=(k,)))
    return out


def gives(item: Evidence, wanted: set[str]) -> bool:
    """Whether its telling line gives a value to what was asked for."""
    line = text_of(item, "telling")
    return bool(code_words(line) & wanted) and GIVEN.search(line) is not None


def nothing(brief: Brief) -> Claim:
    """Nothing found."""
    subject = brief.intent.subjects[0] if brief.intent.subjects else subject_phrase(brief.question.text)
    lost = unanswered(brief, "repo_search")
    return Claim(
        template=f"{lost}, so I can't say where {subject} is." if lost else f"I found nothing about {subject}."
    )
