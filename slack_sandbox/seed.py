"""The team that a sandbox starts with."""

import time

from slack_sandbox.config import SandboxConfig
from slack_sandbox.state import SLACKBOT, Channel, State, User, new_id

_COLLEAGUES = (("maya", "Maya Lindqvist"), ("tomas", "Tomás Ferreira"), ("priya", "Priya Raman"))
_CHANNELS = (
    ("general", "Company-wide announcements", True),
    ("incidents", "What is broken, and who is on it", True),
    ("payments", "The payments team", True),
    ("search", "The search team", True),
    ("random", "Everything else", False),
)


def person_id(number: int) -> str:
    """The id of one of the people, the same at every start: what is configured for somebody goes on being theirs."""
    return f"U0SANDBOX{number}"


def seed_team(config: SandboxConfig) -> State:
    """Returns: four people, Slackbot and the app's bot user, five channels, the bot's direct messages with "you"."""
    me, bot = person_id(1), new_id("U")
    state = State(
        team_id=new_id("T"),
        team_name="Sandbox",
        team_domain="sandbox",
        me=me,
        bot_user=bot,
        bot_id=new_id("B"),
        app_id=new_id("A"),
    )
    colleagues = (User(person_id(i), handle, name) for i, (handle, name) in enumerate(_COLLEAGUES, 2))
    people = [User(me, "you", "You", is_admin=True), *colleagues]
    for person in people:
        person.email = f"{person.name}@sandbox.example"
        state.users[person.id] = person
    handle = config.app_name.lower().replace(" ", "-")
    state.users[bot] = User(bot, handle, config.app_name, is_bot=True)
    state.users[SLACKBOT] = User(SLACKBOT, "slackbot", "Slackbot")
    everyone = [person.id for person in people]
    for name, purpose, with_bot in _CHANNELS:
        channel = Channel(
            id=new_id("C"),
            name=name,
            members=[*everyone, bot] if with_bot else list(everyone),
            created=int(time.time()),
            creator=me,
            purpose=purpose,
        )
        state.channels[channel.id] = channel
    state.im_with(me)
    return state
