"""Whose an event is, and the pages by which a workspace installs the app."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from fastapi import FastAPI
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from slack_bolt import BoltContext
from slack_sdk import WebClient
from slack_sdk.oauth.installation_store import Installation

from bot.transport.manifest import SCOPES
from bot.transport.oauth import WHY, add_install_routes, authorize_url, build_authorize, oauth_flow
from tests.support.slack_payloads import served, stand_in
from workers.delivery.installations import installations_of
from workers.settings.load import Settings, load_settings
from workers.store.database import Database, open_database

SEVERAL = {
    "client_id": "111.222",
    "client_secret": "c0ffee",
    "signing_secret": "5ec2e7",
    "public_url": "https://oracle.example.com/",
    "teams": "any",
}
ACCESS = {
    "app_id": "A1",
    "access_token": "xoxb-fresh",
    "token_type": "bot",
    "bot_user_id": "U0APP",
    "bot_id": "B1",
    "scope": "chat:write",
    "team": {"id": "T1", "name": "Ships & <b>Boats</b>"},
    "enterprise": None,
    "authed_user": {"id": "U1"},
    "is_enterprise_install": False,
}


def several(**more: str) -> Settings:
    return load_settings({f"oracle.slack.{key}": value for key, value in (SEVERAL | more).items()})


@pytest.fixture
def database(sqlite_store: str) -> Iterator[Database]:
    opened = open_database(sqlite_store)
    yield opened
    opened.close()


@dataclass
class Site:
    """A person's browser on the install pages, which would be served over https: secure cookies are sent back."""

    http: httpx.Client
    cookie: str = ""

    def get(self, path: str, **query: str) -> httpx.Response:
        answer = self.http.get(path, params=query or None, headers={"cookie": self.cookie} if self.cookie else {})
        self.cookie = answer.headers.get("set-cookie", self.cookie).partition(";")[0]
        return answer

    def begin(self) -> str:
        """Open the first page. Returns: the state that Slack hands back."""
        opened = self.get("/slack/install")
        assert opened.status_code == 200
        (link,) = re.findall(r'href="([^"]+)"', opened.text)
        return parse_qs(urlsplit(link.replace("&amp;", "&")).query)["state"][0]

    def come_back(self, **query: str) -> tuple[int, str]:
        answer = self.get("/slack/oauth_redirect", **query)
        return answer.status_code, answer.text


@contextmanager
def site(database: Database, **slack: str) -> Iterator[Site]:
    flow = oauth_flow(several(**slack), database)
    assert flow
    web = FastAPI()
    add_install_routes(web, flow)
    with served(web) as address, httpx.Client(base_url=address) as http:
        yield Site(http)


def token(database: Database, team: str = "T1") -> str | None:
    stored = installations_of(several(), database)
    assert stored
    found = stored.find(team)
    return found and found.bot_token


# --- whose event it is ----------------------------------------------------------------------------------------


def context(team: str | None = "T1", enterprise: str | None = None, org_wide: bool = False) -> BoltContext:
    return BoltContext({"team_id": team, "enterprise_id": enterprise, "is_enterprise_install": org_wide})


def test_one_workspace_is_not_looked_up(tmp_path: Path) -> None:
    authorize = build_authorize(load_settings({"oracle.slack.bot_token": "xoxb-all"}), None)
    found = authorize(context("T7"))
    assert found
    assert (found.team_id, found.bot_token) == ("T7", "xoxb-all")


def test_token_of_the_events_workspace(database: Database) -> None:
    stored = installations_of(several(), database)
    assert stored
    shared: dict[str, Any] = {"app_id": "A1", "user_id": "U1", "bot_id": "B1", "bot_user_id": "U0APP"}
    stored.save(Installation(team_id="T1", bot_token="xoxb-1", **shared))
    stored.save(Installation(enterprise_id="E1", bot_token="xoxb-org", is_enterprise_install=True, **shared))
    authorize = build_authorize(several(), stored)

    def found(*args: Any) -> str | None:
        result = authorize(context(*args))
        return result and result.bot_token

    assert found("T1") == "xoxb-1"
    assert found("T5", "E1", True) == found(None, "E1", True) == "xoxb-org"
    assert found("T5", "E1", False) is found("T9") is found(None) is None
    result = authorize(context("T1"))
    assert result
    assert (result.bot_id, result.bot_user_id) == ("B1", "U0APP")


