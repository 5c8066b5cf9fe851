"""Progress as a stream that becomes a message, and what stands below the thread; with a clock of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from tests.support.memory_chat import FakeChat
from workers.contracts import Plan, Step
from workers.delivery import progress
from workers.delivery.progress import BEAT_S, NEWS_S, STREAM_S, ProgressBoard
from workers.delivery.thread_status import LOAD_S, REFUSED_S
from workers.errors import ChatBusy, ChatRefused, ChatUnavailable
from workers.ports import Chat, Place, Post, Recipient

PLACE = Place("C1", "1.0", "T1")
ASKER = Recipient("U1", "T1")
PLAN = Plan(
    pattern="P",
    query_intent="find the cause",
    steps=tuple(Step(id=i, tool="metrics_query", args={"query": i}, purpose=f"look at {i}") for i in ("m1", "m2")),
)
URL = "https://prometheus.example/graph"


def refused(code: str) -> ChatRefused:
    return ChatRefused(f"slack: {code}", code)


class Clock:
    """Stands still until it is moved, and then wakes the board."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.board: ProgressBoard | None = None

    def __call__(self) -> float:
        return self.now

    def move(self, seconds: float) -> None:
        assert self.board
        with self.board.changed:
            self.now += seconds
            self.board.changed.notify_all()


@pytest.fixture
def chat() -> FakeChat:
    return FakeChat()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def board(chat: FakeChat, clock: Clock) -> Iterator[ProgressBoard]:
    made = ProgressBoard(lambda team: chat, interval_s=0, monotonic=clock)
    clock.board = made
    yield made
    made.close()
    if made.thread:
        made.thread.join(20)
        assert not made.thread.is_alive()


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def show(board: ProgressBoard, name: str = "r1", place: Place = PLACE, recipient: Recipient | None = ASKER) -> None:
    board.plan(name, place, "why?", PLAN, recipient=recipient)


def shown(board: ProgressBoard, chat: FakeChat, name: str = "r1") -> None:
    """Until its message stands and all that goes with it was tried."""
    until(lambda: board.shown[name].ts and board.shown[name].beaten_at == board.monotonic())
    until(lambda: settled(board))


def settled(board: ProgressBoard) -> bool:
    with board.changed:
        idle = not any(i.fresh or i.sending for i in board.shown.values())
        return idle and not board.leaving


def ended(board: ProgressBoard) -> None:
    until(lambda: not board.shown and not board.leaving)


def texts(chat: FakeChat) -> str:
    return str([post.blocks for _, post in chat.updates])


# --- a stream's life ------------------------------------------------------------------------------------------


def test_a_plan_is_streamed_to_the_asker_grows_and_ends_marked(board: ProgressBoard, chat: FakeChat) -> None:
    show(board)
    shown(board, chat)
    board.step("r1", "m1", "running", "")
    until(lambda: chat.streams[0].tasks()["r1:progress/0"]["status"] == "in_progress")
    board.step("r1", "m1", "ok", "p95 is 1.9 s", (("p95 of /api/search", URL),))
    until(lambda: chat.streams[0].tasks()["r1:progress/0"]["status"] == "complete")
    board.step("r1", "m2", "empty", "no such metric")
    board.finish("r1")
    ended(board)
    (stream,) = chat.streams
    assert (stream.place, stream.recipient, stream.running, stream.key) == (PLACE, ASKER, False, "r1:progress")
    first, second = stream.tasks().values()
    assert (first["output"], [s["url"] for s in first["sources"]]) == ("p95 is 1.9 s", [URL])
    assert (second["status"], second["output"]) == ("complete", "nothing found: no such metric")
    assert stream.title == "Checked"
    assert (chat.messages, chat.updates, board.dropped) == ([], [], 0)


def test_a_models_list_is_the_visible_plan_and_ticks_nothing_that_was_left_open(
    board: ProgressBoard, chat: FakeChat
) -> None:
    show(board)
    shown(board, chat)
    board.todo("r1", (("Look at p95", "active"), ("Read the runbook", "pending")))
    board.step("r1", "m1", "running", "")
    until(lambda: chat.streams[0].tasks().get("r1:progress/0t", {}).get("title") == "Look at p95 · look at m1")
    board.step("r1", "m1", "ok", "p95 is 1.9 s")
    board.todo("r1", (("Look at p95", "done"), ("Read the runbook", "active"), ("Ask who deployed", "pending")))
    until(lambda: chat.streams[0].title == "Checking · 1 of 3 done")
    board.finish("r1")
    ended(board)
    tasks = {k: (t["title"], t["status"]) for k, t in chat.streams[0].tasks().items() if k.endswith("t")}
    assert list(tasks.values()) == [
        ("Look at p95", "complete"),
        ("Read the runbook", "pending"),
        ("Ask who deployed", "pending"),
    ]


