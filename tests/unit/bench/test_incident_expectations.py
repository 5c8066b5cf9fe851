"""What is expected of summaries can be met by quoting, and what is forbidden is something that the channel says."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from bench.incidents.expected import END, FOLDER, Cut, expected
from bench.incidents.judge import judge
from bench.incidents.transcripts import export, names, plain
from bench.incidents.written import read
from tests.support.quoting_summarizer import before, quote, quoted

CUTS = [(name, cut) for name in names() for cut in expected(name).cuts]
EACH = pytest.mark.parametrize(("name", "cut"), CUTS, ids=[f"{name}@{cut.until}" for name, cut in CUTS])


def test_each_transcript_has_its_expectations_and_a_half() -> None:
    assert names() == sorted(path.stem for path in FOLDER.glob("*.yaml"))
    assert Counter(expected(name).half for name in names()) == {"tune": 56, "held": 6}
    assert all(expected(name).cuts[-1].until == END for name in names())


@EACH
def test_messages_that_are_named_are_there_by_then(name: str, cut: Cut) -> None:
    there = {message.key for message in before(cut, read(name))}
    named = {key for fact in cut.present for key in (*fact.cites, *([fact.at] if ":" not in fact.at else []))}
    assert named - {""} <= read(name).by_key().keys()
    assert all(set(fact.cites) & there for fact in cut.present if fact.cites)
    assert {key for rule in cut.forbidden for key in rule.cites} <= read(name).by_key().keys()
    for ids in ([fact.id for fact in cut.present], [rule.id for rule in cut.forbidden]):
        assert len(ids) == len(set(ids))


@EACH
def test_each_fact_stands_in_one_message(name: str, cut: Cut) -> None:
    core = read(name)
    assert [fact.id for fact in cut.present if not quote(fact, before(cut, core), core)] == []


@EACH
def test_what_is_forbidden_is_what_somebody_said(name: str, cut: Cut) -> None:
    core = read(name)
    said = [text for message in core.messages for text in (plain(message, core.people), message.before) if text]
    whole = "\n".join(said)
    for rule in cut.forbidden:
        assert all(re.search(word, whole, re.IGNORECASE) for word in rule.pattern), rule.id


@EACH
def test_quoting_meets_all_that_is_expected(name: str, cut: Cut) -> None:
    channel = export(name)
    known = [message["ts"] for message in channel.messages]
    verdict = judge(quoted(cut, read(name), channel), cut, ts=channel.ts, known=known, chatter=channel.chatter)
    assert [found.fact.id for found in verdict.facts if not found.place] == []
    assert verdict.faults == ()
    assert verdict.present == verdict.wanted


@EACH
def test_saying_nothing_meets_nothing(name: str, cut: Cut) -> None:
    channel = export(name)
    verdict = judge({}, cut, ts=channel.ts, known=[message["ts"] for message in channel.messages])
    assert verdict.present == 0
    assert verdict.wrong_state
    assert verdict.malformed
