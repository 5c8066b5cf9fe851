"""The options of a question back, by what their latency did in the last day."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from workers.contracts import Ambiguity, Evidence, Fact, Option, Step, ToolOutput
from workers.grounding.value_format import Voice, say, say_move

FEW, MAX_OPTIONS = 5, 12  # options of any kind, and of those that moved


def options_step(ambiguity: Ambiguity) -> Step:
    """The p95 latency of everything in the last day."""
    del ambiguity
    query = "metric=latency_p95 window=24h"
    return Step(id="options", tool="metrics_query", args={"query": query}, purpose="weigh the options")


def weigh_options(
    ambiguity: Ambiguity, output: ToolOutput, now: datetime, timezone: str
) -> tuple[Ambiguity, tuple[Evidence, ...]]:
    """Order the candidates by how much they moved, add those that were found and not listed, and give the reason.

    More than a few stand there only as far as they moved. Where it is asked what is slow and a single one got slower,
    that one is meant.
    """
    voice = Voice(now, timezone)
    found = {str(c["value"]): c for c in output.data.get("candidates") or []}
    unit = str(output.data.get("unit") or "")
    listed = {o.value for o in ambiguity.options}
    moved = {name for name, c in found.items() if c.get("direction") not in {None, "steady"}}
    more = [n for n in found if n not in listed and (n in moved or len(listed) < 2)]
    options = [*ambiguity.options, *(Option(value=n, label=n) for n in more)]
    rank = {name: i for i, name in enumerate(found)}
    ordered = sorted(options, key=lambda o: (o.value not in moved, rank.get(o.value, len(rank))))
    most = min(max(FEW, len(moved)), MAX_OPTIONS)
    slower = [o for o in ordered if found.get(o.value, {}).get("direction") == "rose"]
    ordered = slower if ambiguity.of_latency and len(slower) == len(moved) == 1 else ordered
    reasoned = [with_reason(o, found.get(o.value, {}), unit, voice) for o in ordered[:most]]
    return ambiguity.model_copy(update={"options": tuple(reasoned)}), candidate_evidence(output)


def candidate_evidence(output: ToolOutput) -> tuple[Evidence, ...]:
    """What the reasons of the options rest on, one piece a candidate; so that a question back can be checked too."""
    unit, url = str(output.data.get("unit") or ""), output.data.get("url")
    return tuple(
        Evidence(
            kind="metric",
            title=f"p95 latency of {row['value']}",
            locator=f"{output.data.get('promql') or 'p95 latency'} of {row['value']}",
            url=url if isinstance(url, str) else None,
            facts={
                name: Fact(value=row[name], unit="time" if name == "onset_at" else unit, entity=str(row["value"]))
                for name in ("baseline", "current", "last_known", "onset_at")
                if isinstance(row.get(name), int | float | str)
            },
        )
        for row in output.data.get("candidates") or []
    )


def with_reason(option: Option, found: Mapping[str, Any], unit: str, voice: Voice) -> Option:
    """What a candidate's latency did."""
    before, onset = found.get("baseline"), found.get("onset_at")
    after = found.get("current") if found.get("current") is not None else found.get("last_known")
    if not isinstance(before, int | float) or not isinstance(after, int | float):
        return option
    now = Fact(value=after, unit=unit)
    if found.get("direction") == "steady":
        return option.model_copy(update={"reason": f"p95 steady at {say(now, voice)}"})
    reason = f"p95 {say_move(Fact(value=before, unit=unit), now, voice)}"
    if onset:
        reason += f" at {say(Fact(value=str(onset), unit='time'), voice)}"
    return option.model_copy(update={"reason": reason})
