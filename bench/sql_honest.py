"""A hundred honest analytical queries, for SQLite and PostgreSQL: what an engineer asks of the operations data.

Where the dialects differ a query holds ``{hour}`` and the like; the last ten of each list are the dialect's own.
"""
# ruff: noqa: E501 - one query a line

from __future__ import annotations

from typing import Literal

PIECES = {
    "sqlite": {
        "hour": "strftime('%Y-%m-%d %H:00', created_at)",
        "day": "date(created_at)",
        "weekday": "strftime('%w', created_at)",
        "clock": "strftime('%H', created_at)",
        "h1": "datetime('now', '-1 hour')",
        "h24": "datetime('now', '-1 day')",
        "d7": "datetime('now', '-7 days')",
        "strategy": "json_extract(routing_reason_json, '$.strategy')",
        "minutes": "(julianday(coalesce(resolved_at, 'now')) - julianday(started_at)) * 1440",
        "real": "real",
        "yes": "1",
        "greatest": "max",
    },
    "postgres": {
        "hour": "date_trunc('hour', created_at)",
        "day": "created_at::date",
        "weekday": "extract(dow from created_at)",
        "clock": "extract(hour from created_at)",
        "h1": "now() - interval '1 hour'",
        "h24": "now() - interval '1 day'",
        "d7": "now() - interval '7 days'",
        "strategy": "routing_reason_json::json ->> 'strategy'",
        "minutes": "extract(epoch from (coalesce(resolved_at, now()) - started_at)) / 60",
        "real": "double precision",
        "yes": "true",
        "greatest": "greatest",
    },
}

