"""What a reader sees in Slack, and that Slack takes it, whatever the log holds."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

from tests.support.engine_fakes import NOW
from tests.support.finished_requests import HOSTILE, claim, clarifying, incident, question
from tests.support.rendered_messages import assert_in_order, assert_sound, buttons, leaves, rich, said_in, shown
from workers.contracts import Answer, Gap, Option, RequestLog, Usage
from workers.delivery import action_ids
from workers.delivery.answer_blocks import (
    render_answer,
    render_apology,
    render_declined,
    render_everything,
    render_root,
    render_stopped,
)
from workers.delivery.block_packing import MAX_POSTS, text_in
from workers.delivery.proof import proof_pages
from workers.ports import Post

# --- one good answer ------------------------------------------------------------------------------------------


def whole(log: RequestLog, *picture: str, **how: Any) -> tuple[Post, ...]:
    """An answer where the channel wants every section of it."""
    return render_answer(log, *picture, verbosity="full", **how)


def test_an_answer_in_full_is_one_message_in_the_order_of_its_parts() -> None:
    (post,) = whole(incident(), "F1ABC", "a chart of p95")
    assert_sound(post)
    text = shown(post)
    parts = ("p95 latency of", "What changed", "Hypothesis: ", "Metrics", "Code", "Docs", "Next", "Could not check")
    places = [text.index(p) for p in parts]
    assert places == sorted(places)
    assert [b["type"] for b in post.blocks[:2]] == ["rich_text", "image"]
    assert post.blocks[1]["slack_file"] == {"id": "F1ABC"}
    assert post.blocks[1]["alt_text"] == "a chart of p95"
    assert [b["type"] for b in post.blocks[-3:]] == ["context", "actions", "context_actions"]
    assert text_in(post.blocks[-3]) == "metrics_query ×4 · repo_search ×2 · 0.4 s · rules · req 7f3a12bc"


def test_without_a_picture_there_is_no_image() -> None:
    assert all(b["type"] != "image" for b in render_answer(incident())[0].blocks)


def test_a_guess_is_labelled_in_its_section() -> None:
    (post,) = whole(incident())
    text = shown(post)
    assert text.index("What changed") < text.index("Hypothesis: 4f2c1ab may be behind it.") < text.index("Metrics")
    (label,) = [e for e in leaves(rich(post)) if e.get("text") == "Hypothesis: "]
    assert label["style"] == {"italic": True}


def test_a_headline_that_is_a_guess_says_so() -> None:
    answer = Answer(headline=claim("It is the cache.", guess=True))
    (post,) = render_answer(incident(answer=answer))
    assert shown(post).startswith("Hypothesis: It is the cache.")
    assert post.text.startswith("Hypothesis: It is the cache.")
    assert shown(post).count("It is the cache.") == 1


def test_markers_link_to_their_evidence_and_what_has_no_address_is_listed() -> None:
    (post,) = whole(incident())
    links = {e["url"] for e in leaves(post.blocks) if e.get("type") == "link"}
    assert links == {"https://example.org/shop/blob/4f2c1ab/search/cache.py#L12-L16"}
    (listed,) = [b for b in post.blocks if b["type"] == "context" and text_in(b).startswith("Evidence")]
    assert text_in(listed).splitlines() == [
        "Evidence",
        "[E1] metric · p95 latency of /api/search · 210 ms → 1.9 s",
        "[E3] metric · database p95 latency of /api/search · 18 ms → 240 ms",
        "[E4] deploy shop v1.42.0 · 14:04 UTC yesterday",
        "[E6] alert · SearchLatencyHigh · since 14:11 UTC yesterday",
        "[E7] doc · docs/runbooks/search.md#cache-misconfiguration",
    ]
    assert "[E5]" not in text_in(listed)
    assert "[E2]" not in text_in(listed)  # not cited


def test_long_addresses_stand_once_when_that_saves_a_message() -> None:
    far = "https://metrics.example.org/graph?" + "g0.expr=rate&" * 60
    log = incident()
    evidence = tuple(e.model_copy(update={"url": far + e.id}) if e.kind == "metric" else e for e in log.evidence)
    some = (claim("It rose.", "E1", "E3"),)
    for count, times in ((1, 2), (20, 1)):
        answer = Answer(headline=claim("Head.", "E1"), metrics=some * count)
        posts = whole(log.model_copy(update={"evidence": evidence, "answer": answer}))
        assert len(posts) == 1
        assert_sound(*posts)
        links = [e["url"] for e in leaves(posts[0].blocks) if e.get("type") == "link"]
        assert links.count(f"{far}E1") == times


def test_code_is_shown_with_its_line_numbers_under_its_link() -> None:
    (post,) = whole(incident())
    (code,) = [e for e in leaves(post.blocks) if e.get("type") == "rich_text_preformatted"]
    assert text_in(code).splitlines()[0] == "12  def cache_key(request):"
    assert text_in(code).splitlines()[-1] == '16      return "|".join(parts)'


def test_what_reads_as_code_is_styled_as_code() -> None:
    text = (
        "Set MAX_TTL and cache.ttl_seconds of `a b` in v1.42.0 (abed52c), db/x.sql:9, /api/search; "
        "40/s and/or e.g. p95."
    )
    (post,) = whole(incident(answer=Answer(headline=claim(text))))
    code = [e["text"] for e in leaves(rich(post)) if e.get("style", {}).get("code")]
    assert code == ["MAX_TTL", "cache.ttl_seconds", "a b", "v1.42.0", "abed52c", "db/x.sql:9", "/api/search"]
    assert all(e["style"]["bold"] for e in leaves(rich(post)) if "code" in e.get("style", {}))


def test_what_can_be_pressed_names_the_request() -> None:
    (short,), (full,), (everything,) = render_answer(incident()), whole(incident()), render_everything(incident())
    assert {b["value"] for b in buttons(short)} == {"7f3a12bc90de"}
    pressed = [action_ids.PROOF, action_ids.EVERYTHING, action_ids.RERUN, action_ids.SHARE, action_ids.SAVE]
    assert [b["action_id"] for b in buttons(short)] == pressed
    assert [b["action_id"] for b in buttons(full)] == [p for p in pressed if p != action_ids.EVERYTHING]
    assert [b["action_id"] for b in buttons(everything)] == [action_ids.PROOF]
    (thumbs,) = short.blocks[-1]["elements"]
    assert thumbs["action_id"] == action_ids.FEEDBACK
    assert (thumbs["positive_button"]["value"], thumbs["negative_button"]["value"]) == (
        "good:7f3a12bc90de",
        "bad:7f3a12bc90de",
    )


def test_other_replies_offer_what_makes_sense_for_them() -> None:
    refusal = incident(answer=Answer(kind="refusal", headline=claim("I only read.")))
    (refused,) = render_answer(refusal)
    assert [b["action_id"] for b in buttons(refused)] == [action_ids.RERUN]
    assert refused.blocks[-1]["type"] == "context_actions"
    (sorry,) = render_apology(refusal)
    assert [b["action_id"] for b in buttons(sorry)] == [action_ids.RERUN]
    assert all(b["type"] != "context_actions" for b in sorry.blocks)
    (back,) = render_answer(clarifying(Option(value="a", label="a")))
    assert [b["action_id"] for b in buttons(back)] == ["clarify:0"]
    assert buttons(render_declined()) == buttons(render_stopped("U123ABC")) == []
    stopped = render_stopped("U123ABC", "7f3a12bc90de")
    assert [b["action_id"] for b in buttons(stopped)] == [action_ids.RERUN]
    assert stopped.text == "Stopped by <@U123ABC>. There is no answer."


def test_the_buttons_end_the_last_message_only() -> None:
    many = tuple(claim("word " * 160, "E1") for _ in range(30))
    posts = whole(incident(answer=Answer(headline=claim("Head."), metrics=many)))
    assert len(posts) > 1
    assert [bool(buttons(p)) for p in posts] == [False] * (len(posts) - 1) + [True]


def test_cost_is_said_when_there_was_any() -> None:
    for cost, said in ((0.0, ""), (0.00004, "< $0.001"), (0.0123, "$0.012"), (2.5, "$2.50")):
        (post,) = render_answer(incident(usage=Usage(cost_usd=cost), reasoner="claude"))
        footer = next(text_in(b) for b in post.blocks if b["type"] == "context" and "req" in text_in(b))
        assert footer.split(" · ")[2:-1] == [*filter(None, ["0.4 s", said]), "claude"]


# --- in short -------------------------------------------------------------------------------------------------


def test_a_short_answer_says_what_decides_and_the_rest_is_one_press_away() -> None:
    (post,) = render_answer(incident(), "F1ABC", "a chart")
    assert_sound(post)
    assert [b["type"] for b in post.blocks] == [
        *("rich_text", "image", "rich_text", "rich_text"),
        *("context", "actions", "context_actions"),
    ]
    text = shown(post)
    for said in (
        "p95 latency of",
        "touched search/cache.py",
        "Next, by Search latency: Check the cache key.",
        "Could not check: No traces",
    ):
        assert said in text
    for left in ("Metrics", "Database p95", "Roll back", "tried", "Evidence", "may be behind it", "def cache_key"):
        assert left not in text
    (rest,) = render_everything(incident())
    assert_sound(rest)
    assert_in_order(said_in(incident().answer or Answer(headline=claim(""))), shown(rest))
    assert all(b["type"] != "image" for b in rest.blocks)


def test_everything_is_offered_only_where_something_is_left_out() -> None:
    said = Answer(headline=claim("The payment client retries 3 times.", "E5"), docs=(claim("See the runbook.", "E7"),))
    (post,) = render_answer(incident(answer=said))
    assert action_ids.EVERYTHING not in [b["action_id"] for b in buttons(post)]
    more = said.model_copy(update={"docs": tuple(claim(f"Section {n} says {n} things.", "E7") for n in range(9))})
    (post,) = render_answer(incident(answer=more))
    assert action_ids.EVERYTHING in [b["action_id"] for b in buttons(post)]


def test_statements_that_could_not_be_verified_are_counted_and_their_texts_are_one_press_away() -> None:
    struck = tuple(Gap(text=f"Could not verify: it takes {n} s (in no evidence)") for n in (3, 4))
    missing = (Gap(text="No traces source is connected."), *struck)
    log = incident(answer=Answer(headline=claim("Head."), missing=missing))
    (post,) = render_answer(log)
    assert "Could not check: No traces source is connected. Could not verify 2 statements." in shown(post)
    assert "takes 3 s" not in shown(post)
    (rest,) = render_everything(log)
    text = shown(rest)
    assert text.index("No traces") < text.index("Could not verify") < text.index("it takes 3 s (in no evidence)")


def test_refusals_have_one_form() -> None:
    refusal = incident(answer=Answer(kind="refusal", headline=claim("I only read.")))
    assert render_answer(refusal, verbosity="short") == render_answer(refusal, verbosity="full")


def test_a_follow_up_repeats_nothing_of_the_last_answer() -> None:
    before, answer = incident(request_id="0123abcd"), incident().answer
    assert answer
    new = claim("Retries rose from 1 to 3 a request.", "E3")
    log = incident(answer=answer.model_copy(update={"metrics": (*answer.metrics, new)}))
    text = shown(*render_answer(log, before=before))
    assert text.startswith(answer.headline.text)
    assert "Retries rose" in text
    for said in (*answer.what_changed, *answer.metrics, *answer.next_steps, *answer.missing):
        assert said.text not in text
    again = shown(*render_answer(log, before=before, verbosity="full"))
    assert all(said.text.split("`")[0] in again for said in answer.metrics)


def test_a_second_answer_says_why_it_is_there_and_what_differs() -> None:
    log = incident()
    (post,) = whole(log.model_copy(update={"question": question().model_copy(update={"edits": "1.2"})}))
    assert text_in(post.blocks[0]) == "Asked again: the question was edited."
    (same,) = whole(log, earlier=incident(request_id="0123abcd"))
    assert "Since the last time (11:00 UTC, 0123abcd)Nothing that was checked has changed." in shown(same)
    asked = question().model_copy(update={"received_at": NOW - timedelta(days=3)})
    (other,) = whole(log, earlier=incident(question=asked, answer=Answer(headline=claim("It was fine."))))
    assert "Since the last time (Nov 18, 11:00 UTC, 7f3a12bc90de)The headline was: “It was fine.”" in shown(other)


def test_the_next_steps_are_numbered() -> None:
    (post,) = whole(incident())
    (steps,) = [e for e in leaves(post.blocks) if e.get("style") == "ordered"]
    assert [text_in(e).split(" [")[0] for e in steps["elements"]] == ["Check the cache key.", "Roll back."]


def test_the_banner_stands_first() -> None:
    answer = Answer(headline=claim("x"), banner="Written without the language model (overloaded).")
    assert shown(*render_answer(incident(answer=answer))).startswith("Written without the language model")


def test_what_was_not_found_is_said_in_words_and_what_was_tried_stands_in_the_proof() -> None:
    gap = Gap(text="metrics_query: nothing after 2026-11-20T14:06:00Z", tool="metrics_query", tried=("window=24h",))
    log = incident(answer=Answer(headline=claim("I found nothing."), missing=(gap,)), evidence=())
    for (post,) in (render_answer(log), whole(log)):
        assert "nothing after 14:06 UTC, Nov 20" in shown(post)
        assert "window=24h" not in shown(post)
        assert "metrics_query" not in shown(post)
    assert "Tried: window=24h" in json.dumps(proof_pages(log))


def test_a_request_without_an_answer_still_says_something() -> None:
    assert_sound(*render_answer(incident(answer=None)))
    assert_sound(*render_answer(incident(answer=Answer(headline=claim(" ")))))


# --- too long, or hostile -------------------------------------------------------------------------------------


def test_what_is_too_long_goes_on_in_further_messages() -> None:
    many = tuple(claim(f"claim {i} " + "word " * 160, "E1") for i in range(30))
    posts = whole(incident(answer=Answer(headline=claim("Head."), metrics=many, next_steps=many)))
    assert 1 < len(posts) <= MAX_POSTS
    assert_sound(*posts)
    assert posts[0].text.startswith(f"(1/{len(posts)}) Head.")
    assert all(f"claim {i} word" in shown(*posts) for i in range(30))
    assert [text_in(p.blocks[-1])[:5] for p in posts] == [f"({i}/{len(posts)})" for i in range(1, len(posts) + 1)]
    numbers = [e.get("offset", 0) for p in posts for e in leaves(p.blocks) if e.get("style") == "ordered"]
    assert numbers == sorted(numbers)
    assert numbers[-1] > 0
    assert "req 7f3a12bc" in text_in(posts[-1].blocks)


def test_beyond_reason_it_says_how_much_is_left_out_and_where_it_stands() -> None:
    many = tuple(claim("word " * 2_000) for _ in range(30))
    posts = whole(incident(answer=Answer(headline=claim("Head."), metrics=many)))
    assert len(posts) == MAX_POSTS
    assert_sound(*posts)
    said = re.search(
        r"… ([\d,]+) more characters are left out here. In full: Show proof, or oracle show 7f3a12bc90de", shown(*posts)
    )
    assert said
    kept = shown(*posts).count("word ")
    assert abs(int(said[1].replace(",", "")) / 5 - (60_000 - kept)) < 100


def test_an_endless_claim_is_shortened_with_words() -> None:
    posts = whole(incident(answer=Answer(headline=claim("x" * 1_000_000))))
    assert_sound(*posts)
    assert "988,000 more characters" in shown(*posts)


def test_an_endless_excerpt_is_shortened_with_words() -> None:
    log = incident()
    code = next(e for e in log.evidence if e.kind == "code")
    for excerpt, words in (("a = 1\n" * 5_000, "4,984 more lines"), ("x" * 90_000, "characters of these")):
        evidence = tuple(e.model_copy(update={"excerpt": excerpt}) if e is code else e for e in log.evidence)
        posts = whole(log.model_copy(update={"evidence": evidence}))
        assert_sound(*posts)
        assert words in shown(*posts)
        assert "oracle show 7f3a12bc90de" in shown(*posts)


def test_nothing_that_is_quoted_pings_or_links() -> None:
    hostile = claim(HOSTILE, "E5")
    (post,) = whole(incident(answer=Answer(headline=hostile, metrics=(hostile,), missing=(Gap(text=HOSTILE),))))
    assert_sound(post)
    kinds = {str(e["type"]) for e in leaves(rich(post)) if "type" in e}
    assert kinds <= {"rich_text", "rich_text_section", "rich_text_list", "rich_text_preformatted", "text", "link"}
    assert all(e["url"].startswith("https://example.org/") for e in leaves(post.blocks) if e.get("type") == "link")
    assert "<!channel>" in shown(post)
    assert "&lt;!channel&gt;" in post.text


# --- before the answer ----------------------------------------------------------------------------------------


def test_the_root_of_a_thread_says_who_asked() -> None:
    post = render_root(question("why is <!here> slow?"))
    assert_sound(post)
    assert post.blocks[0]["elements"][0]["elements"][0] == {"type": "user", "user_id": "U123ABC"}
    assert shown(post) == " asked:why is <!here> slow?"
    assert post.text == "<@U123ABC> asked: why is &lt;!here&gt; slow?"
