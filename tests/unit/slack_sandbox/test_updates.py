"""chat.update: what its arguments name is changed, what they do not name stays."""

import pytest
from slack_sdk.errors import SlackApiError

from tests.support.sandbox_process import running_sandbox

pytestmark = pytest.mark.filterwarnings("ignore:The top-level `text` argument is missing")
DIVIDER = {"type": "divider"}
MARK = {"event_type": "reply", "event_payload": {"key": "1"}}


@pytest.fixture(scope="module")
def sandbox():
    with running_sandbox() as running:
        running.do("/control/limits", unlimited=True, ack_timeout_s=0.05, retry_delays_s=[])
        yield running


@pytest.fixture
def change(sandbox):
    """A message with everything, to be updated; gives how it looks then."""
    slack = sandbox.slack()
    full = {"text": "a", "blocks": [DIVIDER], "attachments": [{"fallback": "f"}], "metadata": MARK}
    posted = slack.chat_postMessage(channel="search", **full)

    def update(**arguments):
        return slack.chat_update(channel=posted["channel"], ts=posted["ts"], **arguments)["message"]

    return update


def looks(message):
    found = {name: message.get(name) for name in ("text", "metadata")}
    return found | {name: len(message.get(name, [])) for name in ("blocks", "attachments")}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"text": "b"}, {"text": "b", "blocks": 0}),
        ({"text": "b", "blocks": [DIVIDER, DIVIDER]}, {"text": "b", "blocks": 2}),
        ({"blocks": [DIVIDER, DIVIDER]}, {"blocks": 2}),
        ({"blocks": []}, {"blocks": 0}),
        ({"attachments": []}, {"attachments": 0}),
        ({"attachments": [{"fallback": "g"}, {"fallback": "h"}]}, {"attachments": 2}),
        ({"metadata": {}}, {"metadata": None}),
        ({"markdown_text": "**b**"}, {"text": "**b**", "blocks": 1}),
    ],
)
def test_only_what_is_named_changes(change, arguments, expected):
    before = {"text": "a", "blocks": 1, "attachments": 1, "metadata": MARK}
    assert looks(change(**arguments)) == before | expected


def test_a_message_updated_with_blocks_does_not_count_as_edited(change):
    assert "edited" not in change(text="b", blocks=[DIVIDER])
    assert "edited" in change(text="c")


def test_nothing_is_left_of_a_message_without_content(sandbox, change):
    change(text="b", blocks=[DIVIDER])
    with pytest.raises(SlackApiError, match="no_text"):
        change()
    posted = sandbox.slack().chat_postMessage(channel="search", attachments=[{"fallback": "f"}])
    with pytest.raises(SlackApiError, match="no_text"):
        sandbox.slack().chat_update(channel=posted["channel"], ts=posted["ts"], attachments=[])
