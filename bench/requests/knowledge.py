"""Documents, notes of a vault, threads and memories of one person: the author's world, connected; and its judge.

An answer is right when its headline, or one of the two lines below it, rests on a source that the author names and
everything that has to be told stands in the headline and those lines; "Nearest:" is a part of an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from bench.boards.judge import NEAREST, shown_lines
from workers.bootstrap import build_engine
from workers.contracts import Question, RequestLog
from workers.conversations.decisions import is_decision
from workers.conversations.entries import thread_id_of
from workers.engine.run import Pipeline
from workers.settings.load import load_settings
from workers.sources.documents.encoding_backlog import BACKLOG
from workers.store.database import Database
from workers.store.memories import add_memory
from workers.store.threads import Entry, Thread, merge

ASKERS = ("U1", "local")
FIRST = 3
MONTHS = "january february march april may june july august september october november december".split()
DATE = re.compile(r"\b\d{4}-\d\d-\d\d(?:T[\d:.+Z-]*)?")
WORDED_DATE = re.compile(
    rf"\b(?:\d{{1,2}}\s+)?(?:{'|'.join(month[:3] for month in MONTHS)})[a-z]*\.?(?:\s+\d{{1,4}})*\b"
)
UNTAKEN = re.compile(r"not taken into account", re.IGNORECASE)
OUT_OF_REACH = re.compile(r"language model", re.IGNORECASE)
BUT_ONE = ("no ", "not ", "nothing", "never", "none", "kein", "nicht", "nada", "ning", "no se")


@contextmanager
def open_world(book: dict[str, Any], folder: Path, file: Path) -> Iterator[Pipeline]:
    """Write the world's files, connect them, keep its threads and memories."""
    del file
    world = book["world"]
    for path, text in world["documents"].items():
        write(folder / "documents" / path, text)
    for path, text in world["notes"].items():
        write(folder / path, text)
    config = {"documents": [{"path": str(folder / "documents")}], "vault": {"path": str(folder / "vault")}}
    write(folder / "config" / "oracle.yaml", yaml.safe_dump(config))
    oracle = build_engine(load_settings(home=folder))
    try:
        for asker in ASKERS:
            keep_threads(oracle.store.database, asker, world["threads"])
            for one in world["memories"]:
                add_memory(oracle.store.database, asker, one["text"], at=moment(one["ts"]))
        list(oracle.toolbox.refresh())
        now = moment(book["now"])
        oracle.engine.ask(
            Question(request_id="warm", text="what is known?", asker=ASKERS[0], source="cli", received_at=now)
        )
        BACKLOG.wait(lambda *_: None)
        yield oracle.engine
    finally:
        BACKLOG.wait(lambda *_: None)
        oracle.close()


