"""``python -m bench model FILE.gguf``: the whole bot on a real, small model; what of its words no tool returned.

Real processes: a local Slack, the bot, a worker group, beat, and llama.cpp's server with the weights. A hundred
questions are asked in Slack. Every text that reached a thread, in progress, in answers, in questions back, is read from
the local Slack and judged by `bench.occurs`, which shares nothing with the grounding code. ``rules`` in place of the
file asks the same without a model.
"""

from __future__ import annotations

import argparse
import queue
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from bench.bridge import run_bridge
from bench.llama import CannotServe, Llama, run_llama
from bench.posted import Run, outcome
from tests.support.deployment import run_deployment, run_slack, start_oracle
from workers.bootstrap import build_engine
from workers.contracts import Landscape
from workers.ports import ToolContext
from workers.settings.load import load_settings
from workers.store.database import open_database
from workers.store.migrate import migrate

QUESTIONS = Path(__file__).parent / "data" / "model_questions.txt"
TOKENS = {"router": 60, "verifier": 250, "style": 250, "compression": 250, "summary": 250}
NOBODY = "http://127.0.0.1:9"  # a role that is not asked for finds its model down, and the rules do its part
CHANNELS = ("general", "incidents", "payments", "search")


def main(args: list[str]) -> None:
    """Ask, read, judge, print. Exit 1: something ungrounded was posted, or a question got no reply."""
    parser = argparse.ArgumentParser(prog="python -m bench model")
    parser.add_argument("weights", help="a GGUF file, or the word rules")
    parser.add_argument("--questions", type=int, default=100)
    parser.add_argument("--template", type=Path, help="a chat template (jinja), as for tool calls")
    parser.add_argument("--native", action="store_true", help="llama.cpp's own Messages API, which takes no schema")
    parser.add_argument("--chars", type=int, default=4_000, help="of one message, unless --native")
    parser.add_argument(
        "--roles", default="", help="those that the model has, such as investigator,verifier; all by default"
    )
    parser.add_argument("--askers", type=int, default=2, help="questions at a time")
    parser.add_argument("--threads", type=int, default=2, help="of the model's server; not more than idle cores")
    parser.add_argument("--max-tokens", type=int, default=700, help="of a call or an answer that the model writes")
    parser.add_argument("--turns", type=int, default=4, help="that an investigation may have")
    parser.add_argument("--wait", type=float, default=900, help="seconds to wait for one reply")
    parser.add_argument("--report", type=Path, help="a file for what was posted and judged, as JSON lines")
    options = parser.parse_args(args)
    try:
        found = measure(options)
    except CannotServe as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    print(f"| {Path(options.weights).stem}, {options.questions} questions | |\n|---|---|")
    print("\n".join(f"| {name} | {value} |" for name, value in found.items()))
    if found["without a reply"] or found["ungrounded specifics"]:
        sys.exit(1)


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """One run."""
    with tempfile.TemporaryDirectory(prefix="oracle-model-") as folder, ExitStack() as stack:
        home, log = Path(folder) / "home", Path(folder) / "llama.log"
        model = options.weights != "rules"
        given = {"threads": options.threads, "template": options.template}
        llama = stack.enter_context(run_llama(Path(options.weights), log, **given) if model else nullcontext(None))
        url = stack.enter_context(run_bridge(llama, options.chars)).url if llama and not options.native else ""
        url = url or (llama.url if llama else "")
        environment = {"ORACLE_CONFIG": str(overlay(Path(folder), url, options))}
        slack = stack.enter_context(run_slack())
        deployment = stack.enter_context(run_deployment(home, slack, start=start_oracle, **environment))
        deployment.start("demo", "demo").wait()
        database = open_database(f"sqlite:///{home / 'oracle.db'}")
        stack.callback(database.close)
        migrate(database)
        run = Run(slack, database, *sources_of(home))
        deployment.start_all()
        began = time.monotonic()
        ask_all(run, read_questions(options.questions), options.askers, options.wait)
        figures = outcome(run, options.report)
        return {**figures, "minutes in all": round((time.monotonic() - began) / 60, 1), **speed(llama)}


