"""PURE. Rules for what a claim leaves unsaid: which value, time, line or event it means must follow from its words.

Where it does not, the reading is a guess, and the claim a hypothesis.
"""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re

from workers.contracts import Evidence
from workers.engine.directions import move_of
from workers.engine.lexicon import LOW, PEAK, words
from workers.engine.lines import parts as words_in
from workers.engine.lines import weight
from workers.engine.match import Mention
from workers.engine.owners import bound_refs
from workers.engine.quantities import NUMBER_WORDS
from workers.engine.reading import Doubt, Reading, sentence_around, stem
from workers.engine.scope import COUNTED, shown_text
from workers.engine.values import base_value, numbers_in
from workers.engine.wording import shows, stems_of, texts

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
RANKED = re.compile(
    r"\b(?:(?:came|comes|was|is|went|shipped|landed|arrived|deployed|happened|began|started|moved|fell|rose) (?:out )?(?:the )?(?:very )?(?:first|second|last|earlier|later)\b(?! (?:than|\d|step|line))|"
    r"(?:first|second|earlier|later|former|latter|last) of the (?:two|three|four|both|pair)|(?:younger|older|newer) than|first\b[^.;]{1,40}\bsecond\b|"
    r"(?:the )?(?:first|second|earlier|later) (?:one )?(?:was|came|is)\b)|\b\w+ first, (?:and |then )?\w+(?: \w+)? (?:second|later|next|then)\b|\bfollowed(?=\s*[.;]|$)",
    re.IGNORECASE,
)
SPELLED = re.compile(
    rf"\b(?:{'|'.join(NUMBER_WORDS)}|(?:a )?quarter|half)(?: minutes?)? (?:past|to) (?:{'|'.join(NUMBER_WORDS)}|noon|midnight)\b(?! (?:times|percent|per|in|out|of|\w+s\b))",
    re.IGNORECASE,
)
STEPS = {"queu": "queue", "creat": "create", "open": "open", "start": "start", "begin": "start", "began": "start", "begun": "start", "finish": "end", "end": "end", "complet": "end", "resolv": "resolve", "clos": "resolve", "clear": "resolve"}  # fmt: skip


def check_unsaid(reading: Reading) -> str:
    """Values, times and lines whose part in the sentence is said by nothing, or by words for another part."""
    return (
        other_part(reading)
        or unnamed_moment(reading)
        or other_lines(reading)
        or ranked(reading)
        or turned_lag(reading)
        or other_number(reading)
        or other_count(reading)
        or half_said(reading)
        or denied_there(reading)
    )


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


def unnamed_moment(reading: Reading) -> str:
    """Why a time is not the one that its sentence means."""
    if (found := SPELLED.search(reading.text)) and not any(
        m.refs and m.specific.start < found.end() and found.start() < m.specific.end for m in reading.mentions
    ):
        return Doubt(f"“{found.group()}” was not read as a time")
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


def other_lines(reading: Reading) -> str:
    """Why some lines are not those that the sentence tells of: other cited text, unnamed there, holds more of it."""
    for mention in reading.of_kind("lines"):
        own = {r.evidence for refs in mention.refs for r in refs}
        start, end = sentence_around(reading.text, mention.specific.start)
        inside = [m for m in reading.mentions if start <= m.specific.start < end]
        named = (
            {r.evidence for m in inside if m.specific.kind != "name" for refs in m.refs for r in refs}
            if len(own) == 1
            else set()
        )
        rest = [e for e in reading.cited if e.id not in named | own and e.kind in {"code", "change"}]
        mine = [e for e in reading.cited if e.id in own]
        if not rest or len(mine) != 1 or not named:
            continue
        chars = list(reading.text[start:end])
        for m in inside:
            if m.specific.kind in {"lines", "path", "commit"}:
                chars[m.specific.start - start : m.specific.end - start] = " " * (m.specific.end - m.specific.start)
        said = {stem(w) for w in words_in("".join(chars)) if len(w) > 2}
        fit = {e.id: sum(shows(stems_of(texts(e)), w) for w in said) for e in (*mine, *rest)}
        if max(fit[e.id] for e in rest) > fit[mine[0].id]:
            return Doubt(f"{mention.specific.text} is not where most of this stands")
    return ""


def ranked(reading: Reading) -> str:
    """``A came first``, ``B was the second``: no rule holds this against the times, unless the text itself says it."""
    found = RANKED.search(reading.unquoted())
    dated = {e.id for e in reading.cited if any(n in {"at", "onset_at", "since", "authored_at"} for n in e.facts)}
    if found and len(dated) > 1 and found.group().lower() not in shown_text(reading.cited):
        return Doubt(f"“{found.group()}” is not checked against the times")
    return ""


