"""The values that a view's inputs start with, as `view.state.values` carries them.

Source: docs.slack.dev/reference/views/view-objects, `state`.
"""

from slack_sandbox.block_tree import walk_elements
from slack_sandbox.state import Json

# type of element -> name of its value in the state; `initial_…` is the name of what it starts with
_VALUE = {
    "static_select": "selected_option",
    "external_select": "selected_option",
    "radio_buttons": "selected_option",
    "multi_static_select": "selected_options",
    "multi_external_select": "selected_options",
    "checkboxes": "selected_options",
    "users_select": "selected_user",
    "multi_users_select": "selected_users",
    "channels_select": "selected_channel",
    "multi_channels_select": "selected_channels",
    "conversations_select": "selected_conversation",
    "multi_conversations_select": "selected_conversations",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
    "datetimepicker": "selected_date_time",
    "plain_text_input": "value",
    "email_text_input": "value",
    "url_text_input": "value",
    "number_input": "value",
    "rich_text_input": "rich_text_value",
}
CHOSEN = ("timezone", *dict.fromkeys(_VALUE.values()))


def initial_values(blocks: list[Json], channel: str = "") -> Json:
    """Returns: `{block_id: {action_id: {type, value}}}` of fresh blocks, None where nothing is chosen.

    `channel` is the conversation the view is opened from, for `default_to_current_conversation`.
    """
    values: Json = {}
    for block, element in walk_elements(blocks):
        name = _VALUE.get(element["type"])
        if name:
            entered = {"type": element["type"], name: _initial(element, name, channel)}
            values.setdefault(block["block_id"], {})[element["action_id"]] = entered
    return values


def merged(values: Json, newer: Json) -> Json:
    """Returns: `values` with what `newer` says of the same blocks and actions, and of others."""
    return values | {block_id: values.get(block_id, {}) | actions for block_id, actions in newer.items()}


def kept(values: Json, before: Json) -> Json:
    """Returns: `values` of a redrawn view, where an input that stays keeps what was entered."""
    return {
        block_id: {action_id: before.get(block_id, {}).get(action_id, value) for action_id, value in actions.items()}
        for block_id, actions in values.items()
    }


def _initial(element: Json, name: str, channel: str) -> object:
    if channel and element.get("default_to_current_conversation"):
        return [channel] if name.endswith("s") else channel
    noun = name.removeprefix("selected_").removeprefix("rich_text_")
    initial = element.get(f"initial_{noun}")
    return [] if initial is None and name.endswith("s") else initial
