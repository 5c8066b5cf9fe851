"""config/models.yaml: who thinks, where, for how much; every mistake named with its place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from workers.bootstrap import build_engine
from workers.contracts import Role
from workers.errors import ConfigError
from workers.reasoning.model.prompts import PromptBook
from workers.settings.load import Settings, load_settings
from workers.settings.schema import Models

ROLES = {role: {"model": f"m-{role}", "price": {"input": 1}} for role in get_args(Role)}


@pytest.fixture
def extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder ORACLE_CONFIG."""
    folder = tmp_path / "extra"
    folder.mkdir()
    monkeypatch.setenv("ORACLE_CONFIG", str(folder))
    return folder


def write(folder: Path, **models: Any) -> None:
    (folder / "models.yaml").write_text(yaml.safe_dump(models))


def problems() -> tuple[str, ...]:
    """What is wrong, without folders."""
    with pytest.raises(ConfigError) as caught:
        load_settings()
    return tuple(re.sub(r"^\S*/(\w+\.yaml)", r"\1", p) for p in caught.value.problems)


def models() -> Models:
    return load_settings().tree.models


def test_without_a_key_the_rules_think(home: Path) -> None:
    assert not models().thinks


def test_shipped_roles_are_complete_and_priced(home: Path) -> None:
    shipped = models()
    assert shipped.roles.keys() == set(get_args(Role))
    for role in shipped.roles.values():
        assert shipped.prices[role.model].input > 0
        assert shipped.prices[role.model].cache_read < shipped.prices[role.model].input
    assert sum(r.deadline_s for r in shipped.roles.values()) > shipped.budget.request_s


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("ANTHROPIC_API_KEY", "api_key"),
        ("ANTHROPIC_AUTH_TOKEN", "auth_token"),
        ("ANTHROPIC_BASE_URL", "base_url"),
    ],
)
def test_a_key_a_token_or_an_address_is_enough(
    home: Path, monkeypatch: pytest.MonkeyPatch, name: str, field: str
) -> None:
    monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert models().thinks
    assert getattr(models().endpoint, field) == "http://127.0.0.1:9"


def test_the_rules_may_be_kept_with_a_key(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("ORACLE_REASONER", "rules")
    assert not models().thinks


def test_a_model_without_anywhere_to_call_it_is_refused_role_by_role(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORACLE_REASONER", "model")
    found = problems()
    assert len(found) == len(get_args(Role))
    for role in get_args(Role):
        wanted = f"roles.{role} has no api_key, auth_token or base_url, nor has the endpoint of all roles"
        assert any(p.startswith("models.yaml:") and p.endswith(wanted) for p in found)


def test_one_role_without_a_place_is_named(home: Path, extra: Path) -> None:
    here = {"base_url": "http://127.0.0.1:9"}
    roles = {role: {**entry, **(here if role != "style" else {})} for role, entry in ROLES.items()}
    write(extra, reasoner="model", roles=roles)
    assert [p.partition(": ")[2] for p in problems()] == [
        "roles.style has no api_key, auth_token or base_url, nor has the endpoint of all roles"
    ]


def test_a_missing_role_is_named(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = {"reasoner": "model", "endpoint": {"api_key": "k"}, "roles": {r: ROLES[r] for r in ("router", "style")}}
    settings = load_settings()
    chosen = settings.tree.model_copy(update={"models": Models.model_validate(given)})
    found = check(settings, chosen)
    missing = [r for r in get_args(Role) if r not in {"router", "style"}]
    assert [p.partition(": ")[2] for p in found] == [f"roles.{r} is missing" for r in missing]


def check(settings: Settings, tree: Any) -> list[str]:
    from dataclasses import replace

    from workers.settings.load import check_models

    return check_models(replace(settings, tree=tree))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"prices": {"m": {"input": -1}}}, "prices.m.input: must be at least 0"),
        ({"prices": {"m": {"input": "much"}}}, "prices.m.input: must be a number"),
        ({"prices": {"m": {"in": 1}}}, "prices.m.in: unknown key"),
        ({"roles": {"router": {"price": {"output": -3}}}}, "roles.router.price.output: must be at least"),
        ({"roles": {"router": {"model": ""}}}, "roles.router.model: must not be empty"),
        ({"roles": {"router": {"max_tokens": 0}}}, "roles.router.max_tokens: must be at least"),
        ({"roles": {"router": {"deadline_s": 0}}}, "roles.router.deadline_s: must be more than 0"),
        ({"roles": {"router": {"deadline_s": 900}}}, "roles.router.deadline_s: must be at most"),
        ({"roles": {"router": {"temperature": 1}}}, "roles.router.temperature: unknown key"),
        ({"roles": {"router": {"effort": "heroic"}}}, "roles.router.effort: must be '', 'low', 'medium'"),
        ({"roles": {"router": {"context_chars": 100}}}, "roles.router.context_chars: must be at least"),
        ({"roles": {"router": {"thinking_tokens": -1}}}, "roles.router.thinking_tokens: must be at least"),
        ({"roles": {"intent": {"model": "m"}}}, "roles.intent"),
        ({"endpoint": {"provider": "Open AI"}}, "endpoint.provider: must be a provider's name"),
        ({"roles": {"gossip": {"model": "m"}}}, "roles.gossip"),
        ({"endpoint": {"base_url": "ftp://x"}}, "endpoint.base_url: must be an address"),
        ({"endpoint": {"base_url": "http://a b"}}, "endpoint.base_url: must be an address"),
        ({"reasoner": "gpt"}, "reasoner: must be 'auto', 'rules'"),
        ({"budget": {"request_usd": -1}}, "budget.request_usd: must be at least 0"),
        ({"budget": {"request_s": 10_000}}, "budget.request_s: must be at most 600"),
        ({"prompts": {"router": 1.0}}, "prompts.router: must be text"),
    ],
)
def test_a_mistake_is_named_with_its_place(home: Path, extra: Path, given: dict[str, Any], said: str) -> None:
    write(extra, **given)
    (found,) = problems()
    assert re.match(r"models\.yaml(:\d+)?: ", found)
    assert said in found


