"""A local Slack: Web API, Socket Mode, signed HTTP events and a page in the browser, in one process and in memory.

`python -m slack_sandbox --port 0` serves it; `build_sandbox` gives the FastAPI application. It knows no app: any Bolt
app runs against it with the address of its Web API and the tokens it prints.

Not here: canvases, lists, scheduled messages, group messages, shared channels, user groups, user tokens,
organisations, and files as input of a modal (`file_input` is refused). A second workspace is an identity only: tokens
and events of its own, the same people and channels.
Subscriptions to events are not checked, and posting without being a member (`chat:write.public`) is refused.
"""

from slack_sandbox.app import build_sandbox
from slack_sandbox.config import Command, SandboxConfig, Shortcut

__all__ = ["Command", "SandboxConfig", "Shortcut", "build_sandbox"]
