"""The lossy channel: shown while it helps, dropped when it would be in the way."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from workers.contracts import Plan, Step
from workers.delivery import progress
from workers.delivery.progress import ProgressBoard
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable, StoreUnavailable
from workers.ports import Picture, Place, Post

PLACE = Place("C1", "1.0", "T1")
PLAN = Plan(
    pattern="P",
    query_intent="find the cause",
    steps=tuple(Step(id=i, tool="metrics_query", args={"query": i}, purpose=f"look at {i}") for i in ("m1", "m2")),
)
NEVER_S = 3_600.0


@dataclass
class FakeChat:
    """Keeps what was shown. ``gate`` holds every call until it is set; ``errors`` are raised one a call."""

    posts: dict[str, tuple[str, Post]] = field(default_factory=dict)
    acts: list[tuple[str, str]] = field(default_factory=list)
    errors: deque[Exception | None] = field(default_factory=deque)
    gate: threading.Event = field(default_factory=threading.Event)
    inside: threading.Event = field(default_factory=threading.Event)
    lost: bool = True

    def enter(self, act: str, key: str) -> Exception | None:
        self.acts.append((act, key))
        self.inside.set()
        assert self.gate.wait(20)
        return self.errors.popleft() if self.errors else None

    def post(self, place: Place, post: Post, key: str, *, lossy: bool = False) -> str:
        assert lossy
        error = self.enter("post", key)
        ts = f"{len(self.posts) + 1}.5"
        if error is None or not self.lost:
            self.posts[ts] = (key, post)
        if error:
            raise error
        return ts

    def find(self, place: Place, key: str) -> str | None:
        error = self.enter("find", key)
        if error:
            raise error
        return next((ts for ts, (mark, _) in self.posts.items() if mark == key), None)

    def update(self, place: Place, ts: str, post: Post, key: str = "") -> None:
        error = self.enter("update", key)
        if error:
            raise error
        self.posts[ts] = (key, post)

    def upload(self, picture: Picture) -> str:
        raise NotImplementedError

    def timezone(self, user: str) -> str:
        raise NotImplementedError

    def set_status(self, place: Place, status: str) -> None:
        raise ChatRefused("missing_scope", "missing_scope")

    def set_session(self, place: Place, status: str, title: str = "", initiator: str = "") -> None:
        raise ChatRefused("unknown_method", "unknown_method")

    def count(self, act: str, key: str = "") -> int:
        return sum(1 for a, k in self.acts if a == act and key in k)

    def shows(self, words: str) -> bool:
        return any(words in json.dumps(post.blocks, ensure_ascii=False) for _, post in self.posts.values())


@pytest.fixture
def chat() -> FakeChat:
    made = FakeChat()
    made.gate.set()
    return made


Make = Callable[..., ProgressBoard]


@pytest.fixture
def make(chat: FakeChat) -> Iterator[Make]:
    """Boards whose threads end with the test."""
    boards: list[ProgressBoard] = []

    def build(**options: object) -> ProgressBoard:
        boards.append(ProgressBoard(lambda team: chat, **{"interval_s": 0.01, **options}))  # type: ignore[arg-type]
        return boards[-1]

    yield build
    chat.gate.set()
    for board in boards:
        board.close()
        if board.thread:
            board.thread.join(20)
            assert not board.thread.is_alive()


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


# --- what is shown --------------------------------------------------------------------------------------------


def test_plan_is_posted_steps_update_it_and_the_end_is_shown(chat: FakeChat, make: Make) -> None:
    told: list[tuple[str, str]] = []
    board = make(on_posted=lambda request_id, ts: told.append((request_id, ts)))
    board.plan("r1", PLACE, "why?", PLAN)
    until(lambda: told)
    assert told == [("r1", "1.5")]
    board.step("r1", "m1", "ok", "p95 is 1.9 s")
    until(lambda: chat.shows("p95 is 1.9 s"))
    board.step("r1", "m2", "empty", "no such metric")
    board.finish("r1")
    until(lambda: not board.shown)
    assert chat.shows("p95 is 1.9 s")
    assert chat.shows("no such metric")
    assert (chat.count("post"), chat.count("find"), len(chat.posts)) == (1, 0, 1)
    assert {key for _, key in chat.acts} == {"r1:progress"}


def test_a_step_that_takes_long_is_shown_with_its_seconds_until_it_ends(chat: FakeChat, make: Make) -> None:
    clock = [100.0]
    board = make(interval_s=0, monotonic=lambda: clock[0])

    def pass_time(seconds: float) -> None:
        clock[0] += seconds
        with board.changed:
            board.changed.notify_all()

    board.plan("r1", PLACE, "why?", PLAN)
    board.step("r1", "m1", "running", "")
    until(lambda: chat.shows("◐"))
    pass_time(4.9)
    assert not chat.shows("s)")
    pass_time(0.2)
    until(lambda: chat.shows("look at m1 (5 s)"))
    pass_time(12)
    until(lambda: chat.shows("look at m1 (15 s)"))
    board.step("r1", "m1", "ok", "found")
    pass_time(1)
    until(lambda: chat.shows("found") and not chat.shows("s)"))
    sent = len(chat.acts)
    pass_time(60)
    board.finish("r1")
    until(lambda: not board.shown)
    assert len(chat.acts) == sent + 1


def test_a_question_is_shown_to_be_read_only_when_that_takes_long(chat: FakeChat, make: Make) -> None:
    clock = [100.0]
    board = make(interval_s=0, monotonic=lambda: clock[0])
    board.plan("quick", PLACE, "why?", None, after_s=2.0)
    board.plan("quick", PLACE, "why?", PLAN)
    until(lambda: chat.shows("look at m1"))
    board.plan("long", Place("C2", "2.0", "T1"), "why?", None, after_s=2.0)
    board.plan("brief", Place("C3", "3.0", "T1"), "what?", None, after_s=2.0)
    board.finish("brief")
    assert not chat.shows("Reading the question")
    clock[0] += 2
    with board.changed:
        board.changed.notify_all()
    until(lambda: chat.shows("Reading the question"))
    assert {key for _, key in chat.acts} == {"quick:progress", "long:progress"}


def test_an_earlier_workers_message_is_gone_on_with(chat: FakeChat, make: Make) -> None:
    chat.posts["9.9"] = ("r1:progress", Post("old"))
    board = make()
    board.plan("r1", PLACE, "why?", PLAN, ts="9.9", states={"m1": ("ok", "known before")})
    until(lambda: chat.shows("known before"))
    board.finish("r1")
    until(lambda: not board.shown)
    assert (chat.count("post"), list(chat.posts)) == (0, ["9.9"])


def test_a_request_that_begins_anew_keeps_its_message(chat: FakeChat, make: Make) -> None:
    board = make()
    board.plan("r1", PLACE, "why?", PLAN)
    until(lambda: board.shown["r1"].ts)
    board.plan("r1", PLACE, "why?", PLAN, states={"m1": ("ok", "second time")})
    until(lambda: chat.shows("second time"))
    assert (chat.count("post"), len(chat.posts)) == (1, 1)


def test_a_second_turn_gets_a_message_of_its_own(chat: FakeChat, make: Make) -> None:
    board = make()
    for number in (1, 2):
        board.plan("r1", PLACE, "why?", PLAN)
        until(lambda n=number: chat.count("post") == n and board.shown["r1"].ts)
        board.finish("r1")
        until(lambda: not board.shown)
    assert len(chat.posts) == 2


def test_a_second_turn_does_not_wait_for_the_end_of_the_first(chat: FakeChat, make: Make) -> None:
    board = make(interval_s=NEVER_S)
    board.plan("r1", PLACE, "why?", PLAN)
    until(lambda: board.shown["r1"].ts)
    board.finish("r1")
    board.plan("r1", PLACE, "and now?", PLAN)
    until(lambda: chat.count("post") == 2)


def test_what_is_not_posted_when_the_answer_comes_never_is(chat: FakeChat, make: Make) -> None:
    chat.gate.clear()
    board = make()
    board.plan("first", PLACE, "why?", PLAN)
    assert chat.inside.wait(20)
    board.plan("r1", PLACE, "why?", PLAN)
    board.finish("r1")
    board.plan("last", PLACE, "why?", PLAN)
    chat.gate.set()
    until(lambda: chat.count("post", "last"))
    assert chat.count("post", "r1") == 0


def test_finish_waits_for_a_post_under_way(chat: FakeChat, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "FINISH_S", 20)
    chat.gate.clear()
    board = make()
    board.plan("r1", PLACE, "why?", PLAN)
    assert chat.inside.wait(20)
    finished: list[int] = []
    thread = threading.Thread(target=lambda: (board.finish("r1"), finished.append(len(chat.posts))))
    thread.start()
    until(lambda: board.shown["r1"].done)
    assert finished == []
    chat.gate.set()
    thread.join(20)
    assert finished == [1]
    until(lambda: not board.shown)
    assert chat.acts[-1] == ("update", "r1:progress")


def test_finish_waits_no_longer_than_it_may(chat: FakeChat, make: Make) -> None:
    chat.gate.clear()
    board = make()
    board.plan("r1", PLACE, "why?", PLAN)
    assert chat.inside.wait(20)
    board.finish("r1")  # comes back although the post never does
    assert chat.posts == {}
    chat.gate.set()
    until(lambda: not board.shown)
    assert chat.count("update") == 1


def test_updates_are_put_together(chat: FakeChat, make: Make) -> None:
    board = make()
    board.plan("r1", PLACE, "why?", PLAN)
    until(lambda: board.shown["r1"].ts)
    chat.inside.clear()
    chat.gate.clear()
    board.step("r1", "m1", "running", "")
    assert chat.inside.wait(20)
    for number in range(100):
        board.step("r1", "m1", "ok", f"value {number}")
    chat.gate.set()
    until(lambda: chat.shows("value 99"))
    assert chat.count("update") == 2


def test_an_interval_lies_between_two_updates(chat: FakeChat, make: Make) -> None:
    board = make(interval_s=NEVER_S)
    board.plan("r1", PLACE, "why?", PLAN)
    until(lambda: board.shown["r1"].ts)
    board.step("r1", "m1", "ok", "new")
    board.plan("r2", PLACE, "why?", PLAN)
    until(lambda: chat.count("post", "r2"))
    assert chat.count("update") == 0


def test_unknown_requests_are_nothing(chat: FakeChat, make: Make) -> None:
    board = make()
    board.step("r1", "m1", "ok", "")
    board.finish("r1")
    board.close()
    assert (chat.acts, board.thread) == ([], None)


# --- what goes wrong ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [ChatRefused("archived", "is_archived"), StoreUnavailable("the database is gone")])
def test_what_cannot_be_posted_is_dropped(chat: FakeChat, make: Make, error: Exception) -> None:
    chat.errors.append(error)
    board = make()
    board.plan("r1", PLACE, "why?", PLAN)
    until(lambda: board.dropped)
    assert board.shown == {}
    board.finish("r1")
    board.plan("r2", PLACE, "why?", PLAN)
    until(lambda: board.shown["r2"].ts)
    assert chat.count("post", "r1") == 1


def test_post_without_a_clear_answer_is_found_and_ended(
    chat: FakeChat, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PAUSE_S", 0)
    chat.errors.append(ChatUnavailable("cut"))
    chat.lost = False
    board = make()
    board.plan("r1", PLACE, "why?", PLAN)
    board.step("r1", "m1", "ok", "seen")
    until(lambda: chat.shows("seen"))
    board.finish("r1")
    until(lambda: not board.shown)
    assert (chat.count("post"), chat.count("find"), len(chat.posts), board.dropped) == (1, 1, 1, 0)


def test_request_that_ends_before_its_post_is_found_is_still_ended(
    chat: FakeChat, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PAUSE_S", NEVER_S)
    chat.errors.append(ChatUnavailable("cut"))
    chat.lost = False
    board = make()
    board.plan("r1", PLACE, "why?", PLAN)
    until(lambda: board.quiet_until)
    board.step("r1", "m1", "ok", "seen")
    board.finish("r1")
    board.close()
    assert (chat.count("post"), chat.shows("seen")) == (1, True)


def test_post_that_never_arrived_is_not_repeated(chat: FakeChat, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PAUSE_S", 0)
    chat.errors.append(ChatUnavailable("cut"))
    board = make()
    board.plan("r1", PLACE, "why?", PLAN)
    until(lambda: board.dropped)
    assert (chat.count("post"), chat.count("find"), chat.posts, board.shown) == (1, 1, {}, {})


def test_a_plan_that_finds_its_channel_busy_is_dropped(chat: FakeChat, make: Make) -> None:
    chat.errors.append(ChatBusy("too many", NEVER_S))
    board = make()
    board.plan("r1", PLACE, "why?", PLAN)
    until(lambda: board.dropped)
    assert (board.shown, board.quiet_until) == ({}, {})


def test_all_is_quiet_while_slack_is_away(chat: FakeChat, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PAUSE_S", NEVER_S)
    chat.errors.append(ChatUnavailable("no answer"))
    board = make()
    board.plan("r1", PLACE, "why?", PLAN)
    until(lambda: board.quiet_until)
    board.plan("r2", PLACE, "why?", PLAN)
    board.finish("r1")
    board.finish("r2")
    assert set(board.shown) == {"r1"}, "nobody knows whether it stands"
    assert chat.acts == [("post", "r1:progress")]


def test_update_is_tried_again_but_not_for_ever(chat: FakeChat, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PAUSE_S", 0)
    board = make()
    board.plan("r1", PLACE, "why?", PLAN)
    until(lambda: board.shown["r1"].ts)
    chat.errors.extend([ChatBusy("too many", 0), ChatUnavailable("cut")])
    board.step("r1", "m1", "ok", "third time")
    until(lambda: chat.shows("third time"))
    chat.errors.extend([ChatUnavailable("cut")] * 3)
    board.step("r1", "m2", "ok", "never")
    until(lambda: board.dropped)
    assert (board.shown, chat.count("update"), chat.shows("never")) == ({}, 6, False)


def test_note_that_cannot_be_kept_changes_nothing(chat: FakeChat, make: Make) -> None:
    def on_posted(request_id: str, ts: str) -> None:
        raise StoreUnavailable("the database is gone")

    board = make(on_posted=on_posted)
    board.plan("r1", PLACE, "why?", PLAN)
    board.step("r1", "m1", "ok", "still here")
    until(lambda: chat.shows("still here"))


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_died_is_replaced(chat: FakeChat, make: Make) -> None:
    chat.errors.append(ZeroDivisionError("a mistake of ours"))
    board = make()
    board.plan("r1", PLACE, "why?", PLAN)
    assert chat.inside.wait(20)
    until(lambda: board.thread and not board.thread.is_alive())
    board.finish("r1")
    board.plan("r2", PLACE, "why?", PLAN)
    until(lambda: board.shown["r2"].ts)


# --- bounds ---------------------------------------------------------------------------------------------------


def test_ten_thousand_requests_take_no_more_than_two_hundred(chat: FakeChat, make: Make) -> None:
    chat.gate.clear()
    board = make()
    for number in range(10_000):
        board.plan(f"r{number}", PLACE, "why?", PLAN)
        board.step(f"r{number}", "m1", "running", "")
    assert len(board.shown) == progress.MOST_SHOWN
    assert board.dropped == 10_000 - progress.MOST_SHOWN
    for number in range(10_000):
        if f"r{number}" in board.shown and not board.shown[f"r{number}"].sending:
            board.finish(f"r{number}")
    assert len(board.shown) <= 1
    chat.gate.set()


def test_ten_thousand_requests_one_after_the_other_leave_nothing(chat: FakeChat, make: Make) -> None:
    board = make(interval_s=0)
    for number in range(10_000):
        board.plan(f"r{number}", PLACE, "why?", PLAN)
        board.finish(f"r{number}")
        chat.posts.clear()
        chat.acts.clear()
    until(lambda: not board.shown)


def test_close_shows_what_has_ended_and_stops(chat: FakeChat, make: Make) -> None:
    board = make(interval_s=NEVER_S)
    for name in ("r1", "r2"):
        board.plan(name, PLACE, "why?", PLAN)
        until(lambda n=name: board.shown[n].ts)
    board.step("r1", "m1", "ok", "the end")
    board.step("r2", "m1", "ok", "half way")
    board.finish("r1")
    board.close()
    assert chat.shows("the end")
    assert chat.count("update") == 1
    assert board.thread is not None
    assert not board.thread.is_alive()
    board.plan("r3", PLACE, "why?", PLAN)
    assert "r3" not in board.shown


def test_close_does_not_wait_for_a_slack_that_hangs(chat: FakeChat, make: Make) -> None:
    chat.gate.clear()
    board = make()
    board.plan("r1", PLACE, "why?", PLAN)
    assert chat.inside.wait(20)
    board.close()  # comes back although the post never does
    assert board.thread is not None
    assert board.thread.is_alive()
