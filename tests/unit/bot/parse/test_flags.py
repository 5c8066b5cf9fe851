"""What tells of changed flags, read as changes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.parse.flags import FlagSites, read_flags
from bot.parse.hooks import Unreadable
from tests.support.flag_payloads import AT_MS, launchdarkly_entry, plain_flag, unleash_event
from tests.support.payload_reading import NOW
from workers.contracts import FlagChange

AT = datetime(2026, 11, 21, 11, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=12,
)


def read(payload: Any, environment: str = "production") -> FlagChange:
    (change,) = read_flags(payload, environment, NOW).changes
    return change


def test_the_plain_form() -> None:
    assert read(plain_flag()) == FlagChange(
        flag="new-cart",
        at=AT,
        service="shop",
        environment="production",
        change="changed",
        before="off",
        after="on",
        who="ana@example.com",
    )
    least = read({"flag": "pool.size", "change": "raised"}, "staging")
    assert (least.environment, least.at, least.change, least.before) == ("staging", NOW, "raised", "")
    assert (read(plain_flag(before=20, after={"max": 5})).before, read(plain_flag(after=[1, "a"])).after) == (
        "20",
        '[1,"a"]',
    )
    assert read(plain_flag(environment="Prod")).environment == "production"
    assert [c.flag for c in read_flags([plain_flag(), plain_flag(flag="b")], "production", NOW).changes][1] == "b"


@pytest.mark.parametrize(
    ("payload", "names"),
    [
        ({"flag": "a"}, "change"),
        ({"change": "on"}, "flag"),
        (plain_flag(at="yesterday"), "at"),
        (plain_flag(at="2099-01-01T00:00:00Z"), "at"),
        (plain_flag(colour="red"), "'colour'"),
        ([plain_flag(), plain_flag(flag=" ")], "[1].flag"),
        (7, "the body"),
        ([plain_flag()] * 101, "101"),
        (launchdarkly_entry(date="soon"), "date"),
        (launchdarkly_entry(date=10**30), "date"),
        ([launchdarkly_entry(date=4_000_000_000_000)], "[0]."),
        (unleash_event(createdAt="soon"), "createdAt"),
        (unleash_event(featureName=None), "featureName"),
    ],
)
def test_a_mistake_is_one_sentence_with_its_key(payload: Any, names: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_flags(payload, "production", NOW)
    assert str(caught.value).startswith(names)
    assert "\n" not in str(caught.value)


def test_launchdarkly_tells_each_environment_with_what_it_was() -> None:
    told = read_flags(launchdarkly_entry(environments=("production", "staging")), "production", NOW).changes
    assert [(c.environment, c.before, c.after) for c in told] == [("production", "off", "on"), ("staging", "off", "on")]
    first = told[0]
    assert (first.flag, first.service, first.who, first.at) == ("new-cart", "shop", "ana@example.com", AT)
    assert (first.change, first.source) == ("turned on the flag", "launchdarkly")
    assert first.url == "https://app.launchdarkly.com/shop/production/features/new-cart"
    elsewhere = read_flags(launchdarkly_entry(), "production", NOW, FlagSites(launchdarkly="https://ld.example.com/"))
    assert elsewhere.changes[0].url.startswith("https://ld.example.com/shop/")


def test_launchdarkly_without_versions_is_read_by_its_words() -> None:
    entry = launchdarkly_entry(titleVerb="turned off the flag", previousVersion=None, currentVersion=None)
    assert (read(entry).before, read(entry).after) == ("on", "off")
    entry = launchdarkly_entry(titleVerb="changed the default rule of", member=None, token={"name": "ci"})
    del entry["previousVersion"], entry["currentVersion"]
    assert (read(entry).before, read(entry).after, read(entry).who) == ("", "", "ci")


def test_launchdarkly_s_other_values_stand_as_they_are() -> None:
    entry = launchdarkly_entry()
    for side, weight in (("previousVersion", 0), ("currentVersion", 50_000)):
        entry[side]["environments"]["production"] = {"on": True, "version": weight, "fallthrough": {"rollout": weight}}
    assert read(entry).before == 'fallthrough: {"rollout":0}'
    assert read(entry).after == 'fallthrough: {"rollout":50000}'


@pytest.mark.parametrize(
    "payload",
    [
        launchdarkly_entry(kind="member", target={"resources": ["member/5"]}),
        launchdarkly_entry(target=None),
        launchdarkly_entry(accesses=[{"action": "updateDescription", "resource": "proj/a:env/b:flag/c"}]),
        unleash_event("feature-metadata-updated"),
        unleash_event("user-created"),
    ],
)
def test_what_changes_nothing_of_a_flag_is_ignored_with_a_reason(payload: Any) -> None:
    told = read_flags(payload, "production", NOW)
    assert (told.changes, bool(told.ignored)) == ((), True)


def test_unleash() -> None:
    change = read(unleash_event())
    assert (change.flag, change.before, change.after, change.who, change.service) == (
        "new-cart",
        "off",
        "on",
        "ben",
        "shop",
    )
    assert (change.at, change.source, change.change) == (AT, "unleash", "turned on")
    assert read(unleash_event("feature-environment-disabled")).after == "off"
    grown = unleash_event(
        "feature-strategy-update",
        preData={"name": "flexibleRollout", "parameters": {"rollout": "0"}},
        data={"name": "flexibleRollout", "parameters": {"rollout": "50"}},
    )
    assert (read(grown).before, read(grown).after) == ('parameters: {"rollout":"0"}', 'parameters: {"rollout":"50"}')
    told = read_flags(unleash_event(environment="qa"), "production", NOW, FlagSites(unleash="https://u.example.com"))
    assert (told.changes[0].environment, told.changes[0].url) == (
        "qa",
        "https://u.example.com/projects/shop/features/new-cart",
    )
    assert read(unleash_event("feature-archived", environment=None)).environment == "production"


FORMS = st.sampled_from([plain_flag(), launchdarkly_entry(), unleash_event()])


@given(JSON | st.tuples(FORMS, st.sampled_from(list(launchdarkly_entry()) + list(unleash_event())), JSON))
def test_no_payload_breaks_it(payload: Any) -> None:
    if isinstance(payload, tuple):
        form, key, value = payload
        payload = {**form, key: value}
    try:
        told = read_flags(payload, "production", NOW)
    except Unreadable:
        return
    for change in told.changes:
        assert change.flag
        assert len(change.change) <= 300
        assert change.flag.isprintable()


@given(st.dictionaries(st.sampled_from(["on", "rules", "version", "x"]), JSON, max_size=4))
def test_any_versions_can_be_compared(state: dict[str, Any]) -> None:
    entry = launchdarkly_entry()
    entry["currentVersion"]["environments"]["production"] = state
    change = read(entry)
    assert (change.before + change.after).isprintable()
    assert entry["date"] == AT_MS