def test_workspace_that_is_no_longer_listed_counts_as_not_installed(database: Database) -> None:
    shared: dict[str, Any] = {"app_id": "A1", "user_id": "U1", "bot_id": "B1", "bot_user_id": "U0APP"}
    stored = installations_of(several(teams="T1,E2"), database)
    assert stored
    stored.save(Installation(team_id="T1", bot_token="xoxb-1", **shared))
    stored.save(Installation(team_id="T3", enterprise_id="E2", bot_token="xoxb-3", **shared))
    stored.save(Installation(team_id="T9", bot_token="xoxb-9", **shared))
    authorize = build_authorize(several(), stored)
    assert authorize(context("T1"))
    assert authorize(context("T3"))
    assert authorize(context("T9")) is None
    everyone = installations_of(several(), database)
    assert everyone
    assert everyone.find("T9")


def test_database_that_does_not_answer_leaves_the_refusal_to_the_inbox(tmp_path: Path) -> None:
    gone = open_database(f"sqlite:///{tmp_path / 'empty.db'}")
    asked = context()
    result = build_authorize(several(), installations_of(several(), gone))(asked)
    assert "database" in asked["store_unavailable"]
    assert result
    assert (result.team_id, result.bot_token) == ("T1", None)


# --- installing -----------------------------------------------------------------------------------------------


def test_no_pages_for_one_workspace(database: Database) -> None:
    assert oauth_flow(load_settings(), database) is None
    assert oauth_flow(several(bot_token="xoxb-1"), database) is None


def test_first_page_leads_to_slack(database: Database) -> None:
    with site(database) as opened:
        answer = opened.get("/slack/install")
    (link,) = re.findall(r'href="([^"]+)"', answer.text)
    asked = urlsplit(link.replace("&amp;", "&"))
    query = parse_qs(asked.query)
    assert asked._replace(query="").geturl() == "https://slack.com/oauth/v2/authorize"
    assert query["client_id"] == ["111.222"]
    assert query["redirect_uri"] == ["https://oracle.example.com/slack/oauth_redirect"]
    assert set(query["scope"][0].split(",")) == set(SCOPES)
    assert "user_scope" not in query or not query["user_scope"][0]
    cookie = answer.headers["set-cookie"]
    assert query["state"][0] in cookie
    assert "Secure" in cookie
    assert "HttpOnly" in cookie
    assert "c0ffee" not in answer.text
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


def test_installation_is_stored(database: Database) -> None:
    with stand_in(**ACCESS) as (api, calls), site(database, api_url=api) as opened:
        status, text = opened.come_back(code="c1", state=opened.begin())
    assert status == 200
    assert "Installed in Ships &amp; &lt;b&gt;Boats&lt;/b&gt;" in text
    assert "https://slack.com/app_redirect?app=A1&amp;team=T1" in text
    assert "xoxb" not in text
    assert token(database) == "xoxb-fresh"
    assert [method for method, _ in calls] == ["oauth.v2.access", "auth.test"]
    assert calls[0][1]["code"] == "c1"


def test_organisation_as_a_whole(database: Database) -> None:
    org = ACCESS | {"team": None, "enterprise": {"id": "E1", "name": "Fleet"}, "is_enterprise_install": True}
    with stand_in(**org) as (api, _), site(database, api_url=api) as opened:
        status, text = opened.come_back(code="c1", state=opened.begin())
    assert status == 200
    assert "Installed in Fleet" in text
    assert (token(database, "E1"), token(database)) == ("xoxb-fresh", None)


@pytest.mark.parametrize(
    ("teams", "answer", "allowed"),
    [
        ("T1", ACCESS, True),
        ("E1,T7", ACCESS | {"enterprise": {"id": "E1", "name": "Fleet"}}, True),
        ("any", ACCESS, True),
        ("T7,E7", ACCESS, False),
        ("T1", ACCESS | {"enterprise": {"id": "E1", "name": "Fleet"}, "is_enterprise_install": True}, False),
    ],
)
def test_only_workspaces_that_are_listed_may_install_it(
    database: Database, teams: str, answer: dict[str, Any], allowed: bool
) -> None:
    with stand_in(**answer) as (api, calls), site(database, api_url=api, teams=teams) as opened:
        status, text = opened.come_back(code="c1", state=opened.begin())
    revoked = [told["token"] for method, told in calls if method == "auth.revoke"]
    stored = installations_of(several(), database)
    assert stored
    found = stored.find("T1") or stored.find("E1")
    if allowed:
        assert (status, revoked, found and found.bot_token) == (200, [], "xoxb-fresh")
    else:
        assert (status, revoked, found) == (403, ["Bearer xoxb-fresh"], None)
        assert WHY["not_allowed"] in text


