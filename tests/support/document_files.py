"""Small documents of formats that are not written by hand."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from typing import Any

from pypdf import PdfWriter
from pypdf.generic import DecodedStreamObject, DictionaryObject, NameObject


def make_pdf(
    pages: Sequence[Sequence[str]], outline: Sequence[tuple[str, int]] = (), *, title: str = "", password: str = ""
) -> bytes:
    """A PDF with lines of Latin text on its pages, and (title, page from 1) as its outline."""
    writer = PdfWriter()
    font = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/Font"),
            NameObject("/Subtype"): NameObject("/Type1"),
            NameObject("/BaseFont"): NameObject("/Helvetica"),
            NameObject("/Encoding"): NameObject("/WinAnsiEncoding"),
        }
    )
    for lines in pages:
        page = writer.add_blank_page(width=595, height=842)
        shown = "".join(f"1 0 0 1 50 {800 - 20 * i} Tm ({escaped(line)}) Tj\n" for i, line in enumerate(lines))
        stream = DecodedStreamObject()
        stream.set_data(f"BT /F1 12 Tf\n{shown}ET".encode("cp1252"))
        page[NameObject("/Contents")] = writer._add_object(stream)
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
    for name, number in outline:
        writer.add_outline_item(title=name, page_number=number - 1)
    if title:
        writer.add_metadata({"/Title": title})
    if password:
        writer.encrypt(password, algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def escaped(text: str) -> str:
    """Text as a string of a PDF."""
    return text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def make_notebook(*cells: tuple[str, str]) -> bytes:
    """A notebook of (kind, text)."""
    shown: list[dict[str, Any]] = [
        {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)} for kind, text in cells
    ]
    for cell in shown:
        if cell["cell_type"] == "code":
            cell |= {
                "execution_count": 1,
                "outputs": [{"output_type": "stream", "name": "stdout", "text": ["a result"]}],
            }
    return json.dumps({"cells": shown, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()
