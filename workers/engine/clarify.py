"""Answers that are no answers: a refusal, and a clarifying question with real candidates, best first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from workers.contracts import Ambiguity, Answer, Claim, Question, RequestLog, Route
from workers.errors import PlanRejected
from workers.language.nearest_names import nearest_names

SHORT_REPLY, ALIKE = 4, 85


def refuse(route: Route) -> Answer:
    """A refusal in one sentence."""
    return Answer(kind="refusal", headline=Claim(template=route.notes, text=route.notes))


def shut_out() -> Answer:
    """The rules on access give who asks nothing here."""
    text = "The rules on who may see what let me show you nothing here; an administrator of mine can change that."
    return Answer(kind="refusal", headline=Claim(template=text, text=text))


def reject(error: PlanRejected) -> Answer:
    """No plan that the rules allow."""
    reason = str(error).partition(": ")[2]  # without the name of the rule
    text = f"I found no way to check this that my rules allow ({reason or error})."
    return Answer(kind="refusal", headline=Claim(template=text, text=text))


def ask_back(ambiguity: Ambiguity) -> Answer:
    """A clarifying question with its options."""
    headline = Claim(template=ambiguity.question, text=ambiguity.question)
    return Answer(kind="clarify", headline=headline, options=ambiguity.options)


def choose(before: RequestLog, reply: str) -> str | None:
    """The option that a reply means, by its number, value or label, or the reply itself; None: no such number."""
    options = before.answer.options if before.answer else ()
    said = reply.strip()
    if said.isdigit():
        return options[int(said) - 1].value if 1 <= int(said) <= len(options) else None
    exact = next((o.value for o in options if said.lower() in {o.label.lower(), o.value.lower()}), None)
    return exact or likely(said, [o.value for o in options]) or said


def likely(said: str, values: Sequence[str]) -> str | None:
    """The one value that a few words mean, misspelt or cut short: ``the serch one`` is ``/api/search``."""
    words = [word for word in re.findall(r"[a-z0-9]{3,}", said.lower()) if word not in {"the", "one", "api"}]
    if not words or len(words) > SHORT_REPLY:
        return None
    parts = {value: re.findall(r"[a-z0-9]{3,}", value.lower()) for value in values}
    good = [v for v, found in parts.items() if nearest_names(words, found, least=ALIKE)]
    return good[0] if len(good) == 1 else None


def continue_question(before: RequestLog, choice: str) -> Question:
    """The question that asked back, with what was chosen in place of what was unclear; its id stays."""
    text = f"{before.question.text.rstrip(' ?.!')} ({choice})?"
    return before.question.model_copy(update={"text": text, "clarified": before.question.clarified + 1})
