"""What a sandbox is started with."""

import secrets
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Command:
    """A slash command that the app has registered; `name` begins with a slash."""

    name: str
    description: str = ""
    usage_hint: str = ""


def _token(prefix: str) -> str:
    return f"{prefix}-{secrets.token_hex(16)}"


@dataclass(frozen=True)
class SandboxConfig:
    """Everything fixed at start. `port` must be the port really served: it stands in file and response URLs.

    Without an URL for events, interactivity or commands, those go over Socket Mode.
    """

    host: str = "127.0.0.1"
    port: int = 8065
    app_name: str = "app"
    commands: tuple[Command, ...] = ()
    events_url: str = ""
    interactivity_url: str = ""
    commands_url: str = ""
    signing_secret: str = field(default_factory=lambda: secrets.token_hex(16))
    bot_token: str = field(default_factory=lambda: _token("xoxb"))
    app_token: str = field(default_factory=lambda: _token("xapp"))
    ack_timeout_s: float = 3.0
    retry_delays_s: tuple[float, ...] = (0.0, 60.0, 300.0)

    @property
    def base_url(self) -> str:
        """The sandbox's own address, without a slash at the end."""
        return f"http://{self.host}:{self.port}"
