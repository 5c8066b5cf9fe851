"""Investigations played by hand: what a strong model would call and say, against the real engine and tools.

A file holds, as YAML: ``question``; ``source``, on which it was played; ``context``, earlier messages of the thread;
``turns``, lists of calls ``{tool, args}``, and ``{say}`` for words between them; ``answer``, the arguments of the last
call; ``planted``, the ids of its claims that hold a false specific on purpose, ``for_verifier`` those of them whose
false value stands elsewhere in the evidence, so that only a verifier can tell; ``mends``, what the model gives in place
of claims that fail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.support.model_server.replies import Message, call_tools
from tests.support.model_server.server import MessagesServer, Request, model
from tests.support.model_server.verifier import DATA, say_verdicts
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Question, RequestLog, Verdict
from workers.engine.investigation import named_claims
from workers.settings.load import load_settings
from workers.toolkit.clock import SystemClock

INVESTIGATOR, VERIFIER = "m-investigator", "m-verifier"
PRICES = {
    INVESTIGATOR: {"input": 2.0, "output": 10.0, "cache_write": 2.5, "cache_read": 0.1},
    VERIFIER: {"input": 0.1, "output": 0.5, "cache_write": 0.125, "cache_read": 0.01},
}


@dataclass(frozen=True)
class Played:
    """One investigation. ``answer`` is empty while it is not finished."""

    question: str
    source: str = "demo"
    context: tuple[str, ...] = ()
    agent: str | None = None
    turns: tuple[tuple[Mapping[str, Any], ...], ...] = ()
    answer: Mapping[str, Any] = field(default_factory=dict)
    planted: frozenset[str] = frozenset()
    for_verifier: frozenset[str] = frozenset()
    mends: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def read_played(path: Path) -> Played:
    """A file."""
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Played(
        question=raw["question"],
        source=raw.get("source", "demo"),
        context=tuple(raw.get("context", ())),
        turns=tuple(tuple(turn) for turn in raw.get("turns", ())),
        answer=raw.get("answer") or {},
        planted=frozenset(raw.get("planted", ())),
        for_verifier=frozenset(raw.get("for_verifier", ())),
        mends=raw.get("mends") or {},
    )


def settings_of(server: MessagesServer, home: Path, **more: Any) -> Any:
    """Settings of a home whose models are at a server."""
    roles = {
        "investigator": {"model": INVESTIGATOR, "deadline_s": 100},
        "verifier": {"model": VERIFIER, "deadline_s": 100},
    }
    models = {
        "reasoner": "model",
        "endpoint": {"base_url": server.url, "api_key": "k"},
        "roles": roles,
        "prices": PRICES,
    }
    folder = home / "config"
    (folder / "models.yaml").write_text(yaml.safe_dump(models), encoding="utf-8")
    return load_settings(home=home, **more)


class PlayedModel:
    """Answers the investigator's requests as a file says; a complaint is met with the file's mends, others stay."""

    def __init__(self, played: Played) -> None:
        self.played = played
        self.answered = False

    def __call__(self, request: Request) -> Message:
        """The next turn."""
        turns = sum(message["role"] == "assistant" for message in request.body["messages"])
        if turns < len(self.played.turns):
            return turn_of(self.played.turns[turns])
        if not self.answered:
            self.answered = True
            return call_tools([("answer", dict(self.played.answer))])
        failed = set(re.findall(r'"id": "([a-z_]+(?:\.\d+)?)"', request.last_user))
        claims = [{"id": i, **claim} for i, claim in self.played.mends.items() if i in failed]
        return call_tools([("mend", {"claims": claims})])


def verifier_of(played: Played) -> Callable[[Request], Message]:
    """A verifier that refutes the claims which the file leaves to it, and nothing else."""
    false = {squeezed(claim["text"]) for name, claim in claims_of(played) if name in played.for_verifier}

    def judge(request: Request) -> Message:
        rows = json.loads(DATA.findall(request.last_user)[-1])
        return say_verdicts(request, {row["id"]: "not" for row in rows if squeezed(row["claim"]) in false})

    return judge


def turn_of(calls: Sequence[Mapping[str, Any]]) -> Message:
    """The calls of a turn, with the words between them."""
    words = " ".join(str(call["say"]) for call in calls if "say" in call)
    return call_tools([(call["tool"], dict(call.get("args") or {})) for call in calls if "tool" in call], text=words)


@dataclass(frozen=True)
class Outcome:
    """What came of it: the log, the requests of the model, and the sort of each claim of the file by its id."""

    log: RequestLog
    requests: Sequence[Request]
    sorts: Mapping[str, str]


def play(server: MessagesServer, oracle: Oracle, played: Played) -> Outcome:
    """Ask the question with the hand-played model."""
    before = len(server.requests)
    server.rules.clear()
    server.on(model(INVESTIGATOR), PlayedModel(played))
    server.on(model(VERIFIER), verifier_of(played))
    engine = oracle.engine
    question = Question(
        request_id=f"played{before}",
        text=played.question,
        context=played.context,
        agent=played.agent,
        source="cli",
        received_at=engine.clock.now(),
    )
    log = engine.ask(question)
    return Outcome(log, server.requests[before:], sorts_of(log, played))


def sorts_of(log: RequestLog, played: Played) -> dict[str, str]:
    """Each claim of the file -> ``supported``, ``hypothesis``, ``named`` (struck and named), or ``lost``."""
    answer = log.answer
    if answer is None or log.draft is None:
        return {}
    shown = {squeezed(claim.template): claim.status for claim in answer.claims}
    named = squeezed(" ".join(gap.text for gap in answer.missing))
    sorts: dict[str, str] = {}
    for name, claim in claims_of(played):
        text = squeezed(claim["text"])
        sorts[name] = shown.get(text) or ("named" if verdict_of(log, text) and "could not verify" in named else "lost")
    return sorts


def verdict_of(log: RequestLog, text: str) -> Verdict | None:
    """Why a claim of the draft was struck."""
    ids = {name for name, claim in named_claims(log.draft) if squeezed(claim.template) == text} if log.draft else set()
    return next((verdict for verdict in log.struck if verdict.id in ids), None)


def claims_of(played: Played) -> list[tuple[str, Mapping[str, Any]]]:
    """Every claim of the file's answer with its id."""
    out = [("headline", played.answer["headline"])]
    for section, claims in played.answer.items():
        if isinstance(claims, list) and section != "missing":
            out += [(f"{section}.{i}", claim) for i, claim in enumerate(claims)]
    return out


def squeezed(text: str) -> str:
    """In lower case, with single blanks."""
    return " ".join(text.lower().split())


def open_played(server: MessagesServer, home: Path, now: Any) -> Oracle:
    """An engine on a home, its models at a server, as of a moment."""
    return build_engine(settings_of(server, home), clock=SystemClock(now))


def last_results(request: Request) -> str:
    """What the model reads last, for whoever plays it."""
    return "\n\n".join(
        str(block.get("content") or block.get("text"))
        if not isinstance(block.get("content"), list)
        else json.dumps(block["content"])
        for block in request.body["messages"][-1]["content"]
    )
