"""What is wrong in a configuration, as sentences: file and line, key, what is meant to stand there, what does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from workers.language.nearest_names import nearest_names
from workers.settings.schema import FORMS

SECRET = re.compile(r"(token|secret|password|key|headers?)s?(\.|$)")
"""Of a key whose value is never shown."""
SHOWN_CHARS, MOST_KEYS = 40, 12
LIST, KEYS = "a list, such as [a, b]", "a mapping of keys"
SHAPES = {
    "tuple": LIST,
    "list": LIST,
    "set": LIST,
    "dict": KEYS,
    "mapping": KEYS,
    "model": KEYS,
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
}
"""The first word of one of pydantic's types of errors -> what it wants."""
BOUNDS = {
    "greater_than": ("more than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("less than", "lt"),
    "less_than_equal": ("at most", "le"),
    "string_too_long": ("at most {} characters", "max_length"),
    "string_too_short": ("at least {} characters", "min_length"),
}
Place = Callable[[str], str]
"""A dotted key -> file and line that set it."""
Error = Mapping[str, Any]


def suggest(name: str, known: Iterable[str]) -> str:
    """The end of a sentence on a name that does not exist: the nearest that does, else those that there are."""
    names = list(known)
    if near := nearest_names([name], names, limit=1, least=60):
        return f"; did you mean {near[0]}?"
    return f"; there are {', '.join(names)}" if 0 < len(names) <= MOST_KEYS else ""


def describe_errors(
    errors: Iterable[Error], model: type[BaseModel] | None, prefix: str, where: Place, values: Mapping[str, Any]
) -> list[str]:
    """Pydantic's errors as one sentence a mistake.

    Args:
        errors: of one validation.
        model: what was validated; None where that is not known.
        prefix: the dotted key of its root; empty for all files together.
        where: names the place of a dotted key.
        values: what was validated.
    """
    mistakes: dict[str, list[tuple[Error, Any]]] = {}
    for error in errors:
        path = tuple(str(part) for part in error["loc"] if part != "[key]")
        known, wanted = walk_type(model, path)
        if error["type"] == "missing":  # all that one entry lacks is one mistake
            known -= 1
        key = ".".join(filter(None, (prefix, *path[:known])))
        mistakes.setdefault(key, []).append((error, wanted))
    return [describe_key(key, found, where, values) for key, found in mistakes.items()]


def describe_key(key: str, found: Sequence[tuple[Error, Any]], where: Place, values: Mapping[str, Any]) -> str:
    """All that is wrong at one key, as one sentence."""
    missing = [str(error["loc"][-1]) for error, _ in found if error["type"] == "missing"]
    shown = key.partition(".")[2] or key
    if missing:
        first = f"{shown}.{missing[0]}" if len(missing) == 1 else shown
        lacks = "is required" if len(missing) == 1 else f"{', '.join(missing)} are required"
        return f"{where(key)}: {first}: {lacks}{renamed(key, values)}"
    error, wanted = found[0]
    several = [shape_of(e) for e, _ in found]
    if len(found) > 1 and all(several):
        words = list(dict.fromkeys(filter(None, several)))
        return f"{where(key)}: {shown}: must be {' or '.join(words)}{given(error['input'], key)}"
    return f"{where(key)}: {shown}: {describe_error(error, wanted, key)}"


def renamed(key: str, values: Mapping[str, Any]) -> str:
    """The end of a sentence on an entry that is not whole: it may be meant to change one of another name."""
    file, _, name = key.partition(".")
    others = values.get(file)
    if not isinstance(others, dict) or "." in name or name not in others:
        return ""
    near = nearest_names([name], [other for other in others if other != name], limit=1)
    return f" of a new entry; to change {near[0]}, write its name" if near else " of a new entry"


def describe_error(error: Error, wanted: Any, key: str) -> str:
    """What is wrong with a value, without its key."""
    kind, about = str(error["type"]), error.get("ctx") or {}
    value = error.get("input")
    if kind == "extra_forbidden":
        return f"unknown key{suggest(key.rpartition('.')[2], wanted or ())}"
    if kind == "literal_error":
        choices = [str(choice) for choice in get_args(bare(wanted)) if choice != ""]
        near = nearest_names([str(value)], choices, limit=1, least=60) if isinstance(value, str) else ()
        return f"must be {about['expected']}{given(value, key)}{f'; did you mean {near[0]}?' if near else ''}"
    if kind in BOUNDS:
        words, name = BOUNDS[kind]
        bound = words.format(about[name]) if "{}" in words else f"{words} {about[name]:,}"
        return "must not be empty" if bound == "at least 1 characters" else f"must be {bound}{given(value, key)}"
    if kind == "string_pattern_mismatch":
        pattern = about["pattern"]
        return f"must be {FORMS.get(pattern, f'of the form {pattern}')}{given(value, key)}"
    if shape := shape_of(error):
        return f"must be {shape}{given(value, key)}{repair(shape, value)}"
    return str(error["msg"]).removeprefix("Value error, ")


def shape_of(error: Error) -> str:
    """What a value of a wrong type is meant to be; empty for other errors."""
    kind = str(error["type"])
    if not kind.endswith(("_type", "_parsing", "_from_float")):
        return ""
    return SHAPES.get(kind.partition("_")[0], "")


def given(value: object, key: str) -> str:
    """What stands there, never a secret."""
    match value:
        case None:
            return ", and is empty"
        case dict():
            return ", and is a mapping of keys"
        case list() | tuple():
            return ", and is a list"
    if SECRET.search(key) or "@" in str(value):
        return ""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return f", and is {text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + '…'}"


def repair(shape: str, value: object) -> str:
    """What to write instead, where that is plain."""
    if shape == LIST and isinstance(value, dict):
        return ": begin each entry with '- '"
    if shape == "text" and isinstance(value, bool | int | float):
        return ": put it in quotes"
    return ": leave it out, or name its keys" if shape == KEYS and value is None else ""


# --- the types behind keys ------------------------------------------------------------------------------------


def bare(wanted: Any) -> Any:
    """A type without its limits, and without None as the other choice."""
    while True:
        if get_origin(wanted) is Annotated:
            wanted = get_args(wanted)[0]
        elif get_origin(wanted) in {Union, UnionType}:
            others = [one for one in get_args(wanted) if one is not NoneType]
            if len(others) != 1:
                return wanted
            wanted = others[0]
        else:
            return wanted


def walk_type(model: Any, path: Sequence[str]) -> tuple[int, Any]:
    """How many parts of a key the configuration has, and the type there; of an unknown key the names beside it.

    What pydantic adds behind them names the choices of a union.
    """
    wanted = model
    for depth, part in enumerate(path):
        wanted, arguments = bare(wanted), get_args(bare(wanted))
        if wanted is None:
            return len(path), None
        if isinstance(wanted, type) and issubclass(wanted, BaseModel):
            if part not in wanted.model_fields:
                return depth + 1, list(wanted.model_fields)
            wanted = wanted.model_fields[part].annotation
        elif get_origin(wanted) is dict:
            is_choice = get_origin(bare(arguments[0])) is Literal and part not in get_args(bare(arguments[0]))
            wanted = arguments[0] if is_choice else arguments[1]
        elif get_origin(wanted) in {tuple, list}:
            wanted = arguments[0]
        else:
            return depth, wanted
    return len(path), wanted


# --- YAML -----------------------------------------------------------------------------------------------------

UNREADABLE = (
    (r"expected ',' or '([\]}])'", "a comma or {0} is missing: the bracket of line {begin} is not closed"),
    (r"expected node content", "a value is missing: the bracket of line {begin} is not closed, or a comma is too many"),
    (r"mapping values are not allowed", "': ' stands twice in one value: put the value in quotes, or indent the line"),
    (r"could not find expected ':'", "': ' is expected after the key of line {begin}"),
    (r"found a? ?tab|'\\t'", "a tab indents it: indent with blanks"),
    (r"unexpected end of stream|quoted scalar", "the quote of line {begin} is not closed"),
    (r"expected key|expected '-'|block", "its indentation does not fit that of line {begin}"),
    (r"cannot start any token", "a value must not begin with @, ` or %: put it in quotes"),
    (r"unknown escape", "a backslash in double quotes: use single quotes, or write it twice"),
)
"""What the parser says -> what a person can do about it."""


def describe_unreadable(error: Any, text: str = "") -> str:
    """Why a text is not YAML, and where what is open began."""
    mark = getattr(error, "problem_mark", None)
    line = next(iter(text.splitlines()[mark.line : mark.line + 1]), "") if mark else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "a tab indents it: indent with blanks"
    problem = str(getattr(error, "problem", None) or error)
    begun = getattr(error, "context_mark", None) or getattr(error, "problem_mark", None)
    for pattern, words in UNREADABLE:
        if found := re.search(pattern, problem):
            return words.format(*found.groups(), begin=begun.line + 1 if begun else "before")
    return " ".join(problem.split())


# --- places ---------------------------------------------------------------------------------------------------


def place_of(key: str, origin: Mapping[str, str]) -> str:
    """File and line that set a dotted key, or its closest parent; else the file of the project."""
    parent = key
    while parent:
        if parent in origin:
            return origin[parent]
        parent = parent.rpartition(".")[0]
    return f"config/{key.partition('.')[0]}.yaml"
