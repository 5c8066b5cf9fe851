"""Answers that are no answers: a refusal, and a clarifying question with real candidates, best first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from workers.contracts import Ambiguity, Answer, Claim, Evidence, Fact, Option, Question, RequestLog, Route, ToolOutput
from workers.errors import PlanRejected
from workers.grounding.value_format import Voice, say, say_move
from workers.language.nearest_names import nearest_names

FEW, MAX_OPTIONS = 5, 12  # options of any kind, and of those that moved
SHORT_REPLY, ALIKE = 4, 85


def refuse(route: Route) -> Answer:
    """A refusal in one sentence."""
    return Answer(kind="refusal", headline=Claim(template=route.notes, text=route.notes))


def reject(error: PlanRejected) -> Answer:
    """No plan that the rules allow."""
    reason = str(error).partition(": ")[2]  # without the name of the rule
    text = f"I found no way to check this that my rules allow ({reason or error})."
    return Answer(kind="refusal", headline=Claim(template=text, text=text))


def ask_back(ambiguity: Ambiguity) -> Answer:
    """A clarifying question with its options."""
    headline = Claim(template=ambiguity.question, text=ambiguity.question)
    return Answer(kind="clarify", headline=headline, options=ambiguity.options)


def weigh_options(ambiguity: Ambiguity, output: ToolOutput, voice: Voice) -> Ambiguity:
    """Order the candidates by how much they moved, add those that were found and not listed, and give the reason.

    More than a few stand there only as far as they moved.
    """
    found = {str(c["value"]): c for c in output.data.get("candidates") or []}
    unit = str(output.data.get("unit") or "")
    listed = {o.value for o in ambiguity.options}
    moved = {name for name, c in found.items() if c.get("direction") not in {None, "steady"}}
    more = [n for n in found if n not in listed and (n in moved or len(listed) < 2)]
    options = [*ambiguity.options, *(Option(value=n, label=n) for n in more)]
    rank = {name: i for i, name in enumerate(found)}
    ordered = sorted(options, key=lambda o: (o.value not in moved, rank.get(o.value, len(rank))))
    most = min(max(FEW, len(moved)), MAX_OPTIONS)
    reasoned = [with_reason(o, found.get(o.value, {}), unit, voice) for o in ordered[:most]]
    return ambiguity.model_copy(update={"options": tuple(reasoned)})


def candidate_evidence(output: ToolOutput) -> tuple[Evidence, ...]:
    """What the reasons of the options rest on, one piece a candidate; so that a question back can be checked too."""
    unit, url = str(output.data.get("unit") or ""), output.data.get("url")
    return tuple(
        Evidence(
            kind="metric",
            title=f"p95 latency of {row['value']}",
            locator=f"{output.data.get('promql') or 'p95 latency'} of {row['value']}",
            url=url if isinstance(url, str) else None,
            facts={
                name: Fact(value=row[name], unit="time" if name == "onset_at" else unit, entity=str(row["value"]))
                for name in ("baseline", "current", "last_known", "onset_at")
                if isinstance(row.get(name), int | float | str)
            },
        )
        for row in output.data.get("candidates") or []
    )


def with_reason(option: Option, found: Mapping[str, Any], unit: str, voice: Voice) -> Option:
    """What a candidate's latency did."""
    before, onset = found.get("baseline"), found.get("onset_at")
    after = found.get("current") if found.get("current") is not None else found.get("last_known")
    if not isinstance(before, int | float) or not isinstance(after, int | float):
        return option
    now = Fact(value=after, unit=unit)
    if found.get("direction") == "steady":
        return option.model_copy(update={"reason": f"p95 steady at {say(now, voice)}"})
    reason = f"p95 {say_move(Fact(value=before, unit=unit), now, voice)}"
    if onset:
        reason += f" at {say(Fact(value=str(onset), unit='time'), voice)}"
    return option.model_copy(update={"reason": reason})


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
