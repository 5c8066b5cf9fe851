"""A clarifying question offers real options in the form that fits them, and says how else to answer."""

from __future__ import annotations

from tests.support.finished_requests import clarifying
from tests.support.rendered_messages import assert_sound, buttons, leaves, shown
from workers.contracts import Option
from workers.delivery.answer_blocks import render_answer
from workers.delivery.block_packing import text_in
from workers.delivery.clarify_blocks import render_chosen


def test_short_options_carry_their_reason_on_the_button() -> None:
    (post,) = render_answer(
        clarifying(Option(value="search", label="/api/search", reason="p95 ×9"), Option(value="b", label="B"))
    )
    assert [b["text"]["text"] for b in buttons(post)] == ["/api/search · p95 ×9", "B"]
    assert [(b["action_id"], b["value"]) for b in buttons(post)] == [("clarify:0", "search"), ("clarify:1", "b")]
    assert not any("style" in b for b in buttons(post))
    assert post.blocks[1]["block_id"] == "clarify:7f3a12bc90de:0"
    assert "Reply in this thread" in text_in(post.blocks)
    assert post.text == "Which one? 1. /api/search (p95 ×9); 2. B"


def test_long_reasons_stand_above_the_buttons() -> None:
    options = [Option(value=f"v{i}", label=f"option {i}", reason="because " * 9) for i in range(5)]
    (post,) = render_answer(clarifying(*options))
    assert [b["text"]["text"] for b in buttons(post)] == [f"option {i}" for i in range(5)]
    assert shown(post).count("because because") >= 5


def test_many_options_are_a_menu_with_their_reasons() -> None:
    options = [Option(value=f"/api/{i}", label=f"/api/{i}", reason="p95 ×9") for i in range(12)]
    (post,) = render_answer(clarifying(*options), waits_for="the asker")
    assert_sound(post)
    (menu,) = buttons(post)
    assert menu["action_id"] == "clarify:menu"
    assert [o["value"] for o in menu["options"]] == [o.value for o in options]
    assert {o["description"]["text"] for o in menu["options"]} == {"p95 ×9"}
    assert shown(post) == "Which one?"
    assert post.blocks[1]["block_id"] == "clarify:7f3a12bc90de:0"
    assert "Only the asker can answer." in text_in(post.blocks[2])


def test_what_a_menu_cannot_show_or_carry_stands_above_it() -> None:
    long = Option(value="w", label="long", reason="because " * 12)
    heavy = Option(value="x" * 151, label="heavy")
    options = [long, heavy, *(Option(value=f"{i}", label=f"option {i}") for i in range(5))]
    (post,) = render_answer(clarifying(*options))
    assert [o["value"] for o in buttons(post)[0]["options"]] == ["0", "1", "2", "3", "4"]
    assert "long · because because" in shown(post)
    assert all(o.label in shown(post) for o in options)


def test_hundreds_of_options_are_offered_as_far_as_they_fit_and_the_rest_is_counted() -> None:
    options = [Option(value=f"v{i}", label=f"option {i}", reason="r" * 70) for i in range(300)]
    (post,) = render_answer(clarifying(*options))
    assert_sound(post)
    assert len(buttons(post)[0]["options"]) > 12
    listed = len([e for e in leaves(post.blocks) if e.get("style") == {"code": True}])
    assert f"and {300 - listed} more" in shown(post)


def test_a_value_that_no_button_can_carry_gets_none() -> None:
    options = [Option(value=v, label=f"label {i}") for i, v in enumerate(["x" * 2_001, "ok", "", "a\x00b"])]
    (post,) = render_answer(clarifying(*options))
    assert_sound(post)
    assert [(b["action_id"], b["value"]) for b in buttons(post)] == [("clarify:1", "ok")]
    assert "label 0" in shown(post)


def test_once_answered_the_buttons_are_gone() -> None:
    log = clarifying(Option(value="search", label="/api/search"))
    for choice, said in (("search", "/api/search"), ("the <!here> one", "the <!here> one")):
        post = render_chosen(log, choice)
        assert_sound(post)
        assert buttons(post) == []
        assert shown(post) == f"Which one?→ {said}"


def test_five_options_as_large_as_can_be() -> None:
    options = [Option(value='"' * 2_000, label='"' * 900, reason="\\" * 900) for _ in range(5)]
    assert_sound(*render_answer(clarifying(*options, text='"' * 5_000)))
