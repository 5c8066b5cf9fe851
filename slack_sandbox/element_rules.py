"""Rules of Block Kit's text objects, options and elements.

Source: docs.slack.dev/reference/block-kit/block-elements and /composition-objects, slack_sdk.models.blocks.
"""

import slack_limits as limits
from slack_sandbox.json_rules import (
    Rule,
    anything,
    boolean,
    choice,
    integer,
    items,
    number,
    one_of,
    record,
    string,
    typed,
)
from slack_sandbox.rich_text_rules import RICH_TEXT

_FAR = limits.URL_CHARS


def text_object(most: int, *kinds: str) -> Rule:
    """A text object of these kinds (both when none is named) with 1 to `most` characters."""
    return typed(texts(most), kinds or None)


def texts(most: int) -> dict[str, Rule]:
    """The rules of both kinds of text object."""
    return {
        "plain_text": record({"text": string(most)}, {"emoji": boolean}),
        "mrkdwn": record({"text": string(most)}, {"verbatim": boolean}),
    }


def plain(most: int) -> Rule:
    """A plain_text object."""
    return text_object(most, "plain_text")


SLACK_FILE: Rule = record({}, {"id": string(), "url": string(_FAR)}, one_of("id", "url"))
CONFIRM: Rule = record(
    {"title": plain(100), "text": text_object(300), "confirm": plain(30), "deny": plain(30)},
    {"style": choice("primary", "danger")},
)
_option: Rule = record(
    {"text": plain(limits.OPTION_TEXT_CHARS), "value": string(limits.OPTION_VALUE_CHARS)},
    {"description": plain(limits.OPTION_TEXT_CHARS), "url": string(_FAR)},
)
_marked_option: Rule = record(
    {"text": text_object(limits.OPTION_TEXT_CHARS), "value": string(limits.OPTION_VALUE_CHARS)},
    {"description": text_object(limits.OPTION_TEXT_CHARS)},
)
_group: Rule = record({"label": plain(limits.OPTION_TEXT_CHARS), "options": items(_option, limits.OPTIONS)}, {})
_feedback: Rule = record(
    {"text": plain(limits.BUTTON_TEXT_CHARS), "value": string(limits.BUTTON_VALUE_CHARS)},
    {"accessibility_label": string(limits.BUTTON_TEXT_CHARS)},
)
_dispatch: Rule = record({}, {"trigger_actions_on": items(choice("on_enter_pressed", "on_character_entered"), 2)})
_filter: Rule = record(
    {},
    {
        "include": items(choice("im", "mpim", "private", "public"), 4),
        "exclude_external_shared_channels": boolean,
        "exclude_bot_users": boolean,
    },
)
_acts: dict[str, Rule] = {"action_id": string(limits.ID_CHARS), "confirm": CONFIRM, "focus_on_load": boolean}
_asks: dict[str, Rule] = _acts | {"placeholder": plain(limits.PLACEHOLDER_CHARS)}
_enters: dict[str, Rule] = _asks | {"dispatch_action_config": _dispatch}
_options: dict[str, Rule] = {"options": items(_option, limits.OPTIONS), "option_groups": items(_group, limits.OPTIONS)}
_initial: dict[str, Rule] = {"initial_options": items(_option, limits.OPTIONS), "max_selected_items": integer}
_ids = items(string(), 1000, least=0)


def _choices(most: int, initial: dict[str, Rule]) -> Rule:
    return record({"options": items(_marked_option, most)}, _acts | initial)


BUTTON: Rule = record(
    {"text": plain(limits.BUTTON_TEXT_CHARS)},
    {
        "action_id": string(limits.ID_CHARS),
        "confirm": CONFIRM,
        "url": string(_FAR),
        "value": string(limits.BUTTON_VALUE_CHARS, least=0),
        "style": choice("primary", "danger"),
        "accessibility_label": string(limits.BUTTON_TEXT_CHARS),
        "agent_prompt": string(4000),
    },
)
IMAGE_ELEMENT: Rule = record(
    {"alt_text": string(limits.ALT_CHARS)},
    {"image_url": string(_FAR), "slack_file": SLACK_FILE},
    one_of("image_url", "slack_file"),
)

