"""Questions about alerts: which fire, the rules behind them, what is written about them, what is to be done."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from workers.agents.research.runbooks import runbook_steps
from workers.agents.research.write_status import not_shown, write_status
from workers.contracts import Claim, Draft, Evidence, Gap, Window
from workers.grounding.health import text_of
from workers.language.stop_words import content_words
from workers.language.tokens import split_names
from workers.ports import Brief
from workers.reasoning.claim_phrases import (
    alert_claim,
    capital,
    code_claim,
    has,
    join,
    most_urgent,
    named_alerts,
    of_kind,
    passage_claim,
    say_firing,
    troubles,
)
from workers.reasoning.question_features import alert_in, asks_to_do
from workers.reasoning.relevance import ENOUGH, asked_words, names_subject, share_of, shown_words

MOST_NAMED, MOST_RULES, MOST_LEADING = 12, 6, 3
DAY = timedelta(days=1)
Rule = tuple[Evidence, str]
FIRES = re.compile(r"\b(?:firing|fired|active|going off|ringing|alerts? (?:now|today|fires?\?))", re.IGNORECASE)
MEANT = re.compile(r"\b(?:when (?:does|do|will|would)|threshold|mean\w*|should|what do (?:i|we))\b", re.IGNORECASE)


def write_alerting(brief: Brief) -> Draft | None:
    """What fired in a span or fires now; else the rules of the subject, then the sections about them."""
    text = brief.question.text
    if FIRES.search(text) and not MEANT.search(text):
        over = brief.intent.time_hints and brief.intent.window
        return write_fired(brief) if over else write_status(brief) or write_count(brief)
    rules = [(c, name) for c in of_kind(brief.evidence, "code") for name in rules_of(c, brief)]
    whole = sorted(rules, key=lambda rule: f"{rule[1]}_expr" not in rule[0].facts)  # an excerpt may end in the middle
    rules = list({text_of(*rule): rule for rule in reversed(whole)}.values())[::-1]
    asked = alert_in(brief.intent, brief.landscape)
    docs = [
        d
        for d in of_kind(brief.evidence, "doc")
        if has(d, "passage") and (share_of(d, brief) >= ENOUGH or (asked and names_subject(d, asked)))
    ]
    shown = (*(item for item, _ in rules), *docs)
    if not shown:
        return write_count(brief) if any(has(c, "rules") for c in of_kind(brief.evidence, "alert")) else None
    files = [code_claim(c) for c in of_kind(brief.evidence, "code") if has(c, "alert_1") and not rules]
    steps = runbook_steps(brief) if asks_to_do(text) else ()
    wanted = asked_words(brief)
    told = max((len(wanted & shown_words(item)) for item, _ in rules), default=-1)
    docs.sort(key=lambda d: -len(wanted & shown_words(d)))
    own = asked and rules  # the rule of the alert that is named says when it fires, whatever a page says
    head = passage_claim(docs[0]) if docs and not own and len(wanted & shown_words(docs[0])) > told else None
    if not (rules or steps or files):  # a section says by itself what it says
        return None
    if steps and asked:
        head = steps[0]
    return Draft(
        headline=head or rules_headline(rules[:MOST_NAMED], brief),
        metrics=tuple(alert_claim(a) for a in named_alerts(brief.evidence) if of_subject(a, brief)),
        code=(
            *(rule_claim(*rule) for rule in rules[:MOST_RULES]),
            *further(rules[MOST_RULES:MOST_NAMED]),
            *(files if not rules else ()),
        ),
        docs=tuple(passage_claim(d) for d in docs[:3]),
        next_steps=steps,
        missing=unshown(rules, brief),
        confidence="high",
    )


def of_subject(alert: Evidence, brief: Brief) -> bool:
    """Whether an alert is of something that the question names."""
    return any(names_subject(alert, s) for s in brief.intent.subjects)


# --- what fired in a span -------------------------------------------------------------------------------------


def write_count(brief: Brief) -> Draft | None:
    """How many alerts fire, or that none can, where nothing that is known is named; None when no source told it."""
    known = {n.lower() for n in brief.landscape.names}
    counts = [c for c in of_kind(brief.evidence, "alert") if "firing" in c.facts]
    if not counts or named_alerts(brief.evidence) or any(s.lower() in known for s in brief.intent.subjects):
        return None
    head = Claim(template=f"{capital(say_firing(counts[0]))}.", evidence=(counts[0].id,))
    return Draft(headline=head, missing=brief.gaps, confidence="high")


def write_fired(brief: Brief) -> Draft | None:
    """The alerts that began in the span that is named first, then those that ended or went on firing in it."""
    window, known = brief.intent.window, {n.lower() for n in brief.landscape.names}
    places = [s for s in brief.intent.subjects if s.lower() in known]
    here = troubles(brief.evidence, brief.question.text)
    others = [a for a in named_alerts(brief.evidence) if a not in here]
    alerts = [a for a in here if not places or any(names_subject(a, p) for p in places)]
    if window is None:
        return write_status(brief)
    began = [a for a in alerts if window.start <= (moment_of(a, "since") or window.start - DAY) <= window.end]
    within = [a for a in alerts if a not in began and lasts_into(a, window)]
    now = [a for a in (*began, *within) if text_of(a, "state") == "firing"]
    count = [c for c in of_kind(brief.evidence, "alert") if "firing" in c.facts and not places and len(now) > 1][:1]
    ranked = most_urgent([*began, *within]) if count else [*most_urgent(began), *most_urgent(within)]
    claims = [alert_claim(a) for a in ranked]
    besides = tuple(alert_claim(a) for a in most_urgent(others) if lasts_into(a, window))[:MOST_LEADING]
    if not claims:
        none = Claim(template="I found no alert of that time.")
        without = write_count(brief) if any(has(c, "rules") for c in of_kind(brief.evidence, "alert")) else None
        head = without.headline if without else none
        return Draft(headline=head, metrics=besides, missing=brief.gaps, confidence="medium")
    told = [f"{{{c.id}.firing}} alerts fire, the gravest first:" for c in count]
    cited_first = (*(c.id for c in count), *(k for c in claims[:MOST_LEADING] for k in c.evidence))
    head = Claim(
        template=" ".join((*told, *(c.template for c in claims[:MOST_LEADING]))),
        evidence=tuple(dict.fromkeys(cited_first)),
    )
    return Draft(
        headline=head,
        metrics=(*claims[MOST_LEADING:MOST_NAMED], *besides),
        missing=(*not_shown(ranked[MOST_NAMED:]), *brief.gaps),
        confidence="high",
    )


def lasts_into(alert: Evidence, window: Window) -> bool:
    """Whether an alert fired at some time of a span."""
    since, until = moment_of(alert, "since"), moment_of(alert, "until")
    begun = since is None or since <= window.end
    return begun and (until >= window.start if until else text_of(alert, "state") in {"", "firing"})


def moment_of(item: Evidence, name: str) -> datetime | None:
    """A fact that is a moment, when it is known."""
    return datetime.fromisoformat(text_of(item, name)) if has(item, name) else None


# --- the rules ------------------------------------------------------------------------------------------------


def rules_headline(rules: Sequence[Rule], brief: Brief) -> Claim:
    """The names of the rules and their files; one alone with its condition."""
    if len(rules) == 1:
        return rule_claim(*rules[0])
    subject = brief.intent.subjects[0] if brief.intent.subjects else "Alerts"
    files = {text_of(item, "path"): f"{{{item.id}.path}}" for item, _ in rules}
    names = join([f"{{{item.id}.{name}}}" for item, name in rules])
    head = f"{capital(subject)}: {names}, defined in {join(list(files.values()))}."
    return Claim(template=head, evidence=cited(rules))


def further(rules: Sequence[Rule]) -> tuple[Claim, ...]:
    """Rules beyond a few, by place alone."""
    places = [f"{{{item.id}.{name}}} in {{{item.id}.{name}_lines}}" for item, name in rules]
    return (Claim(template=f"Also: {join(places)}.", evidence=cited(rules)),) if rules else ()


def unshown(rules: Sequence[Rule], brief: Brief) -> tuple[Gap, ...]:
    """When all alerts are asked for: that a search does not list all of them, and those known that it did not find."""
    if brief.intent.subjects or not rules:
        return ()
    told = {text_of(*rule) for rule in rules[:MOST_NAMED]}
    left = [a for a in brief.landscape.alerts if a not in told]
    more = f"; known besides: {join(left)}" if left else ""
    text = f"Only the rules in the lines that were found are listed; there may be more in these files{more}."
    return (Gap(text=text, tool="repo_search"),)


def cited(rules: Sequence[Rule]) -> tuple[str, ...]:
    """The evidence of rules, each once."""
    return tuple(dict.fromkeys(item.id for item, _ in rules))


def rules_of(item: Evidence, brief: Brief) -> list[str]:
    """The alert rules of an excerpt that are named, else those that hold a word of the subject; all without one."""
    names = [f"alert_{i}" for i in range(1, 9) if f"alert_{i}" in item.facts]
    asked = {s.lower() for s in brief.intent.subjects}
    if asked & {a.lower() for a in brief.landscape.alerts}:
        return [n for n in names if text_of(item, n).lower() in asked]
    wanted = content_words(" ".join(brief.intent.subjects)) - content_words("flow service endpoint alert alerts api")
    wanted = set() if wanted & content_words(text_of(item, "path")) else wanted  # a file of the subject's own
    split = {n: content_words(split_names(text_of(item, f"{n}_rule"))) for n in names}
    return [n for n in names if not wanted or wanted & split[n]]


def rule_claim(item: Evidence, name: str) -> Claim:
    """One rule: where, its condition, how long it waits, its labels."""
    k = item.id
    when = f", when `{{{k}.{name}_expr}}`" if f"{name}_expr" in item.facts else ""
    wait = f", fires after {{{k}.{name}_for}}" if f"{name}_for" in item.facts else ""
    labels = f", labels `{{{k}.{name}_labels}}`" if f"{name}_labels" in item.facts else ""
    return Claim(template=f"{{{k}.{name}}}: {{{k}.{name}_lines}}{when}{wait}{labels}", evidence=(k,))
