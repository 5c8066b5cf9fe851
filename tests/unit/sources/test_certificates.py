"""Who is trusted: what a server's address and its own authority decide."""

from __future__ import annotations

import ssl
from pathlib import Path

import certifi
import pytest

from workers.sources.certificates import trusted


@pytest.mark.parametrize("address", ["http://127.0.0.1:8123", "HTTP://netbox.internal/api/"])
def test_over_plain_http_no_authority_is_read_and_nobody_is_trusted(address: str) -> None:
    context = trusted(address)
    assert context.cert_store_stats()["x509_ca"] == 0
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)


def test_authorities_are_read_once_for_all_clients() -> None:
    first = trusted("https://a.example")
    assert first is trusted("https://b.example")
    assert first.cert_store_stats()["x509_ca"] > 50
    assert (first.verify_mode, first.check_hostname) == (ssl.CERT_REQUIRED, True)


def test_an_authority_of_its_own_is_the_only_one(tmp_path: Path) -> None:
    text = Path(certifi.where()).read_text(encoding="utf-8")
    end = "-----END CERTIFICATE-----\n"
    one = tmp_path / "ca.pem"
    one.write_text(text[text.index("-----BEGIN") : text.index(end) + len(end)], encoding="utf-8")
    assert trusted("https://a.example", str(one)).cert_store_stats()["x509_ca"] == 1
    with pytest.raises(FileNotFoundError):
        trusted("https://a.example", str(tmp_path / "missing.pem"))
