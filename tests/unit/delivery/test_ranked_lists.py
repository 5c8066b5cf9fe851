"""Ranked lists: numbered, names in bold, five of them whole in short, and a table in a terminal."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from tests.support.deal_answers import DEALS, precedents, typed
from tests.support.finished_requests import claim
from tests.support.rendered_messages import assert_sound
from workers.contracts import RequestLog
from workers.delivery import terminal_text
from workers.delivery.answer_blocks import render_answer, render_everything
from workers.delivery.cited_evidence import titled_sections
from workers.delivery.shared_answer import render_shared
from workers.delivery.short_form import RANKED_CHARS, shorten


def parts(blocks: Any, kind: str = "rich_text_list") -> list[dict[str, Any]]:
    """The parts of all rich text of a kind."""
    return [part for b in blocks if b["type"] == "rich_text" for part in b["elements"] if part["type"] == kind]


def said(section: dict[str, Any]) -> str:
    return "".join(element.get("text", "") for element in section["elements"])


def shown(log: RequestLog, *, everything: bool = False, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False, force_terminal=False)
    console.print(terminal_text.render_answer(log, everything=everything))
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_the_first_five_stand_whole_and_numbered_with_their_names_in_bold() -> None:
    (post,) = render_answer(precedents())
    ranked, others = parts(post.blocks)
    assert (ranked["style"], len(ranked["elements"])) == ("ordered", 5)
    for number, (section, deal) in enumerate(zip(ranked["elements"], DEALS, strict=False), 1):
        name, rest = section["elements"]
        assert name == {"type": "text", "text": deal[0], "style": {"bold": True}}
        assert rest["text"].endswith(f"{deal[4]} add-ons [E{number}]")
    assert "and 2 more, under Everything" in [said(s) for s in parts(post.blocks, "rich_text_section")]
    assert others["style"] == "bullet"
    assert "answer:everything" in str(post.blocks)


def test_a_list_that_fits_says_of_no_more() -> None:
    (post,) = render_answer(precedents(3))
    assert len(parts(post.blocks)[0]["elements"]) == 3
    assert "more, under Everything" not in str(post.blocks)
    assert "answer:everything" not in str(post.blocks)


def test_everything_has_all_of_them_under_their_title() -> None:
    (post,) = render_everything(precedents())
    titles = [said(section) for section in parts(post.blocks, "rich_text_section")]
    assert {"Nearest deals", "From the memos"} <= set(titles)
    assert len(parts(post.blocks)[0]["elements"]) == 7


def test_a_narrower_answer_says_again_what_its_thread_knows() -> None:
    log = precedents(3)
    assert len(shorten(log, log).ranked) == 3
    assert shorten(log, log).lines == ()


def test_the_numbers_stay_when_one_is_not_proven_or_is_endless() -> None:
    cards = precedents().answer.what_changed  # type: ignore[union-attr]
    guess = claim(cards[1].text, "E2", guess=True)
    form = shorten(precedents(what_changed=(cards[0], guess, cards[2])))
    assert [c.status for c in form.ranked] == ["supported", "hypothesis", "supported"]
    (post,) = render_answer(precedents(what_changed=(cards[0], guess, cards[2])))
    assert said(parts(post.blocks)[0]["elements"][1]).startswith("Hypothesis: Tidepay")
    endless = shorten(precedents(what_changed=(claim("*A* " + "word " * 900, "E1"), cards[1])))
    assert (len(endless.ranked), endless.below, endless.whole) == (1, 1, False)
    assert len(endless.ranked[0].text) <= RANKED_CHARS


def test_the_picture_stands_below_the_list_it_is_of() -> None:
    (post,) = render_answer(precedents(), "F1ABC", "alt")
    kinds = [block["type"] for block in post.blocks]
    assert kinds[:4] == ["rich_text", "rich_text", "image", "rich_text"]
    (image,) = [block for block in post.blocks if block["type"] == "image"]
    assert image["title"]["text"] == "Kestrel Labs and four other deals"
    assert_sound(post)


def test_lessons_list_what_memos_say_and_other_questions_have_bullets() -> None:
    lessons = typed(precedents(), "deal_lessons")
    ranked, *_ = parts(render_answer(lessons)[0].blocks)
    assert (ranked["style"], "three add-ons" in said(ranked["elements"][0])) == ("ordered", True)
    profile = typed(precedents(), "deal_profile")
    assert {part["style"] for part in parts(render_answer(profile)[0].blocks)} == {"bullet"}


def test_each_type_of_question_has_its_titles() -> None:
    found = {
        kind: dict(titled_sections(typed(precedents(), kind)))
        for kind in ("deal_precedents", "deal_lessons", "deal_profile", "deal_events", "deal_list", "other")
    }
    assert {kind: titles["what_changed"] for kind, titles in found.items()} == {
        "deal_precedents": "Nearest deals",
        "deal_lessons": "Nearest deals",
        "deal_profile": "On record",
        "deal_events": "Events",
        "deal_list": "Deals",
        "other": "What changed",
    }
    assert (found["deal_profile"]["docs"], found["deal_events"]["docs"]) == ("From the memos", "Docs")


def test_what_is_shared_with_the_channel_is_numbered_too() -> None:
    post = render_shared(precedents(), "https://example.slack.com/archives/C1/p1", "U1")
    (ranked,) = parts(post.blocks)
    assert (ranked["style"], len(ranked["elements"])) == ("ordered", 3)


# --- in a terminal ----------------------------------------------------------------------------------------------


def test_in_a_terminal_the_deals_are_a_table() -> None:
    text = shown(precedents())
    assert ["#", "deal", "sector", "region", "years", "why"] in [line.split() for line in text.splitlines()]
    assert "Kestrel Labs [E1]" in text
    assert "same sector; 3 add-ons" in text
    assert "and 2 more" in text
    assert "Fjordkasse" not in text
    whole = shown(precedents(), everything=True)
    assert "Nearest deals" in whole
    assert "Haven Insurance" in whole


def test_where_facts_are_missing_the_deals_are_numbered_lines() -> None:
    log = precedents()
    bare = tuple(e.model_copy(update={"facts": {}}) for e in log.evidence)
    text = shown(log.model_copy(update={"evidence": bare}))
    assert " 1. Kestrel Labs · Fintech, DACH" in text
    assert " 5. Mosaic Invoicing" in text


def test_a_terminal_says_by_what_to_narrow() -> None:
    hint = "Narrow by: region, status (add e.g. [region: DACH] to the question)"
    assert hint in shown(precedents())
    assert "Narrow by" not in shown(precedents(menus=()))
