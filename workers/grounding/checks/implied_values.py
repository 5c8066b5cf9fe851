"""Rules for what a claim leaves unsaid: which value or time it means must follow from its words.

Where it does not, the reading is a guess, and the claim a hypothesis.
"""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re

from workers.grounding.checks.ownership import bound_refs
from workers.grounding.fact_match import Mention
from workers.grounding.lexicon import LOW, PEAK, words
from workers.grounding.parsed_claim import Doubt, Reading, sentence_around
from workers.grounding.value_match import base_value
from workers.language.durations import NUMBER_WORDS
from workers.language.stems import stem

FROM_BEFORE = words(
    r"was|were|been|had|used to|from|before\w*|baselines?|former(?:ly)?|old|older|usual(?:ly)?|normal(?:ly)?|earlier|previous(?:ly)?|"
    r"prior|initial(?:ly)?|once|than|instead of|against|versus|vs|compared|start\w*|began|begin\w*|original(?:ly)?|pre-\w+|"
    r"at first|until|till|ordinar\w+|typical(?:ly)?|custom\w*|yesterday|away|off|below|above|over|under|up on|on|of|less|more|rather|expected|always|ever|took|stood|ran|lay"
)
LONG_AGO = words(
    r"had been|used to|formerly|previously|in the old days|in former times|at the (?:beginning|start|outset)|to begin with|originally|beforehand|at first|before"
)
AT_AN_END = re.compile(
    rf"{PEAK.pattern}|{LOW.pattern}|\b(?:at (?:most|least|best|worst|the (?:very )?(?:most|least|top|bottom))|up to|down to|as (?:much|many|far|little|few|long) as|most|least|trough|bottom|"
    r"high|low|top(?:ped|s)?|ever|extreme\w*|touch\w*|reach\w*|record|climax|crest|height|never|ceiling|floor|dip\w*|spik\w+|in between|between|meantime|meanwhile|temporarily|briefly|had|got|gone|went|came|fell|rose|worse|better|max\w*|min\w*|hit|even|at no (?:point|time))\b",
    re.IGNORECASE,
)
ENDED = re.compile(
    rf"{PEAK.pattern}|{LOW.pattern}|\b(?:at (?:most|best|worst)|never (?:above|below|more|less)|did (?:worst|best)|ever)\b",
    re.IGNORECASE,
)
LATEST = words(
    r"latest|last (?:sample|count|value|reading|measurement)|newest|as of|at present|currently|right now|by now|at the moment"
)
SPELLED = re.compile(
    rf"\b(?:{'|'.join(NUMBER_WORDS)}|(?:a )?quarter|half)(?: minutes?)? (?:past|to) (?:{'|'.join(NUMBER_WORDS)}|noon|midnight)\b(?! (?:times|percent|per|in|out|of|\w+s\b))",
    re.IGNORECASE,
)
PER_MILLE = re.compile(r"\d\s?‰")
STEPS = {"queu": "queue", "creat": "create", "open": "open", "start": "start", "begin": "start", "began": "start", "begun": "start", "finish": "end", "end": "end", "complet": "end", "resolv": "resolve", "close": "resolve", "clear": "resolve"}  # fmt: skip


def check_unsaid(reading: Reading) -> str:
    """Values and times whose part in the sentence is said by nothing, or by words for another part."""
    return other_part(reading) or unread(reading) or unnamed_moment(reading)


def part_of(mention: Mention, reading: Reading) -> tuple[str, str]:
    """Evidence and role (baseline, current, peak) of a value when all its readings agree; else ""."""
    if mention.derived or mention.specific.kind != "quantity":
        return "", ""
    found = {(r.evidence, r.name) for refs in (bound_refs(mention, reading) or mention.refs) for r in refs}
    if len(found) == 2 and len({k for k, _ in found}) == 1 and {n for _, n in found} == {"current", "peak"}:
        return next(iter(found))[0], "late"
    if len(found) != 1:
        return "", ""
    key, name = next(iter(found))
    evidence = reading.by_id(key)
    if evidence is None or name not in {"baseline", "current", "peak"}:
        return "", ""
    own = base_value(evidence.facts[name])
    others = [base_value(f) for n, f in evidence.facts.items() if n in {"baseline", "current", "peak"} and n != name]
    near = 0.001 if mention.slot else 0.03
    alike = any(abs(own - o) <= near * max(abs(own), abs(o)) for o in others)
    return (key, name) if others and not alike else ("", "")


