"""The policy and the one decision that every door asks for. Pure: whoever asks says who they are.

Rules only give. What no rule gives is not there: not named, not counted, not read.

An answer shows what both may see: who asks, and everyone who reads the place where it will stand. To somebody alone
(a direct message, a window, a reply of a command, a program with a token) that is who asks. In a channel it is what the
rules give to the channel itself, or to everyone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal

from workers.contracts import LOCAL_USER, Question
from workers.ports import Belonging

Kind = Literal["agent", "tool", "source"]
EVERYONE = "everyone"
NOBODY_GIVES = "no rule of config/access.yaml gives it"
COMMAND_LINE = "the command line: whoever sits there has the files and this policy in hand"
SLACK_USER = re.compile(r"([TE][A-Z0-9]*)/([UW][A-Z0-9]*)")
"""How the threads of a person of Slack are named: ``TEAM/USER``."""
UNKNOWN = Belonging()
"""Nobody says who that is: no group, no member."""


@dataclass(frozen=True)
class Asker:
    """Who asks.

    ``user``: an id of Slack, or the name of a token's user; ``team``: their workspace, empty for such a name.
    ``local``: who sits at the command line. ``nobody``: an alert asks, for those who read a channel.
    """

    user: str = ""
    team: str = ""
    belonging: Belonging = UNKNOWN
    local: bool = False
    nobody: bool = False


@dataclass(frozen=True)
class Audience:
    """Who reads what is shown. ``channel``: of Slack, empty where the asker alone reads it; ``outside``: people of
    other companies are in that channel.
    """

    channel: str = ""
    team: str = ""
    outside: bool = False

    @property
    def alone(self) -> bool:
        """Whether only who asks reads it."""
        return not self.channel


ALONE = Audience()


@dataclass(frozen=True)
class Thing:
    """What is asked for: an agent or a tool by its name, a source as ``KIND:NAME``.

    ``by_name``: only a rule that spells its name gives it, as nobody said what it reads.
    """

    kind: Kind
    name: str
    by_name: bool = False


@dataclass(frozen=True)
class Rule:
    """One rule: whom it gives what. ``line``: file and line where it stands."""

    who: tuple[str, ...]
    agents: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    line: str = ""

    def gives(self, thing: Thing) -> bool:
        """Whether it speaks of a thing."""
        patterns = {"agent": self.agents, "tool": self.tools, "source": self.sources}[thing.kind]
        return any(means(pattern, thing) for pattern in patterns)


def means(pattern: str, thing: Thing) -> bool:
    """Whether a name in a rule is a thing's, or a pattern of it: ``*`` stands for any letters."""
    return pattern == thing.name if thing.by_name else fnmatchcase(thing.name, pattern)


@dataclass(frozen=True)
class Policy:
    """All rules, in the order of their file."""

    rules: tuple[Rule, ...]


@dataclass(frozen=True)
class Decision:
    """Whether something is allowed, and the line that says so."""

    allowed: bool
    line: str


def decide(policy: Policy | None, asker: Asker, audience: Audience, thing: Thing) -> Decision:
    """Whether a person may have a thing shown to an audience. Without a policy everyone may have everything."""
    if policy is None:
        return Decision(True, "there is no policy: config/access.yaml has no rules")
    if asker.local:
        return Decision(True, COMMAND_LINE)
    giving = [rule for rule in policy.rules if rule.gives(thing)]
    own = next((rule for rule in giving if any(is_asker(term, asker, audience) for term in rule.who)), None)
    if own is None and not (asker.nobody and not audience.alone):
        return Decision(False, NOBODY_GIVES)
    if audience.alone and own is not None:
        return Decision(True, own.line)
    shared = next((rule for rule in giving if any(is_audience(term, audience) for term in rule.who)), None)
    if shared is None:
        given = f"{own.line} gives it to who asks, and" if own else "an alert asks, and"
        return Decision(False, f"{given} no rule to everyone in that channel")
    return Decision(True, shared.line)


def is_asker(term: str, asker: Asker, audience: Audience) -> bool:
    """Whether a term of ``who`` means who asks: by what they are, or by the channel they ask in."""
    kind, _, name = term.partition(":")
    if kind == "channel":
        return is_audience(term, audience)
    if kind == EVERYONE:
        return asker.belonging.member
    if not asker.user:
        return False
    if kind == "workspace":
        return asker.belonging.member and name == asker.team
    if kind == "token":
        return not asker.team and name == asker.user
    team, _, alone = name.rpartition("/")
    if not asker.team or (team and team != asker.team):
        return False
    return alone == asker.user if kind == "person" else kind == "group" and alone in asker.belonging.groups


def is_audience(term: str, audience: Audience) -> bool:
    """Whether a term of ``who`` means everyone who reads a channel."""
    kind, _, name = term.partition(":")
    if not audience.channel:
        return False
    if kind == "channel":
        team, _, channel = name.rpartition("/")
        return channel == audience.channel and team in {"", audience.team}
    if audience.outside:
        return False
    return kind == EVERYONE or (kind == "workspace" and name == audience.team)


def readers_of(policy: Policy, thing: Thing) -> tuple[tuple[str, str], ...]:
    """Whom rules give a thing, each with the line that does."""
    found: dict[str, str] = {}
    for rule in policy.rules:
        if rule.gives(thing):
            for term in rule.who:
                found.setdefault(term, rule.line)
    return tuple(found.items())


def all_may_see(policy: Policy, readers: Iterable[str], things: Iterable[Thing]) -> Thing | None:
    """The first thing that not each of these readers is given by a rule of its own or by one for everyone.

    What ``everyone`` is given does not count for a token, nor for a channel, which outsiders may read.
    """
    terms = tuple(readers)
    for thing in things:
        given = {term for term, _ in readers_of(policy, thing)}
        for term in terms:
            wide = {EVERYONE} if term.partition(":")[0] in {"person", "group", "workspace"} else set()
            if not given & {term, *wide}:
                return thing
    return None


def asker_of_question(question: Question, belonging: Belonging = UNKNOWN) -> Asker:
    """Who asks a question; nobody, where an alert does."""
    if question.source == "alert":
        return Asker(nobody=True)
    if question.source == "cli":
        return Asker(user=LOCAL_USER, local=True)
    found = asker_named(question.user, belonging)
    return replace(found, team=question.asker_team) if found.team and question.asker_team else found


def asker_named(user: str, belonging: Belonging = UNKNOWN) -> Asker:
    """Who a user is by the name that their threads have: ``TEAM/USER`` of Slack, of a token, or `LOCAL_USER`."""
    if user == LOCAL_USER:
        return Asker(user=LOCAL_USER, local=True)
    if named := SLACK_USER.fullmatch(user):
        return Asker(named[2], named[1], belonging)
    return Asker(user)


def audience_of_question(question: Question) -> Audience:
    """Who reads the answer of a question."""
    if question.source not in {"slack", "alert"} or not question.channel:
        return ALONE
    if question.source == "slack" and question.channel.startswith("D"):
        return ALONE
    return Audience(question.channel, question.team)