def turned_lag(reading: Reading) -> str:
    """Why a lag stands before its own event: what follows "N minutes after" is what it is counted from."""
    for mention in reading.mentions:
        if mention.derived != "lag":
            continue
        event, anchor = mention.refs[0]
        end = sentence_around(reading.text, mention.specific.start)[1]
        after = [x for x in reading.labels if mention.specific.end <= x.start < end and x.ids]
        if after and anchor.evidence not in after[0].ids and event.evidence in after[0].ids:
            return Doubt(f"{mention.specific.text} is counted from another event")
    return ""


TEXTS = frozenset({"code", "doc", "change", "incident", "message"})
HALF = words(r"(?:by|in|to) half")
ALONE = words(
    r"(?:left|leaves?|leaving|let|lets) [^.;,]{0,40}?\balone|untouched|spar(?:ed|es)|stay(?:s|ed) (?:out|away)|kept (?:out|away)"
)
PUSHED = re.compile(
    r"\b(?:is|was|were|are|been|being) (?!followed|preceded|written|made|authored|added|changed|touched|merged|deployed|shipped|owned|done|led|set|given|up|down|higher|lower|slower|faster|off|out)\w+(?:ed|en|t)?(?: up| down)? by (?=\S)|"
    r"\bkeeps? [^.;,]{1,40} (?:waiting|busy|slow|down|up|from)\b|\bunder (?:a|the|this) (?:surge|flood|load|weight|pressure|wave|burden)\b|"
    r"\b(?:has|have|had) made\b[^.;]{1,60}\b(?:reach|hit|touch|cross|exceed|go|drop|fall|rise)\b",
    re.IGNORECASE,
)
ANCHOR = re.compile(r"\.\w{1,5}#([\w-]+)")
OTHERS = re.compile(
    r"\ball (?:the )?others?\b|\b(?:only|just) one of\b|\bin both\b|\b(?:has|have|had)(?: not|n[’']t) got\b|\bin every\b",
    re.IGNORECASE,
)
DENIES = words(
    r"not|never|no|neither|nor|without|cannot|won[’']t|don[’']t|doesn[’']t|isn[’']t|aren[’']t|nothing|instead of|rather than"
)


def other_number(reading: Reading) -> str:
    """Why a number of a text is not the one meant: its sentence names another text, another count or another row."""
    every = [e for e in reading.cited if e.kind in TEXTS]
    for mention in reading.of_kind("quantity"):
        found = {(r.evidence, r.name) for refs in mention.refs if len(refs) == 1 for r in refs}
        start, end = sentence_around(reading.text, mention.specific.start)
        said = {stem(w) for w in words_in(reading.text[start:end]) if len(w) > 2}
        own = {key for key, _ in found}
        if not found:
            continue
        if (
            own <= {e.id for e in every}
            and len(every) > 1
            and (named := meant_texts(every, said) | sole_names(reading, (start, end)))
            and own.isdisjoint(named)
        ):
            return Doubt(f"{mention.specific.text} stands in another text than the one named")
        facts = {name for _, name in found if not name.startswith("excerpt")}
        evidence = reading.by_id(next(iter(own))) if len(own) == 1 else None
        if evidence and len(facts) == 1 and evidence.kind in {"row", "incident"}:
            name = next(iter(facts))
            counts = {n: roots(n) for n, f in evidence.facts.items() if n != name and f.unit == "count"}
            row = re.match(r"row_\d+_", name)
            if not said & roots(name) and any(r & said for r in counts.values() if r):
                return Doubt(f"{mention.specific.text} is the count of something else")
            if row and of_other_row(row.group(), evidence, reading.text[start:end]):
                return Doubt(f"{mention.specific.text} stands in another row")
    return ""


def meant_texts(every: list[Evidence], said: set[str]) -> set[str]:
    """The texts that a sentence names, by words of path or title that no other text has."""
    own = {e.id: {stem(w) for w in words_in(f"{e.title} {e.locator} {e.kind}") if len(w) > 3} for e in every}
    return {i for i, words_ in own.items() if said & words_.difference(*(o for j, o in own.items() if j != i))}


def sole_names(reading: Reading, span: tuple[int, int]) -> set[str]:
    """The evidence that a name in a sentence leaves no doubt of."""
    return {
        i
        for x in reading.labels
        if x.kind == "name" and span[0] <= x.start < span[1] and len(x.ids) == 1
        for i in x.ids
    }


