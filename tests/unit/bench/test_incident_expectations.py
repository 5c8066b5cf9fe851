"""What is expected of summaries can be met by quoting, and what is forbidden is something that the channel says."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from bench.incidents.expected import END, FOLDER, Cut, expected
from bench.incidents.judge import Verdict, judge
from bench.incidents.transcripts import export, names, plain
from bench.incidents.written import read
from tests.support.quoting_summarizer import before, quote, quoted

CUTS = [(name, cut) for name in names() for cut in expected(name).cuts]


def test_each_transcript_has_its_expectations_and_a_half() -> None:
    assert names() == sorted(path.stem for path in FOLDER.glob("*.yaml"))
    assert Counter(expected(name).half for name in names()) == {"tune": 56, "held": 18}
    assert all(expected(name).cuts[-1].until == END for name in names())


def test_messages_that_are_named_are_there_by_then() -> None:
    for name, cut in CUTS:
        keys, there = read(name).by_key().keys(), {message.key for message in before(cut, read(name))}
        named = {key for fact in cut.present for key in (*fact.cites, *([fact.at] if ":" not in fact.at else []))}
        assert named - {""} <= keys, (name, cut.until)
        assert all(set(fact.cites) & there for fact in cut.present if fact.cites), (name, cut.until)
        assert {key for rule in cut.forbidden for key in rule.cites} <= keys, (name, cut.until)
        for ids in ([fact.id for fact in cut.present], [rule.id for rule in cut.forbidden]):
            assert len(ids) == len(set(ids)), (name, cut.until)


def test_each_fact_stands_in_one_message() -> None:
    nowhere = [
        (name, cut.until, fact.id)
        for name, cut in CUTS
        for fact in cut.present
        if not quote(fact, before(cut, read(name)), read(name))
    ]
    assert nowhere == []


def test_what_is_forbidden_is_what_somebody_said() -> None:
    for name, cut in CUTS:
        core = read(name)
        said = [text for message in core.messages for text in (plain(message, core.people), message.before) if text]
        whole = "\n".join(said)
        for rule in cut.forbidden:
            assert all(re.search(word, whole, re.IGNORECASE) for word in rule.pattern), (name, rule.id)


def test_quoting_meets_all_that_is_expected() -> None:
    for name, cut in CUTS:
        verdict = judged(name, cut, quoted(cut, read(name), export(name)))
        assert [found.fact.id for found in verdict.facts if not found.place] == [], (name, cut.until)
        assert verdict.faults == (), (name, cut.until)
        assert verdict.present == verdict.wanted, (name, cut.until)


def test_saying_nothing_meets_nothing() -> None:
    for name, cut in CUTS:
        verdict = judged(name, cut, {})
        assert (verdict.present, bool(verdict.wrong_state), bool(verdict.malformed)) == (0, True, True), (
            name,
            cut.until,
        )


def judged(name: str, cut: Cut, summary: dict[str, Any]) -> Verdict:
    channel = export(name)
    known = [message["ts"] for message in channel.messages]
    return judge(summary, cut, ts=channel.ts, known=known, chatter=channel.chatter)
