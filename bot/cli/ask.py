"""The commands that ask: ask, plan, chat, show, ground."""

from __future__ import annotations

import json
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from pydantic import BaseModel, ValidationError
from rich.console import Console
from rich.text import Text

from bot.cli.exits import EXIT_CLARIFY, EXIT_USAGE
from bot.cli.shared_options import (
    AgentName,
    Docs,
    Json,
    Now,
    Prometheus,
    Repos,
    asker_zone,
    check_question,
    folders,
    is_terminal,
    open_oracle,
    print_json,
    read_now,
    refresh,
    settings_from,
)
from workers.bootstrap import Oracle
from workers.contracts import Claim, Plan, Question, RequestLog
from workers.delivery.console import make_console
from workers.delivery.plan_progress import Todo
from workers.delivery.rich_text import safe
from workers.delivery.terminal_text import render_answer, render_plan, render_proof, render_struck, render_todo
from workers.engine.clarify import choose, continue_question
from workers.engine.engine import Progress, no_progress
from workers.errors import ConfigError
from workers.grounding.fact_extraction import evidence_from
from workers.grounding.ground import check_claim
from workers.grounding.value_format import Voice
from workers.settings.configured_paths import missing_paths, tells_of
from workers.toolkit.clock import SystemClock

QuestionText = Annotated[str, typer.Argument(help="The question, or - for one JSON object {text, context?} a line.")]
MAX_FILE_CHARS = 20_000_000
CAUSES = "causes"
"""The agent that answers about the files of an incident."""


class Asked(BaseModel):
    """One line of ``ask -`` and ``plan -``."""

    text: str
    context: tuple[str, ...] = ()


class WrittenClaim(BaseModel):
    """A claim from anywhere; ``evidence`` holds ids, all of the file's when left out."""

    id: str | int | None = None
    text: str = ""
    template: str = ""
    evidence: list[str] | None = None
    status: Literal["supported", "hypothesis"] = "supported"


class ClaimsFile(BaseModel):
    """What ``oracle ground`` reads."""

    evidence: list[dict[str, Any]]
    claims: list[WrittenClaim]


def ask(
    text: QuestionText,
    json_out: Json = False,
    agent: AgentName = "",
    repo: Repos = None,
    docs: Docs = None,
    prometheus: Prometheus = "",
    now: Now = "",
    request: Annotated[str, typer.Option("--request", help="Answer the clarifying question of this request.")] = "",
    everything: Annotated[bool, typer.Option("--everything", "-v", help="The whole answer, every section.")] = False,
    bundle: Annotated[str, typer.Option("--bundle", help="Folder with the files of an incident, or of alerts.")] = "",
) -> None:
    """Ask a question and print what decides; --everything prints the whole answer."""
    incident = [str(f) for f in folders("--bundle", [bundle])] if bundle else []
    settings = settings_from(repo, docs, prometheus, {"oracle.bundle": incident[0]} if incident else None)
    agent = agent or (CAUSES if incident else "")
    progress = watch_progress(make_console(error=True)) if is_terminal() and not json_out else no_progress
    with open_oracle(settings, now, progress) as oracle:
        read_sources(oracle)
        zone = asker_zone(settings, now)
        if text == "-":
            answer_lines(oracle, zone, agent, lambda question: public(oracle.engine.ask(question)))
            return
        question = make_question(oracle, text, zone, agent, [])
        if request:
            question = resume(oracle, request, question)
        log = oracle.engine.ask(question)
        if json_out:
            print_json(public(log))
        else:
            make_console().print(render_answer(log, everything=everything))
    if log.asks_back:
        raise typer.Exit(EXIT_CLARIFY)


def watch_progress(console: Console) -> Progress:
    """Prints the plan, and a model's to-do list as it changes."""
    todo: list[Todo] = [()]

    def progress(event: str, detail: object) -> None:
        if isinstance(detail, Plan) and detail.steps and not todo[0]:
            console.print(render_plan(detail), "")
        elif event == "todo" and isinstance(detail, tuple):
            console.print(render_todo(detail, todo[0]))
            todo[0] = detail

    return progress


