"""Socket Mode: connections, envelopes, acknowledgements.

Source: docs.slack.dev/apis/events-api/using-socket-mode and slack_sdk's socket_mode client.
"""

import asyncio
import json
import secrets
import uuid
from dataclasses import dataclass, field

from fastapi import WebSocket, WebSocketDisconnect

from slack_sandbox.event_deliveries import Reply
from slack_sandbox.state import Json

_RESPONDING = {"slash_commands", "interactive"}


@dataclass
class SocketMode:
    """The app's connections; envelopes go to them in turn."""

    app_id: str
    ack_timeout_s: float
    tickets: set[str] = field(default_factory=set)
    connections: list[WebSocket] = field(default_factory=list)
    _turn: int = 0
    _connected: asyncio.Event = field(default_factory=asyncio.Event)
    _waiting: "dict[str, asyncio.Future[Json | None]]" = field(default_factory=dict)

    def issue_ticket(self) -> str:
        """Returns: a ticket that opens one connection."""
        ticket = secrets.token_urlsafe(24)
        self.tickets.add(ticket)
        return ticket

    async def serve(self, socket: WebSocket, ticket: str) -> None:
        """Runs one connection from hello until it closes; a ticket that was not issued or is used is refused."""
        if ticket not in self.tickets:
            await socket.close(code=4001)
            return
        self.tickets.discard(ticket)
        await socket.accept()
        self.connections.append(socket)
        try:
            await socket.send_text(json.dumps(self._hello()))
            self._connected.set()
            while True:
                self._acknowledge(await socket.receive_text())
        except (WebSocketDisconnect, RuntimeError):
            return  # starlette raises RuntimeError when the socket was closed from this side
        finally:
            self.forget(socket)

    def forget(self, socket: WebSocket) -> None:
        """Sends nothing more over this connection."""
        if socket in self.connections:
            self.connections.remove(socket)
        if not self.connections:
            self._connected.clear()

    async def deliver(self, kind: str, payload: Json, *, attempt: int = 0, reason: str = "") -> Reply:
        """Sends one envelope and waits for its acknowledgement, both within the acknowledgement's time."""
        envelope_id = str(uuid.uuid4())
        envelope: Json = {
            "envelope_id": envelope_id,
            "payload": payload,
            "type": kind,
            "accepts_response_payload": kind in _RESPONDING,
        }
        if kind == "events_api":
            envelope |= {"retry_attempt": attempt, "retry_reason": reason}
        answer: asyncio.Future[Json | None] = asyncio.get_running_loop().create_future()
        self._waiting[envelope_id] = answer
        sent = False
        try:
            async with asyncio.timeout(self.ack_timeout_s):
                await self._connected.wait()
                sent = await self._send(json.dumps(envelope))
                return Reply("acknowledged", await answer)
        except TimeoutError:
            return Reply("timeout" if sent else "no_connection")
        finally:
            self._waiting.pop(envelope_id, None)

    async def disconnect(self, reason: str) -> int:
        """Asks every connection to reconnect, then closes it.

        Returns: how many there were.
        """
        leaving = list(self.connections)
        for socket in leaving:
            self.forget(socket)
            await socket.send_text(
                json.dumps({"type": "disconnect", "reason": reason, "debug_info": {"host": "sandbox"}})
            )
            await socket.close()
        return len(leaving)

    async def _send(self, text: str) -> bool:
        while self.connections:
            socket = self.connections[self._turn % len(self.connections)]
            self._turn += 1
            try:
                await socket.send_text(text)
            except (WebSocketDisconnect, RuntimeError):
                self.forget(socket)
            else:
                return True
        return False

    def _acknowledge(self, text: str) -> None:
        try:
            message = json.loads(text)
        except ValueError:
            return  # clients also send pings of their own as text
        if not isinstance(message, dict):
            return
        answer = self._waiting.get(str(message.get("envelope_id")))
        if answer and not answer.done():
            body = message.get("payload")
            answer.set_result(body if isinstance(body, dict) else None)

    def _hello(self) -> Json:
        return {
            "type": "hello",
            "num_connections": len(self.connections),
            "debug_info": {"host": "sandbox", "build_number": 1, "approximate_connection_time": 18060},
            "connection_info": {"app_id": self.app_id},
        }
