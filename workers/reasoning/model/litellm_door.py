"""The door to every other provider, by litellm. Nothing else imports it; it is an extra, and takes seconds to load.

An answer is taken whole: litellm calls a stream complete that broke off. Calls run in an event loop, so that one which
nobody waits for is cancelled, and its connection with it, however silent the server is. What litellm would do beside
the call is off: retries, prices from the network, a `.env` in the working directory, its log.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import wait
from typing import Any

import httpx

os.environ |= {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_MODE": "PRODUCTION",
}  # which it reads when it is loaded
import litellm
import openai
from litellm.llms.custom_httpx.async_client_cleanup import close_litellm_async_clients

from workers.reasoning.model.chat_completions import chat_request, message_of
from workers.reasoning.model.door import (
    CONNECT_S,
    ENDLESS,
    LATE,
    LEFT,
    NONSENSE,
    UNREACHABLE,
    judge_code,
    retry_after,
)
from workers.reasoning.model.model_call import MOST_CHARS, Attempt, Failure, Reply, outcome_of
from workers.settings.schema import Endpoint

logger = logging.getLogger(__name__)
LOOK_S, PING_S, CLOSE_S, LONGEST_S = 0.1, 20.0, 5.0, 300.0
"""How often is looked whether anybody still waits; what a ping and closing may take; litellm's own limit, above every
deadline of ours and the same for all calls, for it keeps connections by it.
"""
CLOUDS = frozenset({"azure", "azure_ai", "bedrock", "sagemaker", "sagemaker_chat", "vertex_ai"})
"""Providers whose credentials may be those of the machine, whatever the address."""
FOREIGN = (
    openai.OpenAIError,
    httpx.HTTPError,
    httpx.InvalidURL,
    *NONSENSE,
    ImportError,
)
"""All that litellm lets through: errors of its own, which are OpenAI's, the transport's, what parsing raises on
nonsense, and a provider's package that is not there.
"""
CALLED: Mapping[str, str] = {"ollama": "ollama_chat"}
"""What litellm calls a provider where its plain name is an older way to it: without tools, for Ollama."""
MARKED = ("claude", "anthropic", "arn:aws:bedrock")
"""In the names of models whose prompt cache goes by marks, whoever serves them."""
STOPPED = Failure("error", "it was stopped", lasting=True, blames=False)
PING = {"max_tokens": 16, "system": [], "messages": [{"role": "user", "content": "ping"}]}


def quieten() -> None:
    """Only the call itself: no hints on the terminal, no log of prompts, no second transport."""
    litellm.suppress_debug_info = True
    litellm.turn_off_message_logging = True
    litellm.disable_aiohttp_transport = True
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).disabled = True


class LitellmDoor:
    """Keeps one event loop, begun on first use: a thread that was begun before a fork is not there in the children."""

    def __init__(self) -> None:
        quieten()
        self.running: tuple[asyncio.AbstractEventLoop, threading.Thread] | None = None
        self.lock = threading.Lock()

    def send(self, endpoint: Endpoint, request: Mapping[str, Any], seconds: float, state: Attempt) -> Reply | Failure:
        """Ask for a whole answer."""
        call = asyncio.run_coroutine_threadsafe(answer(endpoint, request, seconds, state), self.loop())
        while not wait([call], timeout=LOOK_S).done:
            if state.left.is_set():
                call.cancel()
                return LEFT
        return STOPPED if call.cancelled() else call.result()

    def ping(self, endpoint: Endpoint, model: str) -> Failure | None:
        """Ask for a word: there is no other question that every provider answers."""
        came = self.send(endpoint, {**PING, "model": model}, PING_S, Attempt())
        return came if isinstance(came, Failure) and came.status not in {"invalid", "refused"} else None

    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop, in its thread."""
        with self.lock:
            if self.running is None:
                loop = asyncio.new_event_loop()
                thread = threading.Thread(target=loop.run_forever, name="litellm", daemon=True)
                thread.start()
                self.running = loop, thread
            return self.running[0]

    def close(self) -> None:
        """End the calls under way, close the connections and the loop."""
        with self.lock:
            if self.running is None:
                return
            (loop, thread), self.running = self.running, None
        wait([asyncio.run_coroutine_threadsafe(clear(), loop)], timeout=CLOSE_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(CLOSE_S)
        if not thread.is_alive():
            loop.close()


open_door = LitellmDoor


async def clear() -> None:
    """End whatever runs in this loop, and forget its connections: another loop may not use them."""
    own = asyncio.current_task()
    others = [task for task in asyncio.all_tasks() if task is not own]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await close_litellm_async_clients()
    litellm.in_memory_llm_clients_cache.flush_cache()
    await asyncio.get_running_loop().shutdown_default_executor()


async def answer(endpoint: Endpoint, request: Mapping[str, Any], seconds: float, state: Attempt) -> Reply | Failure:
    """Ask once, and read what came."""
    if endpoint.provider not in litellm.provider_list:
        return Failure("error", f"litellm knows no provider {endpoint.provider}", lasting=True)
    try:
        async with asyncio.timeout(max(seconds, 0.1)):
            completion = await litellm.acompletion(**arguments(endpoint, request))
        state.message = message_of(completion)
        state.written = sum(len(block.written) for block in state.message.content)
        return ENDLESS if state.written > MOST_CHARS else outcome_of(state.message)
    except FOREIGN as error:
        return judge(error)


def arguments(endpoint: Endpoint, request: Mapping[str, Any]) -> dict[str, Any]:
    """A completion's arguments. A key of the environment is only ever sent to the provider's own address."""
    own = {"azure_ad_token": endpoint.auth_token} if endpoint.provider == "azure" and endpoint.auth_token else {}
    key = endpoint.api_key or ("" if own else endpoint.auth_token)
    if not key and endpoint.base_url and endpoint.provider not in CLOUDS:
        key = "none"
    model = request["model"]
    return {
        **own,
        **chat_request(request, marks=any(name in model for name in MARKED)),
        "model": f"{CALLED.get(endpoint.provider, endpoint.provider)}/{model}",
        "api_base": endpoint.base_url or None,
        "api_key": key or None,
        "timeout": httpx.Timeout(LONGEST_S, connect=CONNECT_S),
        "num_retries": 0,
        "max_retries": 0,
        "drop_params": True,
        "_skip_mcp_handler": True,
    }


def judge(error: BaseException) -> Failure:
    """What an error of litellm, or of what lies below it, means."""
    if isinstance(error, litellm.ContextWindowExceededError):
        return Failure("invalid", "the question did not fit into the model")
    if isinstance(error, litellm.ContentPolicyViolationError):
        return Failure("refused", "the model refused")
    below = list(causes(error))
    if any(isinstance(cause, litellm.Timeout | httpx.TimeoutException | TimeoutError) for cause in below):
        return LATE
    if missing := next((cause.name for cause in below if isinstance(cause, ImportError) and cause.name), ""):
        return Failure("error", f"its provider needs a package that is not installed ({missing})", lasting=True)
    if any(type(cause) is openai.OpenAIError for cause in below):
        return Failure("error", "there is no key for it", lasting=True)
    if any(isinstance(cause, httpx.TransportError | OSError) for cause in below):
        return UNREACHABLE
    if code := code_of(below):
        waits = (retry_after(getattr(getattr(cause, "response", None), "headers", {})) for cause in below)
        return judge_code(code, next((wait_s for wait_s in waits if wait_s is not None), None))
    logger.info("a language model could not be asked, or its answer not read: %s: %.300s", type(error).__name__, error)
    return Failure("error", "it could not be asked, or its answer not read")


def code_of(errors: Sequence[BaseException]) -> int:
    """The status of a server's error, 0 when there is none: litellm itself says 500 of what it cannot read."""
    true = next((error.response.status_code for error in errors if isinstance(error, httpx.HTTPStatusError)), 0)
    named = (getattr(error, "status_code", None) for error in errors)
    return true or next((code for code in named if isinstance(code, int) and 400 <= code != 500), 0)


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An error and those it came from."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__
