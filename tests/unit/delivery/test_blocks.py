"""What a reader sees in Slack, and that Slack takes it, whatever the log holds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block

from tests.unit.delivery.logs import HOSTILE, claim, clarifying, incident, logs, question, texts
from workers.contracts import Answer, Gap, Option, Plan, RequestLog, Step
from workers.delivery.blocks import render_answer, render_chosen, render_clarify, render_plan, render_root
from workers.delivery.cited import claims_of
from workers.delivery.limits import check_post
from workers.delivery.pack import MAX_POSTS, text_in
from workers.delivery.rich_text import CONTROL, safe
from workers.ports import Post

slow = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def leaves(value: Any) -> Iterator[dict[str, Any]]:
    """Every element with a type, at any depth."""
    if isinstance(value, dict):
        yield value
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from leaves(inner)


def rich(post: Post) -> list[dict[str, Any]]:
    return [b for b in post.blocks if b["type"] == "rich_text"]


def shown(*posts: Post) -> str:
    """All text of the rich text blocks, joined."""
    return "".join(text_in(b) for post in posts for b in rich(post))


def bare(text: str) -> str:
    """Text without marks and control characters, however it was cut or styled."""
    return re.sub(r"[`*]", "", safe(text))


def assert_sound(*posts: Post) -> None:
    for post in posts:
        assert check_post(post) == []
        assert len(post.text) <= 3_100
        assert not re.search(r"<(?!@[UW][A-Z0-9]+> asked:)", post.text)
        assert "broadcast" not in {leaf.get("type") for leaf in leaves(post.blocks)}
        json.dumps(post.blocks, ensure_ascii=False).encode()
        for block in post.blocks:
            assert Block.parse(block).to_dict() == block  # type: ignore[union-attr]


# --- one good answer ------------------------------------------------------------------------------------------


def test_an_answer_is_one_message_in_the_order_of_its_parts() -> None:
    (post,) = render_answer(incident(), "F1ABC", "a chart of p95")
    assert_sound(post)
    text = shown(post)
    parts = ("p95 latency of", "What changed", "Metrics", "Code", "Docs", "Hypothesis", "Next", "Could not check")
    places = [text.index(p) for p in parts]
    assert places == sorted(places)
    assert [b["type"] for b in post.blocks[:2]] == ["rich_text", "image"]
    assert post.blocks[1]["slack_file"] == {"id": "F1ABC"}
    assert post.blocks[1]["alt_text"] == "a chart of p95"
    assert (
        post.blocks[-1]["elements"][0]["text"]
        == "metrics_query ×4 · repo_search ×2 · 0.4 s · by rules · req 7f3a12bc90de"
    )


def test_without_a_picture_there_is_no_image() -> None:
    assert all(b["type"] != "image" for b in render_answer(incident())[0].blocks)


def test_a_guess_stands_apart_and_nowhere_else() -> None:
    (post,) = render_answer(incident())
    (quote,) = [e for e in leaves(post.blocks) if e.get("type") == "rich_text_quote"]
    assert text_in(quote).startswith("4f2c1ab may be behind it.")
    assert shown(post).count("may be behind it") == 1


def test_a_headline_that_is_a_guess_says_so() -> None:
    answer = Answer(headline=claim("It is the cache.", guess=True))
    (post,) = render_answer(incident(answer=answer))
    assert shown(post).startswith("Hypothesis, not proven: It is the cache.")
    assert post.text.startswith("Hypothesis, not proven: It is the cache.")
    assert shown(post).count("It is the cache.") == 1


def test_markers_link_to_their_evidence_and_what_has_no_address_is_listed() -> None:
    (post,) = render_answer(incident())
    links = {e["url"] for e in leaves(post.blocks) if e.get("type") == "link"}
    assert links == {"https://example.org/shop/blob/4f2c1ab/search/cache.py#L12-L16"}
    (listed,) = [b for b in post.blocks if b["type"] == "context" and text_in(b).startswith("Evidence")]
    assert "[E4] deploy · deploys/shop/v1.42.0" in text_in(listed)
    assert "[E5]" not in text_in(listed)
    assert "[E2]" not in text_in(listed)  # not cited


def test_long_addresses_stand_once_when_that_saves_a_message() -> None:
    far = "https://metrics.example.org/graph?" + "g0.expr=rate&" * 60
    log = incident()
    evidence = tuple(e.model_copy(update={"url": far + e.id}) if e.kind == "metric" else e for e in log.evidence)
    some = (claim("It rose.", "E1", "E3"),)
    for count, times in ((1, 2), (20, 1)):
        answer = Answer(headline=claim("Head.", "E1"), metrics=some * count)
        posts = render_answer(log.model_copy(update={"evidence": evidence, "answer": answer}))
        assert len(posts) == 1
        assert_sound(*posts)
        links = [e["url"] for e in leaves(posts[0].blocks) if e.get("type") == "link"]
        assert links.count(f"{far}E1") == times


def test_code_is_shown_with_its_line_numbers_under_its_link() -> None:
    (post,) = render_answer(incident())
    (code,) = [e for e in leaves(post.blocks) if e.get("type") == "rich_text_preformatted"]
    assert text_in(code).splitlines()[0] == "12  def cache_key(request):"
    assert text_in(code).splitlines()[-1] == '16      return "|".join(parts)'


def test_what_reads_as_code_is_styled_as_code() -> None:
    text = (
        "Set MAX_TTL and cache.ttl_seconds of `a b` in v1.42.0 (abed52c), db/x.sql:9, /api/search; "
        "40/s and/or e.g. p95."
    )
    (post,) = render_answer(incident(answer=Answer(headline=claim(text))))
    code = [e["text"] for e in leaves(rich(post)) if e.get("style", {}).get("code")]
    assert code == ["MAX_TTL", "cache.ttl_seconds", "a b", "v1.42.0", "abed52c", "db/x.sql:9", "/api/search"]
    assert all(e["style"]["bold"] for e in leaves(rich(post)) if "code" in e.get("style", {}))


def test_the_next_steps_are_numbered() -> None:
    (post,) = render_answer(incident())
    (steps,) = [e for e in leaves(post.blocks) if e.get("style") == "ordered"]
    assert [text_in(e).split(" [")[0] for e in steps["elements"]] == ["Check the cache key.", "Roll back."]


def test_the_banner_stands_first() -> None:
    answer = Answer(headline=claim("x"), banner="Written without the language model (overloaded).")
    assert shown(*render_answer(incident(answer=answer))).startswith("Written without the language model")


def test_nothing_found_says_what_was_tried() -> None:
    missing = (Gap(text="No metric carries /api/zeppelin.", tried=("window=24h", "window=7d")),)
    (post,) = render_answer(incident(answer=Answer(headline=claim("I found nothing."), missing=missing), evidence=()))
    assert "tried: window=24h | window=7d" in shown(post)
    assert post.text == "I found nothing. No metric carries /api/zeppelin."


def test_a_request_without_an_answer_still_says_something() -> None:
    assert_sound(*render_answer(incident(answer=None)))
    assert_sound(*render_answer(incident(answer=Answer(headline=claim(" ")))))


# --- too long, or hostile -------------------------------------------------------------------------------------


def test_what_is_too_long_goes_on_in_further_messages() -> None:
    many = tuple(claim(f"claim {i} " + "word " * 160, "E1") for i in range(30))
    posts = render_answer(incident(answer=Answer(headline=claim("Head."), metrics=many, next_steps=many)))
    assert 1 < len(posts) <= MAX_POSTS
    assert_sound(*posts)
    assert posts[0].text.startswith(f"(1/{len(posts)}) Head.")
    assert all(f"claim {i} word" in shown(*posts) for i in range(30))
    assert [text_in(p.blocks[-1])[:5] for p in posts] == [f"({i}/{len(posts)})" for i in range(1, len(posts) + 1)]
    numbers = [e.get("offset", 0) for p in posts for e in leaves(p.blocks) if e.get("style") == "ordered"]
    assert numbers == sorted(numbers)
    assert numbers[-1] > 0
    assert "req 7f3a12bc90de" in text_in(posts[-1].blocks)


def test_beyond_reason_it_says_how_much_is_left_out_and_where_it_stands() -> None:
    many = tuple(claim("word " * 2_000) for _ in range(30))
    posts = render_answer(incident(answer=Answer(headline=claim("Head."), metrics=many)))
    assert len(posts) == MAX_POSTS
    assert_sound(*posts)
    said = re.search(r"… ([\d,]+) more characters are left out here. In full: oracle show 7f3a12bc90de", shown(*posts))
    assert said
    kept = shown(*posts).count("word ")
    assert abs(int(said[1].replace(",", "")) / 5 - (60_000 - kept)) < 100


def test_an_endless_claim_is_shortened_with_words() -> None:
    posts = render_answer(incident(answer=Answer(headline=claim("x" * 1_000_000))))
    assert_sound(*posts)
    assert "988,000 more characters" in shown(*posts)


def test_an_endless_excerpt_is_shortened_with_words() -> None:
    log = incident()
    code = next(e for e in log.evidence if e.kind == "code")
    for excerpt, words in (("a = 1\n" * 5_000, "4,984 more lines"), ("x" * 90_000, "characters of these")):
        evidence = tuple(e.model_copy(update={"excerpt": excerpt}) if e is code else e for e in log.evidence)
        posts = render_answer(log.model_copy(update={"evidence": evidence}))
        assert_sound(*posts)
        assert words in shown(*posts)
        assert "oracle show 7f3a12bc90de" in shown(*posts)


def test_nothing_that_is_quoted_pings_or_links() -> None:
    hostile = claim(HOSTILE, "E5")
    (post,) = render_answer(incident(answer=Answer(headline=hostile, metrics=(hostile,), missing=(Gap(text=HOSTILE),))))
    assert_sound(post)
    kinds = {str(e["type"]) for e in leaves(rich(post)) if "type" in e}
    assert kinds <= {"rich_text", "rich_text_section", "rich_text_list", "rich_text_preformatted", "text", "link"}
    assert all(e["url"].startswith("https://example.org/") for e in leaves(post.blocks) if e.get("type") == "link")
    assert "<!channel>" in shown(post)
    assert "&lt;!channel&gt;" in post.text


@slow
@given(logs())
def test_slack_takes_any_answer_and_nothing_of_it_is_lost(log: RequestLog) -> None:
    posts = render_answer(log, "F1ABC", HOSTILE)
    assert_sound(*posts)
    answer = log.answer
    assert answer
    if answer.kind == "clarify" or "more characters" in shown(*posts):
        return
    everything = bare(shown(*posts))
    assert all(bare(c.text) in everything for c in claims_of(answer) if c.text.strip())
    assert all(bare(g.text) in everything for g in answer.missing if g.text.strip())


# --- asking back ----------------------------------------------------------------------------------------------


def buttons(post: Post) -> list[dict[str, Any]]:
    return [e for b in post.blocks if b["type"] == "actions" for e in b["elements"]]


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
    options = [Option(value=f"v{i}", label=f"option {i}", reason="because " * 9) for i in range(7)]
    (post,) = render_answer(clarifying(*options))
    assert [b["text"]["text"] for b in buttons(post)] == [f"option {i}" for i in range(5)]
    assert shown(post).count("because because") >= 5


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


@slow
@given(logs(), texts(3_000))
def test_slack_takes_any_question_back(log: RequestLog, choice: str) -> None:
    assert log.answer
    assert_sound(render_clarify(log, log.answer), render_chosen(log, choice))


def test_five_options_as_large_as_can_be() -> None:
    options = [Option(value='"' * 2_000, label='"' * 900, reason="\\" * 900) for _ in range(5)]
    assert_sound(*render_answer(clarifying(*options, text='"' * 5_000)))


# --- before the answer ----------------------------------------------------------------------------------------

PLAN = Plan(
    pattern="debug_incident",
    query_intent="x",
    steps=(
        Step(id="metric", tool="metrics_query", args={}, purpose="see when p95 moved"),
        Step(id="change", tool="repo_search", args={}, purpose="find the commits", after=("metric",)),
        Step(id="docs", tool="doc_search", args={}, purpose="find the runbook"),
    ),
)


def test_progress_says_what_is_checked_and_what_came_back() -> None:
    post = render_plan("why?", PLAN, {"metric": ("ok", "p95 rose"), "change": ("running", "")}, done=False)
    assert_sound(post)
    lines = [text_in(e) for e in post.blocks[0]["elements"]]
    assert lines == [
        "Checking",
        "✓ metrics_query p95 rose",
        "◐ repo_search find the commits",
        "○ doc_search find the runbook",
    ]
    assert post.text == "Checking: why?"


def test_progress_when_done_and_before_there_is_a_plan() -> None:
    states = {"metric": ("empty", "no such metric"), "change": ("timeout", ""), "docs": ("ok", "2 sections")}
    lines = [text_in(e) for e in render_plan("why?", PLAN, states, done=True).blocks[0]["elements"]]
    assert lines == [
        "Checked",
        "– metrics_query nothing found: no such metric",
        "✗ repo_search took too long",
        "✓ doc_search 2 sections",
    ]
    assert text_in(render_plan("why?", None, {}, done=False).blocks[0]) == "Reading the question…"


@slow
@given(
    texts(),
    st.lists(
        st.builds(Step, id=st.sampled_from("abc"), tool=texts(80), args=st.just({}), purpose=texts()), max_size=20
    ),
    st.dictionaries(st.sampled_from("abc"), st.tuples(st.sampled_from(["ok", "error", "odd"]), texts())),
    st.booleans(),
)
def test_slack_takes_any_progress(text: str, steps: list[Step], states: dict[str, tuple[str, str]], done: bool) -> None:
    plan = Plan(pattern="x", query_intent="x", steps=tuple(steps))
    assert_sound(render_plan(text, plan, states, done))


def test_the_root_of_a_thread_says_who_asked() -> None:
    post = render_root(question("why is <!here> slow?"))
    assert_sound(post)
    assert post.blocks[0]["elements"][0]["elements"][0] == {"type": "user", "user_id": "U123ABC"}
    assert shown(post) == " asked:why is <!here> slow?"
    assert post.text == "<@U123ABC> asked: why is &lt;!here&gt; slow?"


@slow
@given(texts(12_000), texts(60))
def test_slack_takes_any_root(text: str, asker: str) -> None:
    asked = question(text).model_copy(update={"asker": asker})
    post = render_root(asked)
    assert_sound(post)
    assert not CONTROL.search(post.text)
