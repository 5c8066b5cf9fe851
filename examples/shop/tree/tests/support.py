"""A shop in memory, and requests to it without a socket."""

from __future__ import annotations

import io
import json
from typing import Any

from app import Shop, build_shop
from db.seed import seed
from settings import Settings, load_settings


def test_settings(**values: Any) -> Settings:
    settings = load_settings("test")
    for key, value in values.items():
        section, _, name = key.partition("__")
        settings.get(section)[name] = value
    return settings


def seeded_shop(**values: Any) -> Shop:
    shop = build_shop(test_settings(**values))
    seed(shop.shop, shop.accounts)
    return shop


def ask(
    shop: Shop,
    method: str,
    path: str,
    query: str = "",
    body: Any = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, Any]:
    raw = b"" if body is None else json.dumps(body).encode()
    seen: list[str] = []
    environ = {
        "REQUEST_METHOD": method,
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "CONTENT_LENGTH": str(len(raw)),
        "wsgi.input": io.BytesIO(raw),
        **{f"HTTP_{k.upper().replace('-', '_')}": v for k, v in (headers or {}).items()},
    }
    chunks = shop.application(environ, lambda status, _: seen.append(status))
    text = b"".join(chunks).decode()
    is_json = text.startswith(("{", "["))
    return int(seen[0].split()[0]), json.loads(text) if is_json else text
