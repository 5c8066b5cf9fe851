"""What an entry of ``config/tools.yaml`` says of an MCP server: how it is reached, and what may pass."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class ServerOptions(BaseModel):
    """``options`` of an entry whose module is ``mcp``: a ``command`` that is started, or a ``url`` that is called.

    ``env``: variables of the command beside PATH, HOME and the like; nothing else of this process's is handed on.
    ``headers``: of every request to the url. An empty value of either is left out. ``argument_chars``,
    ``result_chars``: of one call, as JSON or text; a longer result is cut, which its summary says. ``connect_s``: until
    the server has to answer. ``pin``: a tool whose description or schema changed since it was first seen is refused.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", coerce_numbers_to_str=True)

    command: tuple[str, ...] = ()
    env: dict[str, str] = Field(default_factory=dict)
    cwd: str = ""
    url: str = Field("", pattern=r"^(https?://\S+)?$")
    headers: dict[str, str] = Field(default_factory=dict)
    argument_chars: int = Field(2_000, ge=100, le=50_000)
    result_chars: int = Field(96_000, ge=1_000, le=1_000_000)
    connect_s: float = Field(20, ge=0.5, le=120)
    pin: bool = False

    @model_validator(mode="after")
    def one_way(self) -> Self:
        """Raises: ValueError: neither or both ways are given."""
        if bool(self.command) == bool(self.url):
            raise ValueError("give either command (a list: program, arguments) or url")
        return self
