"""Claims as templates over one piece of evidence each: the building blocks of every answer the rules write."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from datetime import datetime

from workers.contracts import Claim, Evidence, EvidenceKind
from workers.grounding.health import text_of
from workers.language.alert_labels import gravity
from workers.language.stop_words import content_words
from workers.language.tokens import split_names

CONFIG_FILE = re.compile(
    r"\.(?:ya?ml|toml|ini|cfg|conf|env|json|properties|tf|hcl)$|(?:^|/)(?:Dockerfile|\.env)", re.IGNORECASE
)
DOC_FILE = re.compile(r"\.(?:md|rst|txt|adoc)$")
LOG_FILE = re.compile(r"(?:^|/)(?:change[sd]?|change[-_]?logs?|history|news|release[-_]?notes)\b[^/]*$", re.IGNORECASE)
"""A log of what every release changed."""
TEST_FILE = re.compile(
    r"(?:^|/)_?(?:tests?|specs?|__tests__|examples?)/|(?:^|/)test_|_test\.|\.spec\.|\.test\.", re.IGNORECASE
)


def of_kind(evidence: Sequence[Evidence], *kinds: EvidenceKind) -> list[Evidence]:
    """Evidence of some kinds, in order."""
    return [e for e in evidence if e.kind in kinds]


def has(item: Evidence, *names: str) -> bool:
    """Whether all of these facts are there."""
    return all(name in item.facts for name in names)


def capital(text: str) -> str:
    """First letter upper case, unless it is a path or a name in code."""
    return text[:1].upper() + text[1:] if text[:1].islower() and not re.match(r"p\d|\w+[_/.(]", text) else text


# --- metrics --------------------------------------------------------------------------------------------------


def say_metric(item: Evidence, about: Evidence | None = None) -> str:
    """How a metric moved, or that it did not beyond its noise; its owner unnamed when it is that of ``about``."""
    k, name = item.id, capital(title_of(item, about))
    level = "current" if has(item, "current") else "last_known"  # where samples ended before the window did
    moved = text_of(item, "direction") in {"rose", "fell"}
    if level == "last_known" and not (moved and has(item, "baseline", level)):
        last = f"; the last known one is {{{k}.last_known}}" if has(item, level) else ""
        ended = f": its data end at {{{k}.newest_at}}" if has(item, "newest_at") else ""
        return f"{name} has no recent value{ended}{last}"
    if is_bound(item, level) and not moved:
        mean = f"; the mean is {{{k}.mean}}" if has(item, "mean") else ""
        return f"{name} is {{{k}.{level}}}; the buckets tell no more{mean}"
    if not has(item, "baseline"):
        return f"{name} is {{{k}.current}}"
    if has(item, "recovered_at", "peak") and moved:
        return f"{name} {{move({k}.baseline,{k}.peak)}} and came back at {{{k}.recovered_at}}"
    if text_of(item, "direction") == "steady":
        return (
            f"{name} is {{{k}.current}}, {before(item)}"
            if has(item, "lowest", "highest")
            else (f"{name} is steady at {{{k}.current}}, {{{k}.baseline}} before")
        )
    return f"{name} {{move({k}.baseline,{k}.{level})}}"


def is_bound(item: Evidence, level: str) -> bool:
    """Whether only a bound is known of a level, which is then told in words."""
    return has(item, level) and isinstance(item.facts[level].value, str)


EARLY_S = 900
"""Samples that end so long before the window leave open what came after."""


def say_onset(item: Evidence, deploy: Evidence | None) -> str:
    """What moved, when, next to which deploy, and whether it came back."""
    k = item.id
    said = f"{item.title} {{move({k}.baseline,{k}.peak)}}" if has(item, "recovered_at", "peak") else say_metric(item)
    if has(item, "onset_at"):
        said += f" at {{{k}.onset_at}}"
        said += f", {{lag({k}.onset_at,{deploy.id}.at)}} deploy {deploy_name(deploy)}" if deploy else ""
    if has(item, "recovered_at"):
        return f"{said}; it came back at {{{k}.recovered_at}}"
    if samples_end_early(item):
        return f"{said}, and had not come back at {{{k}.newest_at}}, the newest sample"
    return f"{said}, and has not come back"


def samples_end_early(main: Evidence) -> bool:
    """The newest sample is well before the end of the window: what came after is not known."""
    if not has(main, "newest_at", "window_end"):
        return False
    newest, end = (datetime.fromisoformat(text_of(main, n)) for n in ("newest_at", "window_end"))
    return (end - newest).total_seconds() > EARLY_S


def before(item: Evidence) -> str:
    """What a metric is compared with that goes up and down and is where it was, and between what it goes."""
    k, of = item.id, text_of(item, "baseline_of")
    when = f"at {of}" if of.startswith("the same time") else "before"
    return f"{{{k}.baseline}} {when}, and was between {{{k}.lowest}} and {{{k}.highest}} in that time"


def title_of(item: Evidence, about: Evidence | None) -> str:
    """A metric's title, without its owner beside another metric of the same owner."""
    if about is None or not has(item, "metric") or not has(about, "metric"):
        return item.title
    return text_of(item, "metric") if item.facts["metric"].entity == about.facts["metric"].entity else item.title


