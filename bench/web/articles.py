"""Articles: which of a page's words are those that a person marked as the article."""

from __future__ import annotations

import gzip
import json
import re
import time
from collections import Counter
from pathlib import Path

from bench.web.readers import READERS, Reader

WORDS_TOGETHER = 4


def print_articles(checkout: Path) -> None:
    """A row a reader: precision and recall over runs of four words, the mean of all pages, as that benchmark counts."""
    truth = json.loads((checkout / "ground-truth.json").read_text(encoding="utf-8"))
    pages = {key: gzip.decompress((checkout / "html" / f"{key}.html.gz").read_bytes()) for key in truth}
    print("| articles | n | precision | recall | F1 | ms a page |\n|---|---|---|---|---|---|")
    for name, read in READERS.items():
        began = time.perf_counter()
        scores = [score(read, pages[key], truth[key].get("articleBody", "")) for key in truth]
        ms = (time.perf_counter() - began) / len(scores) * 1000
        precision, recall = (sum(s[i] for s in scores) / len(scores) for i in (0, 1))
        f1 = 2 * precision * recall / (precision + recall)
        print(f"| {name} | {len(scores)} | {precision:.3f} | {recall:.3f} | {f1:.3f} | {ms:.0f} |")
    print()


def score(read: Reader, page: bytes, article: str) -> tuple[float, float]:
    """Precision and recall of one page."""
    found, wanted = runs(read(page)), runs(article)
    both = sum((found & wanted).values())
    return both / max(found.total(), 1), both / max(wanted.total(), 1)


def runs(text: str) -> Counter[tuple[str, ...]]:
    """Runs of so many words, with how often each stands there."""
    words = re.findall(r"\w+", text)
    return Counter(tuple(words[i : i + WORDS_TOGETHER]) for i in range(max(1, len(words) - WORDS_TOGETHER + 1)))
