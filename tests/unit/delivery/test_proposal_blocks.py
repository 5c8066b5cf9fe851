"""A change that waits for its asker: within Slack's limits, with its buttons, calling nobody."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.rendered_messages import leaves, shown
from tests.support.request_logs import NOON, make_log
from workers.contracts import Proposal, Question, RequestLog, name_proposal
from workers.delivery import action_ids
from workers.delivery.block_limits import check_post
from workers.delivery.proposal_blocks import render_decided, render_proposals
from workers.ports import Post

MOVE = Proposal(tool="vault_move", args={}, title="Move a.md to b.md", preview="- [[a]]\n+ [[b]]\n")
ASKER = "U0123ABCD"
SHOUT = "<!channel> <@U7> <#C1> @here *x* `y` https://x.example"


def log_of(*proposals: Proposal) -> RequestLog:
    place = {"asker": ASKER, "team": "T1", "channel": "C1", "thread_ts": "100.1"}
    asked = Question(request_id="r1", text="move a", source="slack", received_at=NOON, **place)
    return make_log("r1", question=asked, proposals=proposals)


def called(post: Post) -> set[str]:
    """Everyone whom a message calls."""
    found = {
        str(leaf.get("user_id", leaf["type"]))
        for leaf in leaves(post.blocks)
        if leaf.get("type") in {"user", "broadcast"}
    }
    return found | {sign for sign in ("<!", "<@", "<#") if sign in post.text}


def test_each_change_is_a_message_whose_buttons_name_it() -> None:
    posts = render_proposals(log_of(MOVE, MOVE))
    for number, post in enumerate(posts):
        buttons = [leaf for leaf in leaves(post.blocks) if leaf.get("type") == "button"]
        assert [b["action_id"] for b in buttons] == [action_ids.CONFIRM, action_ids.DECLINE]
        assert {b["value"] for b in buttons} == {name_proposal("r1", number)}
        assert MOVE.title in shown(post)
        assert "+ [[b]]" in shown(post)
        assert called(post) == {ASKER}
    assert render_proposals(log_of()) == ()


def test_a_decided_one_has_no_buttons_and_who_decided() -> None:
    for confirmed in (True, False):
        post = render_decided(log_of(MOVE), 0, ASKER, confirmed=confirmed)
        assert not [leaf for leaf in leaves(post.blocks) if leaf.get("type") == "button"]
        assert MOVE.title in shown(post)
        assert called(post) == {ASKER}


@given(st.text(max_size=300) | st.just(SHOUT), st.integers(1, 40), st.text(max_size=300) | st.just(SHOUT))
def test_whatever_a_tool_proposes_is_a_message_that_calls_nobody_else(title: str, times: int, preview: str) -> None:
    proposal = Proposal(tool="t", args={}, title=title * times, preview=preview * times)
    log = log_of(proposal)
    for post in (*render_proposals(log), render_decided(log, 0, ASKER, confirmed=True)):
        assert check_post(post) == []
        assert called(post) <= {ASKER}