def test_token_of_a_workspace_that_may_not_install_it_is_not_kept_where_it_cannot_be_revoked(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: Any, **__: Any) -> None:
        raise OSError("the line broke")

    monkeypatch.setattr(WebClient, "auth_revoke", lost)
    with stand_in(**ACCESS) as (api, _), site(database, api_url=api, teams="T7") as opened:
        status, text = opened.come_back(code="c1", state=opened.begin())
    assert status == 403
    assert WHY["not_allowed"] in text
    assert token(database) is None


def test_state_of_somebody_else(database: Database) -> None:
    with stand_in(**ACCESS) as (api, calls), site(database, api_url=api) as opened:
        theirs = opened.begin()
        opened.cookie = ""
        assert opened.come_back(code="c1", state=theirs)[0] == 400
        opened.begin()
        assert opened.come_back(code="c1", state=theirs)[0] == 400
        mine = opened.begin()
        assert opened.come_back(code="c1", state=mine)[0] == 200
        opened.cookie = f"slack-app-oauth-state={mine}"
        status, text = opened.come_back(code="c2", state=mine)
    assert status == 401
    assert WHY["invalid_state"] in text
    assert len(calls) == 2


@pytest.mark.parametrize(
    ("answer", "status", "why"),
    [
        ({"ok": False, "error": "invalid_code"}, 401, "invalid_code"),
        (ACCESS | {"refresh_token": "xoxe-1", "expires_in": 43_200}, 400, "token_rotation"),
        (ACCESS | {"team": "nonsense"}, 503, "slack_unavailable"),
    ],
)
def test_slack_answers_otherwise(database: Database, answer: dict[str, Any], status: int, why: str) -> None:
    with stand_in(**answer) as (api, _), site(database, api_url=api) as opened:
        got, text = opened.come_back(code="c1", state=opened.begin())
    assert got == status
    assert WHY[why] in text
    assert "/slack/install" in text
    assert token(database) is None


def test_slack_that_cannot_be_reached(database: Database) -> None:
    with stand_in() as (api, _):
        pass
    with site(database, api_url=api) as opened:
        status, text = opened.come_back(code="c1", state=opened.begin())
    assert status == 503
    assert WHY["slack_unavailable"] in text


def test_person_who_does_not_allow_it(database: Database) -> None:
    with site(database) as opened:
        status, text = opened.come_back(error="access_denied", state=opened.begin())
    assert status == 200
    assert WHY["access_denied"] in text


@pytest.mark.parametrize("path", ["/slack/install", "/slack/oauth_redirect?code=c1&state=s1"])
def test_database_that_does_not_answer(tmp_path: Path, path: str) -> None:
    with site(open_database(f"sqlite:///{tmp_path / 'empty.db'}")) as opened:
        opened.cookie = "slack-app-oauth-state=s1"
        answer = opened.get(path)
    assert answer.status_code in {401, 503}
    assert "Not installed" in answer.text


def test_database_that_is_lost_while_slack_answers(database: Database) -> None:
    with stand_in(**ACCESS | {"authed_user": {}}) as (api, _), site(database, api_url=api) as opened:
        status, text = opened.come_back(code="c1", state=opened.begin())
    assert status == 500
    assert WHY["storage_error"] in text


WORDS = st.text(max_size=60).map(lambda text: text.encode("utf-8", "replace").decode())


@pytest.fixture
def opened(database: Database) -> Iterator[Site]:
    with site(database) as found:
        yield found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.dictionaries(st.sampled_from(["error", "state", "code", "team"]), WORDS))
def test_any_query_gets_a_page_that_repeats_nothing_of_it(opened: Site, query: dict[str, str]) -> None:
    answer = opened.get("/slack/oauth_redirect", **query)
    assert answer.status_code in {200, 400, 401}
    assert "Nothing was installed." in answer.text
    assert "<script" not in answer.text
    for text in query.values():
        assert re.fullmatch(r"[a-z_]{0,60}|.", text) or len(text) < 4 or text not in answer.text


@pytest.mark.parametrize(
    ("api", "page"),
    [
        ("", None),
        ("http://127.0.0.1:8400/api/", "http://127.0.0.1:8400/oauth/v2/authorize"),
        ("https://slack.example.com/api", "https://slack.example.com/oauth/v2/authorize"),
    ],
)
def test_where_consent_is_asked(api: str, page: str | None) -> None:
    assert authorize_url(api) == page
