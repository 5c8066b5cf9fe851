"""First looks at alerts of public kinds (kube-prometheus, node, blackbox, cloud exporters …) that the demo team has no
metrics of: about the alert's own thing, or one line that nothing here knows it; never another thing's story.

``bench/data/alert_payloads.json``: ``kind``, the webhook's body, ``thing``: what one line has to name, any of them
(``heartbeat``: nothing is asked), ``foreign``: what must not stand there. Written by an author who saw no code.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import delete

from bot.cli.demo import build
from bot.parse.alertmanager import read_notification
from workers.bootstrap import Oracle, build_engine
from workers.contracts import Question
from workers.incidents.summary.alert_labels import gravest, question_about
from workers.settings.load import load_settings
from workers.store.alerts import put_alerts
from workers.store.request_logs import SqlStore
from workers.store.tables import alerts

DATA = Path(__file__).parent / "data" / "alert_payloads.json"
HEARTBEAT = "heartbeat"


def main(args: list[str]) -> None:
    """Print what is wrong and how many are right; with ``--all`` every first look."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.environ.pop("ORACLE_CONFIG", None)
        build(home, datetime.now(UTC).replace(microsecond=0), 0)
        oracle = build_engine(load_settings(home=home))
        try:
            counted = Counter[str]()
            for case in json.loads(DATA.read_text(encoding="utf-8")):
                said, looked = first_look(oracle, case["payload"])
                verdict = judge(case, said, looked=looked)
                counted[verdict] += 1
                if verdict != "right" or "--all" in args:
                    print(f"{verdict}: {case['kind']}\n    {said[:600]}")
            print(f"{counted['right']} of {sum(counted.values())} right; {dict(counted)}")
        finally:
            oracle.close()


def first_look(oracle: Oracle, payload: Any) -> tuple[str, bool]:
    """What the answer says of alerts that began ten minutes ago, and whether anything was asked."""
    store, now = oracle.store, datetime.now(UTC)
    if not isinstance(store, SqlStore):
        raise TypeError("the demo team's store is in SQL")
    environment = "demo"
    told = [
        alert.model_copy(update={"starts_at": now - timedelta(minutes=10)})
        for alert in read_notification(payload, environment).alerts
    ]
    with store.database.begin(exclusive=True) as connection:
        connection.execute(delete(alerts))
        put_alerts(connection, told, now)
    first = gravest(told, environment)
    if first is None:
        return "", False
    text = question_about(first)
    request = f"look-{abs(hash(text)):x}-{now.timestamp():.0f}"
    asked = Question(request_id=request, text=text, alert=first.name, unasked=True, source="alert", received_at=now)
    log = oracle.engine.ask(asked)
    if log.answer is None:
        return "", True
    lines = [log.answer.headline.text, *(c.text for c in log.answer.claims), *(g.text for g in log.answer.missing)]
    return "\n    ".join(dict.fromkeys(lines)), True


def judge(case: dict[str, Any], said: str, *, looked: bool) -> str:
    """``right``, or what is wrong."""
    lower = said.lower()
    if HEARTBEAT in case["thing"]:
        return "right" if not looked else "asked of a heartbeat"
    if not looked:
        return "nothing asked"
    if any(word.lower() in lower for word in case["foreign"]):
        return "another thing's story"
    return "right" if any(word.lower() in lower for word in case["thing"]) else "its thing is not named"
