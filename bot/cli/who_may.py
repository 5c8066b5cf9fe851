"""``oracle who-may``: whether somebody may see or use something, and the line of the policy that says so."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.exits import EXIT_FAILED
from bot.cli.shared_options import Json, print_json
from workers.access.policy import ALONE, Asker, Audience, Decision, Kind, Thing, decide
from workers.access.sources import policy_of, things_of
from workers.contracts import LOCAL_USER
from workers.delivery.console import make_console
from workers.delivery.rich_text import safe
from workers.errors import ConfigError
from workers.language.nearest_names import nearest_names
from workers.ports import Belonging
from workers.settings.load import Settings, load_settings

User = Annotated[str, typer.Option("--user", help="U… or T…/U… of Slack, token:NAME, or local. Empty: nobody asks.")]
SourceName = Annotated[str, typer.Option("--source", help="KIND:NAME, such as repository:shop.")]
ToolName = Annotated[str, typer.Option("--tool", help="A tool by its name.")]
AgentName = Annotated[str, typer.Option("--agent", help="An agent by its name.")]
Channel = Annotated[str, typer.Option("--channel", help="C… or T…/C…: where the answer stands. Empty: the user alone.")]
Groups = Annotated[list[str] | None, typer.Option("--group", help="A user group that they are in, S…. Repeatable.")]
Guest = Annotated[bool, typer.Option("--guest", help="They are a guest, no member of the workspace.")]
Outside = Annotated[bool, typer.Option("--outsiders", help="People of other companies are in that channel.")]


def who_may(
    user: User = "",
    source: SourceName = "",
    tool: ToolName = "",
    agent: AgentName = "",
    channel: Channel = "",
    group: Groups = None,
    guest: Guest = False,
    outsiders: Outside = False,
    json_out: Json = False,
) -> None:
    """Say whether somebody may see a source, use a tool or ask an agent, and the line that decides. Exit 1: no.

    Slack is not asked: who is in a group, or a guest, is told here.
    """
    settings = load_settings()
    named: list[tuple[Kind, str]] = [("source", source), ("tool", tool), ("agent", agent)]
    asked = [thing_of(settings, kind, name) for kind, name in named if name]
    if not asked:
        raise ConfigError("who-may: say what: --source KIND:NAME, --tool NAME or --agent NAME")
    asker = asker_of(user, Belonging(frozenset(group or ()), member=not guest))
    team, _, place = channel.rpartition("/")
    audience = Audience(place, team or asker.team, outsiders) if place else ALONE
    policy = policy_of(settings)
    found = [(thing, decide(policy, asker, audience, thing)) for thing in asked]
    if json_out:
        print_json([{"kind": t.kind, "name": t.name, "allowed": d.allowed, "line": d.line} for t, d in found])
    else:
        for thing, decision in found:
            make_console().print(said(thing, decision), highlight=False, markup=False, soft_wrap=True)
    if not all(decision.allowed for _, decision in found):
        raise typer.Exit(EXIT_FAILED)


def said(thing: Thing, decision: Decision) -> str:
    """One line on a decision."""
    return safe(f"{'yes' if decision.allowed else 'no'}  {thing.kind} {thing.name}: {decision.line}")


def asker_of(user: str, belonging: Belonging) -> Asker:
    """Who is meant. Raises: ConfigError: an id that is none of Slack's, and no token's."""
    if user == LOCAL_USER:
        return Asker(user, local=True)
    if user.startswith("token:"):
        return Asker(user.removeprefix("token:"))
    if not user:
        return Asker(nobody=True)
    team, _, name = user.rpartition("/")
    if not name.startswith(("U", "W")):
        raise ConfigError(f"who-may: --user: {user!r} is none of U…, T…/U…, token:NAME and local")
    return Asker(name, team or "T", belonging)


def thing_of(settings: Settings, kind: Kind, name: str) -> Thing:
    """What is asked for. Raises: ConfigError: there is none of that name."""
    known = {thing.name: thing for thing in things_of(settings) if thing.kind == kind}
    if name not in known:
        near = ", ".join(nearest_names([name], list(known)))
        raise ConfigError(f"who-may: there is no {kind} {name!r}{f' (near: {near})' if near else ''}")
    return known[name]