def steady_claim(items: Sequence[Evidence], about: Evidence) -> Claim:
    """What did not move, in one line."""
    parts = [f"{title_of(m, about)} {{{m.id}.current}}" for m in items]
    return Claim(template=f"Steady: {join(parts)}.", evidence=tuple(m.id for m in items))


def steady_claims(items: Sequence[Evidence], about: Evidence) -> tuple[Claim, ...]:
    """What did not move: one line for the owner of ``about``, one for each other."""
    owners: dict[str, list[Evidence]] = {}
    for item in (i for i in items if has(i, "current")):
        owners.setdefault(item.facts["metric"].entity if has(item, "metric") else item.title, []).append(item)
    return tuple(steady_claim(group[:4], about) for group in list(owners.values())[:3])


def metric_claim(item: Evidence, main: Evidence) -> Claim:
    """One related metric; with the order of its onset to the main one's."""
    template, cited = say_metric(item, main), [item.id]
    if has(item, "onset_at") and has(main, "onset_at"):
        template += f", starting {{lag({item.id}.onset_at,{main.id}.onset_at)}} {main.title}"
        cited.append(main.id)
    return Claim(template=f"{template}.", evidence=tuple(cited))


def named_alerts(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Alerts themselves, without the count of those that fire."""
    return [a for a in of_kind(evidence, "alert") if "name" in a.facts]


def say_firing(count: Evidence) -> str:
    """How many alerts fire; of a server that has no rules for them, that."""
    return f"this server has {{{count.id}.rules}}" if has(count, "rules") else f"{{{count.id}.firing}} alerts fire"


def alert_claim(item: Evidence) -> Claim:
    """One alert: of which environment where it is another than asked about, how severe it is, of what where that is no
    service, since when it fires, or when it fired, and what it means; of a heartbeat or no data, that it is one."""
    k, state = item.id, text_of(item, "state") or "firing"
    if state == "firing":
        said = f"has been firing since {{{k}.since}}" if has(item, "since") else "is firing"
    elif has(item, "since", "until"):
        moment = text_of(item, "since") == text_of(item, "until")
        said = f"fired at {{{k}.since}}" if moment else f"fired from {{{k}.since}} to {{{k}.until}}"
    else:
        said = f"is {state}"
    where = f"{{{k}.environment}}: alert" if has(item, "environment") else "Alert"
    if is_heartbeat(item):
        steady = "is a heartbeat, which always fires, and no trouble"
        return Claim(template=f"{where} {{{k}.name}} {steady}; it {said}.", evidence=(k,))
    if has(item, "no_data"):
        rule = f" for “{{{k}.label_rulename}}”" if has(item, "label_rulename") else ""
        lack = f"says that there is no data{rule}, which is neither trouble nor health"
        return Claim(template=f"{where} {{{k}.name}} {lack}; it {said}.", evidence=(k,))
    severe = f" ({{{k}.severity}})" if has(item, "severity") else ""
    named = "object" if has(item, "object") else "label_service" if has(item, "environment", "label_service") else ""
    of = f" of {{{k}.{named}}}" if named else ""
    about = f": “{{{k}.summary}}”" if has(item, "summary") else ""
    return Claim(template=f"{where} {{{k}.name}}{severe}{of} {said}{about}.", evidence=(k,))


def is_heartbeat(item: Evidence) -> bool:
    """Whether an alert is one that always fires, to show that alerting works."""
    return has(item, "heartbeat")


def is_calm(item: Evidence) -> bool:
    """Whether an alert is no trouble: a heartbeat, or one that says that there is no data."""
    return is_heartbeat(item) or has(item, "no_data")


def troubles(evidence: Sequence[Evidence], text: str) -> list[Evidence]:
    """The alerts that a question is about: of its environment and trouble, but for those that it names.

    Args:
        evidence: any.
        text: the question.
    """
    words = {word.lower() for word in re.findall(r"[\w-]+", text)}

    def is_named(item: Evidence, fact: str) -> bool:
        return text_of(item, fact).lower() in words

    return [
        item
        for item in named_alerts(evidence)
        if is_named(item, "name")
        or (not is_calm(item) and (not has(item, "environment") or is_named(item, "environment")))
    ]


def most_urgent(alerts: Sequence[Evidence]) -> list[Evidence]:
    """Alerts that fire before those that wait and those that are over, the most severe first, then the newest."""
    states = ("firing", "pending")

    def place(item: Evidence) -> tuple[int, int]:
        state = text_of(item, "state") or "firing"
        return states.index(state) if state in states else len(states), gravity(text_of(item, "severity"))

    return sorted(sorted(alerts, key=lambda a: text_of(a, "since"), reverse=True), key=place)


def deploy_name(item: Evidence) -> str:
    """``shop v1.42.0 (4f2c1ab)`` as slots."""
    k = item.id
    commit = f" ({{{k}.commit}})" if text_of(item, "commit") else ""
    return f"{{{k}.service}} {{{k}.version}}{commit}"


def went_out(item: Evidence) -> Claim:
    """One deploy with its time."""
    return Claim(template=f"Deploy {deploy_name(item)} went out at {{{item.id}.at}}.", evidence=(item.id,))


# --- changes and code -----------------------------------------------------------------------------------------


def change_claim(item: Evidence) -> Claim:
    """One commit with the files it touched most, or that they are not known."""
    k = item.id
    if has(item, "cut"):
        return Claim(template=f"{{{k}.short}} “{{{k}.subject}}”, committed {{{k}.at}}; {{{k}.cut}}.", evidence=(k,))
    files = [f"{{{k}.file_{i}}}" for i in (1, 2, 3) if has(item, f"file_{i}")]
    touched = f" touched {join(files)}" if files else ""
    said = f"{{{k}.short}} “{{{k}.subject}}”{author_of(item)}{touched}, committed {{{k}.at}}."
    return Claim(template=said, evidence=(k,))


def author_of(change: Evidence) -> str:
    """`` by NAME`` as a slot; empty where the author is not known."""
    return f" by {{{change.id}.author}}" if has(change, "author") else ""


def hunks(item: Evidence, words: Set[str] = frozenset()) -> list[tuple[str, str, str]]:
    """A change's hunks as fact name, file and added text: sources before tests, each file's best before its others.

    ``words`` are what a reader looks for: the hunk of a file that shares most of them is its best.
    """
    found = [
        (f"hunk_{i}", text_of(item, f"hunk_{i}").rpartition(":")[0], text_of(item, f"hunk_{i}_text"))
        for i in range(1, 9)
        if has(item, f"hunk_{i}")
    ]
    added = [h for h in found if h[2].strip()] or found
    ranked = sorted(added, key=lambda h: (bool(TEST_FILE.search(h[1])), -len(code_words(h[2]) & words)))
    turn: dict[str, int] = {}
    rounds = []
    for hunk in ranked:
        turn[hunk[1]] = turn.get(hunk[1], 0) + 1
        rounds.append((bool(TEST_FILE.search(hunk[1])), turn[hunk[1]], hunk))
    return [hunk for _, _, hunk in sorted(rounds, key=lambda r: r[:2])]


def code_words(text: str) -> set[str]:
    """Stems of code, identifiers split."""
    return content_words(split_names(text))


def hunk_claim(item: Evidence, name: str, opened: Evidence | None) -> Claim:
    """Lines a commit changed, with the most telling one quoted."""
    k = item.id
    line = f": `{{{k}.{name}_line}}`" if text_of(item, f"{name}_line") else ""
    symbol = f" in `{{{k}.{name}_symbol}}`" if text_of(item, f"{name}_symbol") else ""
    cited = (k, opened.id) if opened else (k,)
    return Claim(template=f"{{{k}.{name}}}{symbol}, changed by {{{k}.short}}{line}", evidence=cited)


MOST_QUOTED = 3
"""So many lines of a place that leads are quoted."""


def code_claim(item: Evidence, lead: str = "", words: Set[str] = frozenset(), most: int = 1) -> Claim:
    """Lines of code with the most telling one quoted, and the values beside it that share ``words``."""
    k = item.id
    symbol = f" (`{{{k}.symbol}}`)" if text_of(item, "symbol") else ""
    return Claim(template=f"{lead}{{{k}.lines}}{symbol}{lines_of(item, words, most)}", evidence=(k,))


def lines_of(item: Evidence, words: Set[str] = frozenset(), most: int = 1, *, more: bool = False) -> str:
    """``: `TTL = 30` and `SIZE = 5```: the telling line, then settings that share ``words``; others with ``more``."""
    shown = [f"`{{{item.id}.telling}}`"] if text_of(item, "telling") else []
    names = [f"setting_{i}" for i in range(1, 9) if has(item, f"setting_{i}")]
    fitting = [n for n in names if not words or words & code_words(text_of(item, n))]
    fitting += [n for n in names if n not in fitting] if more else []
    shown += [f"`{{{item.id}.{n}}}`" for n in fitting[: max(most - len(shown), 0)]]
    return f": {join(shown)}" if shown else ""


def is_config(item: Evidence) -> bool:
    """Whether code evidence is a configuration file."""
    return bool(CONFIG_FILE.search(text_of(item, "path")))


def join(parts: Sequence[str]) -> str:
    """``a, b and c``."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def last_change_claims(item: Evidence, author: str, *beside: str) -> tuple[Claim, ...]:
    """When, by whom and in which commit lines last changed; nothing where it is not known.

    Args:
        item: the lines.
        author: the slot of who changed them; empty when nobody is known.
        beside: further evidence that the slot is of.
    """
    k = item.id
    if not has(item, "last_commit", "last_subject", "last_at"):
        return ()
    lines = "last_lines" if has(item, "last_lines") else "lines"
    who = f" by {author}" if author else ""
    said = f"{{{k}.{lines}}} last changed {{{k}.last_at}}{who} in {{{k}.last_commit}} “{{{k}.last_subject}}”."
    return (Claim(template=said, evidence=(k, *beside)),)


# --- documents ------------------------------------------------------------------------------------------------


def doc_claim(item: Evidence) -> Claim:
    """A section with its most telling sentence, word for word."""
    quote = f": {{{item.id}.quote}}" if text_of(item, "quote") else ""
    return Claim(template=f"{doc_name(item)}{quote}", evidence=(item.id,))


def passage_claim(item: Evidence) -> Claim:
    """A section with as much of it as answers, word for word."""
    quote = f": {{{item.id}.passage}}" if text_of(item, "passage") else ""
    return Claim(template=f"{doc_name(item)}{quote}", evidence=(item.id,))


LONG_CHARS = 600
"""What someone said is quoted whole up to here."""


def said_claim(item: Evidence) -> Claim:
    """A note, a message, a memory or a page: who said it and when, or its title; and its words."""
    k = item.id
    if has(item, "text"):  # an entry of a thread, or a memory
        who = f"{{{k}.author}}, {{{k}.at}}: " if has(item, "author", "at") else ""
        words = "passage" if len(text_of(item, "text")) > LONG_CHARS and text_of(item, "passage") else "text"
        return Claim(template=f"{who}{{{k}.{words}}}", evidence=(k,))
    return passage_claim(item)


def doc_name(item: Evidence) -> str:
    """``*Search latency › Cache misconfiguration*`` as slots."""
    k = item.id
    heading = text_of(item, "heading")
    same = heading.strip().lower() == text_of(item, "title").strip().lower()
    return f"*{{{k}.title}}*" if same or not heading else f"*{{{k}.title}} › {{{k}.heading}}*"


def steps_of(item: Evidence) -> list[str]:
    """The names of a section's step facts."""
    return [f"step_{i}" for i in range(1, 13) if has(item, f"step_{i}")]