COMMON = """
select count(*) as requests from requests
select status, count(*) as requests from requests group by status order by requests desc
select model_id, avg(latency_ms) as avg_latency_ms from requests where status = 'success' group by model_id order by 2 desc
select deployment_id, max(latency_ms) as max_latency_ms from requests group by deployment_id order by max_latency_ms desc, deployment_id limit 5
select {hour} as bucket, count(*) as requests from requests where created_at >= {h24} group by {hour} order by bucket
select {day} as day, sum(cost_usd) as cost_usd from requests group by {day} order by day
select {day} as day, model_id, count(*) as n from requests where created_at >= {d7} group by {day}, model_id order by day, n desc
select {clock} as hour_of_day, count(*) as n, avg(latency_ms) as latency_ms from requests group by {clock} order by 1
select {weekday} as weekday, count(*) as n from requests group by {weekday} order by 1
select u.tier_id, count(*) as n, sum(r.cost_usd) as cost_usd from requests r join users u on u.id = r.user_id group by u.tier_id order by n desc
select u.id, u.daily_budget_usd, sum(r.cost_usd) as used_usd from users u left join requests r on r.user_id = u.id and r.created_at >= {h24} group by u.id, u.daily_budget_usd order by used_usd desc
select deployment_id, avg(case when status = 'error' then 1.0 else 0.0 end) as error_rate from requests where created_at >= {h24} group by deployment_id order by error_rate desc
select deployment_id, sum(case when status = 'timeout' then 1 else 0 end) * 1.0 / count(*) as timeout_rate from requests group by deployment_id having count(*) > 10 order by timeout_rate desc
select error_code, count(*) as n from requests where status <> 'success' group by error_code order by n desc
select error_code, deployment_id, count(*) as n from requests where error_code is not null group by error_code, deployment_id having count(*) >= 2 order by n desc, deployment_id, error_code limit 20
select d.id, s.status, s.latency_p95_ms from deployments d join deployment_state_current s on s.deployment_id = d.id where s.status in ('degraded', 'down')
select status, count(*) as n, avg(error_rate) as error_rate from deployment_state_current group by status
select d.id from deployments d left join deployment_state_current s on s.deployment_id = d.id where s.deployment_id is null
select id, title, started_at from incidents where status = 'active' order by started_at
select target_type, count(*) as n from incidents group by target_type order by n desc
select id, title, {minutes} as minutes from incidents order by minutes desc
select round(avg({minutes})) as avg_minutes from incidents where status = 'resolved'
select m.provider, count(distinct d.id) as deployments from models m join deployments d on d.model_id = m.id group by m.provider order by 1
select b.region, count(*) as n from deployments d join backends b on b.id = d.backend_id group by b.region order by n desc
select q.eval_type, avg(q.score) as avg_score, min(q.score) as min_score, count(*) as n from quality_scores q group by q.eval_type order by avg_score
select r.model_id, r.task_type, avg(q.score) as avg_score from quality_scores q join requests r on r.id = q.request_id group by r.model_id, r.task_type order by avg_score limit 10
select r.id, q.score from requests r join quality_scores q on q.request_id = r.id order by q.score, r.id limit 10
select r.model_id, count(q.score) * 1.0 / count(*) as scored_ratio from requests r left join quality_scores q on q.request_id = r.id group by r.model_id order by 1
with recent as (select * from requests where created_at >= {h24}) select model_id, count(*) as n from recent group by model_id order by n desc, model_id
with per_user as (select user_id, sum(cost_usd) as cost from requests group by user_id) select p.user_id, p.cost / u.daily_budget_usd as budgets from per_user p join users u on u.id = p.user_id order by budgets desc
with totals as (select model_id, count(*) as n from requests group by model_id), whole as (select sum(n) as everything from totals) select t.model_id, t.n * 1.0 / w.everything as share from totals t cross join whole w order by share desc
with a as (select deployment_id, avg(latency_ms) as l from requests where created_at >= {h24} group by deployment_id), b as (select deployment_id, avg(latency_ms) as l from requests where created_at < {h24} group by deployment_id) select a.deployment_id, a.l - b.l as change_ms from a join b on a.deployment_id = b.deployment_id order by change_ms desc
with ranked as (select id, model_id, latency_ms, row_number() over (partition by model_id order by latency_ms desc) as place from requests where latency_ms is not null) select model_id, id, latency_ms from ranked where place <= 3 order by model_id, latency_ms desc, id
select id, latency_ms, rank() over (order by latency_ms desc) as place from requests where latency_ms is not null order by place, id limit 10
select id, dense_rank() over (order by input_tokens desc) as place from requests order by place, id limit 10
select model_id, avg(latency_ms) as l, avg(avg(latency_ms)) over () as overall from requests group by model_id order by 1
select bucket, n, n - lag(n) over (order by bucket) as change from (select {hour} as bucket, count(*) as n from requests group by {hour}) as hours order by bucket desc limit 24
select bucket, n, lead(n, 1, 0) over (order by bucket) as following from (select {day} as bucket, count(*) as n from requests group by {day}) as days order by bucket
select bucket, sum(n) over (order by bucket rows between unbounded preceding and current row) as so_far from (select {day} as bucket, count(*) as n from requests group by {day}) as days order by bucket
select bucket, avg(n) over (order by bucket rows between 2 preceding and current row) as smooth from (select {hour} as bucket, count(*) as n from requests group by {hour}) as hours order by bucket limit 50
select deployment_id, ntile(4) over (order by latency_p95_ms) as quarter from deployment_state_current where latency_p95_ms is not null order by deployment_id
select deployment_id, percent_rank() over (order by error_rate) as place from deployment_state_current where error_rate is not null order by place, deployment_id
select distinct model_id, first_value(deployment_id) over (partition by model_id order by deployment_id) as first_one from deployments_of
select model_id, max(latency_ms) as worst from (select model_id, latency_ms, ntile(100) over (partition by model_id order by latency_ms) as tile from requests where latency_ms is not null) as t where tile <= 95 group by model_id order by model_id
select count(*) as slow from requests r join users u on u.id = r.user_id join tiers t on t.id = u.tier_id where r.latency_ms > coalesce(u.latency_sla_override_ms, t.latency_sla_p95_ms)
select t.id, avg(case when r.latency_ms > t.latency_sla_p95_ms then 1.0 else 0.0 end) as over_ratio from requests r join users u on u.id = r.user_id join tiers t on t.id = u.tier_id group by t.id order by t.id
select case when latency_ms < 200 then 'fast' when latency_ms < 1000 then 'middle' else 'slow' end as class, count(*) as n from requests where latency_ms is not null group by 1 order by n desc
select case status when 'success' then 'good' else 'bad' end as outcome, count(*) as n from requests group by case status when 'success' then 'good' else 'bad' end order by 1
select floor(latency_ms / 100) * 100 as bucket_ms, count(*) as n from requests where latency_ms is not null group by floor(latency_ms / 100) order by 1 limit 40
select model_id, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens, sum(output_tokens) * 1.0 / nullif(sum(input_tokens), 0) as expansion_ratio from requests group by model_id order by 1
select model_id, sum(cost_usd) / nullif(sum(output_tokens), 0) * 1000 as usd_per_1000 from requests group by model_id order by usd_per_1000 desc
select user_id, count(distinct model_id) as models from requests group by user_id order by models desc, user_id
select task_type, count(*) as n from requests group by task_type having count(*) > (select count(*) / 100 from requests) order by n desc
select id, latency_ms from requests where latency_ms > (select avg(latency_ms) * 3 from requests) order by latency_ms desc, id limit 10
select id from users where id not in (select user_id from requests where created_at >= {h1}) order by id
select id from models m where not exists (select 1 from requests r where r.model_id = m.id and r.created_at >= {h1}) order by id
select id from deployments d where exists (select 1 from incidents i where i.target_id = d.id or i.target_id = d.model_id or i.target_id = d.backend_id) order by id
select i.id, count(r.id) as hit from incidents i left join requests r on r.deployment_id = i.target_id and r.created_at >= i.started_at and r.created_at <= coalesce(i.resolved_at, r.created_at) where i.target_type = 'deployment' group by i.id order by i.id
select i.title, i.target_id, s.status from incidents i join deployment_state_current s on s.deployment_id = i.target_id
select model_id from requests where status = 'error' intersect select model_id from requests where status = 'timeout' order by 1
select model_id from deployments except select model_id from requests order by 1
select id, 'model' as kind from models union all select id, 'backend' as kind from backends order by 2, 1
select id from users where id like '%a%' union select id from models where id like '%a%' order by 1
select router_version, count(*) as n, avg(latency_ms) as avg_latency_ms from requests where router_version is not null group by router_version order by 1
select experiment_id, avg(cost_usd) as avg_cost_usd from requests where experiment_id is not null group by experiment_id order by 1
select {strategy} as strategy, count(*) as n from requests group by {strategy} order by n desc
select upper(task_type) as task, length(task_type) as letters from requests group by task_type order by 1
select substr(model_id, 1, 3) as family, count(*) as n from models_of group by 1 order by 1
select replace(id, '/', ' ') as name from deployments order by id
select trim(id) as id, lower(provider) as provider from models order by 1
select backend_id, count(*) as n from requests where created_at between {h24} and {h1} group by backend_id order by 1
select backend_id, model_id, count(*) as n from requests where not (status = 'success') group by backend_id, model_id order by n desc, 1, 2
select r.id, r.created_at, r.latency_ms, u.tier_id from requests r inner join users u on r.user_id = u.id where u.tier_id = 'premium' and r.status = 'timeout' order by r.created_at desc, r.id limit 20
select abs(min(latency_ms) - max(latency_ms)) as spread_ms from requests
select model_id, sqrt(avg(latency_ms * latency_ms) - avg(latency_ms) * avg(latency_ms)) as deviation_ms from requests where latency_ms is not null group by model_id order by 1
select cast(avg(latency_ms) as integer) as avg_latency_ms from requests
select cast(count(*) as {real}) / 24 as per_hour from requests where created_at >= {h24}
select max_context_tokens, id from models where supports_tools = {yes} order by max_context_tokens desc, id limit 3 offset 1
select provider, sum(case when supports_json_mode = {yes} then 1 else 0 end) as with_json from models group by provider order by 1
select id, {greatest}(weight, 0.5) as weight_or_half from deployments order by id
select count(*) filter (where status = 'error') as errors, count(*) filter (where status = 'timeout') as timeouts from requests
select model_id, count(*) filter (where latency_ms > 1000) * 1.0 / count(*) as slow_ratio from requests group by model_id order by slow_ratio desc, 1
select a.model_id, a.backend_id as first_backend, b.backend_id as second_backend from deployments a join deployments b on a.model_id = b.model_id and a.backend_id < b.backend_id order by 1, 2, 3
select user_id, max(created_at) as last_seen from requests group by user_id order by last_seen desc
select r.* from requests r where r.id = (select min(id) from requests)
select t.*, (select count(*) from users u where u.tier_id = t.id) as users from tiers t order by t.id
select u.id, t.max_error_rate, coalesce(u.max_error_rate_override, t.max_error_rate) as effective_rate from users u, tiers t where u.tier_id = t.id order by u.id
select m.id, coalesce(x.n, 0) as errors from models m left join (select model_id, count(*) as n from requests where status = 'error' group by model_id) as x on x.model_id = m.id order by errors desc, m.id
select exp(avg(ln(latency_ms))) as geometric_ms from requests where latency_ms > 0
select round(cast(sum(cost_usd) as numeric), 2) as total_usd, count(*) as n from requests; -- the whole bill
""".replace(
    "from deployments_of", "from (select model_id, id as deployment_id from deployments) as d order by 1"
).replace("from models_of", "from (select id as model_id from models) as m")