def overlay(folder: Path, url: str, options: argparse.Namespace) -> Path:
    """A folder of configuration: no limits for the asker, the model for every role, all the time it may have."""
    config = folder / "config"
    config.mkdir()
    core = {"limits": {"user_per_hour": 100_000, "channel_per_hour": 100_000}}
    write(config / "oracle.yaml", core)
    agent = {"tool_timeout_ms": 10_000, "tools_total_ms": 30_000}  # the model leaves little of the machine to tools
    agent |= {"max_turns": options.turns}
    write(config / "agents.yaml", {"research": agent})
    if not url:
        write(config / "models.yaml", {"reasoner": "rules"})
        return config
    tokens = {**TOKENS, "investigator": options.max_tokens}
    wanted = options.roles.split(",") if options.roles else list(tokens)
    roles = {role: {"model": "local", "deadline_s": 250, "max_tokens": most} for role, most in tokens.items()}
    for role in set(roles) - set(wanted):
        roles[role]["base_url"] = NOBODY
    endpoint = {"base_url": url, "api_key": "local"}
    models = {"reasoner": "model", "endpoint": endpoint, "roles": roles, "budget": {"request_s": 250}}
    write(config / "models.yaml", models)
    return config


def write(path: Path, value: Any) -> None:
    """One file of YAML."""
    path.write_text(yaml.safe_dump(value), encoding="utf-8")


def sources_of(home: Path) -> tuple[Landscape, list[tuple[str, float]]]:
    """The names that exist in the demo team's sources, and the seconds that a question back tells of each candidate."""
    oracle = build_engine(load_settings({"models.reasoner": "rules"}, home=home))
    try:
        context = ToolContext("bench", "research", datetime.now(UTC))
        session = oracle.toolbox.open(context, oracle.engine.agents["research"].limits)
        _, output = session.call("options", "metrics_query", {"query": "metric=latency_p95 window=24h"})
        found = output.data["candidates"]
        values = [("s", one[key]) for one in found for key in ("baseline", "current")]
        return oracle.toolbox.landscape(context), values
    finally:
        oracle.close()


# --- asking ---------------------------------------------------------------------------------------------------


def read_questions(most: int) -> list[list[str]]:
    """Threads: a question and what is asked on."""
    threads: list[list[str]] = []
    for line in [line for line in QUESTIONS.read_text(encoding="utf-8").splitlines() if line[:1] != "#"][:most]:
        if line.startswith("+ "):
            threads[-1].append(line[2:])
        else:
            threads.append([line])
    return threads


def ask_all(run: Run, threads: list[list[str]], askers: int, wait_s: float) -> None:
    """A few threads at a time, each question after the reply to the one before."""
    waiting: queue.Queue[tuple[int, list[str]]] = queue.Queue()
    for item in enumerate(threads):
        waiting.put(item)
    bot = run.slack.http.get("/client/boot").json()["app"]["user_id"]

    def work() -> None:
        while True:
            try:
                number, texts = waiting.get_nowait()
            except queue.Empty:
                return
            ask_thread(run, CHANNELS[number % len(CHANNELS)], texts, bot, wait_s)
            print(f"{number + 1} of {len(threads)} threads", file=sys.stderr)

    people = [threading.Thread(target=work, daemon=True) for _ in range(askers)]
    for person in people:
        person.start()
    for person in people:
        person.join()


def ask_thread(run: Run, channel: str, texts: list[str], bot: str, wait_s: float) -> None:
    """One thread: each question, its reply, then the next."""
    root = ""
    for text in texts:
        before = len(run.slack.answers(channel, root)) if root else 0
        ts = run.slack.ask(channel, f"<@{bot}> {text}", **({"thread_ts": root} if root else {}))
        root = root or ts
        run.threads.setdefault((channel, root), []).append(text)
        end = time.monotonic() + wait_s
        while len(run.slack.answers(channel, root)) <= before:
            if time.monotonic() > end:
                run.silent.append(text)
                return
            time.sleep(0.2)


def speed(llama: Llama | None) -> dict[str, Any]:
    """Tokens a second, by the server's own counters."""
    if llama is None:
        return {}
    found = llama.counters()
    return {
        "tokens/s read": round(found.get("prompt_tokens_seconds", 0.0), 1),
        "tokens/s written": round(found.get("predicted_tokens_seconds", 0.0), 1),
    }


if __name__ == "__main__":
    main(sys.argv[1:])
