"""Every error Oracle raises, split by the reaction it asks for.

OracleError
├── ConfigError           refuse to boot: names file and key
│                         also a wrong argument on the command line
├── ToolError             a tool could not answer
│   ├── ToolArgumentError     fix the arguments and call again; carries the nearest names that exist
│   ├── ToolUnavailable       the backend is down, slow or speaks nonsense: try later
│   │   └── NotConnected          none is configured
│   ├── ToolDenied            not allowed, over budget, or waiting for a person: never retried
│   └── VaultConflict         a note is not as it was when a change was made: carries the paths; nothing was written
├── ModelFailed           a language model gave nothing that can be used: the rules answer instead
├── PlanRejected          a plan broke a rule of its agent: names the rule and the step
├── RequestNotFound       no request with that id
├── MemoryNotFound        a person has no such thread, entry or memory
├── MemoryConflict        what a person wants to keep is there already, in another way, or there is no room for it
├── ChatError             a message could not be posted
│   ├── ChatUnavailable       no clear answer (5xx, timeout, cut connection): look first, then try again
│   ├── ChatBusy              too many at once: try again after ``retry_after_s``
│   └── ChatRefused           final (archived, not in channel, token revoked): carries Slack's error code
├── AskedTooOften         a person or a channel is over its limit: carries when to ask again
├── LeaseLost             another worker has the request now: stop, write nothing
└── StoreUnavailable      the database cannot be reached or is of another version

Adapters translate their library's errors into these at one boundary, with ``raise … from``. What a user sees is
the error's sentence; a traceback only ever reaches the log.
"""

from __future__ import annotations


class OracleError(Exception):
    """Root of all errors that carry a sentence fit for a user."""


class ConfigError(OracleError):
    """Configuration or a command-line argument is wrong.

    ``problems`` holds one sentence a mistake, each with file and key.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class ToolError(OracleError):
    """A tool could not answer."""


class ToolArgumentError(ToolError):
    """The arguments name something that does not exist or cannot be read.

    ``nearest`` holds the closest names that do exist, best first.
    """

    def __init__(self, message: str, nearest: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.nearest = nearest


class ToolUnavailable(ToolError):
    """The backend is down, slow, or answers something that is not its protocol."""


class NotConnected(ToolUnavailable):
    """Nothing of the kind is configured; the sentence says how it is."""


class ToolDenied(ToolError):
    """Not on the agent's list, over its budget, or waiting for a person's confirmation."""


class VaultConflict(ToolError):
    """A note is no longer as it was when a change of it was made, so nothing was written. ``paths`` names them."""

    def __init__(self, message: str, paths: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.paths = paths


class ModelFailed(OracleError):
    """A language model gave no answer, or none that can be used; the sentence is fit for a banner.

    ``lasting``: another call for the same request would fail as well. ``mendable``: it answered, and what it wrote
    could not be used; told why, it may do better.
    """

    def __init__(self, message: str, *, lasting: bool = False, mendable: bool = False) -> None:
        super().__init__(message)
        self.lasting, self.mendable = lasting, mendable


class PlanRejected(OracleError):
    """A plan broke a rule of its agent."""


class RequestNotFound(OracleError):
    """No request with that id is stored."""


class MemoryNotFound(OracleError):
    """A person has no thread, entry or memory of that name."""


class MemoryConflict(OracleError):
    """What is to be kept is there already and differs, or a person keeps as much as is allowed."""


class StoreUnavailable(OracleError):
    """The database cannot be reached, or its tables are of another version."""


class ChatError(OracleError):
    """A message could not be posted."""


class ChatUnavailable(ChatError):
    """No clear answer: the message may or may not stand in the thread."""


class ChatBusy(ChatError):
    """Too many calls at once."""

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ChatRefused(ChatError):
    """The call will never succeed as it is. ``code`` is Slack's error code, such as ``channel_not_found``."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.code = code


class AskedTooOften(OracleError):
    """More questions than the limits allow. ``wait_s``: until the next one is taken."""

    def __init__(self, message: str, wait_s: float) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class LeaseLost(OracleError):
    """The lease ended and someone else took the request."""
