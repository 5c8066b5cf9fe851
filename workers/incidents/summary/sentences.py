"""The sentences of a message with what stands before their colon, in the words that a summary shows."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from workers.contracts import ChannelMessage, order_of
from workers.incidents.summary.utterance_patterns import is_hedged
from workers.language.sentences import NAME_ALONE, WORD, lines_of, split, stems_of, tidy

LABEL = re.compile(r"^[*_\s]*(?:[^\w\s*]+\s*)?([A-Za-zÄÖÜäöüóé][A-Za-zÄÖÜäöüóé; /'-]{1,28}?)[*_]*\s*[:=][*_]*\s+(?=\S)")
LABELS = frozenset(
    """impact|customer impact|user impact|auswirkung|impacto|scope|blast radius|status|current status|state|current state|severity|priority
    |prime suspect|main suspect|suspects|hunch|guess|my guess|root cause|cause|cause known|cause found|rc|why it broke|ursache|causa|culprit|trigger|rca|finding|findings|known|what we know|current understanding|summary|tl;dr
    |tldr|hypothesis|theory|suspect|suspected cause|current hypothesis|working theory|tried|mitigation|mitigations|actions taken
    |attempted|done so far|issue|problem|symptom|symptoms|what happened|what's happening|decision|decisions|decided|entscheidung|decisión|action item|action items|ai|todo|to do|action|actions|follow up
    |follow-up|followup|follow ups|ai for me|my ai|follow-ups|followups|next steps|next step|owner|open question|open questions|unknown|unknowns|unclear
    |question|next update|nächstes update|update|timeline|times|correction|korrektur|corrección|edit|ic|incident commander
    |incident lead|incident manager|commander|lead""".replace("\n    ", "").split("|")
)
"""What a line may begin with to say what it is: ``Impact: 5 % of checkouts fail``."""
LEADS = frozenset({"ic", "incident commander", "incident lead", "incident manager", "commander", "lead"})
"""Labels before the name of who leads."""
GIVEN = re.compile(r"^[*_\s]*(?:\[[^\]]{1,16}\]\s*)?(?:AIs?|TODO|Action(?: item)?)\b[*_]*[\s:–—-]*(?=@)", re.IGNORECASE)
"""How a line begins that gives someone something to do: ``[video] AI @lena: …``."""
STATUS = re.compile(
    r"[*_\s]{0,9}(?:\[(?=[^\]]{1,80}\])|\()?[*_]*(?:investigating|identified|mitigated|monitoring|resolved|closed|false alarm|all[- ]clear)[*_]*"
    r"(?:[\])][*_]*(?:\s*[:–—-])?\s+|\s*:[*_]*\s+|\s+[–—-]\s+)(?=\S)",
    re.IGNORECASE,
)
"""How a line begins that says how it stands, as on a status page: ``[RESOLVED] …``, ``*Identified* - …``."""
HEADING = re.compile(r"([^:]{2,40}):")
UNDER = (
    ("impact", re.compile(r"\b(?:impact\w*|affected|betroffen|afectad\w+|who is)\b")),
    ("action items", re.compile(r"\b(?:actions?|action items?|to-?dos?|follow[- ]?ups?|next steps)\b")),
    ("open questions", re.compile(r"\b(?:open questions?|unknowns?|unclear)\b")),
    ("known", re.compile(r"\b(?:what we know|known|findings?)\b")),
    ("tried", re.compile(r"\b(?:tried|done so far|actions taken)\b")),
    ("decisions", re.compile(r"\bdecisions?\b")),
)
"""What lines below a heading are, by its words."""
HEADS = frozenset({"impact", "hypothesis", "decision", "cause"})
UNWRITTEN = (
    (re.compile(r"\b(that|what|there|here|let|who)s\b"), r"\1's"),
    (re.compile(r"\b(is|are|was|were|do|does|did|have|has|had|would|should|could|wo|ca)nt\b"), r"\1n't"),
    (
        re.compile(r"^(?:'?cause|cuz|bc) (?=(?:the|a|an|our|it|it's|we|they|someone|somebody|all|every|of)\b)"),
        "because ",
    ),
    (re.compile(r"(?:^|(?<=[,.;] )|(?<=\band ))ill (?=[a-z])"), "i'll "),
    (re.compile(r"\bim\b"), "i'm"),
    (re.compile(r"\b(i|we|you|they)ve\b"), r"\1've"),
    (re.compile(r"\b(they|you)re\b"), r"\1're"),
    (
        re.compile(
            r"(?:^|(?<=[,.;] )|(?<=\b(?:and|but) ))were (?=(?:back|down|up|out|in|on|at|not|still|all|done|good|ok|now)\b|\w+ing\b)"
        ),
        "we're ",
    ),
    (
        re.compile(r"^its (?=(?:an?|the|not|back|down|up|out|in|on|off|real|gone|still|all|fine|ok|paused|done)\b)"),
        "it's ",
    ),
)
"""Apostrophes that people in a hurry leave out."""
FILLER = re.compile(
    r"^(?:(?:ok(?:ay)?|so|well|hm+|right|alright|yeah|yep|yes|yup|nope|no|and|but|also|hey|hi|hello|folks|team|all|everyone"
    r"|everybody|fyi|quick update|small update|update|btw|oh|ah|ugh|argh|damn|welp|heads[- ]?up|just|@here|@channel|@everyone"
    r"|for the record|please(?=,)|yes please|note|guys|huh|wow|sorry|thanks|thank you|cool|great|nice|good news|bad news|ack|roger|copy)\b(?!['’])[\s,:!.…-]*)+",
    re.IGNORECASE,
)
KEPT_FIRST = re.compile(r"^(?:no|all|so|good|right|just|also|well|update|note)\s+(?!\W)", re.IGNORECASE)


@dataclass(frozen=True)
class Sentence:
    """One sentence of a message. ``label``: what stands before its colon, in lower case: ``impact``, ``next update``.

    ``quoted``: the writer repeats it: a quote, code, a log.
    """

    message: ChannelMessage
    text: str
    label: str = ""
    quoted: bool = False
    number: int = 0

    @cached_property
    def low(self) -> str:
        """In lower case, with straight apostrophes."""
        return lowered(self.text)

    @property
    def ts(self) -> str:
        """Its message."""
        return self.message.ts

    @cached_property
    def key(self) -> tuple[tuple[int, int], int]:
        """What sentences sort by."""
        return order_of(self.ts), self.number

    @property
    def thread(self) -> str:
        """The thread it stands in; of a message at the top level the one that it may begin."""
        return self.message.thread_ts or self.ts

    @cached_property
    def stems(self) -> frozenset[str]:
        """What it is about."""
        return stems_of(self.text)


def sentences_of(message: ChannelMessage) -> tuple[Sentence, ...]:
    """What a message says, sentence by sentence; what it quotes is marked, and what stands under a heading has its label."""
    found: list[Sentence] = []
    heading, name = "", ""
    for part, quoted in lines_of(message.text):
        if NAME_ALONE.fullmatch(part.strip()):
            name = part.strip().rstrip(":, ") + " "
            continue
        if under := HEADING.fullmatch(part.strip(" *_")):
            heading, name = next((label for label, cue in UNDER if cue.search(under[1].lower())), ""), ""
            if heading:
                continue
        label, rest = split_label(part)
        for number, piece in enumerate(whole(split(rest))):
            label, said = split_label(piece) if number and LABEL.match(piece) else (label, piece)
            text = shown(name + said)
            if WORD.search(text) or text.endswith("?"):
                found.append(Sentence(message, text, label or heading, quoted, len(found)))
    return tuple(found)


def whole(pieces: Iterator[str]) -> Iterator[str]:
    """Sentences; a few words of doubt stay with what they are about: "Next candidate: the cache. Its TTL was raised"."""
    waiting = ""
    for piece in pieces:
        few = len(stems_of(piece)) <= 4 and is_hedged(piece.lower()) and not piece.rstrip().endswith("?")
        if few and not waiting:
            waiting = piece
            continue
        yield f"{waiting} {piece}" if waiting else piece
        waiting = ""
    if waiting:
        yield waiting


def split_label(line: str) -> tuple[str, str]:
    """``Impact: 5 % fail`` as its label and the rest."""
    if given := GIVEN.match(line):
        return "ai", line[given.end() :]
    if STATUS.match(line):
        return "status", line
    found = LABEL.match(line)
    label = found[1].strip().lower() if found else ""
    if label.partition(" ")[0] in HEADS:  # "Impact on payments: …"
        label = label.partition(" ")[0]
    return (label, line[found.end() :]) if found and label in LABELS else ("", line)


def shown(text: str) -> str:
    """A sentence without emphasis, emoji, and the words that people begin with."""
    text = tidy(text)
    if not KEPT_FIRST.match(text):
        shorter = FILLER.sub("", text)
        text = shorter if len(shorter.split()) > 1 or not text.split() else text
    return text[:1].upper() + text[1:] if text[:1].islower() and not is_name(text.split()[0]) else text


def lowered(text: str) -> str:
    """In lower case, with straight apostrophes, where they were left out too: "thats it", "dont"."""
    low = text.lower().replace("’", "'")
    for left_out, written in UNWRITTEN:
        low = left_out.sub(written, low)
    return low


def is_name(word: str) -> bool:
    """Whether a word is written as it is for a reason: ``checkout-api``, ``db_pool``, ``iOS``."""
    return bool(re.search(r"[-_./\d]|[a-z][A-Z]", word))
