"""Who wrote or pressed something, where, and which installation of the app it was addressed to.

In a channel that two companies share, people of both can mention the app, answer it and press its buttons.

Source: https://docs.slack.dev/apis/slack-connect. In events ``authorizations`` names the installation, ``user_team`` or
else ``team`` the author's workspace or organisation. In interactions ``user.team_id`` is the person's and ``team`` the
app's.
"""

from __future__ import annotations

from dataclasses import dataclass

from workers.slack_messages.fields import NAME, Fields

Names = frozenset[str]


@dataclass(frozen=True)
class Origin:
    """Where someone wrote, pressed or typed something, and how they can be answered there; empty where not known.

    ``trigger_id`` opens one window within three seconds; ``response_url`` takes answers, without a token.
    """

    channel: str
    user: str
    thread_ts: str
    trigger_id: str
    response_url: str


def read_origin(body: Fields) -> Origin:
    """Of an event, a command or an interaction."""
    event, edited = body.inner("event"), body.inner("event", "message")
    place = event or body.inner("container") or body
    users = event.name("user"), edited.name("user"), body.name("user", "id"), body.name("user_id")
    threads = place.ts("thread_ts"), edited.ts("thread_ts"), body.ts("message", "thread_ts")
    return Origin(
        channel=place.name("channel") or place.name("channel_id") or body.name("channel", "id"),
        user=next(filter(None, users), ""),
        thread_ts=next(filter(None, threads), ""),
        trigger_id=body.text("trigger_id"),
        response_url=body.text("response_url"),
    )


def team_of(body: Fields) -> str:
    """The installation that was addressed: a workspace, or an organisation that installed the app as a whole.

    In a channel shared with another company it is ours, not the author's.
    """
    first = first_authorization(body)
    whole = (first or body).is_true("is_enterprise_install")
    organisations = (
        first.name("enterprise_id"),
        body.name("enterprise", "id"),
        body.name("enterprise_id"),
        body.name("team", "enterprise_id"),
    )
    workspaces = (
        first.name("team_id"),
        body.name("view", "app_installed_team_id"),
        body.name("team", "id"),
        body.name("team_id"),
        body.name("user", "team_id"),
    )
    return next(filter(None, (*organisations, *workspaces) if whole else workspaces), "")


def first_authorization(body: Fields) -> Fields:
    """The installation an event is delivered for; Slack names one."""
    return Fields(next(iter(body.items("authorizations")), None))


def app_users(body: Fields) -> Names:
    """The user ids of the app itself, as the event's authorizations say."""
    users = (one.text("user_id") for one in body.objects("authorizations"))
    return frozenset(user for user in users if NAME.fullmatch(user))


def asker_team_of(body: Fields) -> str:
    """The workspace of the person: an event's author, or who pressed or typed a command."""
    outer = body.name("user", "team_id"), body.name("team", "id"), body.name("team_id")
    return next(filter(None, (author_team_of(body), *outer)), "")


def author_team_of(body: Fields) -> str:
    """The workspace or organisation of whoever wrote the message of an event; empty when Slack does not name it."""
    author = body.inner("event", "message") or body.inner("event")
    return author.name("user_team") or author.name("team") or author.name("source_team")


def companies_of(body: Fields) -> tuple[Names, Names]:
    """The ids of the company that installed the app, and those of the company of whoever wrote or pressed something.

    The second is empty where Slack does not name it, as in presses on messages of an app that an organisation installed
    as a whole.
    """
    ours, theirs = companies_of_event(body) if body.text("type") == "event_callback" else companies_of_press(body)
    return frozenset(ours - {""}), frozenset(theirs - {""})


def companies_of_event(body: Fields) -> tuple[set[str], set[str]]:
    """The installation, and the author's workspace with its organisation; empty when nobody else could have written."""
    theirs = author_team_of(body)
    if body.value("is_ext_shared_channel") is False or not theirs:
        return set(), set()
    first = first_authorization(body)
    # The envelope names the author's organisation only when it names the author's workspace too.
    organisation = body.name("enterprise_id") if theirs == body.name("team_id") else ""
    return {team_of(body), first.name("team_id"), first.name("enterprise_id")}, {theirs, organisation}


def companies_of_press(body: Fields) -> tuple[set[str], set[str]]:
    """The installation, and the person's workspace; organisations where one installed the app as a whole."""
    team, person = body.name("team", "id"), body.name("user", "team_id")
    organisations = body.name("enterprise", "id"), body.name("team", "enterprise_id")
    if body.is_true("is_enterprise_install"):
        return {organisations[0]}, {organisations[1]}
    home = team_of(body)
    if home != team:  # a window that was opened in the other company's workspace: ``team`` is the person's
        return {home}, {person or team}
    return {home, *organisations}, {person}
