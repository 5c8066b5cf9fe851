"""Rules of Block Kit's blocks and views.

Source: docs.slack.dev/reference/block-kit/blocks and /reference/views, slack_sdk.models.blocks.
"""

from typing import Any

import slack_limits as limits
from slack_sandbox.element_rules import (
    BUTTON,
    ELEMENTS,
    IMAGE_ELEMENT,
    IN_ACTIONS,
    IN_INPUT,
    IN_SECTION,
    SLACK_FILE,
    plain,
    text_object,
    texts,
)
from slack_sandbox.json_rules import (
    Problems,
    Rule,
    any_of,
    anything,
    boolean,
    choice,
    items,
    number,
    one_of,
    record,
    report,
    string,
    typed,
)
from slack_sandbox.rich_text_rules import RICH_TEXT

_id: dict[str, Rule] = {"block_id": string(limits.ID_CHARS)}
_FAR = limits.URL_CHARS
_rich_text = typed({"rich_text": RICH_TEXT})
_image_element = typed({"image": IMAGE_ELEMENT})


def _container(value: Any, at: str, problems: Problems) -> None:
    any_of("title", "rich_text_title")(value, at, problems)
    if value.get("is_collapsible") and value.get("has_header_divider"):
        report(problems, "has_header_divider cannot be set when is_collapsible is true", at)


def _even_rows(value: Any, at: str, problems: Problems) -> None:
    rows = value.get("rows")
    if isinstance(rows, list) and len({len(row) for row in rows if isinstance(row, list)}) > 1:
        report(problems, "all rows must have the same number of cells", f"{at}/rows")


_CELLS: dict[str, Rule] = {
    "raw_text": record({"text": string()}, {}),
    "raw_number": record({"value": number}, {"text": string()}),
    "rich_text": RICH_TEXT,
}
_CARD: Rule = record(
    {},
    _id
    | {
        "hero_image": _image_element,
        "icon": _image_element,
        "title": text_object(150),
        "subtitle": text_object(150),
        "body": text_object(200),
        "actions": items(typed({"button": BUTTON}), 3),
    },
    any_of("hero_image", "title", "actions", "body"),
)
_TASK: Rule = record(
    {
        "task_id": string(limits.ID_CHARS),
        "title": string(256),
        "status": choice("pending", "in_progress", "complete", "error"),
    },
    _id | {"details": _rich_text, "output": _rich_text, "sources": items(typed(ELEMENTS, {"url"}), 50, least=0)},
)

BLOCKS: dict[str, Rule] = {
    "section": record(
        {},
        _id
        | {
            "text": text_object(limits.SECTION_TEXT_CHARS),
            "fields": items(text_object(limits.FIELD_CHARS), limits.SECTION_FIELDS),
            "accessory": typed(ELEMENTS, IN_SECTION),
            "expand": boolean,
        },
        any_of("text", "fields"),
    ),
    "divider": record({}, _id),
    "image": record(
        {"alt_text": string(limits.ALT_CHARS)},
        _id | {"image_url": string(_FAR), "slack_file": SLACK_FILE, "title": plain(limits.IMAGE_TITLE_CHARS)},
        one_of("image_url", "slack_file"),
    ),
    "actions": record({"elements": items(typed(ELEMENTS, IN_ACTIONS), limits.ACTIONS_ELEMENTS)}, _id),
    "context": record(
        {
            "elements": items(
                typed({"image": IMAGE_ELEMENT, **texts(limits.CONTEXT_TEXT_CHARS)}), limits.CONTEXT_ELEMENTS
            )
        },
        _id,
    ),
    "context_actions": record(
        {"elements": items(typed(ELEMENTS, {"feedback_buttons", "icon_button"}), limits.CONTEXT_ACTIONS_ELEMENTS)}, _id
    ),
    "input": record(
        {"label": plain(limits.LABEL_CHARS), "element": typed(ELEMENTS, IN_INPUT)},
        _id | {"hint": plain(limits.LABEL_CHARS), "optional": boolean, "dispatch_action": boolean},
    ),
    "file": record({"external_id": string(), "source": choice("remote")}, _id),
    "header": record({"text": plain(limits.HEADER_CHARS)}, _id),
    "markdown": record({"text": string(limits.MARKDOWN_CHARS)}, _id),
    "video": record(
        {
            "alt_text": string(limits.ALT_CHARS),
            "video_url": string(_FAR),
            "thumbnail_url": string(_FAR),
            "title": plain(200),
        },
        _id
        | {
            "author_name": string(50),
            "description": plain(200),
            "provider_icon_url": string(_FAR),
            "provider_name": string(),
            "title_url": string(_FAR),
        },
    ),
    "rich_text": RICH_TEXT,
    "table": record(
        {"rows": items(items(typed(_CELLS), limits.TABLE_COLUMNS), limits.TABLE_ROWS)},
        _id | {"column_settings": items(anything, limits.TABLE_COLUMNS, least=0)},
        _even_rows,
    ),
    "task_card": _TASK,
    "plan": record({"title": string(256)}, _id | {"tasks": items(typed({"task_card": _TASK}), 50, least=0)}),
    "alert": record(
        {"text": text_object(limits.SECTION_TEXT_CHARS)},
        _id | {"level": choice("default", "info", "warning", "error", "success")},
    ),
    "card": _CARD,
    "carousel": record({"elements": items(typed({"card": _CARD}), 10)}, _id),
}
_CHILDREN = dict(BLOCKS)
BLOCKS["container"] = record(
    {"child_blocks": items(typed(_CHILDREN), 10)},
    _id
    | {
        "title": plain(150),
        "rich_text_title": _rich_text,
        "subtitle": text_object(150),
        "width": choice("narrow", "standard", "wide", "full"),
        "icon": _image_element,
        "is_collapsible": boolean,
        "default_collapsed": boolean,
        "has_header_divider": boolean,
    },
    _container,
)

IN_MESSAGE = set(BLOCKS)
IN_VIEW = IN_MESSAGE - {"file", "markdown", "table", "task_card", "plan", "context_actions"}
