"""Answers back as Slack messages: in short, with everything one press away.

What others wrote stands in rich text, which Slack does not parse: nothing in it pings, nothing becomes a link but the
addresses of cited evidence. No message breaks `limits.check_post`; what is long goes on in the next block or message.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from workers.contracts import Answer, Claim, Question, RequestLog
from workers.delivery import action_ids
from workers.delivery.answer_sections import (
    Known,
    answer_buttons,
    banner_rows,
    buttons,
    code_rows,
    difference_rows,
    edited_note,
    evidence_blocks,
    footer,
    gap_rows,
    headline_rows,
    image,
    in_full,
    line_rows,
    ranked_rows,
    refusal_buttons,
    rerun_button,
    section_rows,
)
from workers.delivery.block_packing import Block, context, pack_posts, pack_rows, row
from workers.delivery.cited_evidence import claims_of, label_of, link_of, titled_sections
from workers.delivery.clarify_blocks import render_clarify
from workers.delivery.rich_text import clip, fallback, mention, person, safe, unmarked, words
from workers.delivery.short_form import shorten
from workers.ports import Post

MAX_INLINE = 120  # characters of an address that stands behind every marker, should the answer be long
MAX_QUESTION = 4_500
Verbosity = Literal["full", "short"]


def render_answer(
    log: RequestLog,
    picture: str = "",
    alt: str = "",
    turn: int = 0,
    *,
    verbosity: Verbosity = "short",
    earlier: RequestLog | None = None,
    before: RequestLog | None = None,
    waits_for: str = "",
) -> tuple[Post, ...]:
    """The reply to a question; usually one message.

    Args:
        log: the finished request.
        picture: the file id of its chart or graph; empty for none.
        alt: the words that stand for it.
        turn: how often it asked back before.
        verbosity: ``short`` says what decides, and leaves the rest to a button.
        earlier: the request that this one asks again.
        before: the last answer of its thread; a short one repeats nothing of it.
        waits_for: who alone may answer a question back, in words; empty for anyone.
    """
    answer = log.answer
    if answer is None:
        return (Post("No answer yet.", (context("No answer yet."), footer(log))),)
    if answer.kind == "clarify":
        return (render_clarify(log, answer, turn, waits_for),)
    drawn = [image(log, picture, alt)] if re.fullmatch(r"F[A-Z0-9]+", picture) else []
    since = pack_rows(difference_rows(log, earlier))
    if verbosity == "short" and answer.kind == "answer":
        return fewest(log, lambda log, known: compose_short(log, drawn, since, known, before))
    pressed = refusal_buttons(log) if answer.kind == "refusal" else answer_buttons(log)
    return fewest(log, lambda log, known: compose(log, [*drawn, *since], known, pressed))


def render_everything(log: RequestLog) -> tuple[Post, ...]:
    """All of an answer that was given in short, for the thread; its chart stands there already."""
    pressed = buttons(log.request_id, {action_ids.PROOF: "Show proof"})
    return fewest(log, lambda log, known: compose(log, [], known, pressed))


def fewest(log: RequestLog, render: Callable[[RequestLog, Known], tuple[Post, ...]]) -> tuple[Post, ...]:
    """The messages with as many links as make them no more: long addresses stand once, then the headline's alone."""
    known = {e.id: e for e in log.evidence}
    posts = render(log, known)
    if len(posts) > 1:  # long addresses stand once, in the list of evidence, when that makes the answer one message
        inline = {
            k: e if len(link_of(e)) <= MAX_INLINE else e.model_copy(update={"url": None}) for k, e in known.items()
        }
        shorter = render(log, inline)
        posts = shorter if len(shorter) < len(posts) else posts
    if len(posts) > 1:  # then only the headline's evidence is linked there; the rest is named by its locator
        kept = set(log.answer.headline.evidence) if log.answer else set()
        named = tuple(e if e.id in kept else inline[e.id] for e in log.evidence)
        shortest = render(log.model_copy(update={"evidence": named}), inline)
        posts = shortest if len(shortest) < len(posts) else posts
    return posts


def compose(log: RequestLog, top: list[Block], known: Known, pressed: list[Block]) -> tuple[Post, ...]:
    """All parts of an answer in their order, packed into messages.

    Args:
        log: the request, answered.
        top: what stands right below the headline.
        known: which evidence is linked inline.
        pressed: the buttons.
    """
    answer = log.answer or Answer(headline=Claim(template=""))
    body = [*edited_note(log), *pack_rows([*banner_rows(answer), *headline_rows(log, answer.headline, known)]), *top]
    for key, title in titled_sections(log):
        body.extend(pack_rows(section_rows(log, key, title, known)))
        if key == "code":
            body.extend(pack_rows(code_rows(log, answer, known)))
    body.extend([*pack_rows(gap_rows(log, answer.missing)), *evidence_blocks(log, known)])
    return pack_posts(body, (footer(log), *pressed), summary(log), in_full(log))


