"""PURE. Which agent answers. Deterministic: unsafe or out of scope is refused, everything else maps to one agent."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from workers.contracts import Question, Route
from workers.ports import Limits

ACT = (
    r"(?:delete|drop|restart|reboot|kill|scale|(?:re)?deploy|merge|push|run|execute|revert|reverse|wipe|purge|truncate|"
    r"roll ?back|roll (?:it|this|that|them) back|shut ?down|stop|start|disable|enable|turn (?:on|off)|switch (?:on|off|over)|toggle|create|send(?! (?:me|us)\b)|book|"
    r"order|schedule|silence|mute|snooze|ack(?:nowledge)?|refund|unblock|cancel|revoke|grant|fail ?over|drain|evict|undo|"
    r"promote|apply|restore|reset|rotate|void|ban|unban)"
)
WEAK = (  # these begin many questions too: they need something to act on
    r"(?:change|set|increase|decrease|raise|lower|bump|update|add|remove|block|approve|resolve|close|release|move|flip|"
    r"migrate|rename|publish|page|fix|clear|flush)"
)
OBJECT = (
    r"(?= (?:up |down |back )?(?:the|a|an|all|my|our|it|this|that|these|those|them|every|user|tenant|account|customer|quota|"
    r"[\w.-]*\d[\w.-]*|[\w./-]+ (?:to|from|back|up|down|by|until|out|off)\b))"
)
NOUN = (  # "restart policy", "run time of …": not something to be done
    r"(?![ -](?:of|times?|rates?|history|polic(?:y|ies)|queues?|services?|latency|errors?|books?|logs?|config\w*|freezes?|"
    r"pipelines?|scripts?|flows?|windows?|jobs?|loops?|counts?|plans?|procedure|steps?|with|me|us|from|at)\b)"
)
DO = rf"(?:{ACT}{NOUN}|{WEAK}{NOUN}{OBJECT})"
LEAD = (
    r"(?:please|pls|plz|kindly|(?<!how )(?<!where )(?<!when )(?<!what )(?<!why )(?:can|could|would|will) (?:you|u|someone|anyone)|"
    r"go ahead and|i(?:['’]d| would)? (?:need|want|like) (?:you|oracle) to|(?:let['’]?s|let us)(?= (?:just )?(?:\w+ )?(?:now|please|pls)))"
)
MANNER = r"(?:please |pls |just |go |also |now |quickly |then |you |immediately |ahead and )*"
ACTION = re.compile(
    # an order: the text begins with what is to be done
    rf"^\W*(?:(?:hi|hey|hello|ok(?:ay)?|so|and|then|@?oracle)[,:!]?\s+)*(?:(?:please|pls|plz|go|just|now)\s+)*{DO}\b(?!.*\?\s*$)|"
    # a request, wherever it stands; "can you restart a job while …?" asks whether that is possible
    rf"\b{LEAD}[, ]+{MANNER}{DO}(?! (?:an?|any)\b.*\?)|"
    rf"[,.;!–—-]\s*(?:so |and |then |just )*{ACT}{NOUN} (?:it|that|this|them|the \w+|[\w./-]+)(?: \w+){{0,4}}[ ,]+(?:please|pls|plz|now|for me)\b",
    re.IGNORECASE,
)
SECRET = (
    r"(?:passwords?|passwd|pwd|passphrases?|(?:api|private|secret|signing|ssh|access|encryption|service account) keys?|secrets?|credentials?|"
    r"(?:access|auth|bearer|api|refresh|session|slack|bot|github) tokens?|tokens? (?:of|for) the|connection strings?|system prompt)"
)
ABOUT_SECRETS = (  # what may be asked about them
    r"(?! (?:rotation|polic(?:y|ies)|handling|storage|managers?|reset|hash\w*|lengths?|expir\w+|validation|checks?|flows?|"
    r"endpoints?|formats?|scopes?|limits?|prefix\w*|headers?|ttl|lifetimes?|names?|algorithms?|errors?|used|do|does|work|mean|"
    r"good|rate|per|requests?|latency|alerts?|count|usage|budget|left|rejected|expired?|are|is|was|were|get|gets|can|should|need)\b)"
)
SECRETS = re.compile(
    rf"\b(?:show|print|give|tell|reveal|dump|send|paste|share|leak|need|want|have|get|read out|list|whats|what(?:['’]s| is| are| was| were))\b"
    rf"(?!.{{0,60}}\b(?:where|how|why|who|when|which|whether|rotat\w+|stored?|configured|happens?|validat\w+|expir\w+|difference|mean\w*|alerts?|about|errors?|metrics?)\b)"
    rf".{{0,40}}(?:\b{SECRET}\b{ABOUT_SECRETS}|(?<!\w)\.env\b)|"
    rf"^\W*(?:(?:the|our|prod\w*|staging|admin|root|db|database|\w+) ){{0,4}}{SECRET}(?: (?:for|of|to|in) [\w -]+)?\s*(?:\?|please|pls|$)",
    re.IGNORECASE,
)
SURE = 0.5
URGENT = re.compile(r"\b(?:urgent|asap|outage|down|sev-?[01]|p0|on fire|incident)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Agent:
    """One agent as the engine knows it."""

    name: str
    task: str
    description: str
    limits: Limits


Choose = Callable[[Question, Mapping[str, str]], tuple[str, float]]
"""Which of several agents (name -> description) answers, and how sure that is."""


def choose_route(question: Question, agents: Mapping[str, Agent], default: str, choose: Choose) -> Route:
    """Map a question to exactly one agent; ``task="none"`` with a note is a refusal.

    What is unsafe or out of scope is refused before anything is chosen; a choice that is not sure gives way to the
    default agent.
    """
    text = question.text.strip()
    if SECRETS.search(text):
        return Route(task="none", confidence=0.9, sensitivity="high", notes="I don't look up secrets.")
    if ACTION.search(text):
        note = "I only read: I can't change, start or stop anything. Ask me what is known about it instead."
        return Route(task="none", confidence=0.8, sensitivity="high", notes=note)
    agent = agents.get(question.agent or default)
    if agent is None:
        return Route(task="none", confidence=1.0, notes=f"There is no agent named {question.agent!r}.")
    confidence, notes = 1.0, "named by the asker"
    if not question.agent:
        confidence, notes = 0.7, "the default agent"
        if len(agents) > 1:
            name, confidence = choose(question, {n: a.description for n, a in agents.items()})
            sure = name in agents and confidence >= SURE
            agent, notes = (agents[name], "chosen") if sure else (agent, f"not sure, so {default}")
    return Route(
        task=agent.task,
        confidence=confidence,
        tools_allowed=agent.limits.tools,
        priority="urgent" if URGENT.search(text) else "normal",
        notes=notes,
    )


def agent_of(question: Question, route: Route | None, agents: Mapping[str, Agent], default: str) -> Agent:
    """The agent that answers: the one that was named, the one of the route, the default."""
    if question.agent:
        return agents[question.agent]
    fitting = [a for a in agents.values() if route and a.task == route.task]
    return agents[default] if agents[default] in fitting or not fitting else fitting[0]
