"""The policy of routing: what is refused, and the one agent that answers everything else.

In this order, the first that applies:

0. A text that people gave a meaning as a whole ("good night") is its agent's.
1. Words that ask for nothing (thanks, a greeting) get a short reply.
2. What is unsafe is refused, whoever was named; where that is not beyond doubt, unless an agent claims the request by
   what it names, as the words of a name say nothing of what is wanted.
3. The agent that was named answers.
4. What is likelier nobody's than any agent's is refused, with what would be possible. Where it asks to know something,
   a language model may know it: the fallback agent answers with one, and without one it is said to be out of reach.
5. The agent that is sure answers; in place of one that lacks its data the default or the fallback agent, whichever is
   likelier, and it is said what is missing where neither is near.
6. Nobody is sure: the default agent answers what is near its own, the fallback agent all else, with a sentence that
   asks what was meant.

Who is chosen, and how surely, is `Reasoner.choose_agent`'s to say: `workers.reasoning.rules` by what was learned and by
forms, a language model where the rules are not sure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from workers.contracts import Landscape, Question, Route
from workers.engine.route import Agent
from workers.engine.small_talk import reply_to
from workers.language.message_parts import read_parts
from workers.language.request_routes import OUT_OF_SCOPE, UNSAFE
from workers.language.stop_words import content_words
from workers.ports import Likely, no_phrase, own_word

SURE = 0.5
"""So likely an agent has to be."""
REFUSED_AT_ONCE, REFUSED_FROM = 0.9, 0.4
"""So likely nobody's, a request is refused before anybody is asked; and when no agent is likelier. Below that it is
looked for in what is written."""
FAR = 0.05
"""What is less likely an agent's is far from it."""
UNSAFE_FROM, CLAIMED = 0.4, 0.9
"""So likely unsafe is refused, whatever else is likelier, unless an agent claims so surely what is named. See
``bench/README.md``."""
LONGEST_PHRASE = 8
"""Words of a text that may have been given a meaning as a whole."""
NAME = re.compile(r"[\w/{}.-]+")
URGENT = re.compile(r"\b(?:urgent|asap|outage|sev-?[01]|p0|on fire|incident)\b", re.IGNORECASE)
UNSURE = (
    "I wasn't sure what this is about, so I looked at what is written. Name the service, device, person or address "
    "that you mean, and I look there."
)
ASKS = re.compile(
    r"\W{0,8}(?:who|whom|whose|what|when|where|which|why|how|wer|wen|wem|was|wann|wo|welche[rsmn]?|warum|wie"
    r"|quién(?:es)?|qué|cuál(?:es)?|cuándo|dónde|cómo|cuánt[oa]s?|por qué)\b",
    re.IGNORECASE,
)
"""How a request begins that asks to know something."""
GENERAL = (
    "I did not look for this: it reads like general knowledge, which no source of mine holds. It is out of reach"
    " without a language model: set ANTHROPIC_API_KEY, or see docs/models.md. If it is written down here, ask the agent"
    " {fallback}."
)
Choose = Callable[[Question, Mapping[str, str]], tuple[str, float]]
"""Which of several agents (name -> description) answers, and how sure that is."""


@dataclass(frozen=True)
class Policy:
    """What routing goes by.

    ``default``: who answers what nobody claims; ``fallback``: who answers when nobody is sure. ``names``: what exists;
    a request that names some of it is refused only when it is unsafe, or nobody's beyond doubt. ``everywhere``: the
    names in all sources. ``drives``: whether a language model answers.
    """

    agents: Mapping[str, Agent]
    default: str
    fallback: str
    likely: Likely
    names: Landscape = field(default_factory=Landscape)
    everywhere: Callable[[], Landscape] = Landscape
    drives: bool = False


def choose_route(question: Question, policy: Policy, choose: Choose) -> Route:
    """Map a question to exactly one agent; ``task="none"`` with a note is a refusal."""
    text, agents = read_parts(question.text).own, policy.agents
    ready = {name: agent.description for name, agent in agents.items() if not agent.lacks}
    owner = owner_of(question, policy)
    if owner and (not question.agent or question.agent == owner):
        return route_to(agents[owner], text, 1.0, notes="owns this phrase")
    if reply := reply_to(text, ready.values()):
        return refusal(1.0, "low", reply)
    likely = policy.likely(question)
    unsafe = likely.get(UNSAFE, 0.0)
    certain = bool(question.agent) or unsafe >= REFUSED_AT_ONCE
    if unsafe >= UNSAFE_FROM and (certain or not is_claimed(question, policy)):
        return refusal(unsafe, "high", f"I don't look up secrets, and I go round no safeguard. {offer(likely, ready)}")
    if question.agent:
        return named_route(question.agent, agents, text)
    refused = likely.get(OUT_OF_SCOPE, 0.0) + unsafe
    if refused >= REFUSED_AT_ONCE:
        return beyond(text, policy, refused, offer(likely, ready))
    refused = 0.0 if names_ours(text, policy.names) else refused
    name, confidence = choose(question, {name: agent.description for name, agent in agents.items()})
    if refused > max(REFUSED_FROM, confidence):
        return beyond(text, policy, refused, offer(likely, ready))
    if confidence < SURE and not question.context and not content_words(text):  # it points to what nobody sees
        return route_to(agents[policy.default], text, confidence, notes="names nothing")
    return chosen_route(policy, name, confidence, text, likely)


