"""Notes of a form: research notes and decision records, from the templates under ``prompts/templates``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workers.agents.memory.source.vault.note_index import NoteIndex
from workers.agents.memory.source.vault.note_paths import BREAKS_LINKS, FORBIDDEN
from workers.errors import ToolArgumentError
from workers.settings.load import ROOT

TEMPLATES = {"research_note": "notes/research", "decision_record": "notes/decisions"}
"""Each template, and the folder that its notes go to."""
FOLDER = ROOT / "prompts" / "templates"
MOST_TITLE_CHARS = 90


def render_note(template: str, values: Mapping[str, Any]) -> str:
    """A note's text.

    Args:
        template: research_note (title, question, date, findings, sources, open_questions) or decision_record (title,
            date, status, context, decision, alternatives, consequences).
        values: for each of those; lists hold one text a point.

    Raises:
        ToolArgumentError: there is no such template, or a value is missing.
    """
    from jinja2 import StrictUndefined, TemplateError  # noqa: PLC0415 - needed when a note is written, not to start
    from jinja2.sandbox import SandboxedEnvironment  # noqa: PLC0415 - as above

    if template not in TEMPLATES:
        raise ToolArgumentError(f"there is no template {template!r}", tuple(TEMPLATES))
    raw = (FOLDER / f"{template}.md").read_text(encoding="utf-8")
    _, _, body = raw.partition("---\n")[2].partition("\n---\n")
    environment = SandboxedEnvironment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    try:
        return re.sub(r"\n{3,9}", "\n\n", environment.from_string(body).render(**values)).strip() + "\n"
    except (TemplateError, TypeError) as error:
        raise ToolArgumentError(f"{template}: {error}") from error


def place_of(index: NoteIndex, template: str, title: str, date: str) -> str:
    """A free path for a note of a template: ``notes/research/2026-03-01 Slow search.md``."""
    folder = TEMPLATES[template]
    name = " ".join(BREAKS_LINKS.sub(" ", FORBIDDEN.sub(" ", title.replace("/", " "))).split())[:MOST_TITLE_CHARS]
    stem = f"{date} {name}".strip(" .") or template
    path, number = f"{folder}/{stem}.md", 1
    while index.paths.with_key(path):
        number += 1
        path = f"{folder}/{stem} {number}.md"
    return path