def read_sources(oracle: Oracle) -> None:
    """Indexes first, so that no answer waits for one; a source that cannot be read is named by its tool."""
    missing = missing_paths(oracle.settings)
    for sentence in missing.values():
        print(safe(sentence), file=sys.stderr)
    for name, line, ok in refresh(oracle):
        if not ok and not tells_of(line, missing):
            print(f"{name}: {line}", file=sys.stderr)


def make_question(oracle: Oracle, text: str, zone: str, agent: str, context: list[str]) -> Question:
    """A question as the command line asks it. Raises: ConfigError."""
    if agent and agent not in oracle.engine.agents:
        raise ConfigError(f"--agent: no agent named {agent!r}; known are {', '.join(oracle.engine.agents)}")
    clean = oracle.toolbox.redactor.talk
    return Question(
        request_id=uuid.uuid4().hex[:12],
        text=clean(check_question(text, oracle.settings)),
        received_at=oracle.engine.clock.now(),
        timezone=zone,
        agent=agent or None,
        context=tuple(map(clean, context[-oracle.settings.core.limits.context_messages :])),
    )


def resume(oracle: Oracle, request_id: str, reply: Question) -> Question:
    """The asked-back request, with what was chosen in place of what was unclear; its id stays.

    Raises:
        RequestNotFound: no such request.
        ConfigError: that request did not ask anything, or the reply is a number that no option has.
    """
    before = oracle.store.load(request_id)
    if before.answer is None or before.answer.kind != "clarify":
        raise ConfigError(f"--request: {before.request_id} is not waiting for an answer")
    choice = choose(before, reply.text)
    if choice is None:
        raise ConfigError(f"{reply.text.strip()} is not one of 1 to {len(before.answer.options)}")
    question = continue_question(before, choice)
    return question.model_copy(update={"received_at": reply.received_at, "timezone": reply.timezone})


def answer_lines(oracle: Oracle, zone: str, agent: str, answer: Callable[[Question], dict[str, Any]]) -> None:
    """One JSON object a line in, one out; a line that cannot be read is answered with its mistake, and exit code 2."""
    wrong = False
    for number, line in enumerate(sys.stdin, 1):
        if not line.strip():
            continue
        try:
            asked = Asked.model_validate_json(line)
            out = answer(make_question(oracle, asked.text, zone, agent, list(asked.context)))
        except (ValidationError, ConfigError) as error:
            wrong, out = True, {"error": describe_error(error), "line": number}
        print(json.dumps(out, ensure_ascii=False), flush=True)
    if wrong:
        raise typer.Exit(EXIT_USAGE)


def describe_error(error: ValidationError | ConfigError) -> str:
    """One sentence."""
    if isinstance(error, ConfigError):
        return str(error)
    first = error.errors(include_url=False)[0]
    return ": ".join(p for p in (".".join(str(x) for x in first["loc"]), str(first["msg"])) if p)


def public(log: RequestLog) -> dict[str, Any]:
    """The object that ``--json`` prints."""
    data = log.model_dump(mode="json")
    first = ("request_id", "question", "route", "intent", "plan", "tool_calls", "evidence", "answer", "grounded")
    order = (*first, "proposals", "reasoner", "timings_ms", "usage", "gaps", "notes", "struck", "model_calls")
    return {key: data[key] for key in order}


def plan(
    text: QuestionText,
    json_out: Json = False,
    agent: AgentName = "",
    repo: Repos = None,
    docs: Docs = None,
    prometheus: Prometheus = "",
    now: Now = "",
) -> None:
    """Show route, intent and plan; nothing is executed."""
    settings = settings_from(repo, docs, prometheus)
    with open_oracle(settings, now) as oracle:
        read_sources(oracle)
        zone = asker_zone(settings, now)
        if text == "-":
            answer_lines(oracle, zone, agent, lambda question: plan_view(oracle.engine.plan_only(question)))
            return
        log = oracle.engine.plan_only(make_question(oracle, text, zone, agent, []))
    if json_out:
        print_json(plan_view(log))
    else:
        console = make_console()
        if log.intent:
            window = f"window: {log.intent.window.why}" if log.intent.window else ""
            subjects = ", ".join(log.intent.subjects) or "no subject named"
            console.print(Text(safe(f"{log.intent.question_type}: {subjects}"), "bold"))
            console.print(Text(safe(window), style="dim"))
        console.print(render_plan(log.plan) if log.plan else render_answer(log))
    if log.asks_back:
        raise typer.Exit(EXIT_CLARIFY)