def other_count(reading: Reading) -> str:
    """Why a number written as a word is not that of the code which its sentence names."""
    every = [e for e in reading.cited if e.kind in TEXTS]
    for match in COUNTED.finditer(reading.prose()) if len(every) > 1 else ():
        start, end = sentence_around(reading.text, match.start())
        named = meant_texts(every, {stem(w) for w in words_in(reading.text[start:end]) if len(w) > 2})
        rows = [r for e in every if e.id in named and e.kind == "code" for r in e.excerpt.splitlines()]
        root = stem(match[2])
        held = {
            v for r in rows if root in {stem(w) for w in words_in(r)} for v, dim, _ in numbers_in(r) if dim == "plain"
        }
        number = NUMBER_WORDS.get(match[1].lower(), int(match[1]) if match[1].isdigit() else 1)
        if held and number not in held:
            return Doubt(f"“{match.group()}” is not the count in the code that is named")
    return ""


def roots(name: str) -> set[str]:
    """Stems of the words in a fact's name."""
    return {stem(w) for w in words_in(name) if w not in {"row", "rows", "count"} and not w[0].isdigit()}


def of_other_row(row: str, evidence: Evidence, sentence: str) -> bool:
    """Whether a sentence names another row of a table than the one that a value stands in."""
    keys = {
        n: str(f.value)
        for n, f in evidence.facts.items()
        if re.match(r"row_\d+_", n) and f.unit == "text" and len(str(f.value)) > 2
    }
    named = {n for n, v in keys.items() if re.search(rf"(?<!\w){re.escape(v)}(?!\w)", sentence)}
    return bool(named) and not any(n.startswith(row) for n in named)


def half_said(reading: Reading) -> str:
    """Words that no other rule holds against the evidence: halves, what was left alone, hidden causes, anchors, others."""
    prose = reading.unquoted()
    metrics = [e for e in reading.cited if e.kind == "metric" and move_of(e)]
    if (found := HALF.search(prose)) and metrics:
        first, last, _ = move_of(metrics[0])[0]
        if len(metrics) > 1 or not first or not 0.4 <= last / first <= 0.6:
            return Doubt(f"“{found.group()}” is not shown by the values")
    anchors = {str(e.facts["anchor"].value) for e in reading.cited if "anchor" in e.facts}
    if (link := ANCHOR.search(reading.text)) and anchors and link[1] not in anchors:
        return Doubt(f"“{link[1]}” is not the section that is cited")
    shown = shown_text(reading.cited)
    if (
        (found := ALONE.search(prose))
        and any(e.kind == "change" for e in reading.cited)
        and found.group().lower() not in shown
    ):
        return Doubt(f"“{found.group()}” is not shown by the change")
    moved = bool(metrics) or any(e.kind == "alert" for e in reading.cited)
    for pattern in (PUSHED, OTHERS):
        found = pattern.search(prose)
        if found and (pattern is OTHERS or moved) and found.group().lower() not in shown:
            return Doubt(f"“{found.group().strip()}” is more than the evidence shows")
    if found := re.search(r"\d\s?‰", prose):
        return Doubt(f"“{found.group()}” is not in the evidence")
    return ""


def denies_any(row: str, said: set[str]) -> bool:
    """Whether a row denies, right after its word of denial, what is said."""
    after = (words_in(row[m.end() :])[:3] for m in DENIES.finditer(row))
    return any(stem(w) in said for words_ in after for w in words_)


def denied_there(reading: Reading) -> str:
    """Why a text says the opposite: the sentence of it that a claim retells denies, and the claim does not."""
    rows = [
        s
        for e in reading.cited
        if e.kind in TEXTS
        for r in re.split(r"\n(?![ \t]*[a-z])", e.excerpt)
        for s in re.split(r"(?<=[.;!?)])\s", r)
        if s.strip()
    ]
    rows += [str(f.value) for e in reading.cited for n, f in e.facts.items() if n.startswith("step_")]
    if (
        not rows
        or any(e.kind not in TEXTS for e in reading.cited)
        or DENIES.search(reading.text)
        or ALONE.search(reading.text)
    ):
        return ""
    said = {stem(w) for w in words_in(reading.text) if len(w) > 2}
    fit = [(weight(row, said, []), denies_any(row, said)) for row in rows]
    best = max(w for w, _ in fit)
    if best >= 2 and all(denies for w, denies in fit if w == best):
        return Doubt("the text that it retells denies something")
    return ""
