"""How a part of the code changed: the commits of a span that touched it, or what its values were before."""

from __future__ import annotations

import re

from workers.agents.research.change_plan import ALL, LAST, LINES, ORIGIN, OWN, PLACE
from workers.agents.research.code_change_question import CodeChange, asked_change, without
from workers.agents.research.write_code_places import SPECIFIC, shown_text, write_places
from workers.contracts import Claim, Draft, Evidence, Gap
from workers.grounding.health import text_of
from workers.language.phrase_to_window import phrases_in
from workers.ports import Brief
from workers.reasoning.claim_phrases import change_claim, code_claim, code_words, has, hunk_claim, hunks, of_kind

CLOSEST = "the closest to what is asked"
MOST, MOST_HUNKS, MOST_VALUES = 6, 2, 4
NO_VALUE = Gap(text="No commit turned one value of these lines into another, as far as their history goes.")
OTHER_VALUE = Gap(text="No change from or to the number that is asked for was found; another of that value was.")
NOUNS = re.compile(
    r"\b(?:modules?|class(?:es)?|functions?|methods?|logic|packages?|implementation|scripts?|components?|"
    r"librar(?:y|ies)|features?|handling|sources?|of|for|in|the|our)\b",
    re.IGNORECASE,
)


def tells_changes(brief: Brief) -> CodeChange | None:
    """How code changed is asked, and the plan looked for it."""
    asked = asked_change(brief.question.text, brief.landscape)
    wanted = ORIGIN if asked and asked.origin else LINES if asked and asked.lines else OWN
    return asked if any(s.id == wanted for s in brief.plan.steps) else None


def write_code_changes(brief: Brief, asked: CodeChange) -> Draft:
    """See `changed_lines` and `changed_in_span`."""
    return changed_lines(brief, asked) if asked.lines else changed_in_span(brief, asked)


def of_step(brief: Brief, step: str) -> list[Evidence]:
    """The commits that a step found."""
    return [e for e in of_kind(brief.evidence, "change") if e.step == step]


# --- commits of a span ----------------------------------------------------------------------------------------


def changed_in_span(brief: Brief, asked: CodeChange) -> Draft:
    """How many commits touched it, the newest in the headline; when none did, the last that had."""
    places = [e for e in of_kind(brief.evidence, "code") if e.step == PLACE]
    own = sorted(of_step(brief, OWN), key=lambda c: text_of(c, "at"), reverse=True)
    if lost := failed_step(brief, PLACE) or failed_step(brief, OWN):
        head = Claim(template=f"{lost}, so I can't say what changed there.")
        return Draft(headline=head, code=tuple(code_claim(p) for p in places[:1]), missing=brief.gaps)
    if not places:
        return Draft(headline=Claim(template=f"I found nothing about {asked.subject}."), missing=brief.gaps)
    place, last = places[0], next(iter(of_step(brief, LAST)), None)
    shown = own[0] if own else last
    sure = is_place(place, asked)
    named = place_name(place, shown, asked, sure=sure)
    rest = [c for c in of_step(brief, ALL) if about(c, asked)]
    return Draft(
        headline=count_claim(own, named) if own else none_claim(last, named),
        what_changed=(*(change_claim(c) for c in own[:MOST]), *(beside(c) for c in rest[:2]), *whole_claim(brief)),
        code=tuple(claim for c in own[:MOST] for claim in touched_lines(c, place, asked))[:MOST],
        missing=(*left_out(own), *(() if sure else (unsure_place(asked),)), *told_gaps(brief)),
        confidence="high" if sure else "low",
    )


def place_name(place: Evidence, shown: Evidence | None, asked: CodeChange, *, sure: bool) -> str:
    """``the payment client ({E1.span_path})``; the path alone when the words hold a name that the place does not."""
    path = f"{{{shown.id}.span_path}}" if shown and has(shown, "span_path") else asked.path or "it"
    if has(place, "folder"):
        return f"the folder {path}"
    strange = any(s not in shown_text(place) for s in SPECIFIC.findall(asked.subject))
    if asked.path or strange or re.search(r"[A-Z`\"_]", asked.subject):
        return path
    return f"the {asked.subject} ({path})" if sure else f"{path}, {CLOSEST}"


def is_place(place: Evidence, asked: CodeChange) -> bool:
    """Whether the place found is the one that is asked for: by its path, else its path and symbol hold all words."""
    path = text_of(place, "path")
    if has(place, "folder"):
        return True
    if asked.path:
        return path.startswith(asked.path) if asked.is_folder else f"/{path}".endswith(f"/{asked.path}")
    plain = code_words(NOUNS.sub(" ", asked.subject)) or code_words(asked.subject)
    return plain <= code_words(f"{re.sub(r'[/.-]', ' ', path)} {text_of(place, 'symbol')} {place.title}")