def write(path: Path, text: str) -> None:
    """A file and its folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def keep_threads(database: Database, asker: str, threads: dict[str, list[dict[str, str]]]) -> None:
    """Threads as the app keeps those of Slack."""
    for name, said in threads.items():
        first, last = moment(said[0]["ts"]), moment(said[-1]["ts"])
        thread = thread_id_of(name)
        entries = [
            Entry(
                entry_id=f"{thread}-{number}"[:64],
                thread_id=thread,
                content=one["text"],
                author="user",
                type="decision" if is_decision(one["text"]) else "thought",
                timestamp=moment(one["ts"]),
                edited_at=moment(one["ts"]),
                speaker=one["author"],
            )
            for number, one in enumerate(said)
        ]
        merge(database, asker, [Thread(thread, name, first, last, last)], entries)


def moment(text: str) -> datetime:
    """An instant in UTC."""
    return datetime.fromisoformat(text).astimezone(UTC)


@dataclass(frozen=True)
class Told:
    """What an answer says. ``lines``: the headline first; ``sources``: what it and the lines near it rest on."""

    lines: tuple[str, ...]
    sources: tuple[str, ...]
    kind: str
    proposed: str

    @property
    def headline(self) -> str:
        return self.lines[0] if self.lines else ""

    @property
    def first(self) -> str:
        return "\n".join(self.lines[:FIRST])

    @property
    def whole(self) -> str:
        return "\n".join(self.lines)


def read_log(log: RequestLog) -> Told:
    """What was told."""
    answer = log.answer
    known = {item.id: item.locator for item in log.evidence}
    claims = (answer.headline, *answer.docs, *answer.what_changed, *answer.metrics) if answer else ()
    cited = [known.get(key, "") for claim in claims[:FIRST] for key in claim.evidence]
    proposed = " ".join(f"{one.tool} {one.title} {one.args}" for one in log.proposals)
    return Told(tuple(shown_lines(log)), tuple(cited), answer.kind if answer else "", proposed)


def judge(request: dict[str, Any], log: RequestLog) -> tuple[str, str]:
    """A verdict of `bench.requests.__main__.VERDICTS`, and why."""
    expected, told = request["expected"], read_log(log)
    outcomes = {expected["outcome"], *expected.get("accept_also", ())}
    if told.proposed and not outcomes & {"proposal", "stored", "deleted"}:
        return "wrong_write", told.proposed
    if not told.lines:
        return "wrong", "no answer"
    verdicts = [ACCEPTS[outcome](expected, told) for outcome in sorted(outcomes) if outcome in ACCEPTS]
    best = min(verdicts, key=lambda one: ("right", "partly", "wrong").index(one[0]))
    if best[0] == "wrong" and request["kind"] in {"date_range", "count", "list"} and told.kind == "answer":
        silent = not NEAREST.search(told.headline) and not UNTAKEN.search(told.whole) and told.sources
        return ("dropped", best[1]) if silent else best
    return best


def judge_answer(expected: dict[str, Any], told: Told) -> tuple[str, str]:
    """Everything that has to be told, from a source that holds it."""
    spelled = expected.get("alternatives", {})
    wanted = [str(one) for one in expected.get("must_tell", ())]
    lacking = [one for one in wanted if not tells(told.first, one, spelled)]
    lost = [one for one in wanted if not tells(told.whole, one, spelled)]
    wrong = [str(one) for one in expected.get("must_not_tell", ()) if tells(told.headline, str(one), {})]
    beside = [str(one) for one in expected.get("must_not_tell", ()) if tells(told.whole, str(one), {})]
    if wrong or told.kind != "answer":
        return "wrong", f"tells {wrong}" if wrong else f"is a {told.kind}"
    if lost:
        half = len(lost) < len(wanted) and (not expected.get("count") or NEAREST.search(told.headline))
        return ("partly" if half else "wrong"), f"lacks {lost}"
    if newest := expected.get("newest"):
        first = first_place(told.whole, newest, spelled)
        others = [w for w in wanted if w != newest and w not in spelled and not re.match(r"\d{4}-", w)]
        if any(first > first_place(told.whole, other, spelled) for other in others):
            return "partly", "the older one leads"
    if NEAREST.search(told.headline):
        return "partly", "only as nearest"
    if beside or (lacking and not expected.get("count") and not expected.get("newest")):
        return "partly", f"also tells {beside}" if beside else f"{lacking} only further below"
    if not any(is_of(source, told) for source in expected.get("source", ())):
        return "partly", f"rests on {told.sources}"
    return "right", ""


def judge_not_found(expected: dict[str, Any], told: Told) -> tuple[str, str]:
    """That there is no such thing, or that it is out of reach, and no other thing as the answer."""
    wrong = [one for one in expected.get("must_not_tell", ()) if one.lower() in told.whole.lower()]
    if wrong or told.kind == "clarify":
        return "wrong", f"tells {wrong}" if wrong else "asks back"
    if expected.get("out_of_reach"):
        ok = told.kind != "clarify" and OUT_OF_REACH.search(told.whole) and not told.sources
        return ("right", "") if ok else ("wrong", f"{told.kind} on {told.sources}")
    if NEAREST.search(told.headline):
        return "partly", "only as nearest"
    said = any(part in f"{told.headline.lower()} " for part in BUT_ONE)
    return ("right", "") if said and not told.sources else ("wrong", "it is not said that there is none")


def judge_ask_back(expected: dict[str, Any], told: Told) -> tuple[str, str]:
    """A question back that names what may be meant."""
    missing = [one for one in expected.get("candidates", ()) if one.lower() not in told.whole.lower()]
    if told.kind != "clarify" and not told.headline.rstrip().endswith("?") and not ASKS_NUMBER.search(told.whole):
        return "wrong", f"is a {told.kind}"
    return ("partly", f"names not {missing}") if missing else ("right", "")


ASKS_NUMBER = re.compile(r"\bwhich\b|\bsay its number\b|\bmay be any of\b", re.IGNORECASE)


def judge_several(expected: dict[str, Any], told: Told) -> tuple[str, str]:
    """An answer in place of a question back: all that may be meant, each with its date."""
    if "must_tell" in expected or not expected.get("candidates"):
        return judge_answer(expected, told)
    missing = [one for one in expected["candidates"] if one.lower() not in told.whole.lower()]
    undated = [day for day in expected.get("candidate_dates", ()) if not any(d in told.whole for d in written(day))]
    if told.kind != "answer" or len(missing) == len(expected["candidates"]):
        return "wrong", f"lacks {missing}"
    return ("partly", f"lacks {missing} {undated}") if missing or undated else ("right", "")


def judge_write(expected: dict[str, Any], told: Told) -> tuple[str, str]:
    """A change that is proposed, or was made and is said."""
    said = f"{told.proposed} {told.whole}".lower()
    wanted = [str(one) for one in (*expected.get("must_tell", ()), *expected.get("candidates", ()))]
    lacking = [one for one in wanted if not tells(said, one, expected.get("alternatives", {}))]
    if not told.proposed and not told.headline.startswith("Done"):
        return "wrong", "nothing is proposed"
    return ("wrong", f"lacks {lacking}") if lacking else ("right", "")


def judge_refusal(expected: dict[str, Any], told: Told) -> tuple[str, str]:
    """A refusal that tells nothing it must not."""
    wrong = [one for one in expected.get("must_not_tell", ()) if str(one).lower() in told.whole.lower()]
    return ("right", "") if told.kind == "refusal" and not wrong else ("wrong", f"is a {told.kind} {wrong}")


ACCEPTS = {
    "answer": judge_several,
    "not_found": judge_not_found,
    "ask_back": judge_ask_back,
    "proposal": judge_write,
    "stored": judge_write,
    "deleted": judge_write,
    "refuse": judge_refusal,
}


def is_of(source: str, told: Told) -> bool:
    """Whether a line near the headline rests on a source of the author's."""
    name = source.rpartition("/")[2] if source.startswith("vault/") else source
    thread = thread_id_of(source)
    return any(name in one or f"thread:{thread}" in one or one.startswith(source) for one in told.sources)


