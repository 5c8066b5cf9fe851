"""``oracle chat``: ask in a loop."""

from __future__ import annotations

from rich.text import Text

from bot.cli.ask import make_question, read_sources, resume
from bot.cli.shared_options import AgentName, Docs, Now, Prometheus, Repos, asker_zone, open_oracle, settings_from
from workers.bootstrap import Oracle
from workers.contracts import RequestLog
from workers.delivery.console import make_console
from workers.delivery.terminal_text import render_answer
from workers.errors import ConfigError
from workers.ports import ToolContext

EVERYTHING = frozenset({"everything", "more"})
"""What shows all of the last answer."""


def chat(
    agent: AgentName = "", repo: Repos = None, docs: Docs = None, prometheus: Prometheus = "", now: Now = ""
) -> None:
    """Ask in a loop: follow-ups lean on what was said, clarifying questions are answered by number."""
    settings = settings_from(repo, docs, prometheus)
    console = make_console()
    with open_oracle(settings, now) as oracle:
        read_sources(oracle)
        console.print(welcome(oracle))
        context: list[str] = []
        waiting, before = "", None  # the request that waits for an answer, and the last one that was answered
        while True:
            try:
                text = console.input("\n[bold green]ask>[/] ").strip()
            except EOFError:
                console.print()
                return
            if text in {"exit", "quit", ":q"}:
                return
            if not text:
                continue
            if before and text.lower() in EVERYTHING:
                console.print(render_answer(before, everything=True))
                continue
            try:
                follows = before.request_id if before else ""
                log, waiting = answer_in_chat(oracle, text, asker_zone(settings, now), agent, context, waiting, follows)
            except ConfigError as error:
                console.print(Text(str(error), style="red"))
                continue
            console.print()
            console.print(render_answer(log, before=before))
            before = log if log.answer and log.answer.kind == "answer" else before


def answer_in_chat(
    oracle: Oracle, text: str, zone: str, agent: str, context: list[str], waiting: str, follows: str = ""
) -> tuple[RequestLog, str]:
    """One turn; returns the log, and the id of a request that now waits for an answer."""
    question = make_question(oracle, text, zone, agent, context).model_copy(update={"follows": follows})
    if waiting:
        question = resume(oracle, waiting, question)
    log = oracle.engine.ask(question)
    if log.answer and log.answer.kind != "refusal":  # thanks and the like are nothing that a follow-up leans on
        context.extend((question.text, log.answer.headline.text))
    return log, log.request_id if log.asks_back else ""


def welcome(oracle: Oracle) -> Text:
    """What is connected, and what may be asked about it."""
    now = oracle.engine.clock.now()
    names = oracle.toolbox.landscape(ToolContext("", "", now))
    endpoints, deployments = names.labels.get("endpoint", ()), names.labels.get("deployment", ())
    out = Text()
    out.append("Oracle reads ", style="bold")
    counted: list[tuple[str, int]] = [
        ("repository", len(names.repositories)),
        ("document", len(names.documents)),
        ("metric", len(names.metrics)),
        ("deploy", len(names.deploys)),
    ]
    counted += [("model deployment", len(deployments))] if deployments else []
    out.append(f"{', '.join(count(word, number) for word, number in counted)}.\n")
    tries = [f"what happened to {endpoints[0]} since yesterday?", "which alerts are firing?"] if endpoints else []
    tries += [f"how is {deployments[0]}?", "which users had the most errors today?"] if deployments else []
    if tries:
        out.append(f"Try: {' · '.join(tries)}\n", "dim")
    out.append("Answers are short: “everything” shows all of the last one. Leave with Ctrl-D.", style="dim")
    return out


def count(word: str, number: int) -> str:
    """``1 repository``, ``2 repositories``."""
    plural = f"{word[:-1]}ies" if word.endswith("ry") else f"{word}s"
    return f"{number} {word if number == 1 else plural}"
