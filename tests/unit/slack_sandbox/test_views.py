"""Modals and home tabs: who is told when views close, what is published, which blocks and options are refused."""

import pytest
from slack_sdk.errors import SlackApiError

from slack_sandbox.block_validation import check_view
from slack_sandbox.config import SandboxConfig
from slack_sandbox.errors import InvalidBlocks
from slack_sandbox.seed import seed_team
from tests.support.each_row import each_row
from tests.support.sandbox_bolt_app import MODAL, label, option, over_socket_mode
from tests.support.sandbox_process import running_sandbox


@pytest.fixture(scope="module")
def house():
    seen = []
    with running_sandbox() as sandbox, over_socket_mode(sandbox.address, seen) as app:

        @app.shortcut("any")
        def any_shortcut(ack):
            ack()

        @app.view("clear")
        def clear(ack):
            ack(response_action="clear")

        sandbox.do("/control/limits", unlimited=True)
        yield sandbox, seen


def opened(house, *views):
    """Views on top of each other; gives them as Slack keeps them."""
    sandbox, seen = house
    records = []
    for view in views:
        sandbox.do("/control/shortcut", callback_id="any")
        trigger_id = next(body["trigger_id"] for kind, body, _ in reversed(seen) if kind == "shortcut")
        call = sandbox.slack().views_push if records else sandbox.slack().views_open
        records.append(call(trigger_id=trigger_id, view=view)["view"])
    return records


def closed(seen):
    return [(body["view"]["id"], body["is_cleared"]) for kind, body, _ in seen if kind == "view_closed"]


@pytest.mark.parametrize("clear_on_close", [True, False])
def test_a_view_that_closes_takes_the_others_along_only_when_it_clears(house, clear_on_close):
    sandbox, seen = house
    first, top = opened(house, MODAL, MODAL | {"clear_on_close": clear_on_close})
    seen.clear()
    assert sandbox.do("/client/view", view_id=top["id"], close=True)["ok"]
    gone = [first, top] if clear_on_close else [top]
    assert sorted(closed(seen)) == sorted((view["id"], clear_on_close) for view in gone)
    left = [view["id"] for view in sandbox.see("/control/state")["views"]]
    assert (first["id"] in left) is not clear_on_close


def test_an_answer_that_clears_tells_of_every_view_that_wants_it(house):
    sandbox, seen = house
    quiet = {"callback_id": "clear", "notify_on_close": False, "blocks": [{"type": "divider"}]}
    first, _ = opened(house, MODAL, MODAL | quiet)
    top = sandbox.see("/control/state")["views"][-1]
    seen.clear()
    assert sandbox.do("/client/view", view_id=top["id"], state={})["response_action"] == "clear"
    assert closed(seen) == [(first["id"], True)]


def test_an_updated_home_tab_is_published(house):
    sandbox, _ = house
    slack, me = sandbox.slack(), sandbox.see("/client/boot")["me"]
    home = {"type": "home", "blocks": [{"type": "divider"}]}
    view = slack.views_publish(user_id=me, view=home)["view"]
    again = slack.views_update(view_id=view["id"], hash=view["hash"], view=home | {"callback_id": "again"})["view"]
    assert sandbox.see("/control/state")["homes"][me]["callback_id"] == "again"
    assert again["id"] == view["id"]
    assert view["id"] not in [modal["id"] for modal in sandbox.see("/control/state")["views"]]
    with pytest.raises(SlackApiError, match="hash_conflict"):
        slack.views_update(view_id=view["id"], hash=view["hash"], view=home)


def test_an_input_without_an_action_id_gets_one(house):
    bare = {"type": "input", "label": label("Why"), "element": {"type": "plain_text_input"}}
    ((block,),) = [view["blocks"] for view in opened(house, MODAL | {"blocks": [bare]})]
    (view,) = [item for item in house[0].see("/control/state")["views"] if item["blocks"] == [block]]
    values = {block["element"]["action_id"]: {"type": "plain_text_input", "value": None}}
    assert view["state"]["values"] == {block["block_id"]: values}
    assert block["element"]["action_id"]


MARKED = {"text": {"type": "mrkdwn", "text": "*a*"}, "value": "a"}


@each_row(
    "element, fine",
    [
        ({"type": "static_select", "options": [MARKED]}, False),
        ({"type": "static_select", "options": [option("a") | {"description": MARKED["text"]}]}, False),
        ({"type": "multi_static_select", "options": [option("a")], "initial_options": [MARKED]}, False),
        ({"type": "external_select", "initial_option": MARKED}, False),
        ({"type": "multi_external_select", "initial_options": [option("a")]}, True),
        ({"type": "checkboxes", "options": [MARKED]}, True),
        ({"type": "radio_buttons", "options": [MARKED]}, True),
        ({"type": "file_input"}, False),
    ],
)
def test_options_of_menus_are_plain_and_files_are_no_input(element, fine):
    view = MODAL | {"blocks": [{"type": "input", "label": label("x"), "element": element}]}
    if fine:
        assert check_view(seed_team(SandboxConfig()), view, kind="modal") == view
        return
    with pytest.raises(InvalidBlocks):
        check_view(seed_team(SandboxConfig()), view, kind="modal")
