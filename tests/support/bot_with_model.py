"""The whole bot in one process, thinking with a programmable model: a mention comes in, its thread is read at the end.

A local Slack (a process of its own), the Bolt app, the ledger, a worker, the demo team, and a Messages API server.
"""

from __future__ import annotations

import base64
import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlalchemy import delete

from tests.scenario.conftest import NOW
from tests.support.conversation_reading import evidence_in
from tests.support.model_server.replies import Message, call_tools, say_json
from tests.support.model_server.server import MessagesServer, Request, model
from tests.support.model_server.verifier import agree_but
from tests.support.sandbox_process import Running
from tests.support.signed_requests import Front
from tests.support.slack_payloads import SECRET, event_body
from workers.bootstrap import Oracle, build_engine, build_reasoners
from workers.contracts import ModelCall, RequestLog
from workers.entrypoints.tasks import build_worker_context, take
from workers.ports import Reasoner, ReasoningContext
from workers.reasoning.reasoner_access import ReasonerAccess
from workers.requests.worker_context import WorkerContext
from workers.settings.load import load_settings
from workers.store.channels import ChannelSettings, change_channel
from workers.store.tables import kept_answers, pacing, spending
from workers.telemetry.service_metrics import ServiceMetrics
from workers.toolkit.clock import SystemClock

WHY = "Why did latency spike on /api/search after the last deploy?"
ROLES = ("router", "investigator", "verifier", "style", "compression")
MODELS = {role: f"m-{role}" for role in ROLES}
TOOLS = ("metrics_query", "repo_search", "doc_search", "candidate_causes")
LOOK = ("metrics_query", {"query": "metric=latency_p95 window=24h endpoint=/api/search"})
FIND = ("repo_search", {"query": "search cache key"})
ITEMS = (("see when latency of /api/search moved", "active"), ("find the code of the cache", "pending"))
MOVED = "{METRIC.metric} of {METRIC.endpoint} {move(METRIC.baseline,METRIC.current)} at {METRIC.onset_at}."
PEAK = "It peaked at {METRIC.peak}."
PLACE = "{CODE.lines} builds the key."
KIND = "debug_incident"
BLANK = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""A chart of one pixel, where drawing is no part of the matter."""


def look(*calls: tuple[str, dict[str, Any]], text: str = "I look at the metric and the code.") -> Message:
    """The first turn: a list for people, and calls side by side."""
    items = [{"text": words, "status": status} for words, status in ITEMS]
    return call_tools([("todo", {"items": items}), *(calls or (LOOK, FIND))], text)


def claim(words: str, request: Request, **fields: Any) -> dict[str, Any]:
    """A claim over the evidence of a conversation.

    ``{METRIC.peak}`` is a fact of its first metric, ``{CODE.lines}`` of its first code; what no slot names is cited by
    ``[CODE]`` at the end.
    """
    first = {item["kind"].upper(): item["id"] for item in reversed(evidence_in(request))}
    kinds = "|".join(first) or "$^"
    template = re.sub(rf" \[({kinds})\]$", "", words)
    cited = [first[kind] for kind in dict.fromkeys(re.findall(kinds, words))] or list(first.values())[:1]
    template = re.sub(rf"(?<=[{{(,])({kinds})(?=\.)", lambda m: first[m[0]], template)
    return {"text": template, "evidence": cited, **fields}


def answer_args(request: Request, headline: str = MOVED, **sections: Any) -> dict[str, Any]:
    """The arguments of `answer`; sections are lists of templates, or of claims as they stand."""
    claims = {
        name: [claim(one, request) if isinstance(one, str) and name != "missing" else one for one in many]
        for name, many in sections.items()
    }
    return {"question_type": KIND, "headline": claim(headline, request), "confidence": "high", **claims}


def answer(request: Request, headline: str = MOVED, **sections: Any) -> Message:
    """An answer, by itself."""
    return call_tools([("answer", answer_args(request, headline, **sections))])


def writes(headline: str = MOVED, **sections: Any) -> Any:
    """Replies with an answer over whatever evidence the conversation holds."""
    return lambda request: answer(request, headline, **sections)


def mends(**claims: str) -> Any:
    """Replies with claims in place of those that failed: ``metrics_0="…"``."""

    def reply(request: Request) -> Message:
        made = [{"id": name.replace("_", "."), **claim(words, request)} for name, words in claims.items()]
        return call_tools([("mend", {"claims": made})])

    return reply


def good(server: MessagesServer, **other: Any) -> None:
    """Every role does its part. ``other``: replies of one role instead, one, or a list in turn."""
    usual: dict[str, Any] = {
        "investigator": [look(), writes(metrics=[PEAK], code=[PLACE])],
        "verifier": agree_but(),
        "style": say_json({"claims": []}),
    }
    for role, replies in {**usual, **other}.items():
        server.on(model(MODELS[role]), *(replies if isinstance(replies, list) else [replies]), role=role)


@dataclass
class Thread:
    """What one question came to: its log, and what Slack was told for it. ``seen``: the thread as a reader has it."""

    log: RequestLog
    seen: list[dict[str, Any]]
    calls: list[dict[str, Any]]
    ts: str = ""

    @property
    def posts(self) -> list[dict[str, Any]]:
        """The messages that are the reply; progress is posted as one too where it cannot be streamed."""
        posted = [call["arguments"] for call in self.calls if call["method"] == "chat.postMessage"]
        return [message for message in posted if ":progress" not in str(message.get("metadata"))]

    @property
    def text(self) -> str:
        """The reply in words."""
        return "\n".join(post["text"] for post in self.posts)

    @property
    def shown(self) -> str:
        """The reply as it is laid out, block by block."""
        return "\n".join(laid_out(block) for post in self.posts for block in post["blocks"])

    @property
    def everything(self) -> str:
        """Whatever was sent to Slack for this question, progress included."""
        return json.dumps([call["arguments"] for call in self.calls], ensure_ascii=False)

    @property
    def banner(self) -> str:
        """The line above the answer."""
        return (self.log.answer.banner if self.log.answer else "") or ""

    def calls_of(self, role: str) -> list[ModelCall]:
        """What was asked of a role's model."""
        return [call for call in self.log.model_calls if call.role == role]

    def statuses(self, role: str) -> list[str]:
        """How a role's calls ended."""
        return [call.status for call in self.calls_of(role)]

    @property
    def tools(self) -> list[str]:
        """The tools that were called."""
        return [call.name for call in self.log.tool_calls]