def tells(text: str, wanted: str, spelled: dict[str, list[str]]) -> bool:
    """Whether a text holds something in one of its spellings."""
    return first_place(text, wanted, spelled) < len(text)


def first_place(text: str, wanted: str, spelled: dict[str, list[str]]) -> int:
    """Where a text says something first; its length where it does not. Numbers and short words are whole tokens."""
    low = text.lower()
    plain = WORDED_DATE.sub(lambda m: " " * len(m[0]), DATE.sub(lambda m: " " * len(m[0]), low))
    found = [len(text)]
    for one in (wanted, *spelled.get(wanted, ())):
        is_date = re.match(r"\d{4}-\d\d-\d\d", wanted)
        within = low if is_date or len(one) > 4 else plain
        pattern = re.escape(one.lower()).replace(r"\ ", r"\s+")
        whole = rf"(?<![\w.,-]){pattern}(?![\w]|[.,]\d)" if len(one) <= 4 and not is_date else pattern
        found += [m.start() for m in re.finditer(whole, within)][:1]
    return min(found)


def written(day: str) -> tuple[str, ...]:
    """Ways in which a date may be written."""
    at = datetime.fromisoformat(day)
    month = MONTHS[at.month - 1].title()
    return day, f"{at.day} {month}", f"{at.day} {month[:3]}", f"{month} {at.day}", f"{month[:3]} {at.day}"
