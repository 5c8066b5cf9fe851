"""Documentation: how much of a page's main part is kept, and how much of what frames it."""

from __future__ import annotations

import re
import time
from collections import Counter
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from bench.web.readers import READERS
from workers.sources.documents.formats.html import main_part
from workers.sources.web.text_encoding import decode_text

KINDS = ("h1", "h2", "h3", "pre", "td", "li", "dt", "p")
FRAME = "nav, footer, header, aside, [role=navigation], .sidebar, .related, .toc"
BEGINNING = 60
FEWEST = 4
MOST_PAGES = 120


def print_documentation(folder: Path) -> None:
    """A row a reader: which share of each kind of element of the main part is in the text, by its first letters."""
    pages = [path.read_bytes() for path in sorted(folder.rglob("*.html"))[:MOST_PAGES]]
    parts = [parts_of(page) for page in pages]
    counts = Counter(kind for found in parts for kind, _ in found)
    shown = " | ".join(f"{kind} ({counts[kind]})" for kind in (*KINDS, "frame"))
    print(f"| {folder.name}, {len(pages)} pages | {shown} | ms a page |\n|---|{'---|' * (len(KINDS) + 2)}")
    for name, read in READERS.items():
        began = time.perf_counter()
        texts = [squeezed(read(page)) for page in pages]
        ms = (time.perf_counter() - began) / max(len(pages), 1) * 1000
        held = Counter(kind for text, found in zip(texts, parts, strict=True) for kind, part in found if part in text)
        shares = " | ".join(f"{held[kind] / counts[kind]:.3f}" if counts[kind] else "–" for kind in (*KINDS, "frame"))
        print(f"| {name} | {shares} | {ms:.0f} |")
    print()


def parts_of(page: bytes) -> list[tuple[str, str]]:
    """How the elements of the main part begin, and those of the frame that stand nowhere in it."""
    tree = LexborHTMLParser(decode_text(page))
    root = main_part(tree)
    if root is None:
        return []
    found = [(kind, begin(node.text())) for kind in KINDS for node in root.css(kind)]
    inside = squeezed(root.text())
    around = [("frame", begin(node.text())) for outer in tree.css(FRAME) for node in outer.css("a, li, p")]
    return [p for p in found if len(p[1]) >= FEWEST] + [p for p in around if len(p[1]) >= 10 and p[1] not in inside]


def begin(text: str) -> str:
    """The first letters of an element."""
    return squeezed(text)[:BEGINNING]


def squeezed(text: str) -> str:
    """Letters and digits only."""
    return re.sub(r"[\W_]+", "", text)
