"""Whether a question is one about model deployments in operation, or about code, documents and metrics."""

# ruff: noqa: E501 - one pattern a line
from __future__ import annotations

import re
from collections.abc import Sequence

from workers.agents.operations.question_words import REQUEST_ID, TIER, names_in, typed_sql
from workers.agents.operations.thread_context import names_of, whole_of
from workers.contracts import Landscape, QuestionType
from workers.grounding.lexicon import words
from workers.language.question_kinds import score_kinds
from workers.reasoning.deployment_parts import SERVED
from workers.reasoning.kind_groups import BEHAVIOUR_KINDS

MOST_NAMES = 500
"""A landscape with so many names may not list them all."""
OWNED = (*SERVED, "user")
PEOPLE = r"(?:users?|customers?|tenants?|accounts?|callers?)"
THING = r"(?:models?|llms?|language models?|deployments?|backends?)"
COUNTED = rf"(?:{THING}|{PEOPLE}|tiers?|task types?|tasks?)"
OF_MOST = r"(?:most|least|best|worst|slowest|fastest|highest|lowest|cheapest|priciest|dearest|heaviest|biggest|largest|busiest|top)"
CERTAIN = words(
    # names of what the data hold and nothing else does
    r"model deployments?|ttft|time to first token|decode (?:rate|speed)|router versions?|routing (?:decisions?|reasons?)|"
    r"rate[_ ]limit[_ ]remaining|queue_depth|is_stale|deployment_state_current|quality_scores|operations (?:data|database)|"
    r"context database|inc(?:ident)?[-_]\d+|"
    # incidents by their state or number
    r"(?:active|open|ongoing|current|past|previous|earlier|resolved|last|latest|all) incidents?|incidents? (?:\w+ ){0,2}(?:active|open|ongoing|resolved|over|ended)|"
    r"(?:how many|how often|which|were there|was there an?|are there|any) (?:\w+ )?incidents?|"
    # how deployments, models and backends are
    rf"(?:status|health|state) of (?:the |our |all |my )*{THING}|(?:degraded|unhealthy|stale|healthy) {THING}|"
    r"deployments? (?:is |are |look |looking )?(?:status|health\w*|unhealthy|degraded|down|stale|doing)|"
    # tokens that are used, not tokens that let somebody in
    r"(?:input|output|prompt|completion) tokens?|(?:how many|number of|total|average|count of|most|fewest) tokens?|tokens? (?:per|a|each) (?:second|request|day|hour|user|model)|"
    r"tokens? (?:usage|use|consumption|counts?|spend|volume|throughput|by|used|consumed|spent|burn(?:ed|t)?)|"
    # answers and their scores
    r"quality (?:scores?|of (?:the |our )?(?:\w+ )?(?:answers|models?|output|responses|tasks?)|(?:by|per|for) (?:task|model|tier|user|deployment))|(?:answer|model|output|response) quality|average quality|"
    r"(?:lowest|low|bad|worst|best|highest)[ -]scor\w+|eval scores?|answers? (?:\w+ ){0,3}(?:bad|worse|worst|poor|scored|better)|(?:bad|worse|worst|poor|scored) answers|"
    # by what requests are counted
    r"(?:per|by|each|for each) (?:tier|model|backend|deployment|user|task|task type)s?(?! (?:rate )?limit)|"
    # budgets of people
    r"daily (?:budgets?|limits?|quota|spend\w*)|budget (?:left|used|remaining)|(?:over|within|under|through|beyond|exceed\w*|us(?:ed|ing) up) (?:\w+ ){0,2}(?<!error )(?<!latency )budgets?|"
    # the provider's side
    r"providers? (?:is |are |was |were )?(?:throttl\w+|rate[- ]limit\w*)"
)
MONEY = words(
    r"(?:spen[dt]\w*|money|dollars?|usd)|costs?(?! of)|"
    rf"(?:expensive|cheap\w*|pric(?:y|iest)) (?:{COUNTED}|requests?)|{COUNTED} (?:\w+ ){{0,2}}(?:expensive|cheap\w*)"
)
BY_KIND = words(  # these stand in questions about code too: the kind of the question decides
    rf"(?:our|the|all|any|some|every|each|which|what|list|how many|number of|compare) (?:of )?(?:the |our )?(?:models|llms?|deployments|backends)|"
    rf"(?:which|what|any|each|every|{OF_MOST}|our) (?:\w+ )?(?:model|deployment|backend)|"
    r"llms?|inference|gpus?|model providers?|models (?:are|is|do|did|have|were|get|got|look|seem|run\w*|fail\w*)|"
    rf"(?:which|what|how many|{OF_MOST}|top \w+) (?!(?:is|are|was|were|do|does|did|has|have|can) )(?:\w+ )?(?:{PEOPLE}|tiers|tasks?|task types?)|"
    r"who(?:['’]s| is| are| was| were| has| had)? (?:\w+ ){0,3}(?:most|top|heaviest|biggest|over|hitting|throttled|rate[- ]limited)|"
    r"hit(?:ting|s)? (?:\w+ )?rate limits?|throttl(?:ing|es?) us"
)
NOT_OWN = words(
    r"(?<!error )(?<!status )code(?! (?:tasks?|requests?|quality|answers|model))|repo\w*|files?|function|class|config\w*|implement\w*|commit\w*|pull request|runbooks?|adrs?|"
    r"docs?|documents?|documentation|wiki|design|architecture|alert\w*|what fires|on-?call|on call|pager\w*|wired|defined|deploy(?:ed)? (?:went|of)|"
    r"went (?:out|live)|releases?|released|roll(?:ed)? ?out|endpoints?|(?:last|latest|since|after|the) deploy(?:ment)?(?! of)|"
    r"(?:error|latency|timeout|retry) budgets?|(?:refresh|access|auth\w*|session|bearer|csrf|api|user['’]?s?) tokens?|token (?:buckets?|valid\w*|expir\w+|rotation)|"
    r"(?:computed|calculated|counted|measured|enforced|checked|handled|parsed) (?:by|in|inside) (?:the|our) (?!models?|backends?|deployments?|operations|data)\w+|"
    r"postmortems?|post-mortems?|retrospectives?|data models?|ranking models?|(?:customers?|users?) table|"
    r"(?:list|show|what|which|any|how many|all|last)(?: me| the| all| our)* deployments (?:(?:of|in|over|from|during|within) (?:the |this )?(?:last|past|previous|week|month|day)|since|yesterday|last|between)|standard library"
)
OF_A_USER = words(
    r"users?|budget|requests?|tiers?|spen[dt]\w*|costs?|latency|slow\w*|errors?|timeouts?|limits?|quota|sla|tokens?|usage|traffic"
)
ENDPOINT = re.compile(r"(?<![\w./:~])/[A-Za-z_]")
CODE_KINDS = frozenset({"locate_code", "explain_code", "design_overview", "alerting", "conceptual"})
CODE_SURE, CODE_CERTAIN = 0.4, 0.7  # scores of a kind from which on it decides over likely and over certain words
TASK = words(r"tasks?|requests?|jobs?")
SURE, LIKELY, HARDLY = 0.9, 0.7, 0.0


