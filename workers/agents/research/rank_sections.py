"""Which runbook section describes this case: the one that names what moved, and not what stayed."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from workers.contracts import Evidence
from workers.engine.anomaly import has_moved
from workers.grounding.health import text_of
from workers.language.stop_words import content_words
from workers.reasoning.claim_phrases import code_words, hunks

AGAINST, PLACE, CHANGED, TOUCHED, GENERAL = 0.5, 2.0, 0.6, 1.0, 0.8
QUIET = r"(?:as usual|as always|steady|flat|unchanged|normal|the same)"
COMMON = content_words(
    "endpoint service total seconds second count bucket histogram quantile rate increase clamp result status sum max "
    "avg min time ignoring state use share fullest requests request api"
)


def rank_sections(docs: Sequence[Evidence], metrics: Sequence[Evidence], changes: Sequence[Evidence]) -> list[Evidence]:
    """Best first.

    Sections of a document that names the endpoint come first. A section gains by each related metric it names that
    moved, the more the further it moved, and by what the suspect change touched; it loses by each metric it names that
    stayed steady. What it calls quiet ("few retries", "traffic is as usual") counts the other way round.
    """
    related = [m for m in metrics[1:] if text_of(m, "metric_name") != text_of(metrics[0], "metric_name")]
    words = metric_words(related)
    place = text_of(metrics[0], "endpoint") if metrics else ""
    at_home = {text_of(d, "path") for d in docs if place and place in f"{d.title} {d.excerpt}"}
    touched = [text_of(c, f"file_{i}") for c in changes[:1] for i in range(1, 9) if f"file_{i}" in c.facts]
    changed = {w for c in changes[:1] for h in hunks(c)[:6] for w in code_words(f"{h[2]} {text_of(c, 'subject')}")}

    def score(item: Evidence) -> float:
        text, quiet = section_words(item), quiet_words(item)
        total = float(item.facts["score"].value) if "score" in item.facts else 0.0
        for metric in related:
            named = len(words[metric.id] & text) / max(len(words[metric.id]), 1)
            fits = has_moved(metric) is not bool(words[metric.id] & quiet)
            total += named * (weight(metric) if has_moved(metric) else AGAINST) * (1 if fits else -1)
        total += PLACE if text_of(item, "path") in at_home else 0.0
        total += TOUCHED if any(path in section_text(item) for path in touched) else 0.0
        total -= GENERAL if is_general(item) else 0.0
        return total + CHANGED * len(changed & text) / math.sqrt(len(text) + 1)

    return sorted(docs, key=score, reverse=True)


def metric_words(metrics: Sequence[Evidence]) -> dict[str, set[str]]:
    """What distinguishes each metric: stems of its title and of the series it is made of, without those most share."""
    own = {m.id: code_words(f"{text_of(m, 'metric')} {m.locator}") - COMMON for m in metrics}
    shared = Counter(w for found in own.values() for w in found)
    most = max(3, len(metrics) // 2)
    return {key: {w for w in found if shared[w] < most} for key, found in own.items()}


def section_text(item: Evidence) -> str:
    """A section: heading, text and steps."""
    steps = " ".join(str(f.value) for name, f in item.facts.items() if name.startswith("step_"))
    return f"{text_of(item, 'heading')} {re.sub(r'[`*]', '', item.excerpt)} {steps}"


def section_words(item: Evidence) -> set[str]:
    """Its stems."""
    return code_words(section_text(item))


def is_general(item: Evidence) -> bool:
    """A document's opening, or a section that is only a list: they hold for every case."""
    return text_of(item, "heading") == text_of(item, "title") or not text_of(item, "quote") or starts_with_list(item)


def starts_with_list(item: Evidence) -> bool:
    """No paragraph before the steps."""
    rows = [r for r in item.excerpt.splitlines() if r.strip() and not r.startswith("#")]
    return bool(rows) and re.match(r"\s*(?:\d+[.)]|[-*+])\s", rows[0]) is not None


def quiet_words(item: Evidence) -> set[str]:
    """Stems of what a section says is not there, or as always."""
    text = re.sub(r"\s+", " ", re.sub(r"[`*]", "", item.excerpt))
    found = [
        m[1] for m in re.finditer(r"\b(?:few|no|without|little|not more)\s+((?:\w+\s?){1,2})", text, re.IGNORECASE)
    ]
    found += [m[1] for m in re.finditer(r"((?:[\w/]+\s){1,3})(?:is|are|stays?|remains?) " + QUIET, text, re.IGNORECASE)]
    return code_words(" ".join(found))


def weight(metric: Evidence) -> float:
    """How far a metric moved: 1 for a doubling, 3 at most, little for a few percent."""
    change = metric.facts.get("change_pct")
    factor = 1 + abs(float(change.value)) / 100 if change else 1.0
    return min(math.log2(factor), 3.0)
