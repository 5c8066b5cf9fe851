"""``ask_oracle``: a question to an answer whose claims were checked, with what is asked back and what is confirmed."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
from mcp.server.context import ServerRequestContext
from mcp_types import CallToolResult, Tool, ToolAnnotations
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from workers.bootstrap import Oracle
from workers.contracts import Plan, Question, RequestLog, asker_of, name_proposal
from workers.engine.clarify import choose, continue_question
from workers.entrypoints.mcp.asking_back import Person, State
from workers.entrypoints.mcp.callers import engine_seen, question_of
from workers.entrypoints.mcp.results import AskResult, as_text, ask_result, sent
from workers.errors import ConfigError, RequestNotFound
from workers.requests.conversations import keep_conversation, with_conversation
from workers.requests.ledger import Ledger
from workers.settings.load import is_zone

NAME = "ask_oracle"
MOST_ROUNDS = 3
Ask = Callable[[Question], Awaitable[RequestLog]]
EVERY_S, SILENT_S = 0.25, 5.0
"""So often it is looked whether there is something to tell; so long a client hears nothing."""


class AskArgs(BaseModel):
    """A question, or the answer to one that was asked back."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(
        max_length=20_000, description="the question; with request: what is meant, or its number among the options"
    )
    agent: str = Field("", max_length=64, description="the agent that answers; chosen by the question when empty")
    request: str = Field("", max_length=64, description="the request_id of an answer of the kind clarify")
    project: str = Field("", max_length=64, description="what the conversation is about; what was said of it is known")
    timezone: str = Field("UTC", max_length=64, description="in which times of the question are read: Europe/Berlin")


TOOL = Tool(
    name=NAME,
    title="Ask Oracle",
    description="Answer an engineering question about the team's systems from its code, documents, metrics, operations "
    "data, notes and threads. Every claim was checked against the evidence it names; what was not found is listed. "
    "It takes from a second to a few minutes, and may ask the person back.",
    input_schema=AskArgs.model_json_schema(),
    output_schema=AskResult.model_json_schema(),
    annotations=ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=True),
)


async def call_ask(
    oracle: Oracle, user: str, args: dict[str, Any], person: Person, context: ServerRequestContext[Any, Any]
) -> CallToolResult:
    """Answer a call of the tool.

    Raises:
        OracleError: the arguments cannot be used; nothing is there to go on with.
        AskedBack: the client has to ask the person.
    """
    asked = read_args(args)
    ask = partial(run_engine, oracle, context)
    if person.state:
        log = own_request(oracle, user, str(person.state.get("request")))
    elif asked.request:
        log = await ask(continued(own_request(oracle, user, asked.request), asked.question))
    else:
        log = await ask(await anyio.to_thread.run_sync(first_question, oracle, user, asked))
    while log.asks_back and log.question.clarified < MOST_ROUNDS:
        choice = await clarified(log, person)
        if choice is None:
            break
        log = await ask(continued(log, choice))
    await anyio.to_thread.run_sync(keep_conversation, oracle, log)
    done = await confirmed(oracle, log, person, ask)
    result = ask_result(log, done)
    return sent(result, as_text(result))


def read_args(args: dict[str, Any]) -> AskArgs:
    """The arguments. Raises: ConfigError: with one sentence."""
    try:
        asked = AskArgs.model_validate(args)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise ConfigError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    if not asked.question.strip():
        raise ConfigError("question: it is empty")
    if not is_zone(asked.timezone):
        raise ConfigError(f"timezone: {asked.timezone!r} is not an IANA name such as Europe/Berlin")
    return asked


def first_question(oracle: Oracle, user: str, asked: AskArgs) -> Question:
    """A new question. Raises: ConfigError: it is too long, or the agent does not exist."""
    most, agents = oracle.settings.core.limits.question_chars, engine_seen(oracle, user).agents
    if len(asked.question) > most:
        raise ConfigError(f"question: {len(asked.question):,} characters; at most {most:,} are read")
    if asked.agent and asked.agent not in agents:
        raise ConfigError(f"agent: no agent named {asked.agent!r}; known are {', '.join(agents)}")
    question = question_of(oracle, user, asked.question.strip(), asked.agent, asked.timezone)
    return with_conversation(oracle, question.model_copy(update={"project": asked.project}))


