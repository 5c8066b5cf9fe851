"""An investigation without a network: scripted replies, tools that answer from a table, the real claim checker."""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

from tests.support.engine_fakes import Answering, FakeClock, FakeToolbox
from tests.support.latency_evidence import EVIDENCE
from tests.support.reasoner_inputs import INTENT, LANDSCAPE, LIMITS, MODULE, QUESTION, STANDING, brief, thinking
from workers.contracts import RequestLog, Scalar, ToolOutput
from workers.engine.engine import Engine
from workers.engine.execute import Run
from workers.engine.investigation import Bench
from workers.engine.synthesize_stage import ground_draft
from workers.errors import ModelFailed
from workers.ports import CheckedClaim, Limits, TodoItem, ToolContext
from workers.reasoning.model.investigation import Investigation
from workers.reasoning.model.model_call import Reply, ToolUse
from workers.reasoning.model.transcript import Transcript, user

ROSE = "p95 latency of /api/search rose from 210 ms to 1.87 s at 14:06 UTC."
PEAKED = "It peaked at 1.9 s."
INVENTED = "It peaked at 7.7 s."
PLACE = "The key of the cache is built in search/cache.py:12-16."
FAILS = ModelFailed("its answer did not fit into max_tokens", mendable=True)
NUMBERS = itertools.count(1)
Answer = Reply | ModelFailed | Callable[["Conversation"], Reply]


def found(*keys: str) -> ToolOutput:
    """What a tool returns: pieces of `EVIDENCE`, not yet numbered."""
    return ToolOutput(evidence=tuple(EVIDENCE[key].model_copy(update={"id": ""}) for key in keys), summary="found")


def metrics(args: Mapping[str, Scalar]) -> ToolOutput:
    """p95 and database p95 of /api/search."""
    del args
    return found("E1", "E3")


def code(args: Mapping[str, Scalar]) -> ToolOutput:
    """The function that builds the key."""
    del args
    return found("E5")


def documents(args: Mapping[str, Scalar]) -> ToolOutput:
    """A section of the runbook."""
    del args
    return found("E7")


def tools(**other: Answering) -> FakeToolbox:
    """All three, or others in their place."""
    usual: dict[str, Answering] = {"metrics_query": metrics, "repo_search": code, "doc_search": documents}
    return FakeToolbox(LANDSCAPE, **{**usual, **other})


def headline(finding: Any) -> str:
    """What the draft of a finding says first."""
    assert finding.draft is not None
    return str(finding.draft.headline.template)


# --- what a model says ----------------------------------------------------------------------------------------


def say(text: str) -> Reply:
    """Text and no call."""
    return Reply(text, (), ({"type": "text", "text": text},))


def call(*uses: tuple[str, dict[str, Any]], text: str = "", thought: str = "") -> Reply:
    """Calls side by side, with text or a thought before them."""
    made = tuple(ToolUse(f"toolu_{next(NUMBERS)}", name, args) for name, args in uses)
    blocks: list[Mapping[str, Any]] = []
    blocks += [{"type": "thinking", "thinking": thought, "signature": "signed"}] if thought else []
    blocks += [{"type": "text", "text": text}] if text else []
    blocks += [{"type": "tool_use", "id": use.id, "name": use.name, "input": use.args} for use in made]
    return Reply(text, made, tuple(blocks))


LOOK = ("metrics_query", {"query": "metric=latency_p95 endpoint=/api/search"})
FIND = ("repo_search", {"query": "cache key"})
READ = ("doc_search", {"query": "cache misconfiguration"})


def claim(text: str, *evidence: str, **fields: Any) -> dict[str, Any]:
    """A claim as a model writes it."""
    return {"text": text, "evidence": list(evidence or ("E1",)), **fields}


