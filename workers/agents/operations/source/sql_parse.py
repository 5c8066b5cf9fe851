"""A query's text -> sqlglot's tree, within bounds on its length, nesting and the parser's work."""

from __future__ import annotations

import re

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect as SqlglotDialect
from sqlglot.dialects.postgres import Postgres
from sqlglot.dialects.sqlite import SQLite
from sqlglot.errors import ErrorLevel, ParseError, SqlglotError, TokenError, UnsupportedError
from sqlglot.parser import Parser
from sqlglot.parsers.postgres import PostgresParser
from sqlglot.parsers.sqlite import SQLiteParser
from sqlglot.tokenizer_core import Token, TokenType

from workers.agents.operations.source.sql_allowlist import NAMES, Dialect
from workers.errors import ToolArgumentError

MAX_CHARS = 10_000
MAX_TOKENS = 2_500
MAX_NESTING = 30
MAX_BRACKETS = 10
MAX_PARSER_STEPS = 100_000
OPENING = frozenset({TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.L_BRACE, TokenType.CASE})
CLOSING = frozenset({TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.R_BRACE, TokenType.END})
FIRST = frozenset({TokenType.SELECT, TokenType.WITH, TokenType.L_PAREN})


UNFIT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


class TooMuchWork(Exception):
    """The parser went back and forth more often than any honest query needs."""


class Counted(Parser):
    """A parser that stops: some texts make it try exponentially many readings."""

    steps = 0

    def _advance(self, times: int = 1) -> None:
        self.steps += 1
        if self.steps > MAX_PARSER_STEPS:
            raise TooMuchWork
        super()._advance(times)


class GuardedSqlite(SQLite):
    """SQLite whose names are written in backticks: in double quotes an unknown one would silently be a text."""

    class Tokenizer(SQLite.Tokenizer):
        IDENTIFIERS = ["`", '"', ("[", "]")]  # noqa: RUF012 - as sqlglot declares it

    class Parser(Counted, SQLiteParser):
        """See `Counted`."""


class GuardedPostgres(Postgres):
    """PostgreSQL with the bounded parser."""

    class Parser(Counted, PostgresParser):
        """See `Counted`."""


DIALECTS: dict[Dialect, type[SqlglotDialect]] = {"sqlite": GuardedSqlite, "postgres": GuardedPostgres}


def parse_query(text: str, dialect: Dialect) -> exp.Query:
    """Read one SELECT or WITH … SELECT.

    Raises:
        ToolArgumentError: it is empty, too long, nested too deeply, more than one statement, another statement than
            SELECT, or cannot be read.
    """
    if not text.strip():
        raise ToolArgumentError("query is empty; give one SELECT")
    if len(text) > MAX_CHARS:
        raise ToolArgumentError(f"the query has {len(text):,} characters; at most {MAX_CHARS:,} are allowed")
    if UNFIT.search(text):
        raise ToolArgumentError("the query has control characters or broken Unicode; write plain text")
    speaker = DIALECTS[dialect]()
    try:
        tokens = speaker.tokenize(text)
        check_tokens(tokens)
        trees = speaker.parser().parse(tokens, text)
    except ParseError as error:
        raise ToolArgumentError(f"this cannot be read as {NAMES[dialect]} SQL: {first_mistake(error)}") from error
    except (RecursionError, TooMuchWork) as error:
        raise ToolArgumentError("the query is nested too deeply; write it in simpler parts") from error
    except (SqlglotError, ValueError, TypeError, AttributeError, KeyError, IndexError) as error:
        # sqlglot's parser and tokenizer let these escape on malformed text
        raise ToolArgumentError(f"this cannot be read as {NAMES[dialect]} SQL") from error
    statements = [tree for tree in trees if tree is not None and not isinstance(tree, exp.Semicolon)]
    if len(statements) != 1:
        raise ToolArgumentError(f"only one statement is allowed; these are {len(statements)}")
    tree = statements[0]
    while isinstance(tree, exp.Subquery) and not any(v for k, v in tree.args.items() if k != "this"):
        tree = tree.this
    if not isinstance(tree, exp.Select | exp.SetOperation):
        raise ToolArgumentError(f"only one SELECT is allowed; this is {tree.key.upper()}")
    return tree


def check_tokens(tokens: list[Token]) -> None:
    """What can be told before parsing. Raises: ToolArgumentError."""
    while tokens and tokens[-1].token_type == TokenType.SEMICOLON:
        tokens.pop()
    if not tokens:
        raise ToolArgumentError("query is empty; give one SELECT")
    if tokens[0].token_type not in FIRST:
        raise ToolArgumentError(f"only one SELECT is allowed; this is {tokens[0].text[:40]!r}")
    if any(token.token_type == TokenType.SEMICOLON for token in tokens):
        raise ToolArgumentError("only one statement is allowed; leave out what follows the semicolon")
    if len(tokens) > MAX_TOKENS:
        raise ToolArgumentError(f"the query has {len(tokens):,} words and signs; at most {MAX_TOKENS:,} are allowed")
    if sum(token.token_type == TokenType.L_BRACKET for token in tokens) > MAX_BRACKETS:
        raise ToolArgumentError(f"the query has more than {MAX_BRACKETS} brackets [")
    depth = 0
    for token in tokens:
        depth += (token.token_type in OPENING) - (token.token_type in CLOSING)
        if depth > MAX_NESTING:
            raise ToolArgumentError(f"the query is nested deeper than {MAX_NESTING} levels")


def write_query(tree: exp.Query, dialect: Dialect) -> str:
    """The text of a tree: without comments, every name quoted.

    Raises:
        ToolArgumentError: it has something that the dialect cannot say.
    """
    try:
        return tree.sql(dialect=DIALECTS[dialect], identify=True, comments=False, unsupported_level=ErrorLevel.RAISE)
    except (UnsupportedError, TokenError, ValueError, RecursionError) as error:
        raise ToolArgumentError(f"this cannot be written as {NAMES[dialect]} SQL") from error


def first_mistake(error: ParseError) -> str:
    """The parser's first complaint, with its place."""
    for mistake in error.errors:
        where = f" (line {mistake['line']}, column {mistake['col']})" if mistake.get("line") else ""
        return f"{str(mistake['description']).rstrip('.')}{where}"
    return "it is not well formed"
