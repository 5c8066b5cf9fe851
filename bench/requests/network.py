"""Requests about a network: the author's events are a sensor's log, his objects are served as NetBox does."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.boards.judge import shown_lines
from examples.network.netbox import DEMO_TOKEN, serve_netbox
from workers.bootstrap import build_engine
from workers.contracts import RequestLog
from workers.engine.run import Pipeline
from workers.settings.load import load_settings

NO = re.compile(
    r"\b(?:no|not|none|nothing|never|nobody|cannot|can't|kein\w*|nicht\w*|ningun\w*|nada|no hay)\b|\b0\b", re.IGNORECASE
)
YES_NO = frozenset({"no", "not", "none", "nothing", "0"})


@contextmanager
def open_world(book: dict[str, Any], folder: Path, file: Path) -> Iterator[Pipeline]:
    """The author's sensors and NetBox, connected. Yields: the engine."""
    events = file.parent / Path(str(book["world"]["eve"])).name
    home = folder / "home"
    home.mkdir()
    shutil.copy(events, folder / "eve.json")
    os.environ["ORACLE_HOME"] = str(home)
    with serve_netbox(objects=book["world"]["netbox"]) as url:
        settings = {
            "oracle.suricata.eve": [str(folder / "eve.json")],
            "oracle.netbox": {"url": url, "token": DEMO_TOKEN},
            "oracle.timezone": book["zone"],
        }
        oracle = build_engine(load_settings(settings, home=home))
        try:
            yield oracle.engine
        finally:
            oracle.close()


def judge(request: dict[str, Any], log: RequestLog) -> tuple[str, str]:
    """What an answer is worth by what the author expects of it."""
    wanted = request["expected"]
    answer, lines = log.answer, shown_lines(log)
    if answer is None or not lines:
        return "wrong", "no answer"
    whole, agent = "\n".join(lines), log.route.task if log.route else ""
    told = "\n".join(line for line in lines if not LEFT_OUT.search(line))
    if said := [text for text in wanted.get("must_not_tell", ()) if tells(told, text)]:
        return "dropped", f"tells {said}"
    outcome = next((o for o in outcomes(wanted) if fits(o, wanted, log, lines[0])), "")
    if not outcome:
        return "wrong", f"{agent}: {answer.kind} is none of {outcomes(wanted)}"
    if agent != "network" and outcome != "refuse":
        return "wrong", f"{agent} answered"
    if outcome == "answer" and not answer.headline.evidence:
        return "wrong", "the headline rests on nothing"
    missing = [text for text in wanted["must_tell"] if not any(tells(whole, one) for one in options(text))]
    if missing and outcome in {"answer", "not_found"}:
        part = len(missing) < len(wanted["must_tell"])
        return ("partly" if part else "wrong"), f"{agent}: lacks {missing}"
    return "right", ""


def outcomes(wanted: dict[str, Any]) -> tuple[str, ...]:
    """What the author lets pass, without his remarks."""
    return tuple(str(one).partition(":")[0] for one in (wanted["outcome"], *wanted.get("also_ok", ())))


def fits(outcome: str, wanted: dict[str, Any], log: RequestLog, first: str) -> bool:
    """Whether an answer is of an outcome."""
    answer = log.answer
    if answer is None:
        return False
    if outcome == "ask_back":
        known = {str(name) for name in wanted.get("candidates", ())}
        return answer.kind == "clarify" and (not known or bool(known & {o.value for o in answer.options}))
    if outcome == "proposal":
        return bool(log.proposals)
    if log.proposals:
        return False
    if outcome in {"not_found", "refuse"}:
        return answer.kind != "clarify" and NO.search(first) is not None
    return answer.kind != "clarify"


def options(text: Any) -> tuple[Any, ...]:
    """One of a nested list suffices."""
    return tuple(text) if isinstance(text, list) else (text,)


LEFT_OUT = re.compile(r"\b(?:without|except|not used|left out|leaving out|not counted|did not use)\b", re.IGNORECASE)
"""That a thing is left out is no telling of it."""


def tells(whole: str, text: Any) -> bool:
    """Whether a text or a number stands in an answer; yes and no by their sense."""
    said = str(text)
    if said in YES_NO:
        return NO.search(whole) is not None
    plain = whole.replace("[.]", ".").replace("\N{NO-BREAK SPACE}", " ")
    if isinstance(text, int | float):
        plain = re.sub(r"(?<=\d),(?=\d{3})", "", plain)
        return re.search(rf"(?<![\d.:-]){re.escape(said)}(?![\d:]|\.\d|-\d)", plain) is not None
    return re.search(rf"(?<![\w.-]){re.escape(said)}(?![\w-]|\.\d)", plain, re.IGNORECASE) is not None