def own_request(oracle: Oracle, user: str, request_id: str) -> RequestLog:
    """An earlier request of the same person. Raises: RequestNotFound."""
    log = engine_seen(oracle, user).store.load(request_id)
    if log.question.user != user:
        raise RequestNotFound(f"no request {request_id}")
    return log


def continued(log: RequestLog, said: str) -> Question:
    """The question with what was said in place of what was unclear. Raises: ConfigError: nothing was asked back."""
    if not log.asks_back:
        raise ConfigError(f"request: {log.request_id} is not waiting for an answer")
    choice = choose(log, said)
    if choice is None:
        raise ConfigError(f"{said} is not one of 1 to {len(log.answer.options) if log.answer else 0}")
    return continue_question(log, choice)


async def clarified(log: RequestLog, person: Person) -> str | None:
    """Which of the meanings the person means. Raises: AskedBack."""
    if log.answer is None:
        return None
    state: State = {"request": log.request_id, "round": log.question.clarified}
    return await person.choose(log.answer.headline.text, [option.value for option in log.answer.options], state)


async def confirmed(oracle: Oracle, log: RequestLog, person: Person, ask: Ask) -> list[str]:
    """What came of the changes that an answer proposes, as far as the person confirmed them. Raises: AskedBack."""
    done: list[str] = list(person.state.get("done", ()))
    for place, proposal in enumerate(log.proposals):
        if place < len(done):
            continue
        if not person.can_be_asked:
            break
        state: State = {"request": log.request_id, "done": done}
        if await person.confirm(proposal.title, proposal.preview, state):
            done.append(await carried_out(oracle, log, place, ask))
        else:
            done.append(f"Not confirmed: {proposal.title}")
    return done


async def carried_out(oracle: Oracle, log: RequestLog, place: int, ask: Ask) -> str:
    """What came of a change that the person confirmed. It is tried once."""
    name, title = name_proposal(log.request_id, place), log.proposals[place].title
    confirming = f"c{place}-{log.request_id}"
    if Ledger(oracle.store.database, oracle.settings.core.worker).begin_change(name, confirming):
        question = Question(
            request_id=confirming,
            text=title,
            confirms=name,
            received_at=oracle.engine.clock.now(),
            timezone=log.question.timezone,
            **asker_of(log.question.user),
        )
        outcome = await ask(question)
    else:
        try:
            outcome = oracle.store.load(confirming)
        except RequestNotFound:
            return f"Decided before, elsewhere or by a call that was cut off; look whether it was done: {title}"
    return outcome.answer.headline.text if outcome.answer else "nothing came of it"


# --- the engine -----------------------------------------------------------------------------------------------


async def run_engine(oracle: Oracle, context: ServerRequestContext[Any, Any], question: Question) -> RequestLog:
    """Ask the engine in a thread, and tell the client how far it is."""
    done: list[str] = []

    def progress(event: str, detail: object) -> None:
        if words := words_of(event, detail):
            done.append(words)

    engine = replace(oracle.engine, progress=progress)
    async with anyio.create_task_group() as group:
        group.start_soon(tell, context, done)
        log = await anyio.to_thread.run_sync(engine.ask, question)
        group.cancel_scope.cancel()
    return log


async def tell(context: ServerRequestContext[Any, Any], done: Sequence[str]) -> None:
    """Send what is being done, whenever that changes, and a sign of life in between: clients give up on silence."""
    told, silent_s = 0, 0.0
    for number in itertools.count(1):
        if len(done) > told or silent_s >= SILENT_S:
            told, silent_s = len(done), 0.0
            await context.session.report_progress(number, None, done[-1] if done else "looking")
        await anyio.sleep(EVERY_S)
        silent_s += EVERY_S


def words_of(event: str, detail: object) -> str:
    """A line on what is being done; empty for what says nothing to a person."""
    if isinstance(detail, Plan):
        return "; ".join(step.purpose for step in detail.steps[:6])
    if event == "todo" and isinstance(detail, tuple):
        return "; ".join(f"{item[0]} ({item[1]})" for item in detail[:6] if isinstance(item, tuple))
    return ""