def unsure_place(asked: CodeChange) -> Gap:
    """The place may be another."""
    named = asked.path or f"the {asked.subject}"
    return Gap(text=f"No file is clearly {named}; this is the closest.", tool="repo_search")


def failed_step(brief: Brief, step: str) -> str:
    """Why it is not known what a step would have found; nothing when it is."""
    call = next((c for c in reversed(brief.calls) if c.step == step), None)
    why = {
        "timeout": "repo_search did not answer in time",
        "error": "repo_search failed",
        "denied": "repo_search was not run",
    }
    return why.get(call.status, "") if call else ""


def count_claim(own: list[Evidence], named: str) -> Claim:
    """``3 commits changed the payment client (…) between … and …; the last: …``."""
    new, k = own[0], own[0].id
    last = f"{{{k}.short}} “{{{k}.subject}}” by {{{k}.author}}, {{{k}.at}}"
    if not has(new, "span_since"):
        return Claim(template=f"The last commit that changed {named}: {last}.", evidence=(k,))
    one = new.facts["span_commits"].value == 1
    number = f"{{{k}.span_commits}} commit{'' if one else 's'}"
    when = f"{',' * named.endswith(CLOSEST)} between {{{k}.span_since}} and {{{k}.span_until}}"
    said = f"{number} changed {named}{when}; {'it is' if one else 'the last:'} {last}."
    return Claim(template=said, evidence=(k,))


def none_claim(last: Evidence | None, named: str) -> Claim:
    """None of that time did; the last that had."""
    if last is None:
        return Claim(template=f"No commit of that time or before it changed {named}.")
    k = last.id
    said = f"{{{k}.short}} “{{{k}.subject}}” by {{{k}.author}}, {{{k}.at}}"
    return Claim(template=f"Unchanged in that time: {named}; the last commit that changed it: {said}.", evidence=(k,))


def whole_claim(brief: Brief) -> tuple[Claim, ...]:
    """How many commits the time holds in all."""
    every = next((c for c in of_step(brief, ALL) if has(c, "span_commits")), None)
    if every is None:
        return ()
    number = f"{{{every.id}.span_commits}} commit{'s' * (every.facts['span_commits'].value != 1)}"
    return (
        Claim(
            template=f"{number} in all lie between {{{every.id}.span_since}} and {{{every.id}.span_until}}.",
            evidence=(every.id,),
        ),
    )


def about(change: Evidence, asked: CodeChange) -> bool:
    """Whether a commit that did not touch the place speaks of the subject, in all of its words."""
    wanted = code_words(asked.subject)
    files = " ".join(text_of(change, f"file_{i}") for i in range(1, 9))
    return bool(wanted) and wanted <= code_words(f"{change.title} {re.sub(r'[/.-]', ' ', files)}")


def beside(change: Evidence) -> Claim:
    """A commit that is near to what is asked."""
    claim = change_claim(change)
    return claim.model_copy(update={"template": f"Near it: {claim.template}"})


def touched_lines(change: Evidence, place: Evidence, asked: CodeChange) -> list[Claim]:
    """The lines of the place that a commit changed."""
    found = hunks(change, code_words(asked.subject))
    folder = text_of(place, "folder") or (asked.path if asked.is_folder else "")
    inside = [n for n, path, _ in found if path == text_of(place, "path") or (folder and path.startswith(folder))]
    return [lines_claim(change, name) for name in inside[:MOST_HUNKS]]


def lines_claim(change: Evidence, name: str) -> Claim:
    """Lines a commit changed; a single one without the definition it lies in, which it does not show."""
    if "-" in text_of(change, name).rpartition(":")[2]:
        return hunk_claim(change, name, None)
    line = f": `{{{change.id}.{name}_line}}`" if text_of(change, f"{name}_line") else ""
    return Claim(template=f"{{{change.id}.{name}}}{line}", evidence=(change.id,))


def left_out(own: list[Evidence]) -> tuple[Gap, ...]:
    """That not all of the commits are listed."""
    count = int(own[0].facts["span_commits"].value) if own and has(own[0], "span_commits") else 0
    left = count - len(own[:MOST])
    return (Gap(text="Earlier commits of that time that changed it are not listed."),) if left > 0 else ()


def told_gaps(brief: Brief) -> tuple[Gap, ...]:
    """Gaps but those that say what the answer says: that no commit of the span is there."""
    empty = {c.step for c in brief.calls if c.status == "empty"} & {OWN, LAST, ALL}
    return tuple(g for g in brief.gaps if not (empty and g.tool == "repo_search" and "commit" in g.text))


# --- lines and values -----------------------------------------------------------------------------------------


