"""What the eight domain tools found, as evidence: every value that an answer may quote is a named fact.

The first evidence of a tool is its summary; then comes one an item, worst first, at most `MOST` of them. Titles and
locators are stable. Units are those of `workers.contracts`; latencies are seconds (``s``), although the JSON has
milliseconds; money is a ``count`` whose name ends in ``_usd``. A fact that is not known is left out. ``entity`` is the
id of what the item is about; of a summary the id that was filtered by, or ``all``. A locator ends in what was asked for
apart from the usual, ``context://deployments?model_id=owl``, so that no two calls give one of it for different things.

=====================  ====================================================================================
get_active_incidents   kind ``incident``
summary                title ``active incidents`` · locator ``context://incidents``
                       count · as_of (time) · longest (s) · worst_incident, worst_target (text): of the one that
                       lasts longest · target_type, target (text): what was filtered by
item                   title ``incident ID: TITLE`` · locator ``context://incidents/ID`` · entity: the target
                       incident, title, status, target_type, target (text) · started_at (time) · duration (s)
                       duration_minutes (count)
get_deployment_status  kind ``row``
summary                title ``deployment status`` · locator ``context://deployments``
                       total (deployments too), healthy, degraded, down, unknown, stale, disabled (count) · as_of (time)
                       failing (count): with an error rate of 5 % or a timeout rate of 2 % at least, of all of them
                       model, backend, status_filter (text): what was filtered by
                       worst_deployment, worst_status (text): only when one is not healthy
                       highest_p95 (s), highest_p95_deployment (text), highest_p95_count (count): requests it rests on
                       newest_report (time): of all of them
item                   title ``deployment ID`` · locator ``context://deployments/ID`` · entity: the deployment
                       deployment, model, backend, status, enabled (``yes``/``no``), stale (``yes``/``no``) (text)
                       updated_at (time) · age, window, latency_p50, latency_p95, ttft_p50, ttft_p95 (s)
                       error_rate, timeout_rate (ratio) · sample_count, queue_depth, rate_limit_remaining (count)
                       decode_rate_p50, decode_rate_p95 (/s: tokens per second)
get_recent_requests    kind ``row``
summary                title ``recent requests`` · locator ``context://requests``
                       count (newest_count too), success_count, error_count, timeout_count, limit (count)
                       has_more (``yes``/``no``)
                       request_count, all_error_count, all_timeout_count (count), error_rate, timeout_rate (ratio):
                       of the whole window, of any status, listed or not
                       latency_p50, latency_p95, latency_max (s), all of those listed · slowest_request (text)
                       newest_at, oldest_at, window_start, window_end (time)
                       failed_request (text), failed_at (time): the newest that failed
                       top_error_code (text), top_error_count (count)
                       top_failing_deployment (text), top_failing_count (count)
                       status_filter, user, tier, deployment, model, backend (text): what was filtered by
item                   title ``request ID`` · locator ``context://requests/ID`` · entity: the request
                       request, user, tier, deployment, model, backend, task_type, status, error_code (text)
                       created_at (time) · latency, ttft (s) · decode_rate (/s)
                       input_tokens, output_tokens, cost_usd (count)
get_request_detail     kind ``row``
summary                the item above, locator ``context://requests/ID#detail`` · and: router_version,
                       experiment (text) · routing_KEY (text or count): each plain
                       value of the routing decision · quality_score (ratio), eval_type (text), evaluated_at (time)
                       incident (text): the related one
second                 the related incident, as an item of get_active_incidents; and resolved_at (time)
get_user_context       kind ``row``
summary                title ``user ID`` · locator ``context://users/ID`` · entity: the user
                       user, tier (text) · latency_sla (s) · daily_budget_usd, daily_budget_used_usd,
                       daily_budget_remaining_usd, requests_today (count) · budget_used (ratio) · day_start (time)
get_latency_trends     kind ``metric``; ``series``: p95 of each period in seconds
summary                title ``latency trends`` · locator ``context://trends/latency`` · all deployments together
                       request_count (count) · latency_p50, latency_p95 (s): of the whole window
                       avg_latency_p50, avg_latency_p95 (s): as in the JSON · error_rate, timeout_rate (ratio)
                       baseline, current, peak (s): p95 · peak_at (time) · change_pct (percent)
                       direction (``rose``, ``fell``, ``steady``) · error_rate_baseline, error_rate_current (ratio)
                       granularity (text) · window_start, window_end (time) · worst_deployment (text): whose p95 rose
                       most, worst_change_pct (percent); only when one rose
                       deployment, model, backend (text): what was filtered by
                       current: the last full period (of an hour or a day), which began at window_last (time) with
                       current_count requests (peak_count those of the peak); baseline: the median of those before;
                       periods with fewer than 10 requests are left out of them and of the peak
item                   title ``latency of deployment ID`` · locator ``context://trends/latency/ID`` · entity: it
                       the same of one deployment, and deployment (text)
get_quality_summary    kind ``row``; scores are ``ratio``
summary                title ``quality summary`` · locator ``context://quality``
                       sample_count (count) · avg_score, min_score, max_score (ratio) · window_start, window_end (time)
                       lowest_model, lowest_task (text), lowest_avg_score (ratio), lowest_sample_count (count): the
                       worst item · model, task_type (text): what was filtered by
                       lowest_request (text), lowest_request_score (ratio), lowest_request_at (time): the newest
                       request with the lowest score
item                   title ``quality of MODEL on TASK`` · locator ``context://quality/MODEL/TASK`` · entity: the model
                       model, task_type (text) · avg_score, min_score, max_score (ratio) · sample_count (count)
                       lowest_request (text)
get_request_volume     kind ``metric``; ``series``: requests of each period, 0 where there were none
summary                title ``request volume`` · locator ``context://volume``
                       request_count, total_cost_usd (count) · granularity, group_by (text)
                       baseline, current, peak (count): requests of a period · peak_at, window_last (time)
                       change_pct (percent)
                       direction · window_start, window_end (time)
                       busiest_group (text), busiest_count (count), busiest_share (ratio) · groups (count)
item                   title ``request volume of GROUP`` · locator ``context://volume/GROUP_BY/GROUP`` · entity: it
                       the same of one group, and group (text), share (ratio); most requests first
=====================  ====================================================================================

An unknown id (request, user) is status ``empty`` without evidence, wrong parameters are status ``error``; ``data`` is
then ``{error: true, message, code}`` with NOT_FOUND, INVALID_PARAMETER or DATABASE_ERROR, and ``nearest`` holds values
that exist. No incident is status ``ok`` with count 0, and so is no failure, asked for by status error or timeout, where
there were requests. Any other list without rows is ``empty``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from workers.agents.operations.source.reader import Found
from workers.agents.operations.source.state_evidence import (
    deployments_found,
    incidents_found,
    request_found,
    requests_found,
    user_found,
)
from workers.agents.operations.source.trend_evidence import quality_found, trends_found, volume_found
from workers.contracts import Evidence

Describe = Callable[[Found, datetime, Mapping[str, Any]], tuple[Evidence, ...]]
"""What was found, as of when, and the arguments it was asked with -> evidence, the summary first."""

DESCRIBE: Mapping[str, Describe] = {
    "get_active_incidents": incidents_found,
    "get_deployment_status": deployments_found,
    "get_recent_requests": requests_found,
    "get_request_detail": request_found,
    "get_user_context": user_found,
    "get_latency_trends": trends_found,
    "get_quality_summary": quality_found,
    "get_request_volume": volume_found,
}
