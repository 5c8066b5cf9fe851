"""A small stand-in for Slack's Web API on a free port of 127.0.0.1, with faults to order."""

from __future__ import annotations

import json
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl

TOKEN = "xoxb-1-secret"
BOT, USER = "B0BOT", "U0BOT"
Fault = Callable[["Handler", dict[str, Any]], bool]
"""Gets the request and the answer that was made; False when the answer shall be sent after all."""


class StandIn:
    """What a workspace holds, and what is to go wrong: ``faults[method]`` are taken one a call, in order."""

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.files: dict[str, dict[str, Any]] = {}
        self.uploaded: dict[str, bytes] = {}
        self.zones: dict[str, Any] = {"U1": "Asia/Tokyo"}
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.faults: dict[str, deque[Fault]] = defaultdict(deque)
        self.page = 100
        self.reads_after = self.shares_after = 0
        self.url = ""
        self.lock = threading.Lock()

    def count(self, method: str) -> int:
        return sum(1 for name, _ in self.calls if name == method)

    def last(self, method: str) -> dict[str, Any]:
        return next(args for name, args in reversed(self.calls) if name == method)

    def add(self, text: str, thread_ts: str = "", **extra: Any) -> str:
        ts = f"1763733600.{len(self.messages) + 1:06d}"
        self.messages.append({"type": "message", "ts": ts, "thread_ts": thread_ts or ts, "text": text, **extra})
        return ts

    def answer(self, method: str, args: dict[str, Any]) -> dict[str, Any]:
        with self.lock:
            self.calls.append((method, args))
            name = method.replace(".", "_")
            return {"ok": True, **getattr(self, name)(args)}

    # --- methods ----------------------------------------------------------------------------------------------

    def auth_test(self, args: dict[str, Any]) -> dict[str, Any]:
        return {"user_id": USER, "bot_id": BOT, "team_id": "T1"}

    def chat_postMessage(self, args: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        extra = {k: args[k] for k in ("blocks", "metadata") if k in args}
        return {"ts": self.add(args["text"], args.get("thread_ts", ""), bot_id=BOT, user=USER, **extra)}

    def chat_update(self, args: dict[str, Any]) -> dict[str, Any]:
        (message,) = [m for m in self.messages if m["ts"] == args["ts"]]
        message.update({k: args[k] for k in ("text", "blocks", "metadata") if k in args})
        return {"ts": args["ts"]}

    def conversations_replies(self, args: dict[str, Any]) -> dict[str, Any]:
        latest = args.get("latest", "9")
        return self.paged([m for m in self.messages if m["thread_ts"] == args["ts"] and m["ts"] < latest], args)

    def chat_startStream(self, args: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        tasks = [{"type": "task_card", "task_id": c["id"]} for c in args["chunks"] if c["type"] == "task_update"]
        blocks = [{"type": "plan", "title": "Plan", "tasks": tasks}]
        return {"ts": self.add("", args["thread_ts"], bot_id=BOT, user=USER, blocks=blocks)}

    def chat_appendStream(self, args: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        return {"ts": args["ts"]}

    def chat_stopStream(self, args: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        (message,) = [m for m in self.messages if m["ts"] == args["ts"]]
        message["metadata"] = args["metadata"]
        return {"ts": args["ts"]}

    def chat_getPermalink(self, args: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        return {"permalink": f"https://team.slack.com/archives/{args['channel']}/p{args['message_ts']}"}

    def assistant_threads_setStatus(self, args: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        return {}

    def agents_sessions_setStatus(self, args: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        return {"status": args["status"]}

    def conversations_history(self, args: dict[str, Any]) -> dict[str, Any]:
        return self.paged([m for m in reversed(self.messages) if m["thread_ts"] == m["ts"]], args)

    def paged(self, messages: list[dict[str, Any]], args: dict[str, Any]) -> dict[str, Any]:
        start, size = int(args.get("cursor") or 0), min(int(args["limit"]), self.page)
        keep = args.get("include_all_metadata") == "1"
        shown = [{k: v for k, v in m.items() if keep or k != "metadata"} for m in messages[start : start + size]]
        more = start + size < len(messages)
        return {"messages": shown, "response_metadata": {"next_cursor": str(start + size) if more else ""}}

    def files_getUploadURLExternal(self, args: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        file_id = f"F{len(self.files):08d}"
        self.files[file_id] = {"id": file_id, "mimetype": "", **args}
        return {"file_id": file_id, "upload_url": f"{self.url}upload/{file_id}"}

    def files_completeUploadExternal(self, args: dict[str, Any]) -> dict[str, Any]:  # noqa: N802 - Slack's name
        out = []
        for item in json.loads(args["files"]):
            file = self.files[item["id"]]
            file.update(item, polls=0)
            file["mimetype"] = "" if self.reads_after else "image/png"
            if "channel_id" in args:
                file["where"] = args
                self.share(file)
            out.append(dict(file))
        return {"files": out}

    def files_info(self, args: dict[str, Any]) -> dict[str, Any]:
        file = self.files[args["file"]]
        file["polls"] += 1
        file["mimetype"] = "image/png" if file["polls"] >= self.reads_after else ""
        self.share(file)
        return {"file": dict(file)}

    def share(self, file: dict[str, Any]) -> None:
        """Let a file stand where it shall, when it was asked for often enough."""
        where = file.get("where")
        if where and "shares" not in file and file["polls"] >= self.shares_after:
            shown = [{"id": file["id"], "name": file["filename"]}]
            ts = self.add(where["initial_comment"], where.get("thread_ts", ""), bot_id=BOT, user=USER, files=shown)
            file["shares"] = {"public": {where["channel_id"]: [{"ts": ts}]}}

    def users_info(self, args: dict[str, Any]) -> dict[str, Any]:
        return {"user": {"id": args["user"], "tz": self.zones.get(args["user"])}}


class Handler(BaseHTTPRequestHandler):
    """Reads one request, lets the stand-in answer it, and spoils the answer when a fault is due."""

    state: StandIn

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kind, _, name = self.path.strip("/").partition("/")
        if kind == "upload":
            answer: dict[str, Any] = {}
            self.state.calls.append(("upload", {"length": len(body)}))
            self.state.uploaded[name] = body
            name = "upload"
        else:
            assert self.headers["Authorization"] == f"Bearer {TOKEN}"
            typed = "json" in self.headers["Content-Type"] and body.startswith(b"{")
            answer = self.state.answer(name, json.loads(body) if typed else dict(parse_qsl(body.decode())))
        faults = self.state.faults[name]
        if not (faults and faults.popleft()(self, answer)):
            self.reply(200, json.dumps(answer).encode())

    def reply(self, status: int, body: bytes, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for key, value in headers.items():
            self.send_header(key.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        """Silent."""


def cut(handler: Handler, answer: dict[str, Any]) -> bool:
    """Carried out, and the connection closed without a word."""
    return True


def says(status: int, body: bytes, kind: str = "application/json", **headers: str) -> Fault:
    """Another answer."""

    def fault(handler: Handler, answer: dict[str, Any]) -> bool:
        handler.reply(status, body, kind, **headers)
        return True

    return fault


def refuses(code: str) -> Fault:
    """Slack's error code."""
    return says(200, json.dumps({"ok": False, "error": code}).encode())


@contextmanager
def run_stand_in() -> Iterator[StandIn]:
    """A stand-in that listens: its Web API is at ``url``."""
    state = StandIn()
    handler = type("Bound", (Handler,), {"state": state})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        state.url = f"http://127.0.0.1:{server.server_port}/"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()


class Time:
    """Sleeps by moving its own clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept.append(seconds)