ELEMENTS: dict[str, Rule] = {
    "button": BUTTON,
    "image": IMAGE_ELEMENT,
    "checkboxes": _choices(limits.CHECKBOXES, {"initial_options": items(_marked_option, limits.CHECKBOXES)}),
    "radio_buttons": _choices(limits.RADIO_BUTTONS, {"initial_option": _marked_option}),
    "overflow": record({"options": items(_option, limits.OVERFLOW_OPTIONS)}, _acts),
    "datepicker": record({}, _asks | {"initial_date": string(10)}),
    "timepicker": record({}, _asks | {"initial_time": string(5), "timezone": string()}),
    "datetimepicker": record({}, _acts | {"initial_date_time": integer}),
    "static_select": record({}, _asks | _options | {"initial_option": _option}, one_of("options", "option_groups")),
    "multi_static_select": record({}, _asks | _options | _initial, one_of("options", "option_groups")),
    "external_select": record({}, _asks | {"initial_option": _option, "min_query_length": integer}),
    "multi_external_select": record({}, _asks | _initial | {"min_query_length": integer}),
    "users_select": record({}, _asks | {"initial_user": string()}),
    "multi_users_select": record({}, _asks | {"initial_users": _ids, "max_selected_items": integer}),
    "channels_select": record({}, _asks | {"initial_channel": string(), "response_url_enabled": boolean}),
    "multi_channels_select": record({}, _asks | {"initial_channels": _ids, "max_selected_items": integer}),
    "conversations_select": record(
        {},
        _asks
        | {
            "initial_conversation": string(),
            "response_url_enabled": boolean,
            "default_to_current_conversation": boolean,
            "filter": _filter,
        },
    ),
    "multi_conversations_select": record(
        {},
        _asks
        | {
            "initial_conversations": _ids,
            "max_selected_items": integer,
            "default_to_current_conversation": boolean,
            "filter": _filter,
        },
    ),
    "plain_text_input": record(
        {},
        _enters
        | {
            "initial_value": string(limits.ENTERED_CHARS, least=0),
            "multiline": boolean,
            "min_length": integer,
            "max_length": integer,
        },
    ),
    "email_text_input": record({}, _enters | {"initial_value": string(least=0)}),
    "url_text_input": record({}, _enters | {"initial_value": string(least=0)}),
    "number_input": record(
        {"is_decimal_allowed": boolean},
        _enters | {"initial_value": anything, "min_value": anything, "max_value": anything},
    ),
    "rich_text_input": record({}, _enters | {"initial_value": RICH_TEXT, "min_lines": number, "max_lines": number}),
    "workflow_button": record(
        {"text": plain(limits.BUTTON_TEXT_CHARS), "workflow": anything},
        {
            "action_id": string(limits.ID_CHARS),
            "style": choice("primary", "danger"),
            "accessibility_label": string(limits.BUTTON_TEXT_CHARS),
        },
    ),
    "feedback_buttons": record(
        {"positive_button": _feedback, "negative_button": _feedback}, {"action_id": string(limits.ID_CHARS)}
    ),
    "icon_button": record(
        {"text": plain(limits.BUTTON_TEXT_CHARS), "icon": string()},
        {
            "action_id": string(limits.ID_CHARS),
            "value": string(limits.BUTTON_VALUE_CHARS),
            "confirm": CONFIRM,
            "accessibility_label": string(limits.BUTTON_TEXT_CHARS),
            "visible_to_user_ids": _ids,
        },
    ),
    "url": record({"url": string(_FAR), "text": string()}, {"icon_url": string(_FAR)}),
}

IN_INPUT = set(ELEMENTS) - {"button", "image", "overflow", "workflow_button", "feedback_buttons", "icon_button", "url"}
IN_ACTIONS = (
    set(ELEMENTS)
    - {"image", "feedback_buttons", "icon_button", "url", "number_input"}
    - {
        "email_text_input",
        "url_text_input",
    }
)
IN_SECTION = IN_ACTIONS - {"plain_text_input", "rich_text_input", "datetimepicker"} | {"image"}
