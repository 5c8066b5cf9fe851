"""Rules of rich text: blocks, their four kinds of element and the leaves in them.

Source: docs.slack.dev/reference/block-kit/blocks/rich-text-block
"""

import slack_limits as limits
from slack_sandbox.json_rules import Rule, boolean, choice, integer, items, record, string, typed

_MANY = 1000
_STYLE = record(
    {},
    dict.fromkeys("bold italic strike code underline highlight client_highlight unlink".split(), boolean),
)
_styled: dict[str, Rule] = {"style": _STYLE}

LEAVES: dict[str, Rule] = {
    "text": record({"text": string()}, _styled),
    "link": record({"url": string(limits.URL_CHARS)}, _styled | {"text": string(least=0), "unsafe": boolean}),
    "emoji": record({"name": string()}, _styled | {"unicode": string(), "skin_tone": integer}),
    "user": record({"user_id": string()}, _styled),
    "channel": record({"channel_id": string()}, _styled),
    "usergroup": record({"usergroup_id": string()}, _styled),
    "team": record({"team_id": string()}, _styled),
    "broadcast": record({"range": choice("here", "channel", "everyone")}, _styled),
    "date": record({"timestamp": integer, "format": string()}, _styled | {"url": string(), "fallback": string()}),
    "color": record({"value": string()}, _styled),
}
_leaves = items(typed(LEAVES), _MANY, least=0)
_section = record({"elements": _leaves}, {})
_ELEMENTS: dict[str, Rule] = {
    "rich_text_section": _section,
    "rich_text_quote": record({"elements": _leaves}, {"border": integer}),
    "rich_text_preformatted": record(
        {"elements": items(typed(LEAVES, {"text", "link"}), _MANY, least=0)},
        {"border": integer, "language": string(least=0)},
    ),
    "rich_text_list": record(
        {
            "elements": items(typed({"rich_text_section": _section}), _MANY, least=0),
            "style": choice("bullet", "ordered"),
        },
        {"indent": integer, "offset": integer, "border": integer},
    ),
}

RICH_TEXT: Rule = record({"elements": items(typed(_ELEMENTS), _MANY)}, {"block_id": string(limits.ID_CHARS)})
