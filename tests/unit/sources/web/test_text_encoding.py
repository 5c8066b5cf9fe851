"""Bytes of pages as text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.support.each_row import each_row
from workers.sources.web.text_encoding import as_utf8, decode_text


@each_row(
    "body, kind, text",
    [
        ("Größe".encode(), "text/html; charset=utf-8", "Größe"),
        ("Größe".encode(), "text/html; charset=iso-8859-1", "Größe"),  # the server is wrong
        ("Größe".encode("latin-1"), "text/html; charset=utf-8", "Größe"),  # so it is here
        ("Größe".encode("latin-1"), "text/html; charset=iso-8859-1", "Größe"),
        ("Größe".encode("latin-1"), "", "Größe"),
        ('<meta charset="windows-1251">Привет'.encode("cp1251"), "text/html", '<meta charset="windows-1251">Привет'),
        ("Größe".encode("utf-16"), "text/html", "Größe"),
        ("plain".encode("utf-16-le"), "text/html; charset=utf-16-le", "plain"),
        ("日本".encode("iso-2022-jp"), "text/html; charset=iso-2022-jp", "日本"),
        ("Größe".encode("utf-8-sig"), "text/html; charset=ascii", "Größe"),
        (b"plain", "text/html; charset=no-such", "plain"),
        (b"\xc3\x28", "text/html; charset=zip", "Ã("),
        (b"+AGE-", "text/html; charset=utf-7", "+AGE-"),
        (b"\x81\x8d", "", "\ufffd\ufffd"),
    ],
)
def test_a_page_is_read_as_it_is_meant(body: bytes, kind: str, text: str) -> None:
    assert decode_text(body, kind) == text


@given(st.binary(max_size=60), st.sampled_from(["", "text/html; charset=latin-1", "x; charset=utf-16", "charset=hz"]))
def test_any_bytes_are_some_text(body: bytes, kind: str) -> None:
    text = decode_text(body, kind)
    assert as_utf8(body, kind).decode("utf-8-sig", "replace") == text.encode("utf-8", "replace").decode()
