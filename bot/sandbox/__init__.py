"""A local Slack: Web API, Socket Mode, signed HTTP events and a page in the browser, in one process and in memory.

`python -m bot.sandbox --port 0` serves it; `build_sandbox` gives the FastAPI application. It knows no app: any Bolt
app runs against it with the address of its Web API and the tokens it prints.
"""

from bot.sandbox.app import build_sandbox
from bot.sandbox.config import Command, SandboxConfig

__all__ = ["Command", "SandboxConfig", "build_sandbox"]
