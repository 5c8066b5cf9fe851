"""Whether a query may run, and the text that runs: always written from the parsed tree, never the text that came in.

Allowed is what `sql_words` lists, on the nine tables alone. What was written is read and checked once more.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from workers.agents.operations.source.sql_allowlist import (
    BY_NAME,
    FUNCTIONS,
    INSTEAD,
    MAX_ROWS,
    NAMES,
    OWN,
    SHAPES,
    TYPES,
    Dialect,
)
from workers.agents.operations.source.sql_parse import parse_query, write_query
from workers.agents.operations.source.sql_result_bounds import check_growth, limit_growth
from workers.agents.operations.source.sql_times import store_times
from workers.errors import ToolArgumentError
from workers.language.nearest_names import nearest_names, ranked_names

MAX_NODES = 6_000
MAX_DEPTH = 250
MAX_TABLES = 20
NUMBER = re.compile(r"[0-9.]{1,40}(?:[eE][+-]?[0-9]{1,3})?")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_ ]{0,60}")
KEY = re.compile(r"[\w .:/-]{1,100}")
PLAIN = {"Table": {"this", "alias", "joins"}, "Column": {"this", "table"}, "CTE": {"this", "alias", "materialized"}}
"""Parts that a node may have; a database, a hint, a sample or a version of a table is none of them."""
Schema = Mapping[str, Collection[str]]


@dataclass(frozen=True)
class Guarded:
    """A query that may run. ``sql`` returns up to ``limit`` + 1 rows: the last is not shown, it says there are more.

    ``withs``: names that its WITH clauses give.
    """

    sql: str
    limit: int
    withs: tuple[str, ...] = ()


def guard_query(text: str, dialect: Dialect, schema: Schema) -> Guarded:
    """Check a query and write it anew.

    Args:
        text: as a person or a model wrote it.
        dialect: the database's.
        schema: the tables that may be read, with their columns.

    Raises:
        ToolArgumentError: one sentence on what is not allowed, with the nearest names when one is unknown.
    """
    tree = parse_query(text, dialect)
    check_tree(tree, dialect, schema)
    check_growth(tree)
    limit = limit_rows(tree)
    store_times(tree, dialect)
    name_columns(tree, dialect)
    limit_growth(tree, dialect)
    sql = write_query(tree, dialect)
    again = parse_query(sql, dialect)
    check_tree(again, dialect, schema)
    if write_query(again, dialect) != sql:
        raise ToolArgumentError("the query can be read in two ways; write it more simply")
    return Guarded(sql, limit, tuple(entry.alias.lower() for entry in again.find_all(exp.CTE)))


def check_tree(tree: exp.Query, dialect: Dialect, schema: Schema) -> None:
    """Every node, name and text of it. Raises: ToolArgumentError."""
    nodes = list(walk(tree))
    aliases = named_inside(nodes)
    allowed = SHAPES | FUNCTIONS | OWN[dialect]
    for node in nodes:
        check_kind(node, dialect, allowed)
        check_texts(node)
    check_withs(nodes, schema)
    tables = [node for node in nodes if isinstance(node, exp.Table)]
    if len(tables) > MAX_TABLES:
        raise ToolArgumentError(f"the query names {len(tables)} tables; at most {MAX_TABLES} are allowed")
    for table in tables:
        check_table(table, schema)
    known = {name for columns in schema.values() for name in columns} | aliases
    for node in nodes:
        if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star) and node.name.lower() not in known:
            nearest = ranked_names(node.name.lower(), sorted(known), 3)
            raise ToolArgumentError(f"there is no column {node.name!r}; nearest: {', '.join(nearest)}", nearest)


def walk(tree: exp.Expr) -> Iterator[exp.Expr]:
    """All nodes. Raises: ToolArgumentError: there are too many, or they lie too deep."""
    waiting = [(tree, 0)]
    for count in range(MAX_NODES + 1):
        if not waiting:
            return
        node, depth = waiting.pop()
        if depth > MAX_DEPTH or count == MAX_NODES:
            break
        yield node
        waiting.extend((child, depth + 1) for child in node.iter_expressions())
    raise ToolArgumentError("the query is too large; write it in simpler parts")


def named_inside(nodes: list[exp.Expr]) -> set[str]:
    """Names that the query itself gives to columns, in small letters."""
    names = {node.alias.lower() for node in nodes if isinstance(node, exp.Alias)}
    return names | {c.name.lower() for n in nodes if isinstance(n, exp.TableAlias) for c in n.args.get("columns") or ()}


def check_kind(node: exp.Expr, dialect: Dialect, allowed: frozenset[str]) -> None:
    """The node's class, type or function. Raises: ToolArgumentError."""
    kind = type(node).__name__
    if isinstance(node, exp.Anonymous):
        name = node.name.lower()
        if isinstance(node.this, str) and name in BY_NAME[dialect]:
            return
        raise refused_function(name)
    if kind not in allowed:
        if isinstance(node, exp.Func) and kind not in INSTEAD:
            raise refused_function(node.sql_name().lower())
        advice = f"; {INSTEAD[kind]}" if kind in INSTEAD else ""
        raise ToolArgumentError(f"{spoken(kind)} is not allowed in a query on {NAMES[dialect]}{advice}")
    if isinstance(node, exp.With) and (node.args.get("recursive") or node.args.get("search")):
        raise ToolArgumentError("WITH RECURSIVE is not allowed, for it need not end")
    if isinstance(node, exp.DataType):
        name = node.this.value if isinstance(node.this, exp.DataType.Type) else str(node.this)
        if name not in TYPES or (node.expressions and name != "DECIMAL") or node.args.get("nested"):
            raise ToolArgumentError(
                f"a cast to {node.sql()[:40]} is not allowed; use one of {', '.join(sorted(TYPES))}"
            )