def test_a_role_with_an_address_of_its_own_never_gets_the_key_of_all(home: Path, extra: Path) -> None:
    write(
        extra,
        endpoint={"base_url": "https://one.example", "api_key": "one"},
        roles={"router": {"base_url": "https://other.example"}, "style": {"api_key": "two"}},
    )
    chosen = models()
    ends = {name: chosen.endpoint_of(chosen.roles[name]) for name in ("router", "style", "investigator")}
    assert (ends["router"].base_url, ends["router"].api_key) == ("https://other.example", "")
    assert (ends["style"].base_url, ends["style"].api_key) == ("https://one.example", "two")
    assert (ends["investigator"].base_url, ends["investigator"].api_key) == ("https://one.example", "one")


@pytest.mark.parametrize("name", ["model", "claude"])
def test_the_name_of_before_still_means_a_model(home: Path, extra: Path, name: str) -> None:
    write(extra, reasoner=name, endpoint={"api_key": "k"})
    assert models().thinks


def test_the_wording_of_checked_claims_is_left_alone_unless_it_is_wanted(home: Path) -> None:
    shipped = models().roles
    assert [role for role, entry in shipped.items() if not entry.enabled] == ["style"]


# --- prompts --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pins", "said"),
    [
        ({"routter": "1.0"}, "models.prompts.routter: there is no prompts/routter.md"),
        ({"router": "0.1"}, "models.prompts.router: there is no prompts/router_v0.1.md"),
        ({"../config/models": "1.0"}, "there is no prompts/../config/models.md"),
    ],
)
def test_a_pin_to_nothing_is_refused_at_boot(home: Path, extra: Path, pins: dict[str, str], said: str) -> None:
    write(extra, reasoner="model", endpoint={"api_key": "k"}, prompts=pins)
    with pytest.raises(ConfigError) as caught:
        build_engine(load_settings())
    assert said in str(caught.value)


def test_a_pin_to_the_newest_is_fine(home: Path) -> None:
    newest = PromptBook().get("router").version
    assert PromptBook(pins={"router": newest, "style": "latest"}).get("router").version == newest


def test_whoever_builds_with_a_model_can_ask_each_role(home: Path, extra: Path) -> None:
    write(extra, endpoint={"api_key": "k"})
    oracle = build_engine(load_settings())
    assert oracle.reasoner_access.ping.keys() == set(get_args(Role))
    oracle.close()


def test_whoever_builds_without_one_cannot(home: Path) -> None:
    oracle = build_engine(load_settings())
    assert not oracle.reasoner_access.ping
    oracle.close()


def test_a_model_without_a_price_is_named_where_dollars_would_not_hold() -> None:
    given = {"reasoner": "model", "endpoint": {"api_key": "k"}, "roles": {**ROLES, "style": {"model": "m-new"}}}
    (found,) = check(load_settings(), load_settings().tree.model_copy(update={"models": Models.model_validate(given)}))
    assert "roles.style: m-new has no price" in found
    local = {**given, "roles": {**ROLES, "style": {"model": "m-new", "base_url": "http://127.0.0.1:1"}}}
    assert not check(load_settings(), load_settings().tree.model_copy(update={"models": Models.model_validate(local)}))
