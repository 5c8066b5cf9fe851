"""A language server spoken to over its standard input and output."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

LANGUAGES = {".py": "python", ".ts": "typescript", ".tsx": "typescriptreact", ".go": "go"}


class LanguageServer:
    """One running server of one work tree.

    Args:
        command: that starts it.
        root: the work tree.
    """

    def __init__(self, command: Sequence[str], root: Path) -> None:
        self.root = root
        self.process = subprocess.Popen(
            command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self.number = 0
        self.opened: set[str] = set()
        folder = {"uri": root.as_uri(), "name": root.name}
        capabilities = {
            "textDocument": {"references": {}},
            "workspace": {"workspaceFolders": True, "configuration": True},
        }
        self.ask(
            "initialize",
            {"processId": None, "rootUri": root.as_uri(), "workspaceFolders": [folder], "capabilities": capabilities},
        )
        self.tell("initialized", {})

    def references(self, path: str, line: int, column: int) -> set[tuple[str, int]]:
        """Path and line of each use of what stands at a place; lines from 1, columns from 0."""
        self.open_all([path])
        uri = (self.root / path).as_uri()
        found = self.ask(
            "textDocument/references",
            {
                "textDocument": {"uri": uri},
                "position": {"line": line - 1, "character": column},
                "context": {"includeDeclaration": False},
            },
        )
        return set(self.places(found or []))

    def open_all(self, paths: Sequence[str]) -> None:
        """Tell of files, so that all of them count."""
        for path in paths:
            if path in self.opened:
                continue
            self.opened.add(path)
            text = (self.root / path).read_text(encoding="utf-8", errors="replace")
            language = LANGUAGES[Path(path).suffix]
            document = {"uri": (self.root / path).as_uri(), "languageId": language, "version": 1, "text": text}
            self.tell("textDocument/didOpen", {"textDocument": document})

    def places(self, found: Sequence[dict[str, Any]]) -> Iterator[tuple[str, int]]:
        """Locations inside the work tree."""
        for one in found:
            place = Path(unquote(urlsplit(one["uri"]).path))
            if place.is_relative_to(self.root):
                yield place.relative_to(self.root).as_posix(), one["range"]["start"]["line"] + 1

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        """Send a request and wait for its answer; requests of the server are answered with nothing."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.receive()
            if "method" in message and "id" in message:
                items = message.get("params", {}).get("items", [])
                self.send({"id": message["id"], "result": [None] * len(items) if items else None})
            elif message.get("id") == self.number:
                return message.get("result")

    def tell(self, method: str, params: dict[str, Any]) -> None:
        """Send what needs no answer."""
        self.send({"method": method, "params": params})

    def send(self, message: dict[str, Any]) -> None:
        """Write one message."""
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def receive(self) -> dict[str, Any]:
        """Read one message."""
        assert self.process.stdout
        size = 0
        while (line := self.process.stdout.readline().strip()) or not size:
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
            elif not line and self.process.poll() is not None:
                raise RuntimeError("the language server ended")
        message: dict[str, Any] = json.loads(self.process.stdout.read(size))
        return message

    def close(self) -> None:
        """End the server."""
        self.process.kill()
        self.process.wait()