def is_claimed(question: Question, policy: Policy) -> bool:
    """Whether an agent that has its data is sure of a question by what it names."""
    modules = ((name, agent.module) for name, agent in policy.agents.items() if not agent.lacks)
    names = policy.everywhere()
    return any(own_word(name, module.claim, question, names) >= CLAIMED for name, module in modules)


def owner_of(question: Question, policy: Policy) -> str:
    """The agent to whose sources a text is known as a whole; empty when there is none."""
    agents = ((name, agent.module) for name, agent in policy.agents.items() if not agent.lacks)
    owners = [(name, module) for name, module in agents if module.owns_phrase is not no_phrase]
    if not owners or len(question.text.split()) > LONGEST_PHRASE:
        return ""
    names = policy.everywhere()
    return next((name for name, module in owners if own_word(name, module.owns_phrase, question, names)), "")


def beyond(text: str, policy: Policy, refused: float, instead: str) -> Route:
    """What is nobody's: refused with what would be possible, or said to be out of reach where it asks to know."""
    if ASKS.match(text) is None or policy.fallback not in policy.agents:
        return refusal(refused, "low", f"No source or tool of mine can do that. {instead}")
    if policy.drives:
        return route_to(policy.agents[policy.fallback], text, 1.0 - refused, notes="general knowledge")
    return refusal(refused, "low", GENERAL.format(fallback=policy.fallback))


def names_ours(text: str, names: Landscape) -> bool:
    """Whether a text names a service, endpoint, alert or repository as it is written."""
    known = (*names.labels.get("service", ()), *names.labels.get("endpoint", ()), *names.alerts, *names.repositories)
    return bool({name.lower() for name in known} & {word.strip(".") for word in NAME.findall(text.lower())})


def chosen_route(policy: Policy, name: str, confidence: float, text: str, likely: Mapping[str, float]) -> Route:
    """To the agent that was chosen with some confidence, to the default agent or to the fallback."""
    agents, default = policy.agents, policy.agents[policy.default]
    fallback = agents.get(policy.fallback, default)
    fallback = default if fallback.lacks else fallback
    if name not in agents or (confidence < SURE and name != default.name):
        caveat = "" if fallback is default else UNSURE
        return route_to(fallback, text, confidence, notes="nobody is sure", caveat=caveat)
    if lacks := agents[name].lacks:
        own, written = likely.get(default.name, 0.0), likely.get(fallback.name, 0.0)
        instead = fallback if default.lacks or written > max(own, FAR) else default
        caveat = lacks if instead is fallback or own < FAR else ""
        return route_to(instead, text, confidence, notes=f"{name} lacks its data", caveat=caveat)
    return route_to(agents[name], text, confidence, notes="chosen")


def named_route(name: str, agents: Mapping[str, Agent], text: str) -> Route:
    """To the agent that was named, when it exists and has what it needs."""
    agent = agents.get(name)
    if agent is None or agent.lacks:
        return refusal(1.0, "low", agent.lacks if agent else f"There is no agent named {name!r}.")
    return route_to(agent, text, 1.0, notes="named by the asker")


def refusal(confidence: float, sensitivity: Literal["low", "high"], sentence: str) -> Route:
    """Nobody answers."""
    return Route(task="none", confidence=min(confidence, 1.0), sensitivity=sensitivity, notes=sentence)


def offer(likely: Mapping[str, float], ready: Mapping[str, str]) -> str:
    """What would be possible: what the agent does that is likeliest of all, else whom there is to ask."""
    nearest = max(ready, key=lambda name: likely.get(name, 0.0), default="")
    if not nearest:
        return ""
    what = ready[nearest] if likely.get(nearest) else f"{', '.join(ready)}."
    return f"What you can ask me: {what}"


def route_to(agent: Agent, text: str, confidence: float, *, notes: str, caveat: str = "") -> Route:
    """The route to one agent."""
    return Route(
        task=agent.task,
        confidence=min(confidence, 1.0),
        tools_allowed=agent.limits.tools,
        sensitivity=agent.sensitivity,
        priority="urgent" if URGENT.search(text) else "normal",
        notes=notes,
        caveat=caveat,
    )
