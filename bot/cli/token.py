"""`oracle token`: tokens for the HTTP API, one or more a person."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import typer
from rich.table import Table
from rich.text import Text

from bot.cli.shared_options import Json, print_json
from workers.contracts import LOCAL_USER
from workers.delivery.console import make_console
from workers.delivery.rich_text import safe
from workers.errors import ConfigError
from workers.settings.load import load_settings
from workers.store.api_tokens import ApiToken, create_token, list_tokens, revoke_token
from workers.store.database import Database, open_database
from workers.store.migrate import migrate

LONGEST_USER = 200
Action = Annotated[Literal["create", "list", "revoke"], typer.Argument(help="What to do.")]
Who = Annotated[
    str, typer.Argument(help="create, list: a person, TEAM/USER of Slack or any name; revoke: a token's id.")
]
Name = Annotated[str, typer.Option("--name", help="What the token is for, to tell it from others.")]


def token(action: Action, who: Who = "", name: Name = "", json_out: Json = False) -> None:
    """Make, list or end tokens of the HTTP API. A token is shown once; only its hash is kept."""
    settings = load_settings()
    database = open_database(settings.database_url)
    try:
        migrate(database)
        if action == "create":
            create(database, who.strip(), name, json_out=json_out)
        elif action == "revoke":
            revoke(database, who.strip())
        else:
            show(list_tokens(database, who.strip()), json_out=json_out)
    finally:
        database.close()


def create(database: Database, user: str, name: str, *, json_out: bool) -> None:
    """Print a new token. Raises: ConfigError: for nobody."""
    if user == LOCAL_USER:
        raise ConfigError(f"token create: {LOCAL_USER!r} is who sits at this machine; give a name")
    if not user or len(user) > LONGEST_USER:
        raise ConfigError("token create: say for whom: TEAM/USER as Slack has them, or a name")
    made, token_id = create_token(database, user, name)
    if json_out:
        print_json({"token": made, "id": token_id, "user": user, "name": name})
    else:
        print(made)


def revoke(database: Database, token_id: str) -> None:
    """End a token. Raises: ConfigError: there is none."""
    if not revoke_token(database, token_id):
        raise ConfigError(f"token revoke: no living token has the id {token_id!r}; `oracle token list` shows them")
    print(f"{token_id} is revoked")


def show(tokens: tuple[ApiToken, ...], *, json_out: bool) -> None:
    """Print tokens, without what they are."""
    if json_out:
        print_json([{**vars(one), **{k: said(getattr(one, k)) for k in TIMES}} for one in tokens])
        return
    table = Table("id", "person", "name", "made", "last used", "revoked", box=None)
    for one in tokens:
        cells = (one.id, one.user_id, one.name, *(said(getattr(one, k)) for k in TIMES))
        table.add_row(*(Text(safe(cell)) for cell in cells))
    make_console().print(table)


TIMES = ("created_at", "last_used_at", "revoked_at")


def said(moment: datetime | None) -> str:
    """A moment to the minute; empty for none."""
    return f"{moment:%Y-%m-%d %H:%M}Z" if moment else ""
