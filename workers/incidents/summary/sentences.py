"""A message as sentences, and what two sentences have in common."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from workers.contracts import ChannelMessage, order_of
from workers.incidents.summary.utterance_patterns import CODE_LINE, is_hedged
from workers.language.stems import stem
from workers.language.stop_words import STOP_WORDS

FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
MARK = re.compile(r"^```[\w-]*[ \t]*$", re.MULTILINE)
"""A fence on a line of its own."""
LINK = re.compile(r"https?://\S+")
ITEM = re.compile(r"^\s*(?:[-*•‣▪]|\d{1,2}[.)])\s+")
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
LONGEST_LINE = 2_000
"""Of a message, in characters; what follows is not read. It bounds what patterns cost."""
LONGEST_END = 10
"""So many characters before a full stop tell whether it ends a sentence."""
STATUS = re.compile(
    r"[*_\s]{0,9}(?:\[(?=[^\]]{1,80}\])|\()?[*_]*(?:investigating|identified|mitigated|monitoring|resolved|closed|false alarm|all[- ]clear)[*_]*"
    r"(?:[\])][*_]*(?:\s*[:–—-])?\s+|\s*:[*_]*\s+|\s+[–—-]\s+)(?=\S)",
    re.IGNORECASE,
)
"""How a line begins that says how it stands, as on a status page: ``[RESOLVED] …``, ``*Identified* - …``."""
CELLS = re.compile(r"(?<!\s)\s+[|•·]\s+")
"""What stands between the parts of an update on one line: ``Status: identified | Impact: 4 % | Next update: 10:15``."""
NAME_ALONE = re.compile(r"@[\w.-]+(?: (?:[A-ZÀ-Þ][\w.-]*|\([\w -]+\))){0,2}\s*[:,]?")
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
REPORTS = re.compile(
    r"\b(?:says?|said|wrote|writes|reads|pasting|paste|quote|ticket|fwd|forwarded|log|logs|output|email|mail|message|text)"
    r"\b[^.?!]{0,30}:\s*$",
    re.IGNORECASE,
)
"""A line after which the rest of a message is somebody else's words."""
EMOJI = re.compile(r"(?<!\d):[a-z0-9_+-]+(?:::skin-tone-\d)?:(?!\d)")
STYLE = re.compile(
    r"(?<![\w*])\*{1,2}(?=\S)([^*\n]+)(?<=\S)\*{1,2}(?![\w*])|(?<![\w_])_(?=\S)([^_\n]+)(?<=\S)_(?![\w_])"
)
END = re.compile(
    r"(?<=[.!?…])[)\"'”’]*\s+(?=[\"'“(@#:]?\S)|(?<!\s)\s+(?:—|–|--)\s+(?=(?:still|no|that|it|so|but)\b)|;\s+"
)
NO_END = re.compile(r"(?:\b(?:e\.g|i\.e|approx|ca|vs|etc|incl|z\.B|bzw|p\.ej)\.|\b[A-Z]\.|^\d{1,2}\.)$", re.IGNORECASE)
BEFORE_NUMBERS = re.compile(r"\b(?:no|min|max)\.$", re.IGNORECASE)
"""What is short for something only before a number: "no. 4", but "green for 20 min. Closing"."""
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
BULLET = re.compile(r"^(?:[\s–—•]|-(?!\d))+")
KEPT_FIRST = re.compile(r"^(?:no|all|so|good|right|just|also|well|update|note)\s+(?!\W)", re.IGNORECASE)
WORD = re.compile(r"[A-Za-zÀ-ÿ][\w'’À-ÿ-]*|\d[\w.,:%]*")
TELLING = frozenset(
    """above actually against ago anyone anything because below between both currently done during each every exactly few
    further gets given happen happened happens itself kind know lately let must need nor ours really recently shall since
    someone something somewhere sort tell thing things today tonight want way ways whether whom within without yesterday
    yours""".split()
)
"""Stop words of questions that count here: two remarks which share "last night" or "let us" have that in common."""
STOP = (STOP_WORDS - TELLING) | frozenset(
    """back cannot don't getting go got i'll i'm i've it's let's looks maybe nope ok okay probably seems still that's think
    update we're we've yeah yep yes yet yup der die das und ist nicht wir ich el la los las es un una que de en por y
    se""".split()
)


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
            text = tidy(name + said)
            if WORD.search(text) or text.endswith("?"):
                found.append(Sentence(message, text, label or heading, quoted, len(found)))
    return tuple(found)


def lines_of(text: str) -> Iterator[tuple[str, bool]]:
    """Lines, and whether each is quoted."""
    marks = [mark.span() for mark in MARK.finditer(text)]
    if len(marks) > 2:  # between the first and the last all is code, so that no fence inside it ends it
        begin, end = marks[0][0], marks[-1][1]
        yield from lines_of(text[:begin])
        yield from code_lines(text[begin:end])
        yield from lines_of(text[end:])
        return
    last = 0
    for fence in FENCE.finditer(text):
        yield from plain_lines(text[last : fence.start()])
        yield from code_lines(fence[0])
        last = fence.end()
    yield from plain_lines(text[last:])


def code_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Lines of code, each as somebody else's words."""
    return ((line[:LONGEST_LINE], True) for line in text.strip("`").splitlines() if line.strip(" `"))


def plain_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Lines outside code."""
    reported = False
    for line in (line[:LONGEST_LINE] for line in text.splitlines()):
        if line.strip():
            quoted = reported or line.lstrip().startswith((">", "&gt;")) or bool(CODE_LINE.search(line))
            reported = reported or bool(REPORTS.search(line))
            for cell in cells_of(ITEM.sub("", line.lstrip("> "))):
                yield cell, quoted


def cells_of(line: str) -> list[str]:
    """The labelled parts of an update on one line; any other line as it is."""
    cells = CELLS.split(line)
    return cells if sum(bool(split_label(cell)[0]) for cell in cells) > 1 else [line]


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


def split(text: str) -> Iterator[str]:
    """A line at the ends of its sentences."""
    text, begun = " ".join(text.split()), 0
    for end in END.finditer(text):
        before = text[begun : end.start()][-LONGEST_END:]
        short = BEFORE_NUMBERS.search(before) and text[end.end() : end.end() + 1].isdigit()
        if not (short or NO_END.search(before)):
            yield text[begun : end.start()]
            begun = end.end()
    yield text[begun:]


def tidy(text: str) -> str:
    """A sentence without emphasis, emoji, and the words that people begin with."""
    text = EMOJI.sub(" ", STYLE.sub(lambda m: m[1] or m[2], text))
    text = BULLET.sub("", " ".join(text.split())).rstrip(" -–—•")
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


def stems_of(text: str) -> frozenset[str]:
    """The words that a text is about, each without its ending."""
    return stems_in(text.lower())


@lru_cache(maxsize=10_000)
def stems_in(low: str) -> frozenset[str]:
    """The same of a text in lower case: a sentence is kept once, however it begins."""
    return frozenset(
        stem(w) for w in WORD.findall(low) if w not in STOP and len(w) > 1 and w[-3:] not in {"n't", "n’t"}
    )


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the smaller set that both hold; 0 when one is empty."""
    return len(one & other) / min(len(one), len(other)) if one and other else 0.0