def changed_lines(brief: Brief, asked: CodeChange) -> Draft:
    """What a value was and became, when and by whom; without one, when the lines changed last. Then the place."""
    steps = of_step(brief, LINES)
    plain = write_places(brief)
    values = value_facts(steps, brief, asked)
    newest = max((text_of(s, "at") for s in steps), default="")
    wanted = asks_values(brief.question.text) or (values and text_of(values[0][0], "at") == newest)
    if values and wanted:
        told = not numbers_of(brief) or says_number(values[0], brief)
        head, rest = value_claim(*values[0]), [value_claim(*v) for v in values[1 : 1 + MOST_VALUES]]
        return plain.model_copy(
            update={
                "headline": head,
                "what_changed": tuple(rest),
                "code": (plain.headline, *plain.code),
                "confidence": "high" if told else "low",
                "missing": (*(() if told else (OTHER_VALUE,)), *plain.missing),
            }
        )
    if not steps:
        return plain
    dated = sorted(steps, key=lambda s: text_of(s, "at"), reverse=True)
    claims = [step_claim(s) for s in dated]
    if asks_values(brief.question.text):
        return plain.model_copy(
            update={
                "headline": no_value_claim(dated[0]),
                "what_changed": tuple(claims[:MOST]),
                "code": (plain.headline, *plain.code),
                "missing": (NO_VALUE, *plain.missing),
                "confidence": "medium",
            }
        )
    update = {"headline": claims[0], "what_changed": tuple(claims[1:MOST]), "code": (plain.headline, *plain.code)}
    return plain.model_copy(update=update)


def no_value_claim(step: Evidence) -> Claim:
    """The commit that touched the lines last, where none of them changed a value."""
    k = step.id
    did = (
        "The lines found for that came with" if has(step, "began") else "The last commit that touched the lines found:"
    )
    return Claim(template=f"{did} {{{k}.short}} “{{{k}.subject}}” by {{{k}.author}}, {{{k}.at}}.", evidence=(k,))


def asks_values(text: str) -> bool:
    """Whether it asks what a value was, or when it became another."""
    return (
        re.search(
            r"\bfrom\b|\bsince when\b|\bto \S*\d|\bwhat (?:was|were|did)\b|\bvalues?\b|\bbefore\b", text, re.IGNORECASE
        )
        is not None
    )


def value_facts(steps: list[Evidence], brief: Brief, asked: CodeChange) -> list[tuple[Evidence, int]]:
    """Values that changed, as commit and number: those with a number that is asked for first, then the newest.

    Where some are named in the words of the question, those alone.
    """
    found = [
        (s, i) for s in steps for i in range(1, 7) if has(s, f"value_{i}_old", f"value_{i}_new", f"value_{i}_lines")
    ]
    wanted = code_words(asked.subject)

    def shared(pair: tuple[Evidence, int]) -> int:
        step, i = pair
        lines = f"{text_of(step, f'value_{i}_name')} {text_of(step, f'value_{i}_new_text')}"
        return len(code_words(lines) & wanted)

    most = max((shared(p) for p in found), default=0)
    kept = [p for p in found if most and (shared(p) == most or says_number(p, brief))]
    return sorted(
        sorted(kept, key=lambda p: text_of(p[0], "at"), reverse=True), key=lambda p: not says_number(p, brief)
    )


def numbers_of(brief: Brief) -> set[str]:
    """The numbers in the question, but for those of times."""
    text = brief.question.text
    return set(re.findall(r"(?<![\w.])\d+(?:\.\d+)?", without(text, phrases_in(text))))


def says_number(pair: tuple[Evidence, int], brief: Brief) -> bool:
    """Whether a value changed from or to a number of the question."""
    step, i = pair
    ends = f"{text_of(step, f'value_{i}_old')} {text_of(step, f'value_{i}_new')}"
    return bool(numbers_of(brief) & set(re.findall(r"\d+(?:\.\d+)?", ends)))


def value_claim(step: Evidence, i: int) -> Claim:
    """``max_attempts`` went from 3 to 5 at … in d2b733c “…” by …``."""
    k, name = step.id, f"value_{i}"
    what = f"`{{{k}.{name}_name}}`" if text_of(step, f"{name}_name") else f"{{{k}.{name}_lines}}"
    at = f" ({{{k}.{name}_lines}})" if text_of(step, f"{name}_name") else ""
    ends = f"from `{{{k}.{name}_old}}` to `{{{k}.{name}_new}}`"
    return Claim(
        template=f"{what} was changed {ends} {{{k}.at}} in {{{k}.short}} “{{{k}.subject}}” by {{{k}.author}}{at}.",
        evidence=(k,),
    )


def step_claim(step: Evidence) -> Claim:
    """A commit that changed the lines, or brought them."""
    k = step.id
    did = "came with" if has(step, "began") else "was changed in"
    lines = f"{{{k}.hunk_1}}" if has(step, "hunk_1") else f"{{{k}.path}}"
    line = f": `{{{k}.hunk_1_line}}`" if text_of(step, "hunk_1_line") else ""
    return Claim(
        template=f"{lines} {did} {{{k}.short}} “{{{k}.subject}}” by {{{k}.author}}, {{{k}.at}}{line}", evidence=(k,)
    )
