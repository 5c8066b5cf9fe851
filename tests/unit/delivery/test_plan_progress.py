"""A plan and how far it is: what a stream is told, what blocks say, and that Slack takes all of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from slack_sdk.models.messages.chunk import Chunk as SdkChunk

from tests.support.memory_chat import Streamed
from workers.contracts import Plan, Step
from workers.delivery.block_limits import check_post, size
from workers.delivery.block_packing import text_in
from workers.delivery.plan_progress import (
    MAX_STEPS,
    StepState,
    Todo,
    changes,
    render_plan,
    say_status,
    stream_of,
    title_of,
    told_of,
)
from workers.ports import Chunk, Place, Recipient

KEY = "r1:progress"
PLAN = Plan(
    pattern="P",
    query_intent="find what changed",
    steps=(
        Step(id="metric", tool="metrics_query", args={}, purpose="see when p95 of /api/search moved"),
        Step(id="change", tool="repo_search", args={}, purpose="find the commits"),
        Step(id="docs", tool="doc_search", args={}, purpose="find the runbook"),
    ),
)
URL = "https://github.com/team/shop/blob/4f2c1ab/search/cache.py#L12-L16"
FOUND = StepState("ok", "p95 rose at 2026-11-20T14:06:00Z", (("cache.py:12-16", URL),))

anything = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from(
            ["<!channel>", "<@U1>", "[a](https://x.example)", "`code`", "é", "𝄞", "\u202e", "\ud800", "\x00", " "]
        ),
        max_size=40,
    ).map("".join),
)
sources = st.lists(
    st.tuples(anything, st.sampled_from([URL, "https://x.example/" + "a" * 900, "javascript:1", "file:///x", ""])),
    max_size=5,
).map(tuple)
statuses = st.sampled_from(["pending", "running", "ok", "empty", "timeout", "error", "denied", "odd"])
states = st.dictionaries(st.sampled_from("abcdefgh"), st.builds(StepState, statuses, anything, sources))
steps = st.lists(st.sampled_from("abcdefghijklmnop"), unique=True, max_size=16).flatmap(
    lambda ids: st.tuples(
        *(st.builds(Step, id=st.just(i), tool=anything, args=st.just({}), purpose=anything) for i in ids)
    )
)
plans = st.one_of(st.none(), steps.map(lambda made: Plan(pattern="x", query_intent="x", steps=made)))


todos = st.lists(st.tuples(anything, st.sampled_from(["pending", "active", "done"])), max_size=16).map(tuple)


# --- a model's own list ---------------------------------------------------------------------------------------


def test_a_list_shows_what_is_done_what_is_looked_at_and_what_is_left() -> None:
    todo = (("See p95", "done"), ("Find the commits", "active"), ("Read the runbook", "pending"))
    (block,) = render_plan("why?", PLAN, {"change": StepState("running", seconds=5)}, False, todo).blocks
    lines = [text_in(section) for section in block["elements"]]
    assert lines == [
        "Checking · 1 of 3 done",
        "✓ See p95",
        "▸ Find the commits · find the commits (5 s)",
        "☐ Read the runbook",
    ]
    (ended,) = render_plan("why?", PLAN, {}, True, todo).blocks
    assert [text_in(section) for section in ended["elements"]][2] == "☐ Find the commits"


@given(anything, plans, states, st.booleans(), todos)
def test_slack_takes_any_list(text: str, plan: Plan | None, how: dict[str, StepState], done: bool, todo: Todo) -> None:
    assert check_post(render_plan(text, plan, how, done, todo)) == []
    for chunk in stream_of(KEY, plan, how, done, todo):
        assert size(str(chunk["title"])) <= 256
        assert chunk["title"]


# --- as a stream ----------------------------------------------------------------------------------------------


def test_a_stream_begins_with_every_step() -> None:
    title, first, second, third = stream_of(KEY, PLAN, {"metric": StepState("running")}, done=False)
    assert title == {"type": "plan_update", "title": "Checking · 0 of 3 done"}
    assert first == {
        "type": "task_update",
        "id": "r1:progress/0",
        "title": "See when p95 of /api/search moved",
        "status": "in_progress",
    }
    assert (second["status"], third["status"]) == ("pending", "pending")


def test_a_step_that_ended_says_what_it_found_and_where() -> None:
    _, first, second, third = stream_of(
        KEY,
        PLAN,
        {"metric": FOUND, "change": StepState("empty", "no commits"), "docs": StepState("timeout")},
        done=True,
    )
    assert (first["status"], first["output"]) == ("complete", "p95 rose at 14:06 UTC, Nov 20")
    assert first["sources"] == [{"type": "url", "url": URL, "text": "cache.py:12-16"}]
    assert (second["status"], second["output"]) == ("complete", "nothing found: no commits")
    assert (third["status"], third["output"]) == ("error", "took too long")


def test_a_step_beyond_its_time_may_still_find_something() -> None:
    late = StepState("timeout", "doc_search did not answer within 15 s")
    told = told_of(stream_of(KEY, PLAN, {"docs": late}, done=False), {})
    assert (told["r1:progress/2"]["status"], "output" in told["r1:progress/2"]) == ("error", False)
    (_, came) = changes(stream_of(KEY, PLAN, {"docs": StepState("ok", "2 sections")}, done=True), told)[-2:]
    assert (came["id"], came["status"], came["output"]) == ("r1:progress/2", "complete", "2 sections")


def test_a_slow_step_says_how_long_it_has_been_running() -> None:
    states = {"metric": StepState("running", seconds=10)}
    assert stream_of(KEY, PLAN, states, done=False)[1]["title"] == "See when p95 of /api/search moved (10 s)"
    assert "moved (10 s)" in str(render_plan("why?", PLAN, states, done=False).blocks)
    assert say_status(PLAN, states) == "is checking: see when p95 of /api/search moved… (10 s)"


def test_only_what_changed_is_told_and_nothing_twice() -> None:
    told = told_of(stream_of(KEY, PLAN, {}, done=False), {})
    news = changes(stream_of(KEY, PLAN, {"metric": FOUND}, done=False), told)
    assert [c.get("id", c["type"]) for c in news] == ["plan_update", "r1:progress/0"]
    told = told_of(stream_of(KEY, PLAN, {"metric": FOUND}, done=False), told)
    assert changes(stream_of(KEY, PLAN, {"metric": FOUND}, done=False), told) == []
    (title, *rest) = changes(stream_of(KEY, PLAN, {"metric": FOUND, "docs": StepState("running")}, done=True), told)
    assert title["title"] == "Checked"
    assert [(c["id"], c["output"]) for c in rest] == [
        ("r1:progress/1", "not finished"),
        ("r1:progress/2", "not finished"),
    ]
    again = changes(stream_of(KEY, PLAN, {"metric": FOUND._replace(status="error")}, done=False), told)
    assert [("output" in c, "sources" in c) for c in again] == [(False, False)]


def test_steps_that_fell_out_of_the_plan_end() -> None:
    told = told_of(stream_of(KEY, PLAN, {}, done=False), {})
    shorter = PLAN.model_copy(update={"steps": PLAN.steps[:1]})
    ends = [c for c in changes(stream_of(KEY, shorter, {}, done=False), told) if c.get("status") == "complete"]
    assert [c["id"] for c in ends] == ["r1:progress/1", "r1:progress/2"]


def test_before_there_is_a_plan() -> None:
    (title, task) = stream_of(KEY, None, {}, done=False)
    assert (title["title"], task["title"], task["status"]) == (
        "Reading the question",
        "Read the question",
        "in_progress",
    )
    assert title_of(None, {}, done=True) == "Checked"


def test_sources_are_addresses_once_each_and_three_at_most() -> None:
    found = tuple((f"page {i}", f"https://x.example/{i % 5}") for i in range(9))
    odd = (("evil", "javascript:alert(1)"), ("long", "https://x.example/" + "a" * 2_000), ("é", "https://x.example/é"))
    (_, task, *_) = stream_of(KEY, PLAN, {"metric": StepState("ok", "found", odd + found)}, done=False)
    assert [s["text"] for s in task["sources"]] == ["page 0", "page 1", "page 2"]


def test_quoted_words_neither_ping_nor_link() -> None:
    bad = "<!channel> <@U123> <#C123> [here](https://evil.example) http://evil.example"
    plan = Plan(pattern="x", query_intent="x", steps=(Step(id="a", tool="t", args={}, purpose=bad),))
    (_, task) = stream_of(KEY, plan, {"a": StepState("ok", bad)}, done=False)
    for text in (task["title"], task["output"], say_status(plan, {})):
        for parsed in ("<!", "<@", "<#", "](", "://"):
            assert parsed not in text.replace("\N{ZERO WIDTH SPACE}://", "")


@given(plans, states, st.booleans())
def test_slack_takes_any_stream(plan: Plan | None, known: dict[str, StepState], done: bool) -> None:
    chunks = stream_of("r" * 250 + ":progress", plan, known, done)
    assert len({c.get("id", "title") for c in chunks}) == len(chunks) <= MAX_STEPS + 1
    for chunk in chunks:
        parsed = SdkChunk.parse(chunk)
        assert parsed is not None
        assert parsed.to_dict() == chunk
        assert 0 < size(chunk["title"]) <= 256
        assert 0 < len(chunk.get("id", "t")) <= 255
        assert 0 < size(chunk.get("output", "o")) <= 256
        assert len(chunk.get("sources", ())) <= 3
        assert all(s["text"].strip() and s["url"].startswith("https://") for s in chunk.get("sources", ()))
        chunk["title"].encode()


@given(plans, st.lists(states, min_size=1, max_size=5))
def test_told_of_changes_alone_a_stream_shows_what_it_should(
    plan: Plan | None, moments: list[dict[str, StepState]]
) -> None:
    told: dict[str, Chunk] = {}
    stream = Streamed(Place("C1"), Recipient("U1", "T1"), "1.0", [])
    for known in moments:
        now = stream_of(KEY, plan, known, done=False)
        stream.chunks += changes(now, told)
        told = told_of(now, told)
        shown = stream.tasks()
        for chunk in now[1:]:
            assert [shown[chunk["id"]][k] for k in ("title", "status")] == [chunk["title"], chunk["status"]]
        assert stream.title == now[0]["title"]
    said = [(c["id"], name) for c in stream.chunks[1:] for name in ("output", "sources") if name in c]
    assert len(set(said)) == len(said)


# --- as blocks ------------------------------------------------------------------------------------------------


def test_progress_says_what_is_checked_and_what_came_back() -> None:
    post = render_plan("why?", PLAN, {"metric": FOUND, "change": StepState("running")}, done=False)
    assert check_post(post) == []
    assert [text_in(e) for e in post.blocks[0]["elements"]] == [
        "Checking · 1 of 3 done",
        "✓ metrics_query p95 rose at 14:06 UTC, Nov 20 · cache.py:12-16",
        "◐ repo_search find the commits",
        "○ doc_search find the runbook",
    ]
    assert post.text == "Checking · 1 of 3 done: why?"
    assert URL in str(post.blocks)


def test_progress_when_done_and_before_there_is_a_plan() -> None:
    known = {"metric": StepState("empty", "no such metric"), "change": StepState("timeout")}
    lines = [text_in(e) for e in render_plan("why?", PLAN, known, done=True).blocks[0]["elements"]]
    assert lines == [
        "Checked",
        "– metrics_query nothing found: no such metric",
        "✗ repo_search took too long",
        "· doc_search not finished",
    ]
    assert text_in(render_plan("why?", None, {}, done=False).blocks[0]) == "Reading the question…"


def test_a_long_plan_says_how_much_more_there_is() -> None:
    plan = PLAN.model_copy(update={"steps": tuple(PLAN.steps[0].model_copy(update={"id": str(i)}) for i in range(15))})
    assert "and 3 more" in text_in(list(render_plan("why?", plan, {}, done=False).blocks))
    assert stream_of(KEY, plan, {}, done=False)[0]["title"] == "Checking · 0 of 15 done · and 3 more"


@given(st.text(max_size=2_000), plans, states, st.booleans())
def test_slack_takes_any_progress(text: str, plan: Plan | None, known: dict[str, StepState], done: bool) -> None:
    assert check_post(render_plan(text, plan, known, done)) == []


# --- as a line ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "known", "line"),
    [
        (None, {}, "is reading the question…"),
        (PLAN, {}, "is checking: see when p95 of /api/search moved…"),
        (PLAN, {"metric": FOUND, "docs": StepState("running")}, "is checking: find the runbook…"),
        (PLAN, dict.fromkeys(("metric", "change", "docs"), FOUND), "is writing the answer…"),
    ],
)
def test_status(plan: Plan | None, known: dict[str, StepState], line: str) -> None:
    assert say_status(plan, known) == line
