"""JSON lines to a file, a stream or nowhere."""

from __future__ import annotations

import io
import json
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog

from tests.support.request_logs import make_log
from workers.errors import ConfigError
from workers.telemetry.json_logs import close_logs, configure_logs, log_request, rotate_log
from workers.toolkit.redaction import BUILTIN

TOKEN = "ghp_" + "a1B2" * 9


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    yield
    close_logs()
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.split("\n") if line]


def test_one_line_a_request_with_exactly_its_keys(tmp_path: Path) -> None:
    file = tmp_path / "logs" / "oracle.jsonl"
    configure_logs(redact=BUILTIN.value, file=file)
    structlog.contextvars.bind_contextvars(agent="research")
    log_request(make_log())
    assert file.stat().st_mode & 0o777 == 0o600
    (line,) = lines(file.read_text())
    assert line.keys() == {
        *("request_id", "user_question", "intent_record", "plan", "tool_calls", "final_answer_summary"),
        *("ts", "level", "event"),
    }
    assert (line["event"], line["level"]) == ("request", "info")
    assert line["ts"].endswith("Z")


def test_user_text_mode(tmp_path: Path) -> None:
    stream = io.StringIO()
    configure_logs(redact=BUILTIN.value, stream=stream)
    log_request(make_log(text="zanzibar"), "redacted")
    assert lines(stream.getvalue())[0]["user_question"] == "[redacted:text]"


@pytest.mark.parametrize("text", ["two\nlines", "\u2028 \x85 \r", "\ud800 half", "✓"])
def test_any_text_stays_on_one_line(text: str) -> None:
    stream = io.StringIO()
    configure_logs(redact=BUILTIN.value, stream=stream)
    log_request(make_log(text=text))
    assert len(stream.getvalue().splitlines()) == 1
    assert lines(stream.getvalue())[0]["user_question"] == text


def test_file_and_stream_hear_the_same_and_bound_values() -> None:
    stream = io.StringIO()
    configure_logs(redact=BUILTIN.value, stream=stream)
    with structlog.contextvars.bound_contextvars(request_id="r1"):
        structlog.get_logger("workers.x").warning("slow", took_ms=12)
    (line,) = lines(stream.getvalue())
    assert (line["event"], line["request_id"], line["took_ms"]) == ("slow", "r1", 12)
    assert (line["level"], line["logger"]) == ("warning", "workers.x")


def raise_with_secret() -> None:
    raise ValueError(f"cannot use {TOKEN}")


class Opaque:
    def __repr__(self) -> str:
        return f"Opaque(password='{TOKEN}')"


def test_secrets_are_redacted_everywhere_in_a_line() -> None:
    stream = io.StringIO()
    configure_logs(redact=BUILTIN.value, stream=stream)
    try:
        raise_with_secret()
    except ValueError:
        structlog.get_logger("workers.x").exception(f"failed {TOKEN}", deep=[{"x": TOKEN}], thing=Opaque())
    log_request(make_log(text=f"why {TOKEN}", notes=(TOKEN,)))
    logging.getLogger("foreign").warning("heard %s", TOKEN)
    assert TOKEN not in stream.getvalue()
    first = lines(stream.getvalue())[0]
    assert "ValueError: cannot use [redacted:github-token]" in first["exception"]
    assert "test_json_logs.py" in first["exception"]
    assert len(lines(stream.getvalue())) == 3


def test_other_libraries_are_heard_from_warnings_on() -> None:
    stream = io.StringIO()
    configure_logs(redact=BUILTIN.value, stream=stream)
    logging.getLogger("httpx").info("GET http://…")
    logging.getLogger("httpx").warning("slow")
    structlog.get_logger("workers.x").debug("detail")
    assert [line["event"] for line in lines(stream.getvalue())] == ["slow"]


def test_without_a_sink_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    configure_logs(redact=BUILTIN.value)
    structlog.get_logger("workers.x").error("boom")
    log_request(make_log())
    assert capfd.readouterr() == ("", "")


def test_configuring_again_replaces(tmp_path: Path) -> None:
    first, second = io.StringIO(), io.StringIO()
    configure_logs(redact=BUILTIN.value, stream=first)
    close = configure_logs(redact=BUILTIN.value, stream=second)
    structlog.get_logger("workers.x").info("once")
    close()
    structlog.get_logger("workers.x").info("after the end")
    assert first.getvalue() == ""
    assert [line["event"] for line in lines(second.getvalue())] == ["once"]


def test_rotated_file_is_opened_again(tmp_path: Path) -> None:
    file = tmp_path / "oracle.jsonl"
    configure_logs(redact=BUILTIN.value, file=file)
    log_request(make_log("request-1"))
    file.rename(tmp_path / "oracle.jsonl.1")
    log_request(make_log("request-2"))
    assert [line["request_id"] for line in lines(file.read_text())] == ["request-2"]


def test_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match=r"^log_file: .*file/x.jsonl cannot be written"):
        configure_logs(redact=BUILTIN.value, file=tmp_path / "file" / "x.jsonl")


def test_log_that_fails_later_stops_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    full = Path("/dev/full")
    configure_logs(redact=BUILTIN.value, file=full)
    log_request(make_log())
    close_logs()
    assert "the log /dev/full cannot be written" in capfd.readouterr().err


def test_a_long_log_is_begun_anew_by_whoever_looks_and_every_writer_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "oracle.jsonl"
    close = configure_logs(redact=lambda value: value, file=path)
    try:
        logging.getLogger("workers.a").warning("before")
        assert not rotate_log(path, 30, most_bytes=10_000)
        assert rotate_log(path, 30, most_bytes=10)
        logging.getLogger("workers.a").warning("after")
    finally:
        close()
    (older,) = tmp_path.glob("oracle.jsonl.*")
    assert "before" in older.read_text()
    assert "before" not in path.read_text()
    assert "after" in path.read_text()
    os.utime(older, (1, 1))
    assert not rotate_log(path, 30)
    assert not older.exists()
    assert path.exists()
