"""Results and steps of calculation that could grow without bound, refused or cut where they arise."""

from __future__ import annotations

import re

from sqlglot import exp

from workers.agents.operations.source.sql_allowlist import Dialect
from workers.errors import ToolArgumentError

MAX_TEXT = 10_000
JOINING = (exp.DPipe, exp.Concat, exp.ConcatWs, exp.GroupConcat)
AROUND = (exp.Filter, exp.Window, exp.WithinGroup)
SLOW_ON_DECIMALS = (exp.Pow, exp.Exp, exp.Ln, exp.Log, exp.Sqrt, exp.Cbrt)
FORMAT = re.compile(r"(?:[^%]|%%|%[-+ 0,]{0,2}\d{0,2}(?:\.\d{0,2})?[dfegs])*")


def check_growth(tree: exp.Query) -> None:
    """Raises: ToolArgumentError: a replacement is longer than what it replaces, a format has a wide field, or an array
    holds more than plain values.
    """
    for node in tree.walk():
        if isinstance(node, exp.Replace):
            old, new = node.args.get("expression"), node.args.get("replacement")
            if not isinstance(old, exp.Literal) or not isinstance(new, exp.Literal) or len(new.name) > len(old.name):
                raise ToolArgumentError("replace() takes two plain texts here, the new one not longer than the old one")
        elif isinstance(node, exp.Array):
            if not all(isinstance(item, exp.Literal) for item in node.expressions):
                raise ToolArgumentError("an array holds plain numbers and texts here")
        elif isinstance(node, exp.Format) or (isinstance(node, exp.Anonymous) and node.name.lower() == "printf"):
            form = node.this if isinstance(node, exp.Format) else next(iter(node.expressions), None)
            if not isinstance(form, exp.Literal) or not FORMAT.fullmatch(form.name):
                raise ToolArgumentError("format() takes a plain text here, with fields such as %d, %.2f and %s")


def limit_growth(tree: exp.Query, dialect: Dialect) -> None:
    """Where the server sets no bound itself (PostgreSQL): joined texts are cut at `MAX_TEXT` characters, and powers and
    logarithms are of double precision, since those of long decimals run for seconds that nothing interrupts.

    Raises:
        ToolArgumentError: a logarithm to a base, which PostgreSQL has for decimals only.
    """
    if dialect == "sqlite":
        return
    for node in list(tree.walk()):
        if isinstance(node, JOINING) and not (isinstance(node, exp.DPipe) and isinstance(node.parent, exp.DPipe)):
            whole: exp.Expr = node
            while isinstance(whole.parent, AROUND) and whole.parent.this is whole:
                whole = whole.parent
            place = exp.Placeholder()
            whole.replace(place)
            place.replace(exp.Left(this=whole, expression=exp.Literal.number(MAX_TEXT)))
        elif isinstance(node, SLOW_ON_DECIMALS):
            if isinstance(node, exp.Log) and node.args.get("expression") is not None:
                raise ToolArgumentError("log() takes one argument here; divide two ln() for another base")
            for name in ("this", "expression"):
                part = node.args.get(name)
                if part is not None:
                    node.set(name, exp.cast(part.copy(), exp.DataType.Type.DOUBLE))
