"""What a person types becomes what Slack stores."""

from hypothesis import given
from hypothesis import strategies as st

from slack_sandbox.config import SandboxConfig
from slack_sandbox.seed import seed_team
from slack_sandbox.typed_text import encode_typed, rich_text_of
from tests.support.each_row import each_row

STATE = seed_team(SandboxConfig(app_name="Helper"))
BOT = STATE.bot_user
SEARCH = STATE.channel_named("search")


@each_row(
    "typed, stored",
    [
        ("@helper why?", f"<@{BOT}> why?"),
        ("(@helper) and @helper.", f"(<@{BOT}>) and <@{BOT}>."),
        (f"<@{BOT}> again", f"<@{BOT}> again"),
        ("ask in #search, please", f"ask in <#{SEARCH.id}|search>, please"),
        ("me@helper is no mention", "me@helper is no mention"),
        ("@nobody and #nothing", "@nobody and #nothing"),
        ("a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"),
        ("see https://x.example/a?b=1&c=2.", "see <https://x.example/a?b=1&amp;c=2>."),
        ("https://x.example/@helper/y", "<https://x.example/@helper/y>"),
        ("@here now", "<!here> now"),
    ],
)
def test_mentions_links_and_escapes(typed, stored):
    assert encode_typed(STATE, typed) == stored


@given(st.text(alphabet="ab <>&@#!|:/.", max_size=30))
def test_no_bare_angle_bracket_or_ampersand_is_stored(typed):
    stored = encode_typed(STATE, typed)
    elements = rich_text_of(stored)[0]["elements"][0]["elements"]
    assert all(element["type"] in {"text", "user", "channel", "broadcast", "link"} for element in elements)
    if all(element["type"] == "text" for element in elements):
        assert "".join(element["text"] for element in elements) == typed


def test_the_rich_text_has_the_mention_as_an_element():
    elements = rich_text_of(f"<@{BOT}> why &lt;x&gt;?")[0]["elements"][0]["elements"]
    assert elements == [{"type": "user", "user_id": BOT}, {"type": "text", "text": " why <x>?"}]
