"""Finished requests to render: one as the engine makes it, and ones that nobody would make."""

from __future__ import annotations

from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from tests.support.engine_fakes import NOW
from tests.support.latency_evidence import EVIDENCE
from workers.contracts import Answer, Claim, Evidence, Fact, Gap, Menu, Option, Question, RequestLog, ToolCall

START = 1_795_150_800.0  # 2026-11-20 05:00 UTC
HOSTILE = (
    "<!channel> <@U123> <#C1|x> @here &lt;b&gt; ```` ``` `a` *b* _c_ ~d~ <https://evil.example|click> "
    "\x00\x1b[2J\x7f \ud800 \u202eRTL \u0627\u0644\u0639 $x_1$ :fire: https://evil.example/x\r\n\ttab"
)


def claim(text: str, *evidence: str, guess: bool = False) -> Claim:
    return Claim(template=text, text=text, evidence=evidence, status="hypothesis" if guess else "supported")


def series(level: float, after: float, count: int = 120, onset: int = 109) -> tuple[tuple[float, float], ...]:
    return tuple((START + 300.0 * i, level if i < onset else after) for i in range(count))


def question(text: str = "Why?", timezone: str = "UTC") -> Question:
    return Question(request_id="7f3a12bc90de", text=text, asker="U123ABC", received_at=NOW, timezone=timezone)


def incident(timezone: str = "UTC", **changes: Any) -> RequestLog:
    """A latency incident with a deploy, an alert, code, a runbook and a guess."""
    metrics = {"E1": series(0.21, 1.87), "E3": series(0.018, 0.24)}
    evidence = [EVIDENCE[k].model_copy(update={"series": metrics.get(k, ())}) for k in EVIDENCE]
    answer = Answer(
        headline=claim("p95 latency of /api/search rose from 210 ms to 1.87 s at 14:06 UTC.", "E1", "E4"),
        what_changed=(
            claim("4f2c1ab “Add result cache” touched search/cache.py.", "E4"),
            claim("4f2c1ab may be behind it.", "E1", "E4", guess=True),
        ),
        metrics=(claim("Database p95 rose from 18 ms to 240 ms.", "E3"), claim("SearchLatencyHigh is firing.", "E6")),
        code=(claim("search/cache.py:12-16 in `cache_key`", "E5"),),
        docs=(claim("*Search latency › Cache misconfiguration*: keys that never repeat", "E7"),),
        next_steps=(claim("Check the cache key.", "E7"), claim("Roll back.", "E7")),
        missing=(Gap(text="No traces source is connected.", tool="traces", tried=("traces 24h", "traces 7d")),),
        tools_used=("metrics_query ×4", "repo_search ×2"),
    )
    fields: dict[str, Any] = {
        "request_id": "7f3a12bc90de",
        "question": question(timezone=timezone),
        "evidence": tuple(evidence),
        "answer": answer,
        "timings_ms": {"total": 412.0},
    }
    return RequestLog(**{**fields, **changes})


def clarifying(*options: Option, text: str = "Which one?") -> RequestLog:
    answer = Answer(kind="clarify", headline=claim(text), options=options, tools_used=("metrics_query ×1",))
    return incident(answer=answer)


def texts(size: int = 300) -> st.SearchStrategy[str]:
    """Any text, and text made of what means something to Slack; sometimes long."""
    anything = st.text(st.characters(codec=None), max_size=size)
    nasty = st.lists(
        st.sampled_from([*HOSTILE.split(" "), HOSTILE, " ", "\n", "a_b ", "/a/b ", "😀", '"', "\\"]), max_size=size // 8
    )
    pieces = nasty.map("".join)
    return st.one_of(anything, pieces, st.builds(lambda t, n: t * n, pieces, st.integers(1, 8)))


def claims(size: int) -> st.SearchStrategy[Claim]:
    keys = st.lists(st.sampled_from(["E1", "E2", "E3", "E9", "<!here>", ""]), max_size=4).map(tuple)
    status = st.sampled_from(["supported", "hypothesis"])
    return st.builds(Claim, template=st.just("x"), text=texts(size), evidence=keys, status=status)