def laid_out(part: Any) -> str:
    """The texts of a block, runs of one line joined."""
    if isinstance(part, list):
        return "\n".join(filter(None, map(laid_out, part)))
    if not isinstance(part, dict):
        return ""
    if part.get("type", "").startswith("rich_text_") and part["type"] != "rich_text_list":
        return "".join(str(run.get("text", "")) for run in part["elements"])
    own = part.get("text") if isinstance(part.get("text"), str) else ""
    return "\n".join(filter(None, [own, *(laid_out(inner) for inner in part.values() if not isinstance(inner, str))]))


@dataclass
class Mind:
    """Whose thoughts a running engine thinks: those that were opened last."""

    access: ReasonerAccess | None = None

    def open(self, thinking: ReasoningContext) -> Reasoner:
        """See `workers.ports.Reasoners`."""
        assert self.access is not None
        return self.access.open(thinking)


@dataclass
class Bot:
    """Everything between a mention and its thread.

    ``given``: its settings by their dotted keys; ``logs``: of all that this deployment was asked.
    """

    sandbox: Running
    given: Mapping[str, Any]
    oracle: Oracle
    front: Front
    worker: WorkerContext
    mind: Mind
    logs: list[RequestLog] = field(default_factory=list)

    def ask(self, text: str = WHY, before: Thread | None = None) -> Thread:
        """Mention the app, in a thread of before or a new one, let a worker work, and read the thread."""
        boot = self.sandbox.see("/client/boot")
        bot, team = boot["app"]["user_id"], boot["team"]["id"]
        where = {"thread_ts": before.ts} if before else {}
        asked = self.sandbox.do("/control/message", channel="general", text=f"<@{bot}> {text}", **where)
        inner = {"type": "app_mention", "user": boot["me"], "text": f"<@{bot}> {text}", "ts": asked["ts"], **where}
        outer = {"team_id": team, "authorizations": [{"team_id": team, "user_id": bot, "is_bot": True}]}
        whole = ChannelSettings(verbosity="full")  # every claim of an answer is read here
        change_channel(self.oracle.store.database, team, asked["channel"], whole, "U1")
        body = event_body({**inner, "channel": asked["channel"]}, f"Ev{asked['ts']}", **outer)
        request_id = self.front.asked(body)
        take(self.worker, request_id)
        root = before.ts if before else asked["ts"]
        seen = self.sandbox.thread(asked["channel"], root)[1:]
        calls = self.sandbox.see("/control/calls", since=float(asked["ts"]))["calls"]
        done = [c for c in calls if c["status"] == 200]
        log = self.oracle.store.load(request_id)
        self.logs.append(log)
        return Thread(log, seen, done, root)

    @contextmanager
    def thinking(self, **models: Any) -> Iterator[Bot]:
        """The same bot with other settings of its models, which have failed nobody and cost nobody anything yet."""
        loaded = load_settings({**self.given, **dotted(models)}, home=self.oracle.settings.home)
        store, engine = self.oracle.store, self.oracle.engine
        for table in (kept_answers, pacing, spending):
            with store.database.begin() as connection:
                connection.execute(delete(table))
        modules = {name: agent.module for name, agent in engine.agents.items()}
        access = build_reasoners(loaded, store, self.oracle.toolbox.redactor, modules, engine.likely)
        self.mind.access = access
        oracle = replace(self.oracle, settings=loaded, reasoner_access=access)
        try:
            yield replace(self, oracle=oracle, worker=replace(self.worker, oracle=oracle))
        finally:
            access.close()


