"""Deals as one function: search, rank, reason, in this order, with a log of summaries.

`run_agent` writes no file and keeps nothing but the opened deals. What goes wrong in a step is an
`AgentOrchestratorError` that names it and holds the log of the steps before.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from workers.agents.deals.agent_log import AgentLog, ReasoningOutput, ToolCallSummary
from workers.errors import OracleError

SEARCH, RANK, REASON = "tool_graph_semantic_search", "tool_rank_deals_ml", "tool_deal_reasoner"
MOST_CHARS, MOST_IDS = 200, 5


class AgentOrchestratorError(OracleError):
    """A step of `run_agent` failed: ``step`` names it, ``cause`` is its error, ``log`` holds the steps before."""

    def __init__(self, step: str, cause: Exception, log: AgentLog) -> None:
        done = len(log.tool_calls)
        super().__init__(
            f"{step} failed after {done} finished step{'s' * (done != 1)}: {cause or type(cause).__name__}"
        )
        self.step, self.cause, self.log = step, cause, log


def search_deals(query: str) -> Any:
    """The candidates among the loaded deals. Raises: ToolUnavailable: none are loaded."""
    from workers.agents.deals.source.portfolio import default_portfolio  # noqa: PLC0415 - heavy libraries
    from workers.agents.deals.source.search import find_candidates  # noqa: PLC0415

    return find_candidates(default_portfolio().index(), query)


def rank_deals(query: str, candidates: Any) -> Any:
    """The candidates ranked by what was learned, or by the heuristic."""
    from workers.agents.deals.source.portfolio import default_portfolio  # noqa: PLC0415
    from workers.agents.deals.source.ranker import near_ones, rank  # noqa: PLC0415

    del query
    return near_ones(rank(candidates, default_portfolio().ranker()[0]), candidates.conditions)


def reason_on_deals(query: str, ranked: Sequence[Any], prompt_version: str = "latest") -> ReasoningOutput:
    """What follows from ranked deals by rules, every statement checked against the records."""
    from workers.agents.deals.reasoner import reason  # noqa: PLC0415

    return reason(query, ranked, prompt_version)


def reset_cached_ranker() -> None:
    """Read the learned ranker from its file again when it is next needed."""
    from workers.agents.deals.source.portfolio import default_portfolio  # noqa: PLC0415

    default_portfolio().forget_ranker()


def run_agent(
    query: str,
    *,
    max_results: int = 10,
    prompt_version: str = "latest",
    search_fn: Callable[[str], Any] = search_deals,
    rank_fn: Callable[[str, Any], Any] = rank_deals,
    reason_fn: Callable[..., Any] = reason_on_deals,
) -> AgentLog:
    """Find precedents for a deal that is described in words.

    Args:
        query: the description or question.
        max_results: how many ranked deals are reasoned on, 1 or more.
        prompt_version: of the instructions for a language model; ``latest`` or a version.
        search_fn: query -> candidates; deals are known by their ``id`` or ``deal_id``.
        rank_fn: query, candidates -> the same deals, the best first.
        reason_fn: query, ranked, ``prompt_version=…`` -> `ReasoningOutput` or a mapping of its shape.

    Raises:
        AgentOrchestratorError: a step failed, found nothing, or returned something else than the deals it was given.
    """
    log = AgentLog(query=query)

    def run(step: str, inputs: str, call: Callable[[], Any], told: Callable[[Any], str]) -> Any:
        try:
            found = call()
            outputs = told(found)
        except Exception as error:  # any error of a step is told with what was done before it
            raise AgentOrchestratorError(step, error, log) from error
        log.tool_calls.append(ToolCallSummary(tool=step, inputs=inputs, outputs=outputs))
        return found

    asked = f"query: {clipped(query)}"
    candidates = run(SEARCH, asked, lambda: search_fn(checked_query(query, max_results)), candidates_told)
    known = set(ids_of(candidates))
    ranked = run(
        RANK,
        f"{asked}; {len(known)} candidates",
        lambda: list(rank_fn(query, candidates))[:max_results],
        lambda found: ranked_told(found, known),
    )
    output = run(
        REASON,
        f"{asked}; {len(ranked)} ranked; prompt_version: {prompt_version}",
        lambda: checked_output(reason_fn(query, ranked, prompt_version=prompt_version), set(ids_of(ranked))),
        output_told,
    )
    return log.model_copy(update={"reasoning_output": output})


# --- checks and summaries -------------------------------------------------------------------------------------


def checked_query(query: str, max_results: int) -> str:
    """The query. Raises: ValueError: it is empty, or nothing may be returned."""
    if not isinstance(query, str) or not query.strip():
        raise ValueError("the query is empty")
    if max_results < 1:
        raise ValueError(f"max_results is {max_results}; it must be 1 or more")
    return query


def candidates_told(found: Any) -> str:
    """How many candidates there are, and the first. Raises: ValueError: there are none."""
    ids = ids_of(found)
    if not ids:
        raise ValueError("no deal was found")
    return f"{len(ids)} candidates; first: {', '.join(ids[:MOST_IDS])}"


def ranked_told(found: Sequence[Any], known: set[str]) -> str:
    """The best deals. Raises: ValueError: there are none, or some were no candidates."""
    ids = ids_of(found)
    if not ids:
        raise ValueError("the ranking is empty")
    if strange := [i for i in ids if i not in known]:
        raise ValueError(f"the ranking holds deals that were no candidates: {', '.join(strange[:MOST_IDS])}")
    return f"{len(ids)} ranked; top: {', '.join(ids[:MOST_IDS])}"


def checked_output(found: Any, ranked: set[str]) -> ReasoningOutput:
    """The output of the reasoner. Raises: ValueError: it has another shape, or names a deal that was not ranked."""
    try:
        output = found if isinstance(found, ReasoningOutput) else ReasoningOutput.model_validate(found)
    except ValidationError as error:
        fault = error.errors()[0]
        place = ".".join(map(str, fault["loc"])) or "the output"
        raise ValueError(f"the reasoning is not of its shape: {place}: {fault['msg']}") from error
    if strange := [p.deal_id for p in output.precedents if p.deal_id not in ranked]:
        raise ValueError(f"the reasoning names deals that were not ranked: {', '.join(strange[:MOST_IDS])}")
    return output


def output_told(output: ReasoningOutput) -> str:
    """How much was found out."""
    counts = (
        (len(output.precedents), "precedents"),
        (len(output.playbook_levers), "levers"),
        (len(output.risk_themes), "risks"),
    )
    return ", ".join(f"{n} {name}" for n, name in counts)


def ids_of(found: Any) -> list[str]:
    """The ids of deals, in their order. Raises: TypeError: something has none."""
    return [id_of(item) for item in (getattr(found, "deals", found) or ())]


def id_of(item: Any) -> str:
    """The id of a deal, a ranked deal or a mapping of either. Raises: TypeError: it has none."""
    inner = item.get("deal", item) if isinstance(item, Mapping) else getattr(item, "deal", item)
    for name in ("id", "deal_id"):
        found = inner.get(name) if isinstance(inner, Mapping) else getattr(inner, name, None)
        if isinstance(found, str):
            return found
    raise TypeError(f"{type(item).__name__} is no deal: it has neither id nor deal_id")


def clipped(text: str) -> str:
    """A text in one line of a summary."""
    line = " ".join(str(text).split())
    return line if len(line) <= MOST_CHARS else f"{line[: MOST_CHARS - 1]}…"
