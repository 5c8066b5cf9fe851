"""No address that is not public is reached, however it is written, whatever leads to it."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

from tests.support.each_row import each_row
from tests.support.forbidden_addresses import IPV6, LOOPBACK, PUBLIC, Attack, attacks, outcome, run_world
from tests.support.web_site import run_web_site
from workers.errors import ToolDenied, ToolUnavailable
from workers.sources.web.address_rules import make_rules
from workers.sources.web.http_client import ask, open_client


def test_none_of_them_reaches_the_private_server() -> None:
    with run_world() as world:
        told = [(attack, *outcome(world, attack)) for attack in attacks(world)]
        reached = [(attack.url, said) for attack, said, touched in told if touched or said.startswith("fetched")]
        assert reached == []
        assert world.secret.asked == []
        assert len(told) >= 120
        assert all("\n" not in said for _, said, _ in told)


def test_the_guard_holds_where_an_address_was_not_read_first() -> None:
    with run_world() as world, open_client(make_rules([world.secret.port], [], []), "*/*") as client:
        for host in (*LOOPBACK, *IPV6):
            with pytest.raises((ToolDenied, ToolUnavailable)):
                ask(client, f"http://{host}:{world.secret.port}/", 1_000, 20)
        assert world.secret.touched == 0


def test_the_public_site_itself_is_fetched() -> None:
    with run_world() as world:
        world.site.pages["/page"] = b"<p>public</p>"
        said, touched = outcome(world, Attack("public", f"http://public.example:{world.site.port}/page"))
        assert (said, touched) == (f"fetched http://public.example:{world.site.port}/page", False)
        assert world.site.headers["host"] == f"public.example:{world.site.port}"


def test_an_attack_that_were_let_through_would_show() -> None:
    with run_world() as world:
        rules = make_rules([world.secret.port], ["127.0.0.1"], [])
        with open_client(rules, "*/*") as client:
            assert ask(client, f"http://127.0.0.1:{world.secret.port}/", 1_000, 20).status == 200
        assert world.secret.touched == 1


def test_robots_may_not_lead_there_either() -> None:
    with run_world() as world:
        world.site.pages["/robots.txt"] = (302, {"location": f"http://127.0.0.1:{world.secret.port}/"}, b"")
        said, touched = outcome(world, Attack("redirect", f"http://public.example:{world.site.port}/page"))
        assert not touched
        assert "private address" in said


def test_a_name_is_resolved_once_a_connection() -> None:
    """What was checked is what is connected to, whatever the name says a moment later."""
    with run_world() as world:
        world.site.pages["/page"] = b"<p>public</p>"
        address = f"http://rebinding.example:{world.site.port}/page"
        with open_client(world.fetcher.client._transport.rules, "*/*", resolve=world.resolve) as client:  # type: ignore[attr-defined]
            assert ask(client, address, 1_000, 20).status == 200
            assert world.resolved == ["rebinding.example"]
            with pytest.raises(ToolDenied, match="private address"):
                ask(client, address, 1_000, 20)
        assert world.secret.touched == 0


@each_row(
    "hosts, networks, reached",
    [
        ([], [], False),
        (["127.0.0.1:{port}"], [], True),
        (["127.0.0.1:1"], [], False),
        (["127.0.0.1"], [], True),
        (["localhost"], [], False),
        (["other.example"], [], False),
        ([], ["127.0.0.0/8"], True),
        ([], ["10.0.0.0/8"], False),
    ],
)
def test_the_configuration_may_say_otherwise(hosts: list[str], networks: list[str], reached: bool) -> None:
    with run_web_site() as site:
        rules = make_rules([site.port], [host.format(port=site.port) for host in hosts], networks)
        with open_client(rules, "*/*") as client:
            if reached:
                assert ask(client, f"{site.url}/", 1_000, 20).status == 404
            else:
                with pytest.raises(ToolDenied):
                    ask(client, f"{site.url}/", 1_000, 20)
        assert bool(site.touched) == reached


def test_proxies_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    with run_web_site() as proxy, run_web_site() as site:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        with open_client(make_rules([site.port], ["127.0.0.1"], []), "*/*") as client:
            ask(client, f"{site.url}/", 1_000, 20)
        assert (proxy.touched, site.touched) == (0, 1)


def test_a_configured_proxy_is_asked_and_no_private_address_named_to_it() -> None:
    with run_web_site() as proxy:
        proxy.pages["http://docs.example/page"] = b"by proxy"
        with open_client(make_rules([80, proxy.port], [], []), "*/*", proxy=proxy.url) as client:
            assert ask(client, "http://docs.example/page", 1_000, 20).body == b"by proxy"
            for host in ("127.0.0.1", "[::1]", "0x7f.1", "2130706433"):
                with pytest.raises(ToolDenied):
                    ask(client, f"http://{host}/", 1_000, 20)
        assert proxy.asked == ["http://docs.example/page"]


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl, which makes the certificate, is missing")
@pytest.mark.parametrize(("host", "trusted", "words"), [
    ("good.example", True, ""), ("other.example", True, "Hostname mismatch"), ("good.example", False, "self-signed"),
])  # fmt: skip
def test_certificates_are_checked_against_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, host: str, trusted: bool, words: str
) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subject = ["-subj", "/CN=good.example", "-addext", "subjectAltName=DNS:good.example"]
    made = ["-newkey", "rsa:2048", "-nodes", "-keyout", str(key), "-out", str(certificate), "-days", "2", *subject]
    subprocess.run(["openssl", "req", "-x509", *made], check=True, capture_output=True)
    if trusted:
        trust = ssl.create_default_context(cafile=str(certificate))
        monkeypatch.setattr("httpx.create_ssl_context", lambda **_: trust)
    with run_web_site(certificate, key) as site:
        client = open_client(make_rules([site.port], [host], []), "*/*", resolve=lambda name, port: ["127.0.0.1"])
        address = f"https://{host}:{site.port}/"
        with client:
            if not words:
                assert ask(client, address, 1_000, 20).status == 404
                return
            with pytest.raises(ToolUnavailable, match=words):
                ask(client, address, 1_000, 20)
        assert site.asked == []


def test_a_name_with_no_address_is_unavailable() -> None:
    client = open_client(make_rules([80], [], []), "*/*", resolve=lambda host, port: [])
    with client, pytest.raises(ToolUnavailable, match="no address"):
        ask(client, "http://nowhere.example/", 1_000, 20)


def test_metadata_is_reached_by_its_network_alone() -> None:
    named = make_rules([80], ["metadata.example", "169.254.169.254"], [])
    assert named.refuse_address("metadata.example", 80, "169.254.169.254")
    assert named.refuse_address("169.254.169.254", 80, "169.254.169.254")
    assert not make_rules([80], [], ["169.254.169.254/32"]).refuse_address("x", 80, "169.254.169.254")
    assert not named.refuse_address("anything", 80, PUBLIC)
    assert not named.refuse_address("anything", 80, "2606:2800:21f:cb07:6820:80da:af6b:8b2c")
