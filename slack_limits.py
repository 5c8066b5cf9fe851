"""What Slack takes at most in messages and views: numbers alone, for whoever writes blocks and whoever checks them.

Characters (``_CHARS``) are UTF-16 units for who writes, so that nothing is too long however Slack counts.

Source, where none stands beside a number: docs.slack.dev/reference/block-kit (blocks, block-elements,
composition-objects), /reference/views, /reference/methods/chat.postMessage, and slack_sdk.models.blocks.
"""

# --- messages and views ---
MESSAGE_BLOCKS = 50
MESSAGE_BLOCKS_CHARS = 13_200  # not documented; met at about 13,200 by those who measured
MESSAGE_TEXT_CHARS = 40_000
UPDATED_TEXT_CHARS = 4_000  # /reference/methods/chat.update
MARKDOWN_CHARS = 12_000
ATTACHMENTS = 100
VIEW_BLOCKS = 100
VIEW_BYTES = 250_000
VIEW_TITLE_CHARS = 24
METADATA_CHARS = 3_000
ID_CHARS = 255
URL_CHARS = 3_000

# --- blocks ---
SECTION_TEXT_CHARS = 3_000
SECTION_FIELDS = 10
FIELD_CHARS = 2_000
HEADER_CHARS = 150
CONTEXT_ELEMENTS = 10
CONTEXT_TEXT_CHARS = 3_000
ACTIONS_ELEMENTS = 25
CONTEXT_ACTIONS_ELEMENTS = 5
LABEL_CHARS = 2_000
ALT_CHARS = 2_000
IMAGE_TITLE_CHARS = 2_000
LIST_INDENT = 8
TABLE_ROWS = 100
TABLE_COLUMNS = 20
TABLE_CHARS = 10_000

# --- elements ---
BUTTON_TEXT_CHARS = 75
BUTTON_VALUE_CHARS = 2_000
OPTIONS = 100
CHECKBOXES = RADIO_BUTTONS = 10
OVERFLOW_OPTIONS = 5
OPTION_TEXT_CHARS = 75
OPTION_VALUE_CHARS = 150
PLACEHOLDER_CHARS = 150
ENTERED_CHARS = 3_000
