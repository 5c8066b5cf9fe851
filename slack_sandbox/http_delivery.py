"""Requests to the app over HTTP: JSON events, form-encoded commands and interactions, all signed.

Source: docs.slack.dev/authentication/verifying-requests-from-slack and /apis/events-api.
"""

import asyncio
import json
import time
from dataclasses import dataclass, field
from urllib.parse import urlencode

import httpx
from slack_sdk.signature import SignatureVerifier

from slack_sandbox.event_deliveries import Reply
from slack_sandbox.state import Json

_JSON = "application/json"
_FORM = "application/x-www-form-urlencoded"


@dataclass
class HttpDoor:
    """Posts to the app's request URLs; redirects are not followed."""

    urls: dict[str, str]
    signing_secret: str
    ack_timeout_s: float
    _client: httpx.AsyncClient = field(init=False)

    def __post_init__(self) -> None:
        limits = httpx.Limits(max_connections=200, max_keepalive_connections=50)
        self._client = httpx.AsyncClient(limits=limits, trust_env=False)

    async def deliver(self, kind: str, payload: Json, *, attempt: int = 0, reason: str = "") -> Reply:
        """Posts one payload; a 2xx within the acknowledgement's time is the acknowledgement."""
        if kind == "events_api":
            body, content_type = json.dumps(payload), _JSON
        elif kind == "interactive":
            body, content_type = urlencode({"payload": json.dumps(payload)}), _FORM
        else:
            body, content_type = urlencode(payload), _FORM
        headers = {"Content-Type": content_type, "User-Agent": "Slackbot 1.0 (sandbox)"}
        if attempt:
            headers |= {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": reason}
        return await self._post(self.urls[kind], body, headers)

    async def verify_url(self, token: str) -> Reply:
        """Sends `url_verification`; acknowledged only when the challenge came back."""
        challenge = str(time.time_ns())
        body = {"token": token, "challenge": challenge, "type": "url_verification"}
        reply = await self._post(self.urls["events_api"], json.dumps(body), {"Content-Type": _JSON})
        echoed = reply.body.get("challenge") if isinstance(reply.body, dict) else reply.body
        return Reply("challenge_failed", reply.body) if reply.ok and echoed != challenge else reply

    async def stop(self) -> None:
        """Closes the connections."""
        await self._client.aclose()

    async def _post(self, url: str, body: str, headers: dict[str, str]) -> Reply:
        timestamp = str(int(time.time()))
        signature = SignatureVerifier(self.signing_secret).generate_signature(timestamp=timestamp, body=body)
        signed = headers | {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": signature or ""}
        try:
            async with asyncio.timeout(self.ack_timeout_s):
                response = await self._client.post(url, content=body, headers=signed, timeout=None)
        except TimeoutError:
            return Reply("http_timeout")
        except httpx.HTTPError:
            return Reply("connection_failed")
        if not response.is_success:
            return Reply("http_error", {"status": response.status_code})
        return Reply("acknowledged", _decode(response))


def _decode(response: httpx.Response) -> Json | str:
    """Bolt answers some acknowledgements as JSON, others as plain text."""
    try:
        decoded = json.loads(response.text)
    except ValueError:
        return response.text
    return decoded if isinstance(decoded, dict) else response.text
