"""A server that behaves, by the SDK's own `MCPServer`: over standard input and output, or ``--http PORT``."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp_types import CallToolResult, ResourceLink, TextContent, ToolAnnotations
from pydantic import BaseModel, Field

server = MCPServer("stockroom", version="1.4.2", instructions="Parts and orders.")
READS = ToolAnnotations(read_only_hint=True)
WRITTEN: list[str] = []


class Stock(BaseModel):
    """How many of a part there are, and where."""

    part: str
    on_hand: int
    price_eur: float
    shelf: str


@server.tool(annotations=READS)
def stock_of(part: Annotated[str, Field(description="Number of the part, such as P-100.", max_length=40)]) -> Stock:
    """How many of a part are on hand, and on which shelf."""
    return Stock(part=part, on_hand=417, price_eur=12.75, shelf="C-09")


@server.tool(annotations=READS, structured_output=False)
def orders(states: list[str], newest: int = 5) -> str:
    """Orders by their states, as JSON text."""
    rows = [{"order": f"O-{7000 + i}", "state": s, "lines": 3 + i} for i, s in enumerate(states[:newest])]
    return json.dumps(rows)


@server.tool(annotations=READS, structured_output=False)
def handbook(lines: int = 10) -> CallToolResult:
    """The handbook, with a link to where it lies."""
    text = "\n".join(f"Line {n}: rack {n % 90} holds {n * 3} boxes." for n in range(1, lines + 1))
    link = ResourceLink(type="resource_link", uri="https://stockroom.example/handbook", name="Handbook")
    return CallToolResult(content=[TextContent(type="text", text=text), link])


@server.tool(annotations=READS, structured_output=False)
def environment() -> str:
    """The names of the variables that this server can see."""
    return " ".join(sorted(os.environ))


@server.tool(annotations=READS)
def broken() -> str:
    """Always fails."""
    raise ValueError("the scanner of aisle 4 is off")


@server.tool()
def move_part(part: str, shelf: str) -> str:
    """Move a part to another shelf."""
    WRITTEN.append(f"{part} to {shelf}")
    return f"moved {part} to {shelf}, {len(WRITTEN)} moves so far"


@server.tool(structured_output=False)
def moves() -> Any:
    """All moves."""
    return json.dumps(WRITTEN)


@server.tool(annotations=ToolAnnotations(read_only_hint=False, destructive_hint=True))
def clear_shelf(shelf: str) -> str:
    """Throw away all that is on a shelf."""
    return f"{shelf} is empty"


if __name__ == "__main__":
    if "--http" in sys.argv:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[-1]))
    else:
        server.run("stdio")