def other_part(reading: Reading) -> str:
    """Why a value is not the one that its words mean: the order, or a word for the start, the end or the extreme."""
    seen = [(m, *part_of(m, reading)) for m in sorted(reading.values(), key=lambda m: m.specific.start)]
    for i, (mention, key, name) in enumerate(seen):
        if not key:
            continue
        start, end = sentence_around(reading.text, mention.specific.start)
        sentence = reading.text[start:end]
        lead, tail = own_words(i, [m for m, _, _ in seen], reading, (start, end))
        peaks = any(k == key and n == "peak" and start <= m.specific.start < end for m, k, n in seen)
        later = any(k == key and n != "baseline" for _, k, n in seen[i + 1 :])
        before = any(k == key and n != "baseline" for _, k, n in seen[:i])
        wrong = (
            (
                name == "peak"
                and (not AT_AN_END.search(sentence) or (LATEST.search(sentence) and not ENDED.search(sentence)))
            )
            or (
                name in {"baseline", "current"}
                and not peaks
                and ENDED.search(lead + tail)
                and not ENDED.search(title_of(key, reading))
            )
            or (name == "baseline" and not later and not FROM_BEFORE.search(lead + tail))
            or (name == "baseline" and before and not FROM_BEFORE.search(lead) and not FROM_BEFORE.search(tail))
            or (
                name in {"current", "late"}
                and LONG_AGO.search(lead)
                and not FROM_BEFORE.search(tail)
                and "than" not in lead
            )
        )
        if wrong:
            return Doubt(f"{mention.specific.text} is not said to be the value that it is")
    return ""


def own_words(i: int, values: list[Mention], reading: Reading, within: tuple[int, int]) -> tuple[str, str]:
    """The words of a sentence that belong to one value: from the last comma before it to the next value."""
    at, stop = values[i].specific.start, values[i].specific.end
    first = max([within[0], *(m.specific.end for m in values[:i])])
    last = min([within[1], *(m.specific.start for m in values[i + 1 :])])
    lead, tail = reading.text[first:at], reading.text[stop:last]
    if first > within[0]:
        lead = re.split(r"[,;:]\s", lead)[-1]
    return lead, re.split(r"[,;:]\s", tail)[0]


def title_of(key: str, reading: Reading) -> str:
    """What evidence is called."""
    evidence = reading.by_id(key)
    return evidence.title if evidence else ""


def unread(reading: Reading) -> str:
    """A time in words or a number in per mille, which cannot be held against the evidence."""
    if (found := SPELLED.search(reading.text)) and not any(
        m.refs and m.specific.start < found.end() and found.start() < m.specific.end for m in reading.mentions
    ):
        return Doubt(f"“{found.group()}” was not read as a time")
    if found := PER_MILLE.search(reading.unquoted()):
        return Doubt(f"“{found.group()}” is not in the evidence")
    return ""


def unnamed_moment(reading: Reading) -> str:
    """Why a time is not the one that its sentence means."""
    for mention in reading.of_kind("time"):
        start, end = sentence_around(reading.text, mention.specific.start)
        sentence = reading.text[start:end]
        names = {r.name for refs in mention.refs for r in refs}
        if names == {"peak_at"} and not AT_AN_END.search(sentence):
            return Doubt(f"{mention.specific.text} is the time of the peak")
        if mention.slot and alone(mention, reading):
            return Doubt(f"nothing names what {mention.specific.text} belongs to")
        if (
            mention.refs
            and (mention.slot or len(names) == 1)
            and (reason := other_moment(mention, sentence, (start, end), reading))
        ):
            return reason
    return ""


def alone(mention: Mention, reading: Reading) -> bool:
    """Whether a time is all that a claim has of one metric, while it gives values of another."""
    key = mention.refs[0][0].evidence
    evidence = reading.by_id(key)
    if evidence is None or evidence.kind != "metric" or any(key in x.ids for x in reading.labels):
        return False
    held = {r.evidence for m in reading.values() if m is not mention for refs in m.refs for r in refs}
    return bool(held) and key not in held


def other_moment(mention: Mention, sentence: str, span: tuple[int, int], reading: Reading) -> str:
    """Why the time in a slot belongs to something else than its sentence names."""
    ref = mention.refs[0][0]
    evidence = reading.by_id(ref.evidence)
    near = [x for x in reading.labels if span[0] <= x.start < span[1] and x.ids]
    if mention.slot and near and not any(ref.evidence in x.ids for x in near):
        return Doubt(f"{mention.specific.text} belongs to nothing that the sentence names")
    roots = {stem(w) for w in re.findall(r"[a-z]+", sentence.lower())}
    said = {group for word, group in STEPS.items() if any(r.startswith(word) for r in roots)}
    held = (
        {STEPS.get(stem(n.removesuffix("_at")), "") for n in evidence.facts if n.endswith("_at")} if evidence else set()
    )
    own = STEPS.get(stem(ref.name.removesuffix("_at")), "")
    if own and said & held and own not in said:
        return Doubt(f"{mention.specific.text} is the time of another step")
    return ""
