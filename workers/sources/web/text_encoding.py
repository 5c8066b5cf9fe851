"""Bytes -> text, whatever encoding the server or the page claims."""

from __future__ import annotations

import codecs
import re

MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
CHARSET = re.compile(r"charset\s{0,9}=\s{0,9}[\"']?([\w.:-]{1,40})", re.IGNORECASE)
META_BYTES = 4_000
LATIN = "cp1252"
NOT_OF_ASCII = ("utf-16", "utf-32", "iso2022", "hz")
"""Charsets whose bytes may pass for ASCII and mean something else."""
NO_CHARSETS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape", "utf-7", "undefined"})


def decode_text(body: bytes, content_type: str = "") -> str:
    """The text of a page or a file.

    A byte order mark wins; then UTF-8 where all of it is, for what is not meant as UTF-8 hardly ever is; then what the
    server says, then what the page says of itself.
    """
    for mark, name in MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    said = said_charsets(content_type, body[:META_BYTES].decode("ascii", "replace"))
    wide = [name for name in said if name.startswith(NOT_OF_ASCII)]
    for name in (*wide, "utf-8", *said, LATIN):
        try:
            return body.decode(name)
        except ValueError:
            continue
    return body.decode("utf-8", "replace")


def said_charsets(*texts: str) -> list[str]:
    """The charsets that texts name and Python knows, by Python's names."""
    names = []
    for found in filter(None, map(CHARSET.search, texts)):
        try:
            " ".encode(found[1])  # which also refuses codecs that are none of text
            name = codecs.lookup(found[1]).name.replace("_", "-")
        except (LookupError, ValueError):
            continue
        if name not in NO_CHARSETS:
            names.append(name)
    return names


def as_utf8(body: bytes, content_type: str) -> bytes:
    """A page in UTF-8; one that was not is marked by a byte order mark, which wins over what it says of itself."""
    text = decode_text(body, content_type).encode("utf-8", "replace")
    return body if text == body else codecs.BOM_UTF8 + text