def test_the_ts_of_a_stream_is_told(chat: FakeChat) -> None:
    told: list[tuple[str, str]] = []
    board = ProgressBoard(lambda team: chat, lambda name, ts: told.append((name, ts)))
    show(board)
    until(lambda: told)
    board.close()
    assert told == [("r1", chat.streams[0].ts)]


@pytest.mark.parametrize("recipient", [None, Recipient("", "T1"), Recipient("U1", "")])
def test_without_a_recipient_it_is_a_message(board: ProgressBoard, chat: FakeChat, recipient: Recipient | None) -> None:
    show(board, recipient=recipient)
    shown(board, chat)
    assert (len(chat.messages), chat.streams) == (1, [])


def test_the_chat_is_that_of_the_workspace(chat: FakeChat) -> None:
    asked: list[str] = []

    def chats(team: str) -> Chat:
        asked.append(team)
        return chat

    board = ProgressBoard(chats)
    show(board, place=Place("C1", "1.0", "T9"))
    until(lambda: chat.streams)
    board.close()
    assert set(asked) == {"T9"}


def test_before_it_expires_a_stream_becomes_a_message(board: ProgressBoard, chat: FakeChat, clock: Clock) -> None:
    show(board)
    shown(board, chat)
    board.step("r1", "m1", "ok", "p95 is 1.9 s")
    until(lambda: "p95 is 1.9 s" in str(chat.streams[0].chunks))
    clock.move(STREAM_S)
    until(lambda: chat.updates)
    (stream,) = chat.streams
    assert (stream.running, stream.key, chat.updates[0][0]) == (False, "r1:progress", stream.ts)
    board.step("r1", "m2", "ok", "and 4 errors a minute")
    board.finish("r1")
    ended(board)
    assert "p95 is 1.9 s" in texts(chat)
    assert "and 4 errors a minute" in texts(chat)
    assert "Checked" in str(chat.updates[-1][1].blocks)
    assert (len(chat.streams), chat.messages) == (1, [])


@pytest.mark.parametrize("code", ["message_not_in_streaming_state", "stopped_by_user", "message_not_found"])
@pytest.mark.parametrize("last", [False, True])
def test_a_stream_that_ended_by_itself_goes_on_by_updates(
    board: ProgressBoard, chat: FakeChat, code: str, last: bool
) -> None:
    show(board)
    shown(board, chat)
    chat.streams[0].running = False
    chat.errors["stop_stream" if last else "append_stream"] = [refused(code)]
    board.step("r1", "m1", "ok", "found later")
    if not last:
        until(lambda: "found later" in texts(chat))
    board.finish("r1")
    ended(board)
    assert "found later" in texts(chat)
    assert {ts for ts, _ in chat.updates} == {chat.streams[0].ts}
    assert board.dropped == 0


