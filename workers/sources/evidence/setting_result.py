"""Where settings are set, as the output of a tool: one piece of evidence a place, with value and environment."""

from __future__ import annotations

from collections.abc import Sequence

from workers.contracts import Evidence, Fact, ToolOutput
from workers.language.tokens import split_identifier
from workers.sources.code.file_kinds import KINDS
from workers.sources.code.index import CodeIndex
from workers.sources.code.setting_search import Place, find_settings
from workers.sources.code.setting_values import Setting
from workers.sources.evidence.search_result import Opened, shape
from workers.toolkit.redaction import redact_text

MOST_PLACES, MOST_CHARS = 8, 120
UNITS = {
    **dict.fromkeys(("ms", "millis", "milliseconds"), "ms"),
    **dict.fromkeys(("s", "sec", "secs", "seconds"), "s"),
    **dict.fromkeys(("min", "mins", "minutes"), "min"),
    **dict.fromkeys(("h", "hours"), "h"),
    **dict.fromkeys(("days", "bytes", "mb", "kb", "gb", "percent"), ""),
}
UNITS = {name: unit or name for name, unit in UNITS.items()}
"""What the last word of a key says of its number."""


def show_settings(question: str, opened: Opened, problems: Sequence[str]) -> ToolOutput:
    """The places that set what a question asks for, those of one repository: that which holds the most of them.

    Returns: ``data["settings"]``: a list of ``{"key", "value", "environment", "path", "line"}``, and evidence as
        `setting_evidence`; no rows and no evidence where no key fits.
    """
    found = [(source.name, index, groups) for source, index in opened if (groups := shown_groups(index, question))]
    if not found:
        return ToolOutput(summary="no key of the configuration fits the question", data=shape() | {"settings": []})
    name, index, groups = max(found, key=lambda one: max(len(group) for group in one[2]))
    evidence = tuple(setting_evidence(name, index, group[0], p) for group in groups for p in group[:MOST_PLACES])
    first, count = groups[0][0].setting, len(groups[0])
    rows = [
        {"key": s.key, "value": s.value, "environment": s.environment, "path": s.path, "line": s.line}
        for group in groups
        for s in (place.setting for place in group[:MOST_PLACES])
    ]
    return ToolOutput(
        summary=f"{first.key} is set in {count} place{'s' * (count > 1)}, first {first.path}:{first.line}",
        data=shape() | {"settings": rows},
        evidence=evidence,
        reason="; ".join(problems),
    )


def shown_groups(index: CodeIndex, question: str) -> list[list[Place]]:
    """The settings that a question asks for, without those whose values are secrets."""
    groups = ([place for place in group if not is_secret(place.setting)] for group in find_settings(index, question))
    return [group for group in groups if group]


def is_secret(setting: Setting) -> bool:
    """Whether a key and its value, read together, hold a secret: apart neither tells."""
    lines = (
        f"{setting.key}: {setting.value}",
        f'{setting.name} = "{setting.value}"',
        f"{setting.name}={setting.value}",
    )
    return any(redact_text(line) != line for line in lines)


def setting_evidence(repository: str, index: CodeIndex, head: Place, place: Place) -> Evidence:
    """One place. Facts: path, lines, start_line, end_line, commit, repository, file_kind as of code; ``setting``, the
    key as its first place has it, ``setting_value``, ``setting_place``; where there is one, ``setting_unit``, that its
    key ends with, and ``environment``; ``setting_text``, its line, when that is short."""
    own, (first, last) = place.setting, place.span
    path, lines = own.path, f"{own.path}:{first}-{last}"
    facts = {
        "path": Fact(value=path, unit="path", entity=path),
        "lines": Fact(value=lines, unit="lines", entity=path),
        "start_line": Fact(value=first, unit="line", entity=path),
        "end_line": Fact(value=last, unit="line", entity=path),
        "commit": Fact(value=index.commit, unit="commit", entity=path),
        "repository": Fact(value=repository, entity=path),
        "file_kind": Fact(value=KINDS[int(index.columns.kinds[index.numbers[path]])], entity=path),
        "setting": Fact(value=head.setting.key, entity=path),
        "setting_value": Fact(value=own.value, entity=head.setting.key),
        "setting_place": Fact(value=f"{path}:{own.line}", unit="lines", entity=path),
    }
    text = (index.lines(path, own.line, own.line) or "").strip().rstrip(",").replace("`", "'")
    if 0 < len(text) <= MOST_CHARS:
        facts["setting_text"] = Fact(value=text, entity=path)
    if unit := unit_of(own):
        facts["setting_unit"] = Fact(value=unit, entity=head.setting.key)
    if own.environment:
        facts["environment"] = Fact(value=own.environment, entity=path)
    return Evidence(
        kind="code",
        title=own.key,
        locator=f"{path}:{own.line}",
        url=index.link(path, own.line, own.line),
        excerpt=index.lines(path, first, last) or "",
        facts=facts,
    )


def unit_of(setting: Setting) -> str:
    """The unit that the last word of a key says of its number: ``timeout_ms``, ``keepSeconds``; empty for none."""
    words = split_identifier(setting.name)
    plain = setting.value.replace("_", "").replace(".", "", 1).isdigit()
    return UNITS.get(words[-1], "") if plain and len(words) > 1 else ""
