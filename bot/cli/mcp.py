"""``oracle mcp``: serve this deployment over the Model Context Protocol."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from bot.cli.shared_options import Docs, Prometheus, Repos, open_oracle, settings_from
from workers.store.api_tokens import list_tokens

Http = Annotated[bool, typer.Option("--http", help="Over streamable HTTP instead of standard input and output.")]
Host = Annotated[str, typer.Option("--host", help="The address to listen on.")]
Port = Annotated[int, typer.Option("--port", help="Its port.", min=1, max=65_535)]
Names = Annotated[list[str] | None, typer.Option("--name", help="A host name by which clients reach it.")]


def mcp(
    http: Http = False,
    host: Host = "127.0.0.1",
    port: Port = 8765,
    name: Names = None,
    repo: Repos = None,
    docs: Docs = None,
    prometheus: Prometheus = "",
) -> None:
    """Serve tools, ask_oracle, notes and threads to Claude Code, Cursor, VS Code and other clients of MCP."""
    settings = settings_from(repo, docs, prometheus)
    with open_oracle(settings) as oracle:
        from workers.entrypoints.mcp.serve import PATH, serve_http, serve_stdio

        if not http:
            serve_stdio(oracle)
            return
        print(f"MCP over HTTP: http://{host}:{port}{PATH}", file=sys.stderr)
        if not any(token.revoked_at is None for token in list_tokens(oracle.store.database)):
            print("there is no token yet, so that every request is refused: oracle token create NAME", file=sys.stderr)
        serve_http(oracle, host, port, name or ())
