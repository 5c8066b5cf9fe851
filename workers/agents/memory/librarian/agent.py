"""How the librarian reads a task, plans and says what it proposes. Without a model it knows four forms of orders."""

from __future__ import annotations

import re
from datetime import datetime

from workers.contracts import Claim, Draft, Evidence, Gap, Intent, Landscape, Plan, Question
from workers.ports import Brief, Playbook
from workers.reasoning.claim_phrases import passage_claim
from workers.reasoning.empty_answer import CONNECT_MODEL, write_nothing
from workers.reasoning.known_plans import fill_step

POLITE = re.compile(r"^\W{0,5}(?:please |pls |can you |could you )?(?P<rest>.{1,1500})$", re.IGNORECASE)
THING = re.compile(r"^(?:the |my |our )?(?:note |folder |page |file )?", re.IGNORECASE)
BETWEEN = {"move": (" into ", " to "), "rename": (" into ", " to "), "merge": (" into ", " with ", " and ")}
"""The orders that name two things, and what stands between these."""
QUOTES = " \t\"'`“”[]"
INDEX = re.compile(
    r"\b(?:index|overview)\b(?:\W+(?:note|page|for|of|in|the|folder)){0,5}\W+(?P<folder>[^\n]{1,256})$", re.IGNORECASE
)
NOTES = re.compile(r"\.md\b|\b(?:note|notes|vault)\b", re.IGNORECASE)
DUPLICATES = re.compile(r"\bduplicat|\bnear-identical\b", re.IGNORECASE)
WHOLE = frozenset({"", "vault", "the vault", "everything", "notes", "the notes", "my notes", "our notes"})
MOST = 5


def claim(question: Question, landscape: Landscape) -> float:
    """Whether it is an order about notes by its form; what else is asked of it the router has learned."""
    del landscape
    return 0.9 if two_names(" ".join(question.text.split())) and NOTES.search(question.text) else 0.0


def read_task(text: str) -> tuple[str, dict[str, str]]:
    """The kind of task and what it names, by the form of the order; ``other`` when it has none that is known."""
    text = " ".join(text.split()).rstrip(".!")
    if named := two_names(text):
        return named
    if DUPLICATES.search(text):
        return "duplicates", {}
    if found := INDEX.search(text):
        folder = bare(found["folder"]).removesuffix(" folder")
        return "index", {"folder": "" if folder.lower() in WHOLE else folder}
    return ("index", {"folder": ""}) if re.search(r"\b(?:index|overview)\b", text, re.IGNORECASE) else ("other", {})


def two_names(text: str) -> tuple[str, dict[str, str]] | None:
    """``move A to B``, ``rename A to B``, ``merge A into B``, ``delete the note A``; None for anything else."""
    asked = POLITE.match(text)
    verb, _, rest = asked["rest"].partition(" ") if asked else ("", "", "")
    for between in BETWEEN.get(verb.lower(), ()):
        source, found, target = rest.partition(between)
        if found and bare(source) and bare(target):
            return verb.lower(), {"source": bare(source), "target": bare(target)}
    if verb.lower() == "delete" and NOTES.search(rest) and bare(rest):
        return "delete", {"source": bare(rest)}
    return None


def bare(name: str) -> str:
    """A path or title without quotes, and without "the note" before it."""
    return THING.sub("", name.strip(QUOTES)).strip(QUOTES)


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """The kind of task, and the notes it names."""
    del landscape, now, playbook
    kind, named = read_task(question.text)
    return Intent(question_type=kind, subjects=tuple(filter(None, named.values())))


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The known plan of this kind of task."""
    del landscape
    _, values = read_task(question.text)
    for name, pattern in playbook.patterns.items():
        if intent.question_type in pattern.question_types and all(slot in values for slot in pattern.requires):
            steps = tuple(fill_step(step, values, ()) for step in pattern.steps)
            return Plan(pattern=name, query_intent=pattern.query_intent, steps=steps)
    return Plan(pattern="NOVEL", query_intent="a task of another kind", steps=())


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """What it would change, which waits for a person; or what it found."""
    del playbook
    proposed = [e for e in brief.evidence if "change" in e.facts]
    if proposed:
        others = tuple(say(e) for e in proposed[1:])
        return Draft(headline=say(proposed[0]), what_changed=others, missing=brief.gaps, confidence="high")
    if brief.plan.pattern == "NOVEL":
        text = "I propose nothing: without a language model I read no move, merge, index or deletion of notes in this."
        return Draft(headline=Claim(template=text), missing=() if brief.without_model else (CONNECT_MODEL,))
    if failed := [call for call in brief.calls if call.status == "error"]:
        gaps = tuple(Gap(text=call.summary, tool=call.name) for call in failed if call.summary)
        return Draft(headline=Claim(template="I propose nothing: that cannot be done."), missing=gaps)
    found = [e for e in brief.evidence if e.facts][:MOST]
    if not found:
        return write_nothing(brief, NOTHING.get(brief.intent.question_type, "There is nothing to change."))
    rest = tuple(passage_claim(e) for e in found[1:])
    more = (Gap(text=f"{len(brief.evidence) - MOST} more are not shown."),) if len(brief.evidence) > MOST else ()
    return Draft(headline=passage_claim(found[0]), docs=rest, missing=(*more, *brief.gaps))


NOTHING = {"duplicates": "No two notes say nearly the same."}


def say(item: Evidence) -> Claim:
    """A change that waits for a person."""
    return Claim(template=f"Proposed: {{{item.id}.change}}", evidence=(item.id,))
