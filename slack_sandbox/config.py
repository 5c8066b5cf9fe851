"""What a sandbox is started with."""

import secrets
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Command:
    """A slash command that the app has registered; `name` begins with a slash."""

    name: str
    description: str = ""
    usage_hint: str = ""


@dataclass(frozen=True)
class Shortcut:
    """A shortcut that the app has registered: of a message's menu, or global."""

    callback_id: str
    title: str
    of_message: bool = False


def _token(prefix: str) -> str:
    return f"{prefix}-{secrets.token_hex(16)}"


@dataclass(frozen=True)
class SandboxConfig:
    """Everything fixed at start. `port` must be the port really served: it stands in file and response URLs.

    Without an URL for events, interactivity or commands, those go over Socket Mode. `scopes` are those of the bot
    token; it has all of them when none is named.
    """

    host: str = "127.0.0.1"
    port: int = 8065
    app_name: str = "app"
    commands: tuple[Command, ...] = ()
    shortcuts: tuple[Shortcut, ...] = ()
    events_url: str = ""
    interactivity_url: str = ""
    commands_url: str = ""
    signing_secret: str = field(default_factory=lambda: secrets.token_hex(16))
    bot_token: str = field(default_factory=lambda: _token("xoxb"))
    app_token: str = field(default_factory=lambda: _token("xapp"))
    client_id: str = field(default_factory=lambda: f"{secrets.randbelow(10**12)}.{secrets.randbelow(10**12)}")
    client_secret: str = field(default_factory=lambda: secrets.token_hex(16))
    scopes: tuple[str, ...] = ()
    ack_timeout_s: float = 3.0
    retry_delays_s: tuple[float, ...] = (0.0, 60.0, 300.0)

    @property
    def base_url(self) -> str:
        """The sandbox's own address, without a slash at the end."""
        return f"http://{self.host}:{self.port}"