def dotted(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by their dotted keys, from names with ``__`` for the dot."""
    return {key.replace("__", "."): value for key, value in settings.items()}


@contextmanager
def run_bot(sandbox: Running, server: MessagesServer, demo: Path, database: Path, **settings: Any) -> Iterator[Bot]:
    """The bot on the demo team. ``settings``: keys with ``__`` for the dot, such as ``models__budget__request_s``."""
    shutil.copy(demo / "oracle.db", database)
    address = sandbox.address
    given: dict[str, Any] = {
        "oracle.database_url": f"sqlite:///{database}",
        "oracle.slack.bot_token": address["bot_token"],
        "oracle.slack.signing_secret": SECRET,
        "oracle.slack.api_url": address["api_url"],
        "agents.research.tool_timeout_ms": 20_000,  # a busy machine is no failure of a tool
        "agents.research.tools_total_ms": 60_000,
        **{f"tools.{name}.cache_ttl_s": 3_600 for name in TOOLS},  # the same is asked again and again
        "oracle.limits.user_per_hour": 10_000,  # one person asks what all tests of a run ask
        "oracle.context.url": "",  # one agent is there: none has to be chosen
        "models.endpoint.base_url": server.url,
        "models.endpoint.api_key": "test-key",
        **{f"models.roles.{role}.model": name for role, name in MODELS.items()},
        **dotted(settings),
    }
    loaded = load_settings(given, home=demo)
    with ExitStack() as stack:
        mind = Mind()
        oracle = build_engine(loaded, clock=SystemClock(NOW), reasoners=mind.open)
        stack.callback(oracle.close)
        mind.access = oracle.reasoner_access
        metrics = ServiceMetrics(oracle.metrics)
        worker = build_worker_context(oracle, metrics)
        stack.callback(worker.board.close)
        yield Bot(sandbox, given, oracle, Front(loaded, oracle.store.database, []), worker, mind)