def refused_function(name: str) -> ToolArgumentError:
    """The sentence on a function that is not listed."""
    return ToolArgumentError(
        f"the function {name[:40]!r} is not allowed; allowed are common aggregates, window functions, and functions of "
        "times, numbers and texts"
    )


def spoken(kind: str) -> str:
    """A node's class as people write it: ``WithinGroup`` -> ``WITHIN GROUP``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).upper()


def check_texts(node: exp.Expr) -> None:
    """Parts and words of a node that are written as they are. Raises: ToolArgumentError."""
    kind = type(node).__name__
    for name, value in node.args.items():
        if kind in PLAIN and value and name not in PLAIN[kind]:
            what = f"{NAMED.get(name, name)} of a {kind.lower()}"
            raise ToolArgumentError(f"the {what} ({node.sql()[:80]}) is not allowed; name it plainly")
        for word in value if isinstance(value, list) else [value]:
            if isinstance(word, str) and not allowed_text(node, word):
                raise ToolArgumentError(f"{word[:40]!r} cannot be used here")


NAMED = {"db": "schema", "catalog": "database"}


def allowed_text(node: exp.Expr, word: str) -> bool:
    """Whether a word may stand in a node: quoted ones may be anything, others are numbers or keywords."""
    if isinstance(node, exp.Identifier):
        return 0 < len(word) <= 64
    if isinstance(node, exp.Literal):
        return node.is_string or bool(NUMBER.fullmatch(word))
    if isinstance(node, exp.JSONPathKey):
        return bool(KEY.fullmatch(word))
    return not word or bool(WORD.fullmatch(word))


def check_withs(nodes: list[exp.Expr], schema: Schema) -> None:
    """Names of WITH entries are new and used once, so that none can mean itself. Raises: ToolArgumentError."""
    seen: set[str] = set()
    for node in nodes:
        if isinstance(node, exp.CTE):
            name = node.alias.lower()
            if name in schema:
                raise ToolArgumentError(f"WITH {name!r} hides the table {name!r}; give it another name")
            if name.startswith(("sqlite_", "pg_")):
                raise ToolArgumentError(f"WITH {name!r} is named like a table of the database itself")
            if name in seen:
                raise ToolArgumentError(f"two WITH entries are named {name!r}")
            seen.add(name)


def check_table(table: exp.Table, schema: Schema) -> None:
    """It is an allowed one, or an entry of a WITH that can be seen from here. Raises: ToolArgumentError."""
    if not isinstance(table.this, exp.Identifier):
        raise ToolArgumentError(f"{table.this.sql()[:60]} cannot be read like a table; read one of {', '.join(schema)}")
    name = table.name.lower()
    if name in schema or name in visible_withs(table):
        return
    nearest = nearest_names([name], schema, least=50)
    raise ToolArgumentError(f"table {table.name!r} is not one of: {', '.join(schema)}", nearest)


def visible_withs(table: exp.Expr) -> set[str]:
    """Names that WITH clauses around a table give; inside one of their entries only those before it."""
    names: set[str] = set()
    inner, node = table, table.parent
    while node is not None:
        if isinstance(node, exp.With):
            entries = node.expressions
            names.update(c.alias.lower() for c in entries[: next(i for i, c in enumerate(entries) if c is inner)])
        elif (clause := node.args.get("with_")) is not None and clause is not inner:
            names.update(c.alias.lower() for c in clause.expressions)
        inner, node = node, node.parent
    return names


def limit_rows(tree: exp.Query) -> int:
    """Put LIMIT on the outermost statement, so that its order stays.

    Returns: how many rows are shown; the statement asks for one more.

    Raises:
        ToolArgumentError: its LIMIT or OFFSET is not a plain number.
    """
    limit, offset = tree.args.get("limit"), tree.args.get("offset")
    shown = MAX_ROWS
    for clause in (limit, offset):
        if clause is None:
            continue
        number = clause.expression
        if not (isinstance(number, exp.Literal) and number.name.isdecimal() and len(number.name) <= 9) or (
            number.is_string or len([v for v in clause.args.values() if v]) > 1
        ):
            raise ToolArgumentError("LIMIT and OFFSET of the outermost SELECT are plain numbers")
    if limit is not None:
        shown = min(int(limit.expression.name), MAX_ROWS)
    tree.set("limit", exp.Limit(expression=exp.Literal.number(shown + 1)))
    return shown


def name_columns(tree: exp.Query, dialect: Dialect) -> None:
    """Give calculated columns their own text as a name: what a database calls them says less."""
    first = tree
    while isinstance(first, exp.SetOperation | exp.Subquery):
        first = first.this
    for column in list(first.expressions):
        if not isinstance(column, exp.Alias | exp.Column | exp.Star):
            name = column.sql(dialect=dialect, comments=False, normalize_functions="lower")[:60]
            column.replace(exp.alias_(column.copy(), exp.to_identifier(name, quoted=True)))
