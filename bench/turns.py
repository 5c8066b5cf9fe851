"""How long a turn takes on the demo team, by agent, without a model: from the question to the checked answer."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import numpy as np

from bot.cli.demo import build
from bot.cli.shared_options import open_oracle
from workers.contracts import Question
from workers.settings.load import load_settings

ASKED = {
    "home": ("is the garage open?", "turn off the light in the lab", "how warm is the lab?", "which lights are on?"),
    "calendar": (
        "who is on call?",
        "what is on my calendar today?",
        "45 min this week, Anna and Ben",
        "is Ben free now?",
    ),
    "network": (
        "What is 10.2.3.4, and has it alerted?",
        "is there any beaconing?",
        "what alerted today?",
        "who talks to 10.2.3.4?",
    ),
    "knowledge": ("what is our deploy freeze rule?", "who do I ask about search?", "what is a circuit breaker?"),
    "research": ("Why is /api/search slow?", "where is the retry policy configured?", "what was deployed yesterday?"),
    "operations": ("which model deployments are degraded?", "how many requests did we serve yesterday?"),
    "memory": ("what did we decide about retries?", "what do you remember of me?"),
}
ROUNDS = 5


def main(args: list[str]) -> None:
    """Print p50 and p95 of a turn by agent, and of all of them; the first round warms up and is not counted."""
    del args
    with TemporaryDirectory() as folder:
        home = Path(folder)
        build(home, datetime.now(UTC).replace(microsecond=0), 0)
        with open_oracle(load_settings(home=home)) as oracle:
            list(oracle.toolbox.refresh())
            times: dict[str, list[float]] = {}
            for number in range(ROUNDS + 1):
                for agent, texts in ASKED.items():
                    for text in texts:
                        question = Question(request_id=uuid4().hex[:12], text=text, received_at=datetime.now(UTC))
                        began = time.perf_counter()
                        log = oracle.engine.ask(question)
                        spent = (time.perf_counter() - began) * 1e3
                        if number:
                            times.setdefault(agent, []).append(spent)
                        elif log.route:
                            said = log.answer.headline.text[:90] if log.answer else ""
                            print(f"{agent}: {text} -> {log.route.task}: {said}")
    print("\n| agent | turns | p50 ms | p95 ms |\n|---|---|---|---|")
    for agent, found in (*times.items(), ("all", [t for some in times.values() for t in some])):
        print(f"| {agent} | {len(found)} | {np.percentile(found, 50):.0f} | {np.percentile(found, 95):.0f} |")