def compose_short(
    log: RequestLog, drawn: list[Block], since: list[Block], known: Known, before: RequestLog | None
) -> tuple[Post, ...]:
    """The headline, the chart, the few lines that decide or what differs from the last time, and what is missing.

    Args:
        log: the request, answered.
        drawn: its chart, when there is one.
        since: what differs from the last time the same was asked.
        known: which evidence is linked inline.
        before: the last answer of its thread.
    """
    answer = log.answer or Answer(headline=Claim(template=""))
    short = shorten(log, before, chart=bool(drawn))
    lines = () if since else short.lines
    body = [*edited_note(log), *pack_rows([*banner_rows(answer), *headline_rows(log, short.headline, known)])]
    ranked = [] if since else ranked_rows(log, short.ranked, short.below, known)
    if short.ranked:  # a picture of what is listed stands below the list
        body += [*since, *pack_rows(ranked), *drawn, *pack_rows(line_rows(lines, known))]
    else:
        body += [*drawn, *since, *pack_rows(line_rows(lines, known))]
    body += pack_rows([row(words(short.gaps, italic=True))] if short.gaps else [])
    more = not short.whole or bool(since)
    return pack_posts(body, (footer(log), *answer_buttons(log, more=more)), summary(log), in_full(log))


def render_apology(log: RequestLog) -> tuple[Post, ...]:
    """What is said instead of an answer that cannot be given: why, and that it can be asked once more."""
    answer = log.answer or Answer(headline=Claim(template=""))
    body = [*edited_note(log), *pack_rows(headline_rows(log, answer.headline, {}))]
    return pack_posts(body, (footer(log), *rerun_button(log.request_id)), summary(log), in_full(log))


def summary(log: RequestLog) -> str:
    """The answer as one paragraph for a notification, escaped."""
    answer = log.answer or Answer(headline=Claim(template=""))
    headline = unmarked(answer.headline.text).strip() or "No answer was written."
    parts = [f"{label_of(answer.headline)}{headline}"]
    first = titled_sections(log)[0][1]
    parts.extend([f"{first}: {said}" for said in plain_of(answer.what_changed, "supported")][:1])
    parts.extend([f"Hypothesis: {said}" for said in plain_of(tuple(claims_of(answer))[1:], "hypothesis")][:1])
    parts.extend([f"Next: {said}" for said in plain_of(answer.next_steps, "supported")][:1])
    if len(parts) == 1:
        parts.extend(unmarked(gap.text).strip().rstrip(".") + "." for gap in answer.missing[:3])
    return fallback(" ".join(parts))


def plain_of(claims: tuple[Claim, ...], status: str) -> list[str]:
    """The texts of the claims with a status, without marks."""
    return [unmarked(claim.text).strip() for claim in claims if claim.status == status]


# --- before the answer ----------------------------------------------------------------------------------------


def render_root(question: Question, why: str = "") -> Post:
    """The message that opens a thread for a command, or elsewhere than it was asked (``why``): who asked what."""
    text = safe(question.text).strip() or "…"
    over = len(text) - MAX_QUESTION
    shown = text if over <= 0 else f"{text[:MAX_QUESTION]}… {over:,} more characters"
    who = [*person(question.asker), *words(" asked:")]
    blocks = pack_rows([row(who), row(words(shown), "quote"), *([row(words(why))] if why else [])])
    said = f"{mention(question.asker)} asked: {fallback(clip(text, 600) if why else text)}"
    return Post(f"{said}\n{fallback(clip(why, 600))}" if why else said, tuple(blocks))


def why_direct(code: str, name: str) -> str:
    """Why a question is answered directly, and what lets it be answered where it was asked.

    Args:
        code: Slack's word for why it refused a message there.
        name: what the app is called.
    """
    if code in {"not_in_channel", "channel_not_found"}:
        return (
            "I am not a member of the channel where you asked, so I answer here. To have me there, type "
            f"/invite @{clip(safe(name), 80).lower()} in that channel."
        )
    return f"I may not post where you asked ({clip(safe(code), 60)}), so I answer here."


def render_stopped(by: str = "", request_id: str = "") -> Post:
    """Instead of an answer: someone stopped it.

    Args:
        by: that person's id or name.
        request_id: what can be asked once more; empty for no button.
    """
    rest = ". There is no answer."
    body = pack_rows([row([*words("Stopped by "), *person(by), *words(rest)])])
    return Post(f"Stopped by {mention(by)}{rest}", (*body, *rerun_button(request_id)))


def render_declined() -> Post:
    """Where a channel has turned the app off."""
    text = (
        "I am turned off in this channel. Ask me in a direct message; an administrator can turn me on here, in the "
        "settings on my Home tab."
    )
    return Post(text, tuple(pack_rows([row(words(text))])))