def items() -> st.SearchStrategy[Evidence]:
    url = st.one_of(
        st.none(), texts(80), st.just("https://example.org/a/b#L1-L9"), st.just("https://x.org/" + "y" * 3000)
    )
    return st.builds(
        Evidence,
        id=st.sampled_from(["E1", "E2", "E3"]),
        kind=st.sampled_from(["code", "metric", "deploy"]),
        title=texts(80),
        locator=texts(),
        url=url,
        excerpt=texts(800),
        facts=st.dictionaries(
            st.sampled_from(["start_line", "name", "path"]), st.builds(Fact, value=st.one_of(texts(40), st.floats()))
        ),
    )


def logs(size: int = 300) -> st.SearchStrategy[RequestLog]:
    """Any finished request."""
    some = st.lists(claims(size), max_size=4).map(tuple)
    options = st.lists(st.builds(Option, value=texts(), label=texts(), reason=texts()), max_size=8).map(tuple)
    gaps = st.lists(st.builds(Gap, text=texts(size), tried=st.lists(texts(60), max_size=3).map(tuple)), max_size=3).map(
        tuple
    )
    menus = st.lists(st.builds(Menu, name=texts(80), kind=texts(20), options=options), max_size=3).map(tuple)
    answers = st.builds(
        Answer,
        kind=st.sampled_from(["answer", "clarify", "refusal"]),
        headline=claims(size),
        what_changed=some,
        metrics=some,
        code=some,
        docs=some,
        next_steps=some,
        missing=gaps,
        menus=menus,
        options=options,
        banner=st.one_of(st.none(), texts(120)),
        tools_used=st.lists(texts(40), max_size=4).map(tuple),
    )
    return st.builds(
        RequestLog,
        request_id=st.one_of(st.just("7f3a12bc90de"), texts(400)),
        question=st.just(question()),
        evidence=st.lists(items(), max_size=4).map(tuple),
        answer=answers,
        reasoner=texts(60),
        timings_ms=st.just({"total": 12.0}),
    )


def fewer_examples() -> settings:
    """For requests each of which takes a second: two of five of the examples that are usual."""
    return settings(max_examples=settings().max_examples * 2 // 5)


def wide_logs() -> st.SearchStrategy[RequestLog]:
    """Answers that nobody would write: claims of up to tens of thousands of characters, hundreds of evidence items."""
    some = st.lists(texts(120), min_size=1, max_size=6)
    return st.builds(wide_log, some, st.integers(0, 220), st.integers(1, 400), st.integers(0, 40))


def wide_log(some: list[str], items: int, repeats: int, each: int) -> RequestLog:
    """One of them; its texts are made of the given ones."""

    def text(i: int) -> str:
        return f"{i} {some[i % len(some)]}"

    kinds = ("metric", "code", "change", "doc", "deploy", "alert", "row", "message")
    evidence = tuple(
        Evidence(
            id=f"E{i}",
            kind=kinds[i % len(kinds)],  # type: ignore[arg-type]
            title=text(i),
            locator=text(i + 1),
            url=f"https://example.org/{i}" if i % 3 == 0 else None,
            excerpt=text(i) * (repeats % 9),
            step=f"s{i % 5}",
            facts={"current": Fact(value=i / 7, unit="s"), "name": Fact(value=text(i))},
        )
        for i in range(items)
    )
    keys = [e.id for e in evidence]
    claims = tuple(
        Claim(
            template=f"{{E{i}.current}}",
            text=text(i) * (repeats if i % 4 == 0 else 1),
            evidence=tuple(keys[i::7]),
            status="hypothesis" if i % 5 == 3 else "supported",
        )
        for i in range(each)
    )
    answer = Answer(
        headline=Claim(template="x", text=text(0) * repeats, evidence=tuple(keys)),
        what_changed=claims[::3],
        metrics=claims[1::3],
        next_steps=claims[2::3],
        missing=tuple(Gap(text=text(i) * repeats, tried=(text(i),)) for i in range(each // 8)),
    )
    calls = tuple(
        ToolCall(name="repo_search", args={"query": text(i)}, start_ms=0, end_ms=i, status="ok", step=f"s{i}")
        for i in range(5)
    )
    return RequestLog(
        request_id="7f3a12bc90de", question=question(text(0)), evidence=evidence, answer=answer, tool_calls=calls
    )