def answer_args(headline: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """The arguments of `answer`."""
    head = headline or claim(ROSE)
    return {"question_type": "debug_incident", "headline": head, "confidence": "high", **fields}


def answer(headline: dict[str, Any] | None = None, **fields: Any) -> Reply:
    """The answer, by itself."""
    return call(("answer", answer_args(headline, **fields)))


def mend(*claims: tuple[str, dict[str, Any]]) -> Reply:
    """Claims in place of those that failed, by their ids."""
    return call(("mend", {"claims": [{"id": name, **one} for name, one in claims]}))


# --- the conversation -----------------------------------------------------------------------------------------


@dataclass
class Conversation:
    """The model's side. ``asked``: what it was sent each time; ``shown``: the lists that people saw; ``forced``: the
    tool that it had to call each time."""

    replies: list[Answer]
    asked: list[list[dict[str, Any]]] = field(default_factory=list)
    verified: list[tuple[str, ...]] = field(default_factory=list)
    shown: list[tuple[TodoItem, ...]] = field(default_factory=list)
    forced: list[str] = field(default_factory=list)

    def next(self, transcript: Transcript, forced: str) -> Reply:
        """The reply whose turn it is; the last one repeats."""
        self.forced.append(forced)
        self.asked.append(copy.deepcopy([dict(message) for message in transcript.marked()]))
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, ModelFailed):
            raise reply
        return reply(self) if callable(reply) else reply

    @property
    def last(self) -> list[dict[str, Any]]:
        """The blocks of the last message that it was sent."""
        return list(self.asked[-1][-1]["content"])

    @property
    def told(self) -> str:
        """Their texts."""
        return "\n".join(str(block.get("content") or block.get("text")) for block in self.last)

    @property
    def wrong(self) -> list[bool]:
        """Of each result in the last message, whether it is an error."""
        return [bool(block.get("is_error")) for block in self.last if block["type"] == "tool_result"]


Verdicts = Mapping[str, tuple[str, str]]


def workbench(box: FakeToolbox, limits: Limits = LIMITS, shown: list[tuple[TodoItem, ...]] | None = None) -> Bench:
    """The engine's own, over tools from a table."""
    about = thinking(limits=limits, toolbox=box)
    log = RequestLog(request_id="r1", question=QUESTION, intent=INTENT, plan=STANDING)
    engine = cast("Engine", SimpleNamespace(clock=FakeClock()))
    window = INTENT.window
    assert window is not None
    run = Run(
        session=box.open(ToolContext("r1", "research", FakeClock().now()), limits),
        reasoner=None,  # type: ignore[arg-type]
        asked=about.asked(QUESTION.text, INTENT),
        window=window,
        report=lambda *detail: None,
    )
    seen = shown if shown is not None else []
    return Bench(run, partial(ground_draft, engine, log, about), lambda todo: seen.append(tuple(todo)))


def investigate(
    *replies: Answer,
    box: FakeToolbox | None = None,
    limits: Mapping[str, Any] | None = None,
    verdicts: Sequence[Verdicts | None] = (),
    used: Callable[[], float] = lambda: 0.0,
    most_chars: int = 400_000,
) -> tuple[Investigation, Conversation]:
    """An investigation that can be run. ``verdicts``: what the verifier says, one mapping a time it is asked:
    claims that it does not hold are entailed; None: it judges nothing."""
    box = box or tools()
    allowed = replace(LIMITS, **{"max_turns": 15, "max_tool_calls": 40, **(limits or {})})
    talk = Conversation(list(replies))
    bench = workbench(box, allowed, talk.shown)
    said = iter(verdicts)

    def verify(claims: Sequence[CheckedClaim]) -> Verdicts:
        talk.verified.append(tuple(c.id for c in claims))
        found = next(said, {})
        return {} if found is None else {c.id: found.get(c.id, ("entailed", "")) for c in claims}

    made = Investigation(
        brief=brief(evidence=(), gaps=()),
        bench=bench,
        transcript=Transcript([user("Names that exist: …", QUESTION.text)]),
        ask=talk.next,
        verify=verify,
        used=used,
        tools={tool.name: tool for tool in box.specs(allowed)},
        types=MODULE.QUESTION_TYPES,
        max_turns=allowed.max_turns,
        most_chars=most_chars,
        told="Say only what was asked for, in the form that was asked for, and nothing else at all.",
    )
    return made, talk
