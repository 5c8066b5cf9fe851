"""The one retry after an empty or failed step: wider in time, or by fewer words."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

from workers.contracts import Intent, Scalar, Step, ToolOutput, rfc3339
from workers.reasoning.question_features import asks_overview
from workers.reasoning.question_words import STOP, SYMPTOM

WORDED = frozenset({"metrics_query", "repo_search", "doc_search"})
"""Tools whose query is words, fewer of which may find more."""
NAMES = re.compile(r"^no file in (?!.* under ).* names ")
WINDOW = re.compile(r"window=\S+")


def refine(step: Step, output: ToolOutput, intent: Intent) -> dict[str, Scalar] | None:
    """Arguments for the retry, or None when no query could do better."""
    lost = output.status == "error" and not output.nearest
    lost = lost or (step.tool == "repo_search" and "query" not in step.args)  # no words that fewer could be
    if step.tool not in WORDED or lost or output.data.get("left_out") or step.args.get("values"):
        return None
    query = str(step.args.get("query", ""))
    if step.tool == "metrics_query":
        return refine_metric(query, output)
    unnamed = NAMES.search(output.reason) is not None  # a name of the query is in no file: its words may be
    if step.args.get("since") and unnamed:
        return {**step.args, "query": " ".join(key_words(query, intent))}
    if step.args.get("since"):
        return {**step.args, "query": " ".join(intent.subjects), "since": earlier(str(step.args["since"]))}
    if step.tool == "doc_search" and intent.question_type == "design_overview" and asks_overview(query):
        return {**step.args, "query": "design overview"}
    words = key_words(query, intent)
    dropped = {"kind"} if unnamed else {"kind", "path"}
    rest = {k: v for k, v in step.args.items() if k not in dropped}
    return {**rest, "query": " ".join(words)} if words else None


def refine_metric(query: str, output: ToolOutput) -> dict[str, Scalar] | None:
    """A label that the metric lacks is left out; else look a week back. An unknown name stays unknown."""
    name = re.search(r"metric=(\S+)", query)
    foreign = re.search(r"has no label '(\w+)'", output.reason)
    if foreign:
        return {"query": unfiltered(query, foreign[1])}
    if output.status == "error" and name:  # what merely is spelled alike measures something else
        return None
    wider = WINDOW.sub("window=7d", query)
    return {"query": wider} if wider != query else None


def unfiltered(query: str, label: str) -> str:
    """A query without a label, which its answer then says."""
    said = re.search(rf' {label}=(?:"([^"]*)"|(\S+))', query)
    if said is None:
        return query
    before = re.search(r' unfiltered="([^"]*)"', query)
    told = "; ".join(filter(None, (before and before[1], f"{label}={said[1] or said[2]}")))
    rest = query.replace(said.group(), "").replace(before.group() if before else "", "")
    return f'{rest} unfiltered="{told}"'


def earlier(since: str) -> str:
    """Three days before."""
    return rfc3339(datetime.fromisoformat(since) - timedelta(days=3))


def key_words(query: str, intent: Intent) -> list[str]:
    """The subjects' own words: the last part of an endpoint, a service, a feature."""
    text = " ".join(intent.subjects) or re.split(r"[?.!;,]\s", query)[0]
    words = [w for w in re.findall(r"[A-Za-z0-9]{3,}", text) if w.lower() not in STOP | SYMPTOM and w.lower() != "api"]
    return list(dict.fromkeys(words))[:4]