def how_operational(text: str, context: tuple[str, ...], landscape: Landscape) -> float:
    """How sure it is that the operations data answer, 0 to 1; what leans on its thread goes where that went."""
    if not typed_sql(text) and speaks_of_else(text, landscape):
        return HARDLY
    whole = whole_of(text, context, landscape)
    own = max(by_words(text, landscape), by_words(whole.text, landscape))
    return own if own or not (whole.leans or is_behaviour(text)) else by_thread(whole.thread, landscape)


def by_thread(asked: Sequence[str], landscape: Landscape) -> float:
    """Where a thread went last; questions that could go to either side tell nothing."""
    for text in reversed(asked):
        if not typed_sql(text) and speaks_of_else(text, landscape):
            return HARDLY
        if own := by_words(text, landscape):
            return own
        if not is_behaviour(text):
            return HARDLY
    return HARDLY


def is_behaviour(text: str) -> bool:
    """Whether it asks how something behaves."""
    return kind_of(text)[0] in BEHAVIOUR_KINDS


def kind_of(text: str) -> tuple[QuestionType, float]:
    """The kind of a question that scores most, and its score."""
    return max(score_kinds(text).items(), key=lambda scored: scored[1])


def by_words(text: str, landscape: Landscape) -> float:
    """By the names and words of one question."""
    if typed := typed_sql(text):
        return HARDLY if asks_code(text.replace(typed, " "), landscape) else SURE
    if speaks_of_else(text, landscape):
        return HARDLY
    named = names_of(text, landscape)
    if any(kind in named for kind in SERVED):
        return SURE
    kind, score = kind_of(text)
    of_code = kind in CODE_KINDS and score >= CODE_SURE
    certain = CERTAIN.search(text) or (TIER.search(text) and OF_A_USER.search(text))
    if certain and not (of_code and score >= CODE_CERTAIN):
        return SURE
    if knows(named.get("user", ()), landscape) and (OF_A_USER.search(text) or not of_code):
        return SURE
    if of_code:
        return HARDLY
    if kind in BEHAVIOUR_KINDS and not measures(landscape):
        return LIKELY
    if MONEY.search(text) or BY_KIND.search(text) or REQUEST_ID.search(text) or len(named.get("tier", ())) > 1:
        return LIKELY
    return LIKELY if named.get("task_type") and TASK.search(text) else HARDLY


def asks_code(beside: str, landscape: Landscape) -> bool:
    """Whether what stands beside a query asks where or how it is written: "where do we run `select …`?"."""
    kind, score = kind_of(beside)
    return speaks_of_else(beside, landscape) or (kind in CODE_KINDS and score >= CODE_CERTAIN)


def measures(landscape: Landscape) -> bool:
    """Whether anything but operations data tells how things behave."""
    labels = landscape.labels
    others = landscape.metrics or landscape.alerts or labels.get("endpoint") or labels.get("service")
    return bool(others or not any(labels.get(kind) for kind in OWNED))


def knows(users: Sequence[str], landscape: Landscape) -> bool:
    """Whether a user of the data is named: one of the list, or, where that is not complete, whatever is called so."""
    known = landscape.labels.get("user", ())
    return any(name in known or len(known) >= MOST_NAMES for name in users)


def speaks_of_else(text: str, landscape: Landscape) -> bool:
    """Whether it names an endpoint, a service or an alert, or asks for code and documents.

    A name of both worlds, such as a service called like a model, is no sign of either.
    """
    labels = landscape.labels
    own = [name for kind in OWNED for name in labels.get(kind, ())]
    served = {name for kind in SERVED for name in labels.get(kind, ())}
    others = [name for name in (*labels.get("service", ()), *landscape.alerts) if name not in served]
    found, _ = names_in(text, others)
    _, rest = names_in(text, own)
    return bool(found or ENDPOINT.search(rest) or NOT_OWN.search(rest))
