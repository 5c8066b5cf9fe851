"""The arguments of a Web API call: form-encoded or JSON body, query, and the token."""

import base64
import binascii
import json
from typing import Any
from urllib.parse import parse_qsl

from fastapi import Request

from slack_sandbox.errors import Refused
from slack_sandbox.state import Json
from slack_sandbox.tokens import Grant

_JSON_ARGUMENTS = ("attachments blocks chunks files loading_messages metadata prompts view").split()


class Arguments:
    """One call's arguments by name, and the token's grant; form fields that carry JSON are decoded on the way in."""

    def __init__(self, values: Json, grant: Grant | None = None) -> None:
        self.values = values
        self.grant = grant

    def text(self, name: str, default: str = "") -> str:
        """Returns: the argument as a string; `default` when it is missing."""
        value = self.values.get(name)
        return default if value is None else str(value)

    def required(self, *names: str) -> list[str]:
        """Returns: these arguments as strings.

        Raises:
            Refused: `invalid_arguments`, with the name, when one is missing or empty.
        """
        missing = [name for name in names if not self.text(name)]
        if missing:
            messages = [f"[ERROR] missing required field: {name}" for name in missing]
            raise Refused("invalid_arguments", response_metadata={"messages": messages})
        return [self.text(name) for name in names]

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Returns: a boolean argument: true, "true" and "1" are true."""
        value = self.values.get(name)
        return default if value is None else value is True or str(value).lower() in {"true", "1"}

    def number(self, name: str, default: int, *, least: int, most: int) -> int:
        """Returns: an integer argument, no more than `most`.

        Raises:
            Refused: `invalid_limit` when it is not an integer or less than `least`.
        """
        value = self.values.get(name)
        if value is None or value == "":
            return default
        try:
            number = int(str(value))
        except ValueError as error:
            raise Refused("invalid_limit") from error
        if number < least:
            raise Refused("invalid_limit")
        return min(number, most)

    def decoded(self, name: str) -> Any:
        """Returns: an argument that carries JSON: decoded, still a string when it was none, None when missing."""
        value = self.values.get(name)
        return None if value == "" else value


async def read_arguments(request: Request) -> tuple[Arguments, str]:
    """Returns: a request's arguments and its token ("" without one).

    Raises:
        Refused: `invalid_json` or `invalid_form_data`, when the body can't be read.
    """
    values = _decode_fields(dict(request.query_params))
    body = await request.body()
    if body:
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        values |= await _read_body(request, kind, body)
    token = str(values.pop("token", "") or "")
    authorization = request.headers.get("authorization", "")
    if authorization[:7].lower() == "bearer ":
        token = authorization[7:].strip()
    elif authorization[:6].lower() == "basic ":
        values |= _client_of(authorization[6:])
    return Arguments(values), token


def _client_of(credentials: str) -> Json:
    try:
        client_id, _, secret = base64.b64decode(credentials.strip(), validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError) as error:
        raise Refused("invalid_client_id") from error
    return {"client_id": client_id, "client_secret": secret}


async def _read_body(request: Request, kind: str, body: bytes) -> Json:
    if kind == "application/json":
        try:
            decoded = json.loads(body)
        except ValueError as error:
            raise Refused("invalid_json") from error
        if not isinstance(decoded, dict):
            raise Refused("json_not_object")
        return _decode_fields(decoded)
    if kind == "multipart/form-data":
        form = await request.form()
        return _decode_fields({name: value for name, value in form.items() if isinstance(value, str)})
    try:
        return _decode_fields(dict(parse_qsl(body.decode(), keep_blank_values=True)))
    except UnicodeDecodeError as error:
        raise Refused("invalid_form_data") from error


def _decode_fields(values: Json) -> Json:
    for name in _JSON_ARGUMENTS:
        value = values.get(name)
        if isinstance(value, str) and value[:1] in {"[", "{", '"'}:
            try:
                values[name] = json.loads(value)
            except ValueError:
                continue  # the method names what it expects
    return values
