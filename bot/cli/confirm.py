"""``oracle confirm``: make a change that an answer proposed."""

from __future__ import annotations

from typing import Annotated

import typer

from bot.cli.ask import public
from bot.cli.shared_options import Json, open_oracle, print_json, settings_from
from workers.bootstrap import Oracle
from workers.contracts import LOCAL_USER, Question, RequestLog, name_proposal
from workers.delivery.console import make_console
from workers.delivery.terminal_text import render_answer
from workers.errors import ConfigError, RequestNotFound
from workers.requests.ledger import Ledger


def confirm(
    request_id: Annotated[str, typer.Argument(help="The request whose answer proposed the change.")],
    number: Annotated[int, typer.Argument(help="Which of its changes, from 1.", min=1)] = 1,
    json_out: Json = False,
) -> None:
    """Make a change that an answer proposed. It is tried once."""
    with open_oracle(settings_from()) as oracle:
        log = carry_out(oracle, request_id, number - 1)
    if json_out:
        print_json(public(log))
    else:
        make_console().print(render_answer(log))


def carry_out(oracle: Oracle, request_id: str, place: int) -> RequestLog:
    """Carry out a proposal of a request. Raises: ConfigError: there is none, or it was confirmed before."""
    try:
        before = oracle.store.load(request_id)
    except RequestNotFound as error:
        raise ConfigError(str(error)) from error
    if place >= len(before.proposals):
        raise ConfigError(f"{before.request_id} proposes no change number {place + 1}")
    if before.question.user != LOCAL_USER:
        raise ConfigError(f"{before.request_id} was not asked here; its asker confirms it where it was asked")
    name, confirming = name_proposal(before.request_id, place), f"c{place}-{before.request_id}"
    if not Ledger(oracle.store.database, oracle.settings.core.worker).begin_change(name, confirming):
        raise ConfigError(f"that change was confirmed before; see: oracle show {confirming}")
    question = Question(
        request_id=confirming,
        text=before.proposals[place].title,
        confirms=name,
        received_at=oracle.engine.clock.now(),
        timezone=before.question.timezone,
    )
    return oracle.engine.ask(question)
