"""Keeps a context within its budget: what is older becomes a summary, the last exchanges and decisions stay. PURE but
for the compressor that it is given.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from workers.conversations.extract import extract
from workers.conversations.mentions import files_in, symbols_in
from workers.errors import ModelFailed
from workers.language.token_count import count_tokens, fitting
from workers.ports import Compressor
from workers.store.contexts import Context, Exchange

COMPRESS_AT, KEPT_EXCHANGES = 0.8, 5
SIZE_AFTER, LARGEST_AFTER, SMALLEST_AFTER = 0.38, 0.5, 0.3
"""What is left of a context's tokens: what is aimed at, and the bounds."""
DECISIONS_SHARE = 0.2
"""Decisions stay word for word up to so much of the budget; older ones are found by seeking in the thread."""
LONGEST_SHARE = 0.05
"""No exchange that stays takes more of the budget than this; the rest of it is found by seeking."""
MOST_MENTIONS, WORDS_PER_TOKEN = 200, 0.7
CUT = " …"
LOG = logging.getLogger(__name__)


def add_exchange(
    context: Context,
    exchange: Exchange,
    *,
    decisions: Sequence[str] = (),
    now: datetime,
    model: str = "",
    compressor: Compressor | None = None,
) -> Context:
    """The context with one more exchange, compressed when it has come to 80 % of its budget.

    Args:
        context: as it is.
        exchange: what was asked and answered.
        decisions: sentences to keep word for word.
        now: aware.
        model: who answers; another one than before gets a summary of its own.
        compressor: a language model's; sentences are chosen without one, or when it fails.
    """
    words = f"{exchange.asked}\n{exchange.answered}"
    grown = replace(
        context,
        recent_exchanges=(*context.recent_exchanges, exchange),
        key_decisions=tuple(dict.fromkeys((*context.key_decisions, *decisions))),
        mentioned_symbols=newest(context.mentioned_symbols, symbols_in(words)),
        mentioned_files=newest(context.mentioned_files, files_in(words)),
        last_activity=now,
    )
    changed = bool(model and context.last_model and model != context.last_model and context.compressed_summary)
    grown = replace(grown, last_model=model or context.last_model)
    grown = replace(grown, tokens_used=size_of(grown))
    if changed or grown.tokens_used >= COMPRESS_AT * grown.token_budget:
        return compress(grown, compressor)
    return grown


def compress(context: Context, compressor: Compressor | None = None) -> Context:
    """The context with all but the last exchanges in a summary, at 30 to 50 % of its size."""
    before = size_of(context)
    longest = int(LONGEST_SHARE * context.token_budget)
    last = tuple(shortened(one, longest) for one in context.recent_exchanges[-KEPT_EXCHANGES:])
    older = [*context.recent_exchanges[:-KEPT_EXCHANGES]]
    decisions = newest_fitting(context.key_decisions, int(DECISIONS_SHARE * context.token_budget))
    bare = replace(context, recent_exchanges=last, key_decisions=decisions, compressed_summary="")
    fixed = size_of(bare)
    texts = [f"{one.asked}\n{one.answered}" for one in older]
    aim = max(0, min(int(SIZE_AFTER * before), int(LARGEST_AFTER * context.token_budget)) - fixed)
    summary = summarised(
        context.compressed_summary, texts, aim, max(0, int(SMALLEST_AFTER * before) - fixed), compressor
    )
    done = replace(bare, compressed_summary=summary, compression_count=context.compression_count + 1)
    return replace(done, tokens_used=size_of(done))


def summarised(earlier: str, texts: Sequence[str], most: int, least: int, compressor: Compressor | None) -> str:
    """A summary within so many tokens: the compressor's; sentences fill up what is too short, or stand alone."""
    written = ""
    if compressor is not None:
        try:
            written = compressor([*([earlier] if earlier else []), *texts], int(most * WORDS_PER_TOKEN))
        except ModelFailed as error:
            LOG.warning("the context is summed up by its own sentences: %s", error)
    if count_tokens(written) > most:
        written = extract([written], most)
    if written and count_tokens(written) >= least:
        return written
    if written:
        return f"{written}\n{extract(texts, most - count_tokens(written) - 1, earlier)}".strip()
    return extract(texts, most, earlier)


def size_of(context: Context) -> int:
    """About how many tokens a context takes."""
    return sum(count_tokens(text) + 1 for text in messages_of(context))


def messages_of(context: Context) -> tuple[str, ...]:
    """The context as messages, oldest first: the summary, what was decided, the last exchanges."""
    summary = (f"Earlier in this conversation:\n{context.compressed_summary}",) if context.compressed_summary else ()
    decided = ("Decided:\n" + "\n".join(context.key_decisions),) if context.key_decisions else ()
    said = (text for one in context.recent_exchanges for text in (one.asked, one.answered))
    return (*summary, *decided, *said)


def shortened(exchange: Exchange, most_tokens: int) -> Exchange:
    """An exchange within so many tokens: what was asked keeps at least half of them."""
    asked = cut(exchange.asked, max(most_tokens // 2, most_tokens - count_tokens(exchange.answered)))
    return Exchange(asked, cut(exchange.answered, most_tokens - count_tokens(asked)))


def cut(text: str, most_tokens: int) -> str:
    """The beginning of a text that fits."""
    if count_tokens(text) <= most_tokens:
        return text
    return fitting(text, most_tokens - count_tokens(CUT)) + CUT


def newest_fitting(decisions: Sequence[str], most_tokens: int) -> tuple[str, ...]:
    """The newest decisions that fit, whole, in their order."""
    kept: list[str] = []
    for text in reversed(decisions):
        most_tokens -= count_tokens(text) + 1
        if most_tokens < 0:
            break
        kept.insert(0, text)
    return tuple(kept)


def newest(known: Sequence[str], found: Sequence[str]) -> tuple[str, ...]:
    """Names with those found last at the end, each once, bounded."""
    return tuple(dict.fromkeys((*(name for name in known if name not in found), *found)))[-MOST_MENTIONS:]
