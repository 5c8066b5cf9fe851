"""How memory reads a message, plans and writes its answer."""

from __future__ import annotations

import re
from datetime import datetime

from workers.agents.memory import write_passages
from workers.agents.memory.note_listing import read_listing
from workers.contracts import Draft, Intent, Landscape, Plan, Proposal, Question
from workers.language.memory_kinds import sure_kind
from workers.language.message_parts import read_parts
from workers.language.phrase_to_window import read_hints
from workers.language.reference_moment import Moment
from workers.language.zones import read_zone
from workers.ports import Brief, Playbook
from workers.reasoning.known_plans import fill_step

KINDS = frozenset("decision notes listing remembered remember forget web".split()) | {
    *("definition", "references", "conceptual", "behavioral")
}
URL = re.compile(r"https?://[^\s<>\"'|]{1,1000}")
TOKEN = re.compile(r"`[^`\s]{2,100}`|[A-Za-z_][\w.:#]{1,100}(?:\(\))?")
JOINED = re.compile(r"[a-z0-9][A-Z]|\w_\w|\w(?:\.|::|#)[A-Za-z_]")
"""What names of code have and words do not: capitals inside, underscores, a part of another name."""
POLITE = r"^\W{0,5}(?:please |pls |can you |could you )?"
ORDER = re.compile(f"{POLITE}(?:remember|memorize|keep in mind|note down)(?: that|:|,)? +", re.IGNORECASE)
REMOVAL = re.compile(
    f"{POLITE}(?:bitte )?(?:forget|vergiss|olvida)(?: that| about|:|,| dass?| lo del?| que)? +", re.IGNORECASE
)
NOTES = re.compile(r"What do our notes say about ")
"""How the command for notes asks."""
SAVED = re.compile(r"save the answer ([A-Za-z0-9_-]{1,64}) as a note[.!]?", re.IGNORECASE)


def claim(question: Question, landscape: Landscape) -> float:
    """Whether it is an order to memory, or lists notes, by its form; what else is its own the router has learned."""
    listed = read_listing(question.text, question.received_at, question.timezone)
    ordered = read_order(question, landscape) or is_removal(question.text) or listed
    return 1.0 if ordered else 0.0


def disclaim(question: Question, landscape: Landscape) -> bool:
    """Whether it is about how something of ours is built or works, which others look up in code and documents."""
    del landscape
    return sure_kind(question.text) in {"definition", "references", "conceptual", "behavioral"}


def read_order(question: Question, landscape: Landscape) -> Proposal | None:
    """What the asker orders to remember, or an answer to save: theirs alone, can be taken back, and is done at once.

    What only reads like such an order, and what is to be forgotten, is proposed: see ``patterns.yaml``.
    """
    del landscape
    text = question.text.strip()
    if saved := SAVED.fullmatch(text):
        return Proposal(
            tool="save_answer", args={"request_id": saved[1]}, title=f"Save the answer {saved[1]} as a note"
        )
    said = ORDER.sub("", text).strip()
    if said and said != text and not text.endswith("?"):
        return Proposal(tool="remember", args={"text": said}, title=f"Remember: {said}")
    return None


def read_kind(text: str) -> str:
    """What is asked: by the form of what the command writes and of "forget …", else as it was learned."""
    if NOTES.match(text):
        return "notes"
    return "forget" if is_removal(text) else sure_kind(text)


def is_removal(text: str) -> bool:
    """Whether it is "forget …", and no question."""
    return REMOVAL.match(text) is not None and not text.rstrip().endswith("?")


def read_intent(question: Question, landscape: Landscape, now: datetime, playbook: Playbook) -> Intent:
    """The kind of question, the code that it names, and when."""
    del playbook
    kind = "listing" if read_listing(question.text, now, question.timezone) else read_kind(question.text)
    hints, window = read_hints(question.text, Moment(now, read_zone(question.timezone), landscape.deploys))
    return Intent(
        question_type=kind if kind in KINDS else "other",
        subjects=names_in(question.text),
        time_hints=hints,
        window=window,
    )


def names_in(text: str) -> tuple[str, ...]:
    """Names of code, in the order they stand: in back quotes, called, or written as no word is."""
    tokens = TOKEN.findall(URL.sub(" ", text))
    named = [t for t in tokens if t.startswith("`") or t.endswith("()") or JOINED.search(t)]
    return tuple(dict.fromkeys(t.strip("`").removesuffix("()").rstrip(".:#") for t in named))[:4]


def make_plan(question: Question, intent: Intent, landscape: Landscape, playbook: Playbook) -> Plan:
    """The first known plan of this kind whose slots can be filled; the search of everything when there is none."""
    del landscape
    url = URL.search(question.text)
    asked = read_parts(question.text).asked(names=False)
    values = {"question": asked[:1000], "said": REMOVAL.sub("", question.text).strip()[:1000]}
    if listing := read_listing(question.text, question.received_at, question.timezone):
        values |= {"since": f"{listing.since}", "until": f"{listing.until}", "words": " ".join(listing.words)}
    values |= {"symbol": intent.subjects[0]} if intent.subjects else {}
    values |= {"url": url[0].rstrip(".,;:!?)")} if url else {}
    for kind in (intent.question_type, "other"):
        for name, pattern in playbook.patterns.items():
            if kind in pattern.question_types and all(slot in values for slot in pattern.requires):
                steps = tuple(
                    fill_step(step, values, ())
                    for step in pattern.steps
                    if playbook.tools is None or step.tool in playbook.tools
                )
                return Plan(pattern=name, query_intent=pattern.query_intent, steps=steps)
    return Plan(pattern="NOVEL", query_intent="other", steps=())


def write_answer(brief: Brief, playbook: Playbook) -> Draft:
    """What was found, best first, each with its place and its words."""
    del playbook
    return write_passages.write_answer(brief)