def test_an_unclear_append_is_not_told_twice(
    board: ProgressBoard, chat: FakeChat, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PAUSE_S", 0)
    show(board)
    shown(board, chat)
    chat.errors["append_stream"] = [ChatUnavailable("cut")]
    board.step("r1", "m1", "ok", "perhaps told")
    until(lambda: "perhaps told" in texts(chat))
    assert not chat.streams[0].running
    assert "perhaps told" not in str(chat.streams[0].chunks)


def test_a_busy_append_is_told_later(board: ProgressBoard, chat: FakeChat, clock: Clock) -> None:
    show(board)
    shown(board, chat)
    chat.errors["append_stream"] = [ChatBusy("too many", 7)]
    board.step("r1", "m1", "ok", "told later")
    until(lambda: board.quiet_until)
    assert "told later" not in str(chat.streams[0].chunks)
    clock.move(7)
    until(lambda: "told later" in str(chat.streams[0].chunks))
    assert chat.streams[0].running


def test_another_workers_stream_is_stopped_and_gone_on_with(board: ProgressBoard, chat: FakeChat) -> None:
    ts = chat.start_stream(PLACE, ASKER, [])
    board.plan("r1", PLACE, "why?", PLAN, recipient=ASKER, ts=ts, states={"m1": ("ok", "known before")})
    until(lambda: "known before" in texts(chat))
    board.finish("r1")
    ended(board)
    (stream,) = chat.streams
    assert (stream.running, stream.key, {at for at, _ in chat.updates}) == (False, "r1:progress", {ts})


def test_a_start_without_a_clear_answer_is_found_by_its_tasks(
    board: ProgressBoard, chat: FakeChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "PAUSE_S", 0)
    begin = chat.start_stream

    def start_and_cut(*args: object) -> str:
        begin(*args)  # type: ignore[arg-type]
        raise ChatUnavailable("cut")

    monkeypatch.setattr(chat, "start_stream", start_and_cut)
    show(board)
    board.step("r1", "m1", "ok", "seen")
    until(lambda: "seen" in texts(chat))
    assert (len(chat.streams), chat.streams[0].running, chat.looks) == (1, False, 1)


# --- where there is no stream ---------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["missing_scope", "unknown_method", "not_allowed_token_type"])
def test_a_workspace_that_refuses_streams_is_not_asked_for_an_hour(
    board: ProgressBoard, chat: FakeChat, clock: Clock, code: str
) -> None:
    chat.errors["start_stream"] = [refused(code)]
    for name in ("r1", "r2"):
        show(board, name)
        shown(board, chat, name)
    assert (len(chat.messages), chat.streams) == (2, [])
    show(board, "r3", Place("C1", "1.0", "T2"))
    shown(board, chat, "r3")
    assert len(chat.streams) == 1, "another workspace"
    clock.move(REFUSED_S)
    show(board, "r4")
    until(lambda: len(chat.streams) == 2)


def test_a_channel_that_takes_no_stream_says_nothing_of_others(board: ProgressBoard, chat: FakeChat) -> None:
    chat.errors["start_stream"] = [refused("channel_type_not_supported")]
    for name in ("r1", "r2"):
        show(board, name)
        shown(board, chat, name)
    assert (len(chat.messages), len(chat.streams)) == (1, 1)


def test_a_busy_workspace_gets_no_stream_for_as_long_as_it_asks(
    board: ProgressBoard, chat: FakeChat, clock: Clock
) -> None:
    chat.errors["start_stream"] = [ChatBusy("ratelimited", 40)]
    show(board)
    until(lambda: board.dropped)
    show(board, "r2")
    until(lambda: board.shown["r2"].ts)
    assert (len(chat.messages), chat.streams) == (1, [])
    until(lambda: settled(board))
    clock.move(40)
    show(board, "r3")
    until(lambda: chat.streams)


# --- below the thread -----------------------------------------------------------------------------------------


def test_status_and_session_stand_while_it_runs_and_are_taken_back(
    board: ProgressBoard, chat: FakeChat, clock: Clock
) -> None:
    show(board)
    until(lambda: len(chat.sessions) == 1)
    assert chat.statuses == [(PLACE, "is checking: look at m1…")]
    assert chat.sessions == [(PLACE, "processing", "why?", "U1")]
    until(lambda: settled(board))
    clock.move(BEAT_S)
    until(lambda: len(chat.sessions) == 2)
    board.step("r1", "m1", "ok", "found")
    until(lambda: settled(board))
    clock.move(NEWS_S - 1)
    assert len(chat.sessions) == 2
    clock.move(1)
    until(lambda: len(chat.sessions) == 3)
    assert chat.statuses[-1] == (PLACE, "is checking: look at m2…")
    board.finish("r1")
    until(lambda: chat.sessions[-1][1] == "active")
    assert chat.statuses[-1] == (PLACE, "")
    assert (len(chat.statuses), len(chat.sessions)) == (4, 4)


def test_the_session_of_a_stream_that_is_rolled_over_goes_on(
    board: ProgressBoard, chat: FakeChat, clock: Clock
) -> None:
    show(board)
    until(lambda: len(chat.sessions) == 1)
    for beats in range(2, 5):
        clock.move(BEAT_S - 1)
        assert len(chat.sessions) < beats
        clock.move(1)
        until(lambda n=beats: len(chat.sessions) == n)
    clock.move(STREAM_S - 3 * BEAT_S)
    until(lambda: chat.updates and len(chat.sessions) == 5)
    assert {status for _, status, *_ in chat.sessions} == {"processing"}


def test_what_a_workspace_refuses_is_not_tried_again_for_an_hour(
    board: ProgressBoard, chat: FakeChat, clock: Clock
) -> None:
    chat.errors = {"set_status": [refused("missing_scope")], "set_session": [refused("unknown_method")]}
    for name in ("r1", "r2"):
        show(board, name)
        shown(board, chat, name)
    board.finish("r1")
    until(lambda: "r1" not in board.shown)
    until(lambda: settled(board))
    assert (chat.statuses, chat.sessions) == ([], [])
    clock.move(REFUSED_S)
    until(lambda: chat.statuses and chat.sessions)


def test_under_load_neither_is_sent(board: ProgressBoard, chat: FakeChat, clock: Clock) -> None:
    show(board)
    until(lambda: len(chat.sessions) == 1)
    chat.errors["append_stream"] = [ChatBusy("too many", 1)]
    board.step("r1", "m1", "ok", "found")
    until(lambda: board.quiet_until)
    show(board, "r2", recipient=None, place=Place("C2", "2.0", "T1"))
    clock.move(1)
    shown(board, chat, "r2")
    assert len(chat.sessions) == 1
    board.finish("r1")
    until(lambda: chat.sessions[-1][1] == "active")
    clock.move(LOAD_S + BEAT_S)
    until(lambda: len(chat.sessions) == 3)


def test_a_thread_whose_other_request_is_still_worked_on_keeps_its_status(board: ProgressBoard, chat: FakeChat) -> None:
    show(board)
    show(board, "r2")
    until(lambda: len(chat.sessions) == 2)
    board.finish("r1")
    until(lambda: "r1" not in board.shown)
    until(lambda: settled(board))
    assert {session[1] for session in chat.sessions} == {"processing"}
    board.finish("r2")
    until(lambda: chat.sessions[-1][1] == "active")
    assert chat.statuses[-1][1] == ""


def test_what_another_worker_goes_on_with_is_left_to_it(board: ProgressBoard, chat: FakeChat) -> None:
    show(board)
    until(lambda: len(chat.sessions) == 1)
    board.abandon("r1")
    board.step("r1", "m1", "ok", "found")
    board.finish("r1")
    until(lambda: settled(board))
    assert chat.streams[0].running
    assert [session[1] for session in chat.sessions] == ["processing"]


def test_what_an_earlier_worker_left_below_the_thread_is_taken_back(board: ProgressBoard, chat: FakeChat) -> None:
    board.plan("r1", PLACE, "why?", PLAN, ts="9.9")
    board.finish("r1")
    ended(board)
    until(lambda: chat.sessions)
    assert (chat.statuses[-1], chat.sessions[-1][1]) == ((PLACE, ""), "active")


def test_progress_that_is_dropped_takes_its_status_back(board: ProgressBoard, chat: FakeChat) -> None:
    show(board)
    until(lambda: len(chat.sessions) == 1)
    chat.errors = {"append_stream": [refused("is_archived")], "update": [refused("is_archived")]}
    board.step("r1", "m1", "ok", "found")
    until(lambda: board.dropped)
    until(lambda: chat.sessions[-1][1] == "active")


def test_a_request_that_moved_ends_where_it_was_and_begins_there(board: ProgressBoard, chat: FakeChat) -> None:
    show(board)
    shown(board, chat)
    show(board, place=Place("D1", "2.0", "T1"))
    until(lambda: len(chat.streams) == 2)
    until(lambda: not chat.streams[0].running)
    assert chat.streams[0].title == "Checked"
    assert chat.streams[1].running


def test_nobody_waits_for_a_stream_that_hangs(chat: FakeChat, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, inside = threading.Event(), threading.Event()

    def hang(*args: object) -> str:
        inside.set()
        assert gate.wait(20)
        raise ChatUnavailable("timed out")

    monkeypatch.setattr(chat, "start_stream", hang)
    board = ProgressBoard(lambda team: chat)
    show(board)
    assert inside.wait(20)
    board.finish("r1")  # comes back although the stream never does
    chat.post(PLACE, Post("the answer"), "r1:0.0")
    assert chat.keys() == ["r1:0.0"]
    gate.set()
    board.close()