OWN = {
    "sqlite": """
select strftime('%Y-%W', created_at) as week, count(*) as n from requests group by week order by week
select date(created_at, 'start of month') as month, count(*) as n from requests group by 1 order by 1
select unixepoch('now') - unixepoch(max(updated_at)) as age_sec from deployment_state_current
select iif(enabled, 'on', 'off') as state, count(*) as n from deployments group by 1 order by 1
select printf('%.2f', sum(cost_usd)) as usd from requests
select total(cost_usd) as usd, group_concat(distinct status) as states from requests
select json_extract(preferences_json, '$') is not null as has_preferences, count(*) as n from users group by 1
select instr(id, '/') as slash, id from deployments where id glob '*/*' order by id
select ifnull(error_code, 'none') as code, count(*) as n from requests group by code order by n desc
select latency_ms as p95_ms from requests where latency_ms is not null order by latency_ms limit 1 offset 5
""",
    "postgres": """
select percentile_cont(0.95) within group (order by latency_ms) as p95_ms from requests
select model_id, percentile_cont(0.5) within group (order by latency_ms) as p50_ms, percentile_cont(0.95) within group (order by latency_ms) as p95_ms from requests group by model_id order by 1
select date_trunc('day', created_at) as day, percentile_disc(0.99) within group (order by latency_ms) as p99_ms from requests group by 1 order by 1
select percentile_cont(array[0.5, 0.9, 0.99]) within group (order by latency_ms) as quantiles_ms from requests
select distinct on (deployment_id) deployment_id, id, created_at from requests order by deployment_id, created_at desc, id
select date_bin('15 minutes', created_at, timestamptz '2020-01-01') as bucket, count(*) as n from requests where created_at >= now() - interval '3 hours' group by 1 order by 1
select string_agg(distinct status, ', ' order by status) as states, mode() within group (order by model_id) as usual from requests
select stddev_samp(latency_ms) as deviation_ms, corr(input_tokens, latency_ms) as correlation from requests
select model_id, backend_id, count(*) as n from requests group by rollup (model_id, backend_id) order by 1 nulls last, 2 nulls last limit 100
select to_char(created_at at time zone 'Europe/Berlin', 'YYYY-MM-DD HH24:00') as hour, bool_or(status = 'error') as had_errors from requests group by 1 order by 1 desc limit 24
""",
}


def honest_queries(dialect: Literal["sqlite", "postgres"]) -> tuple[str, ...]:
    """All of one dialect."""
    lines = [line for text in (COMMON, OWN[dialect]) for line in text.strip().splitlines()]
    return tuple(line.format(**PIECES[dialect]) if "{" in line else line for line in lines)
