"""Asks a language model for one request: within every budget, each call recorded, objects checked and mended once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from workers.contracts import CallStatus, ModelCall, Role
from workers.errors import ModelFailed
from workers.ports import Errand, ReasoningContext, ToolSpec
from workers.reasoning.model.model_call import Ask, Reply, first_object
from workers.reasoning.model.model_client import ModelClient
from workers.reasoning.model.prompts import PromptBook, Rendered
from workers.reasoning.model.replies.allowed_words import Unusable
from workers.reasoning.model.token_budget import SpendingLimit, TokenBudget
from workers.reasoning.model.transcript import user
from workers.reasoning.model.untrusted_data import visible
from workers.settings.schema import Models

R = TypeVar("R")
M = TypeVar("M", bound=BaseModel)
FEWEST_CHARS_PER_TOKEN = 3
"""Of JSON and code; so that a call is rather thought too long than too short for what is left."""
LONGEST_MISTAKE = 400


class StructuredCalls:
    """Asks by role. Every method may raise `ModelFailed`, and LeaseLost when the request was taken away.

    Args:
        thinking: for which request.
        models: roles and budgets.
        client: to the models.
        book: the prompts.
        spending_limit: what may be spent today.
    """

    def __init__(
        self,
        thinking: ReasoningContext | Errand,
        models: Models,
        client: ModelClient,
        book: PromptBook,
        spending_limit: SpendingLimit,
    ) -> None:
        self.thinking, self.models, self.client, self.book = thinking, models, client, book
        self.account = TokenBudget(thinking, models.budget, spending_limit, client.monotonic)

    def object(
        self,
        role: Role,
        prompt: Rendered,
        model: type[M],
        read: Callable[[M], R],
        schema: Mapping[str, Any] | None = None,
    ) -> R:
        """Ask for one object; what cannot be used is asked for once more, with the reason.

        Args:
            role: who is asked.
            prompt: with what.
            model: what the object is checked against.
            read: makes of it what is wanted; raises Unusable.
            schema: that the model is held to, when it is narrower than that of ``model``.

        Raises:
            ModelFailed: there was none, or none that can be used.
        """
        wanted = schema or model.model_json_schema()
        messages = [user(*prompt.user)]
        for last in (False, True):
            call, reply = self.reply(role, prompt, tuple(messages), schema=wanted)
            try:
                return read(model.model_validate_json(first_object(reply.text)))
            except ValidationError as error:
                mistake = short(first_mistake(error))
            except Unusable as error:
                mistake = short(str(error))
            self.account.spoil(call, mistake)
            if last:
                break
            messages += [
                {"role": "assistant", "content": reply.text.strip() or "{}"},
                user(f"This cannot be used: {mistake}. Answer once more with the whole object, mended."),
            ]
        raise ModelFailed("its answer could not be used")

    def reply(
        self,
        role: Role,
        prompt: Rendered,
        messages: tuple[Mapping[str, Any], ...],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: tuple[ToolSpec, ...] = (),
        sent: int = 0,
        forced: str = "",
    ) -> tuple[ModelCall, Reply]:
        """One question within every budget.

        Args:
            role: who is asked.
            prompt: with what system text.
            messages: the conversation.
            schema: of the answer.
            tools: that may be called.
            sent: so many of the messages were sent before: the prompt cache has them, and all that stands before them.
            forced: the tool that has to be called.

        Raises:
            ModelFailed, LeaseLost.
        """
        ask = Ask((self.book.get("oracle/system").render().system, prompt.system), messages, schema, tools, forced)
        fresh = Ask((), messages[sent:]) if sent else ask
        wanted = fresh.chars // FEWEST_CHARS_PER_TOKEN + self.models.roles[role].max_tokens
        if why := self.account.refusal(wanted):
            self.skip(role, "budget", why, prompt.label)
            raise ModelFailed(why, lasting=True)
        with self.account.waiting():
            seconds = self.account.seconds_left
            calls, reply = self.client.ask(role, ask, seconds, self.thinking.check, prompt.label, self.account.add)
        if reply is None:
            last = calls[-1]
            lasting = last.status not in {"invalid", "refused"}
            raise ModelFailed(last.reason, lasting=lasting, mendable=last.status == "invalid")
        return calls[-1], reply

    def skip(self, role: Role, status: CallStatus, why: str, prompt: str = "") -> None:
        """It is not asked, and the record says why."""
        model = self.models.roles[role].model
        self.account.add(ModelCall(role=role, model=model, status=status, prompt=prompt, reason=why))


def checked(model: type[M], args: Mapping[str, Any]) -> M:
    """Arguments of a call as an object. Raises: Unusable: they are none."""
    try:
        return model.model_validate(dict(args))
    except ValidationError as error:
        raise Unusable(first_mistake(error)) from error


def first_mistake(error: ValidationError) -> str:
    """What is wrong with an object, in a sentence."""
    found = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(map(str, found["loc"])) or "the answer"
    return f"{place}: {found['msg']}"


def short(mistake: str) -> str:
    """A mistake as it is noted and told: few words that can be seen."""
    return visible(mistake)[:LONGEST_MISTAKE]
