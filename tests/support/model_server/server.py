"""A programmable Messages API server: real HTTP and real server-sent events on a free loopback port.

It speaks OpenAI's chat completions as well, answers taken whole: the same rules and replies serve both.

    with run_messages_server() as server:
        server.on(system("You read questions"), say_json({"question_type": "conceptual"}))  # a role, by its prompt
        server.on(tools(), call_tools([("repo_search", {"query": "cache"})]), say("done"))  # one after the other
        server.script(status(529), cut(say("half")), say("whole"))  # everything else, in order
        client = anthropic.Anthropic(base_url=server.url, api_key="test")
        assert server.requests[0].last_user == "…"

The last reply of a rule repeats, those of a script are used up; a request that nothing answers gets 400 and stands in
``server.unanswered``. Instead of a reply a rule may hold a function of the request. Requests are checked as the API
checks them (`messages_rules`), usage counts a prompt cache (`messages_cache`), every request is kept.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.model_server.chat_dialect import as_messages, chat_error, completion_of
from tests.support.model_server.chat_rules import check_chat
from tests.support.model_server.http import Door, Handler
from tests.support.model_server.prompt_cache import PromptCache, as_blocks, blocks_of, schema_of
from tests.support.model_server.replies import Message, Reply, Status, error_body, status
from tests.support.model_server.request_rules import Refused, check_request, known_models, marks_of

MESSAGES, COUNT, CHAT = "/v1/messages", "/v1/messages/count_tokens", "/v1/chat/completions"
PATHS = frozenset({MESSAGES, COUNT, CHAT})
THE_SDKS = frozenset({"those that the SDK names"})


@dataclass
class Request:
    """One request as it came in; ``body`` in the shape of the Messages API, whatever the dialect.

    ``role`` is the name of the rule that answered, ``left``: the client went away.
    """

    path: str
    headers: dict[str, str]
    raw: bytes
    body: dict[str, Any] = field(default_factory=dict)
    role: str = ""
    reply: Reply | None = None
    refused: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    at: float = field(default_factory=time.monotonic)
    left: bool = False

    @property
    def key(self) -> str:
        """The key or the token that was sent."""
        return self.headers.get("x-api-key", "") or self.headers.get("authorization", "").removeprefix("Bearer ")

    @property
    def system(self) -> str:
        """The system text."""
        return "\n\n".join(block["text"] for block in as_blocks(self.body.get("system") or []))

    @property
    def last_user(self) -> str:
        """The text of the last message, texts of tool results included."""
        return texts(self.body["messages"][-1]["content"])

    @property
    def prompt(self) -> str:
        """All that the model reads, tools included."""
        return "\n".join(block.text for block in blocks_of(self.body))

    @property
    def tools(self) -> tuple[str, ...]:
        """Names of the tools that are offered."""
        return tuple(tool["name"] for tool in self.body.get("tools") or [])

    @property
    def results(self) -> tuple[dict[str, Any], ...]:
        """The tool results in the last message."""
        blocks = as_blocks(self.body["messages"][-1]["content"])
        return tuple(block for block in blocks if block["type"] == "tool_result")

    @property
    def schema(self) -> Any:
        """The schema of the output, or None."""
        return schema_of(self.body)

    @property
    def marks(self) -> tuple[str, ...]:
        """Places of cache_control, such as ``system.0``."""
        return tuple(place for place, _ in marks_of(self.body))


def texts(content: Any) -> str:
    """All text in some content."""
    found = []
    for block in as_blocks(content):
        found.append(block["text"] if block["type"] == "text" else "")
        found.append(texts(block.get("content") or []) if block["type"] == "tool_result" else "")
    return "\n".join(filter(None, found))


Predicate = Callable[[Request], bool]
Answer = Reply | Callable[[Request], Reply]


def anything(request: Request) -> bool:
    """Every request."""
    return True


def model(name: str) -> Predicate:
    """Requests for a model."""
    return lambda request: request.body["model"] == name


def system(part: str) -> Predicate:
    """Requests whose system text holds some words."""
    return lambda request: part in request.system


def user(part: str) -> Predicate:
    """Requests whose last message holds some words."""
    return lambda request: part in request.last_user


def tools(*names: str) -> Predicate:
    """Requests that offer tools, all of these among them."""
    return lambda request: bool(request.tools) and set(names) <= set(request.tools)


@dataclass
class Rule:
    """Replies to the requests that a predicate picks."""

    when: Predicate
    answers: list[Answer]
    role: str = ""
    repeats: bool = True

    def next(self) -> Answer | None:
        """The reply whose turn it is; None: all are used up."""
        if self.repeats and len(self.answers) == 1:
            return self.answers[0]
        return self.answers.pop(0) if self.answers else None


class MessagesServer:
    """What is scripted, and what came in. ``key``: the only key taken, if any; ``models``: those known, None: all."""

    def __init__(self, *, key: str, models: frozenset[str] | None, smallest_cached_tokens: int) -> None:
        self.key, self.models = key, models
        self.cache = PromptCache(smallest_cached_tokens)
        self.rules: list[Rule] = []
        self.scripted = Rule(anything, [], repeats=False)
        self.requests: list[Request] = []
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.numbers = itertools.count(1)
        self.url = ""

    def on(self, when: Predicate, *answers: Answer, role: str = "") -> MessagesServer:
        """Answer the requests that a predicate picks, before all later rules. The last reply repeats."""
        self.rules.append(Rule(when, list(answers), role))
        return self

    def script(self, *answers: Answer) -> MessagesServer:
        """Answer what no rule picks, each reply once."""
        self.scripted.answers.extend(answers)
        return self

    def begin_anew(self) -> MessagesServer:
        """Forget what was scripted, what came in and what was cached."""
        self.cache = PromptCache(self.cache.smallest_tokens)
        self.rules, self.scripted, self.requests = [], Rule(anything, [], repeats=False), []
        return self

    def of(self, role: str) -> list[Request]:
        """The requests that a rule answered."""
        return [request for request in self.requests if request.role == role]

    @property
    def refused(self) -> list[str]:
        """Why requests were refused as the API refuses them."""
        return [request.refused for request in self.requests if request.refused]

    @property
    def unanswered(self) -> list[Request]:
        """Good requests for which nothing was scripted."""
        return [r for r in self.requests if r.path != COUNT and r.reply is None and not r.refused]

    def number(self, prefix: str) -> str:
        """A new id."""
        return f"{prefix}_{next(self.numbers):024d}"

    def take(self, request: Request) -> Reply | dict[str, Any]:
        """Keep a POST, and decide what it gets: a reply, or the count of its tokens."""
        with self.lock:
            self.requests.append(request)
        wrong = self.wrong(request)
        if wrong:
            request.refused = wrong.message
            return wrong
        if request.path == COUNT:
            return {"input_tokens": sum(block.tokens for block in blocks_of(request.body))}
        with self.lock:
            rule = next((rule for rule in [*self.rules, self.scripted] if rule.when(request)), self.scripted)
            answer = rule.next()
        if answer is None:
            return status(400, "nothing is scripted for this request")
        request.role = rule.role
        request.reply = answer(request) if callable(answer) else answer
        return request.reply

    def wrong(self, request: Request) -> Status | None:
        """What the API would say against it."""
        if not request.key or (self.key and request.key != self.key):
            return status(401, "invalid x-api-key")
        if request.path != CHAT and "anthropic-version" not in request.headers:
            return status(400, "anthropic-version: header is required")
        try:
            request.body = read_body(request)
        except ValueError as error:
            return status(400, f"The request body is not valid JSON: {error}")
        except Refused as mistake:
            return status(400, str(mistake))
        if not self.knows(request.body["model"]):
            return status(404, f"model: {request.body['model']}")
        return None

    def knows(self, name: str) -> bool:
        """Whether a model exists."""
        return self.models is None or name in self.models

    def model_info(self, name: str) -> tuple[int, dict[str, Any]]:
        """Status and body of ``GET /v1/models/{id}``."""
        if not self.knows(name):
            return 404, error_body("not_found_error", f"model: {name}")
        sizes = {"max_input_tokens": 200_000, "max_tokens": 64_000}
        about = {"display_name": name, "created_at": "2026-01-01T00:00:00Z", "lifecycle": "active"}
        return 200, {"id": name, "type": "model", **about, **sizes}

    def in_dialect(self, request: Request, message: dict[str, Any]) -> dict[str, Any]:
        """A whole message as the request's dialect has it."""
        return completion_of(message) if request.path == CHAT else message

    def error_in_dialect(self, request: Request, error: Status) -> dict[str, Any]:
        """An error as the request's dialect words it."""
        return chat_error(error) if request.path == CHAT else error.body

    def whole(self, request: Request, reply: Message) -> dict[str, Any]:
        """A reply as the API's message, with ids and usage."""
        blocks = [{**b, "id": self.number("toolu")} if b["type"] == "tool_use" else b for b in reply.content]
        counts = self.cache.count(request.body, unasked=request.path == CHAT)
        if request.path == CHAT:  # what the cache takes costs nothing there, and is not told
            counts["input_tokens"] += counts.pop("cache_creation_input_tokens")
        request.usage = {
            "cache_creation_input_tokens": 0,
            **counts,
            "output_tokens": max(1, len(json.dumps(blocks)) // 4),
        }
        return {
            "id": self.number("msg"),
            "type": "message",
            "role": "assistant",
            "model": request.body["model"],
            "content": blocks,
            "stop_reason": reply.stop_reason,
            "stop_sequence": None,
            "stop_details": reply.stop_details,
            "usage": request.usage,
        }


def read_body(request: Request) -> dict[str, Any]:
    """A request's body, checked in its own dialect. Raises: ValueError, Refused."""
    body = json.loads(request.raw)
    if request.path == CHAT:
        check_chat(body)
        return as_messages(body)
    check_request(request.path, body)
    return dict(body)


@contextmanager
def run_messages_server(
    *, key: str = "", models: frozenset[str] | None = THE_SDKS, smallest_cached_tokens: int = 1024
) -> Iterator[MessagesServer]:
    """A server until the block ends; replies under way are cut then."""
    models = known_models() if models is THE_SDKS else models
    server = MessagesServer(key=key, models=models, smallest_cached_tokens=smallest_cached_tokens)
    with Door(server, Handler) as door:
        server.url = f"http://127.0.0.1:{door.server_port}"
        thread = threading.Thread(target=door.serve_forever, kwargs={"poll_interval": 0.02}, name="messages server")
        thread.start()
        try:
            yield server
        finally:
            door.stop()
            thread.join()
