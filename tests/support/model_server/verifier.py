"""A verifier of the programmable server: it agrees with every claim, but for those that a test names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from tests.support.model_server.replies import Message, say_json
from tests.support.model_server.server import Request

LINE = "it names no owner"
DATA = re.compile(r"<data>(.*?)</data>", re.DOTALL)


def agree_but(**other: str) -> Callable[[Request], Message]:
    """Entailed is every claim but those that are named: ``metrics_0="not"``."""
    said = {re.sub(r"_(\d+)$", r".\1", name): verdict for name, verdict in other.items()}
    return lambda request: say_verdicts(request, said)


def say_verdicts(request: Request, said: Mapping[str, str]) -> Message:
    """One verdict for each claim of a request; those that ``said`` does not hold are entailed."""
    claims = json.loads(DATA.findall(request.last_user)[-1])
    found = [{"id": c["id"], "verdict": said.get(c["id"], "entailed")} for c in claims]
    return say_json({"verdicts": [{**v, "line": "" if v["verdict"] == "entailed" else LINE} for v in found]})
