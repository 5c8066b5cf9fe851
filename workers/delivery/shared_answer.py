"""An answer as it is shown to the rest of a channel: its headline, what changed, and where the rest stands."""

from __future__ import annotations

from workers.contracts import Claim, RequestLog
from workers.delivery.block_packing import Row, pack_rows, row
from workers.delivery.cited_evidence import label_of, ranked_section
from workers.delivery.rich_text import clip, fallback, link, mention, person, safe, unmarked, words
from workers.ports import Post

MAX_HEADLINE, MAX_CLAIM, MAX_CLAIMS = 1_200, 600, 3


def render_shared(log: RequestLog, permalink: str, sharer: str) -> Post:
    """Headline and what changed, without markers: they would open nothing here.

    Args:
        log: the request, answered.
        permalink: the address of its answer in the thread.
        sharer: who shares it, by name; an id becomes a mention of that person. Nobody else is pinged.
    """
    answer = log.answer
    headline = answer.headline if answer else Claim(template="")
    changed = [c for c in (answer.what_changed if answer else ()) if c.text.strip()]
    rows = [row(said(headline, MAX_HEADLINE, bold=True))]
    kind = "ordered" if ranked_section(log) == "what_changed" else "bullet"
    rows.extend(row(said(c, MAX_CLAIM), kind, i) for i, c in enumerate(changed[:MAX_CLAIMS], 1))
    if len(changed) > MAX_CLAIMS:
        rows.append(row(words(f"and {len(changed) - MAX_CLAIMS} more in the thread", italic=True)))
    rows.append(last_row(log, permalink, sharer))
    text = f"{label_of(headline)}{clip(unmarked(headline.text), MAX_HEADLINE) or 'An answer'}"
    return Post(f"{fallback(text)} (shared by {mention(sharer)})", tuple(pack_rows(rows)))


def last_row(log: RequestLog, permalink: str, sharer: str) -> Row:
    """The question, the way to the whole answer, and who shares it."""
    asked = clip(safe(log.question.text), 300)
    about = words(f"“{asked}” · ", italic=True) if asked else []
    return row([*about, *link(permalink, "answer with evidence"), *words(" · shared by "), *person(sharer)])


def said(claim: Claim, at_most: int, *, bold: bool = False) -> list[dict[str, object]]:
    """A claim on one line; that it is a guess, and how much of it stands in the thread only."""
    whole = " ".join(unmarked(claim.text).split()) or "No answer was written."
    over = len(whole) - at_most
    more = words(f"… {over:,} more characters in the thread", italic=True) if over > 0 else []
    return [*words(label_of(claim), italic=True), *words(whole[:at_most], bold=bold), *more]