def plan_view(log: RequestLog) -> dict[str, Any]:
    """Route, intent and plan as JSON; an answer only where there is no plan: a clarifying question or a refusal."""
    data = log.model_dump(mode="json")
    keys = ("request_id", "question", "route", "intent", "plan", *(("answer",) if log.answer else ()))
    return {key: data[key] for key in keys}


def show(
    request_id: Annotated[str, typer.Argument(help="Its id, or the first six characters.")], json_out: Json = False
) -> None:
    """Show everything about one request: plan, tool calls, evidence, answer."""
    with open_oracle(settings_from()) as oracle:
        log = oracle.store.load(request_id)
    if json_out:
        print_json(public(log))
        return
    console = make_console()
    console.print(Text(log.question.text, style="bold"))
    if log.plan:
        console.print(render_plan(log.plan))
    for call in log.tool_calls:
        mark = f"{call.name} {call.status} {call.end_ms - call.start_ms:.0f} ms{' (cached)' if call.cached else ''}"
        console.print(Text.assemble((f"{call.step}: ", "bold"), (mark, "cyan"), f" {call.args}"))
    for asked in log.model_calls:
        used = f"{asked.usage.tokens:,} tokens" + (f", ${asked.usage.cost_usd:.4f}" if asked.usage.cost_usd else "")
        why = f" ({asked.reason})" if asked.reason else ""
        mark = f"{asked.model} {asked.status}{why} {asked.ms:.0f} ms, {used}"
        console.print(Text.assemble((f"{asked.prompt or asked.role}: ", "bold"), (safe(mark), "magenta")))
    console.print(render_proof(log))
    if log.struck:
        console.print(render_struck(log))
    console.print(render_answer(log, everything=True))


def ground(
    file: Annotated[Path, typer.Argument(help="JSON {evidence[], claims[]}, or - for standard input.")],
    json_out: Json = False,
    now: Now = "",
) -> None:
    """Check claims against evidence: supported, hypothesis or struck, with the reason."""
    moment, zone = read_now(now)
    claims = read_claims(file)
    evidence = [evidence_from(item, i) for i, item in enumerate(claims.evidence, 1)]
    known = {e.id: e for e in evidence}
    voice = Voice(moment or SystemClock().now(), zone or "UTC")
    out = []
    for i, item in enumerate(claims.claims, 1):
        cited = tuple(known) if item.evidence is None else tuple(item.evidence)
        claim = Claim(template=item.template or item.text, evidence=cited, status=item.status)
        out.append(check_claim(claim, known, voice, str(item.id or i)).verdict.model_dump())
    if json_out:
        print_json(out)
        return
    styles = {"supported": "green", "hypothesis": "magenta", "struck": "red"}
    for verdict in out:
        make_console().print(
            Text.assemble(
                (f"{verdict['verdict']:<11}", styles[verdict["verdict"]]), f"{verdict['id']}  {verdict['reason']}"
            )
        )


def read_claims(file: Path) -> ClaimsFile:
    """A claims file. Raises: ConfigError."""
    try:
        raw = sys.stdin.read() if str(file) == "-" else file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: cannot be read ({error})") from error
    if len(raw) > MAX_FILE_CHARS:
        raise ConfigError(f"{file}: larger than {MAX_FILE_CHARS:,} characters")
    try:
        return ClaimsFile.model_validate_json(raw)
    except ValidationError as error:
        raise ConfigError(f"{file}: {describe_error(error)}") from error
