"""The judge of incident summaries passes what is right and fails what is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from bench.incidents.expected import Cut, Expected, Fact
from bench.incidents.judge import LISTS, Verdict, judge

TS = {
    "alert": "1763632330.000100",
    "cause": "1763632450.000200",
    "fix": "1763633000.000300",
    "late": "1763640000.000400",
}
KNOWN = list(TS.values())
AT = "2025-11-20T09:52:10Z"
CUT = Cut.model_validate(
    {
        "until": "fix",
        "state": ["mitigated"],
        "severity": ["SEV2"],
        "present": [
            {
                "id": "cause",
                "sections": ["known"],
                "any_of": [["certificate", "expired"]],
                "cites": ["cause"],
                "weight": 3,
            },
            {"id": "todo", "sections": ["action_items"], "any_of": [["renew"]], "owner": "ana", "done": False},
            {
                "id": "when",
                "sections": ["timeline"],
                "any_of": [["alert"]],
                "kind": ["alert"],
                "at": "alert",
                "weight": 2,
            },
        ],
        "forbidden": [
            {"id": "guess", "why": "withdrawn", "sections": ["known"], "pattern": ["DNS"], "unless": "not DNS"},
            {"id": "secret", "why": "a secret", "pattern": ["hunter2"]},
            {"id": "owner", "why": "handed over", "sections": ["action_items"], "pattern": ["renew"], "owner": "bo"},
            {"id": "joke", "why": "a joke", "sections": ["impact"], "cites": ["alert"]},
            {"id": "mixed", "why": "two incidents", "sections": ["impact"], "pattern": ["mail", "video"]},
        ],
        "most": {"impact": 1},
        "chatter": 0,
    }
)


def summary(**changed: Any) -> dict[str, Any]:
    empty: dict[str, Any] = {section: [] for section in LISTS}
    good = {
        "title": "Certificate of the edge",
        "severity": "SEV2",
        "status": {"state": "mitigated", "text": "Back since 09:30", "ts": [TS["fix"]]},
        "known": [{"text": "The certificate expired", "ts": [TS["cause"]]}],
        "action_items": [{"text": "Renew it earlier", "ts": [TS["fix"]], "owner": "@Ana", "done": False}],
        "timeline": [{"text": "Alert fired", "ts": [TS["alert"]], "at": AT, "kind": "alert"}],
        "next_update": None,
    }
    return empty | good | changed


def verdict(**changed: Any) -> Verdict:
    return judge(summary(**changed), CUT, ts=TS, known=KNOWN, chatter=frozenset({TS["late"]}))


def test_a_good_summary_has_all_and_no_faults() -> None:
    good = verdict()
    assert (good.present, good.wanted, good.faults) == (6, 6, ())
    assert [found.place for found in good.facts] == ["known", "action_items", "timeline"]


def test_who_leads_counts_as_known() -> None:
    told = {"text": "The certificate expired", "ts": [TS["cause"]], "name": "Mira"}
    assert verdict(known=[], lead=told).facts[0].place == "known"
    assert verdict(lead=told).malformed  # said twice


@pytest.mark.parametrize(
    ("fact", "changed"),
    [
        ("cause", {"known": []}),
        ("cause", {"known": [{"text": "The certificate was renewed", "ts": [TS["cause"]]}]}),
        ("cause", {"known": [], "hypotheses": [{"text": "The certificate expired", "ts": [TS["cause"]]}]}),
        ("todo", {"action_items": [{"text": "Renew it", "ts": [TS["fix"]], "owner": "", "done": False}]}),
        ("todo", {"action_items": [{"text": "Renew it", "ts": [TS["fix"]], "owner": "Ana", "done": True}]}),
        ("when", {"timeline": [{"text": "Alert", "ts": [TS["alert"]], "at": "2025-11-20T09:55:00Z", "kind": "alert"}]}),
        ("when", {"timeline": [{"text": "Alert", "ts": [TS["alert"]], "at": AT, "kind": "other"}]}),
    ],
)
def test_a_fact_is_missing(fact: str, changed: dict[str, Any]) -> None:
    assert [found.fact.id for found in verdict(**changed).facts if not found.place] == [fact]


def test_words_that_rest_on_another_message_are_no_fact() -> None:
    wrong = verdict(known=[{"text": "The certificate expired", "ts": [TS["alert"]]}])
    assert (wrong.facts[0].place, wrong.facts[0].miscited) == ("", True)
    assert wrong.present == 3


@pytest.mark.parametrize(
    ("fault", "changed"),
    [
        ("state is resolved", {"status": {"state": "resolved", "text": "Over", "ts": [TS["fix"]]}}),
        ("state is missing", {"status": {}}),
        ("severity is SEV1", {"severity": "SEV1"}),
        ("guess: withdrawn", {"known": [*summary()["known"], {"text": "It is dns", "ts": [TS["cause"]]}]}),
        ("secret: a secret", {"title": "Login with hunter2"}),
        ("secret: a secret", {"next_update": {"text": "password Hunter2", "ts": [TS["fix"]]}}),
        ("joke: a joke", {"impact": [{"text": "All of Theo", "ts": [TS["alert"]]}]}),
        ("mixed: two incidents", {"impact": [{"text": "Mail is late, video fails", "ts": [TS["cause"]]}]}),
        ("rests on no message", {"impact": [{"text": "Logins fail", "ts": []}]}),
        ("rests on 1763640000.000400", {"impact": [{"text": "x", "ts": [TS["late"], TS["fix"]]}]}),
        ("rests on 17.1, which is not there", {"impact": [{"text": "Logins fail", "ts": ["17.1"]}]}),
        ("impact has 2 lines, 1 at most", {"impact": [{"text": text, "ts": [TS["cause"]]} for text in "ab"]}),
        ("rests on chatter", {"known": [*summary()["known"], {"text": "lol", "ts": [TS["late"]]}]}),
        ("known says twice", {"known": summary()["known"] * 2}),
        ("decisions has a line without words", {"decisions": [{"text": " ", "ts": [TS["fix"]]}]}),
        ("decisions is not a list", {"decisions": None}),
        (
            "without its time",
            {"timeline": [*summary()["timeline"], {"text": "Then", "ts": [TS["fix"]], "at": "09:52"}]},
        ),
        ("says not whether", {"action_items": [*summary()["action_items"], {"text": "Sleep", "ts": [TS["fix"]]}]}),
    ],
)
def test_a_fault_is_told(fault: str, changed: dict[str, Any]) -> None:
    wrong = verdict(**changed)
    assert any(fault in said for said in wrong.faults), wrong.faults


def test_the_owner_who_handed_over_is_a_fault() -> None:
    items = [{"text": "Renew it", "ts": [TS["fix"]], "owner": owner, "done": False} for owner in ("Bo", "Ana")]
    assert any(said.startswith("owner: handed over") for said in verdict(action_items=items).faults)


def test_what_is_said_with_its_correction_is_let_pass() -> None:
    assert verdict(known=[*summary()["known"], {"text": "It is not DNS", "ts": [TS["cause"]]}]).faults == ()


def test_nothing_to_report_needs_no_message() -> None:
    quiet = Cut.model_validate({"until": "end", "state": ["none"], "severity": [""]})
    said = summary(severity="", status={"state": "none", "text": "", "ts": []}, known=[], action_items=[], timeline=[])
    assert judge(said, quiet, ts=TS, known=KNOWN).faults == ()


def test_a_key_that_is_missing_is_told() -> None:
    said = summary()
    del said["ruled_out"]
    assert "ruled_out is missing" in judge(said, CUT, ts=TS, known=KNOWN).malformed


def test_a_mistake_in_the_expectations_is_refused() -> None:
    with pytest.raises(ValidationError, match="extra"):
        Expected.model_validate({"half": "tune", "cuts": [{"until": "end", "state": ["none"], "presents": []}]})
    with pytest.raises(ValidationError):
        Fact.model_validate({"id": "x", "sections": ["causes"], "any_of": [["a"]]})
