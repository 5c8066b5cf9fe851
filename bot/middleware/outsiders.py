"""Whether a person is of another company than the one that installed the app.

In a channel that two companies share, people of both can mention the app, answer it and press its buttons.

Source: https://docs.slack.dev/apis/slack-connect. In events ``authorizations`` names the installation, ``user_team`` or
else ``team`` the author's workspace or organisation. In interactions ``user.team_id`` is the person's and ``team`` the
app's.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from bot.parse import name_at, team_of, text_at, value_at
from bot.parse.payload_fields import is_true

Names = set[str]


def is_outsider(body: Mapping[str, Any], others: Collection[str] = ()) -> bool:
    """Whether whoever wrote or pressed something is of another company.

    Args:
        body: of an event, a command or an interaction.
        others: ids of workspaces and organisations that count as ours too.

    Returns: False as well where Slack does not name the person's company, as in presses on messages of an app that an
        organisation installed as a whole.
    """
    find = teams_of_event if text_at(body, "type") == "event_callback" else teams_of_press
    ours, theirs = find(body)
    return bool(theirs) and theirs.isdisjoint(ours | set(others))


def teams_of_event(body: Mapping[str, Any]) -> tuple[Names, Names]:
    """The installation, and the author's workspace with its organisation; empty when nobody else could have written."""
    if value_at(body, "is_ext_shared_channel") is False:
        return set(), set()
    event, given = value_at(body, "event"), value_at(body, "authorizations")
    first = given[0] if isinstance(given, list) and given else None
    author = value_at(event, "message") or event
    theirs = next(filter(None, (name_at(author, key) for key in ("user_team", "team", "source_team"))), "")
    # The envelope names the author's organisation only when it names the author's workspace too.
    organisation = name_at(body, "enterprise_id") if theirs == name_at(body, "team_id") else ""
    ours = {team_of(body), name_at(first, "team_id"), name_at(first, "enterprise_id")}
    return known(ours), known({theirs, organisation}) if theirs else set()


def teams_of_press(body: Mapping[str, Any]) -> tuple[Names, Names]:
    """The installation, and the person's workspace; organisations where one installed the app as a whole."""
    team, person = name_at(body, "team", "id"), name_at(body, "user", "team_id")
    organisations = name_at(body, "enterprise", "id"), name_at(body, "team", "enterprise_id")
    if is_true(value_at(body, "is_enterprise_install")):
        return known({organisations[0]}), known({organisations[1]})
    home = team_of(body)
    if home != team:  # a window that was opened in the other company's workspace: ``team`` is the person's
        return known({home}), known({person or team})
    return known({home, *organisations}), known({person})


def known(names: Names) -> Names:
    """Without what is not named."""
    return names - {""}
