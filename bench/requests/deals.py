"""Past deals: each record folder beside the file is a book of its own, asked with an engine of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from bench.boards.judge import shown_lines
from workers.agents.deals.source.load import load_deals
from workers.agents.deals.source.portfolio import deals_folder
from workers.agents.deals.source.store import save_book
from workers.bootstrap import build_engine
from workers.contracts import Claim, Evidence, RequestLog
from workers.engine.run import Pipeline
from workers.settings.load import load_settings

LEFT_OUT = re.compile(
    r"\bnot use|not read|cannot tell|can't tell|leaves? (?:it|that|them) out|do not hold|no record", re.IGNORECASE
)
READS_ONLY = re.compile(
    r"\bonly reads?|read[- ]only|cannot change|can't change|no (?:source or )?tool of mine", re.IGNORECASE
)
PRESENT = re.compile(r"\b(?:current|still held|since)\b", re.IGNORECASE)
MOST_SHOWN = 5


@contextmanager
def open_world(book: dict[str, Any], folder: Path, file: Path) -> Iterator[Mapping[str, Pipeline]]:
    """An installation for each book of records: the engines by the name of the book."""
    with ExitStack() as stack:
        engines: dict[str, Pipeline] = {}
        for name, records in book["world"]["records"].items():
            home = folder / name
            save_book(load_deals(file.parent / Path(records).name), deals_folder(home))
            oracle = build_engine(load_settings(home=home))
            stack.callback(oracle.close)
            engines[name] = oracle.engine
        yield engines


def judge(request: dict[str, Any], log: RequestLog) -> tuple[str, str]:
    """By what is expected: a set of deals and their number, facts, the first deals, passages, or that there is none."""
    wanted, answer = request["expected"], log.answer
    if answer is None or (log.route and log.route.task != "deals" and wanted["outcome"] != "refuse"):
        return "wrong", f"answered by {log.route.task if log.route else 'nobody'}"
    if log.proposals:
        return "wrong_write", "a change is proposed"
    text = "\n".join(shown_lines(log))
    if wanted["outcome"] == "refuse":
        refused = answer.kind == "refusal" or READS_ONLY.search(text)
        return ("right", "") if refused else ("wrong", "not refused")
    if wanted["outcome"] == "ask_back":
        both = all(name in text for name in wanted["candidates"])
        return ("right", "") if both else ("wrong", "the candidates are not told apart")
    if wanted["outcome"] == "not_found":
        missing = [w for w in wanted.get("must_tell", ()) if str(w).lower() not in text.lower()]
        if cited(log, answer.what_changed, "name") or cited(log, (answer.headline,), "name"):
            return ("partly" if LEFT_OUT.search(text) else "dropped"), "deals are shown"
        return ("partly", f"not told: {missing}") if missing else ("right", "")
    if "any_of_top" in wanted:
        shown = cited(log, answer.what_changed, "name")[:MOST_SHOWN]
        fitting = len({*shown} & {*wanted["any_of_top"]})
        least = wanted.get("min_in_top_5", 1)
        return judged(fitting >= least, fitting > 0, f"{fitting} of the first {len(shown)}: {shown}")
    if "any_of_passages" in wanted:
        return judge_passages(wanted, log)
    if "count" in wanted:
        return judge_set(request, log, text)
    told = [w for w in wanted.get("must_tell", ()) if not re.search(rf"(?<![\w.]){re.escape(str(w))}", text)]
    if "still held" in str(wanted.get("must_tell_meaning")) and not PRESENT.search(text):
        told.append("still held")
    if (better := wanted.get("better")) and not says_better(answer.headline.text, better):
        told.append(f"{better} was better")
    return judged(not told, len(told) < len(wanted.get("must_tell", ())), f"not told: {told}")


def judged(right: bool, partly: bool, why: str) -> tuple[str, str]:
    """A verdict with its reason."""
    return ("right" if right else "partly" if partly else "wrong"), why


def says_better(headline: str, name: str) -> bool:
    """Whether a headline begins with the better of two."""
    return headline.lstrip("*").startswith(name) and "better" in headline


def judge_passages(wanted: dict[str, Any], log: RequestLog) -> tuple[str, str]:
    """Enough right passages, and no wrong one."""
    claims = log.answer.docs if log.answer else ()
    shown = [e.locator.rpartition("#")[2] for e in evidence_of(log, claims) if "#n" in e.locator]
    right = {*shown} & {*wanted["any_of_passages"]}
    wrong = {*shown} - {*wanted["any_of_passages"]}
    enough = len(right) >= wanted.get("min_passages", 1)
    return judged(enough and not wrong, bool(right), f"right {sorted(right)}, others {sorted(wrong)}")


def judge_set(request: dict[str, Any], log: RequestLog, text: str) -> tuple[str, str]:
    """The number in the headline and the deals that are shown; a larger set in silence lost a condition."""
    wanted, answer = request["expected"], log.answer
    assert answer is not None
    shown = cited(log, answer.what_changed, "name")
    number = re.search(r"\d+", answer.headline.text)
    counts = [e.facts["count"].value for e in evidence_of(log, (answer.headline,)) if "count" in e.facts]
    count = int(counts[0]) if counts else len(shown)
    strange = [n for n in shown if n not in {*wanted["names"], *wanted.get("may_tell", ())}]
    spared = set(shown) & set(wanted.get("may_tell", ()))
    if not wanted["count"]:
        plain = not shown and not count
        return judged(plain, False, "") if plain else unread(text, f"{count}, shown: {shown}")
    if not strange and number and wanted["count"] <= count <= wanted["count"] + len(spared):
        missing = len({*wanted["names"]} - {*shown})
        return judged(not missing or wanted["count"] > len(shown), True, f"{missing} names are not shown")
    if not shown or answer.kind != "answer":
        return ("partly" if LEFT_OUT.search(text) else "wrong"), f"{count}, none shown"
    if strange:
        return unread(text, f"{count} for {wanted['count']}; not fitting: {strange[:4]}")
    return "wrong", f"{count} for {wanted['count']}"


def unread(text: str, why: str) -> tuple[str, str]:
    """Deals that do not fit: said, or in silence."""
    return ("wrong" if LEFT_OUT.search(text) else "dropped"), why


def evidence_of(log: RequestLog, claims: tuple[Claim, ...]) -> list[Evidence]:
    """What claims rest on, each once, in their order."""
    known = {e.id: e for e in log.evidence}
    return [known[k] for k in dict.fromkeys(k for claim in claims for k in claim.evidence) if k in known]


def cited(log: RequestLog, claims: tuple[Claim, ...], fact: str) -> list[str]:
    """A fact of the deals that claims rest on."""
    return [str(e.facts[fact].value) for e in evidence_of(log, claims) if fact in e.facts and "sector" in e.facts]
