"""A small language of rules for JSON: each rule takes a value, its JSON pointer and the list that problems go to.

Messages are worded as Slack words them.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

Problems = list[str]
Rule = Callable[[Any, str, Problems], None]


def report(problems: Problems, message: str, at: str) -> None:
    """Adds one problem with the place it was found at."""
    problems.append(f"{message} [json-pointer:{at}]")


def string(most: int | None = None, *, least: int = 1) -> Rule:
    """A string of `least` to `most` characters."""

    def check(value: Any, at: str, problems: Problems) -> None:
        if not isinstance(value, str):
            report(problems, "must be a string", at)
        elif len(value) < least:
            report(problems, f"must be more than {least - 1} characters", at)
        elif most is not None and len(value) > most:
            report(problems, f"must be less than {most + 1} characters", at)

    return check


def boolean(value: Any, at: str, problems: Problems) -> None:
    """True or false."""
    if not isinstance(value, bool):
        report(problems, "must be a boolean", at)


def integer(value: Any, at: str, problems: Problems) -> None:
    """A whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        report(problems, "must be an integer", at)


def number(value: Any, at: str, problems: Problems) -> None:
    """Any number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        report(problems, "must be a number", at)


def anything(value: Any, at: str, problems: Problems) -> None:
    """Whatever it is."""


def choice(*values: str) -> Rule:
    """One of these strings."""

    def check(value: Any, at: str, problems: Problems) -> None:
        if value not in values:
            report(problems, f"must be one of: {', '.join(values)}", at)

    return check


def items(rule: Rule, most: int, *, least: int = 1) -> Rule:
    """A list of `least` to `most` values that each keep `rule`."""

    def check(value: Any, at: str, problems: Problems) -> None:
        if not isinstance(value, list):
            report(problems, "must be an array", at)
            return
        if len(value) > most:
            report(problems, f"no more than {most} items allowed", at)
            return
        if len(value) < least:
            report(problems, f"no less than {least} items allowed", at)
        for index, item in enumerate(value):
            rule(item, f"{at}/{index}", problems)

    return check


def record(required: Mapping[str, Rule], optional: Mapping[str, Rule], also: Rule | None = None) -> Rule:
    """An object with these fields and no others; `type` is always allowed. `also` looks at the object as a whole."""
    fields = {**required, **optional}

    def check(value: Any, at: str, problems: Problems) -> None:
        if not isinstance(value, dict):
            report(problems, "must be an object", at)
            return
        for name in required:
            if value.get(name) is None:
                report(problems, f"missing required field: {name}", at)
        for name, item in value.items():
            if name == "type" or item is None:
                continue
            if name in fields:
                fields[name](item, f"{at}/{name}", problems)
            else:
                report(problems, f"invalid additional property: {name}", at)
        if also:
            also(value, at, problems)

    return check


def typed(kinds: Mapping[str, Rule], allowed: Collection[str] | None = None) -> Rule:
    """An object whose `type` picks its rule; `allowed` narrows the types here."""

    def check(value: Any, at: str, problems: Problems) -> None:
        kind = value.get("type") if isinstance(value, dict) else None
        if not isinstance(value, dict):
            report(problems, "must be an object", at)
        elif kind is None:
            report(problems, "missing required field: type", at)
        elif not isinstance(kind, str) or kind not in kinds or (allowed is not None and kind not in allowed):
            report(problems, f"unsupported type: {kind}", at)
        else:
            kinds[kind](value, at, problems)

    return check


def one_of(*names: str) -> Rule:
    """An object with exactly one of these fields."""

    def check(value: Any, at: str, problems: Problems) -> None:
        if sum(value.get(name) is not None for name in names) != 1:
            report(problems, f"must define exactly one of: {', '.join(names)}", at)

    return check


def any_of(*names: str) -> Rule:
    """An object with at least one of these fields."""

    def check(value: Any, at: str, problems: Problems) -> None:
        if all(value.get(name) is None for name in names):
            report(problems, f"must define at least one of: {', '.join(names)}", at)

    return check
