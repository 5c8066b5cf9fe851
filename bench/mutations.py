"""Claims by templates over one request's evidence, in twins: a true one, and one with a single planted fault."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from workers.contracts import Evidence, Fact
from workers.engine.anomaly import has_moved
from workers.grounding.value_format import Voice, say, say_duration

FAULTS = ("swapped", "other_number", "other_line", "wrong_unit", "wrong_order")


@dataclass(frozen=True)
class Twin:
    """One true claim and its mutation, which cite the same evidence."""

    fault: str
    true: str
    lie: str
    cited: tuple[str, ...]


def make_twins(evidence: Sequence[Evidence], voice: Voice, each: int, seed: int) -> list[Twin]:
    """So many different twins of every fault."""
    rng = random.Random(seed)
    out: list[Twin] = []
    for fault, maker in zip(FAULTS, (swapped, other_number, other_line, wrong_unit, wrong_order), strict=True):
        seen: dict[str, Twin] = {}
        for _ in range(each * 400):
            twin = maker(rng, evidence, voice)
            if twin:
                seen.setdefault(twin.lie, twin)
            if len(seen) == each:
                break
        out.extend(seen.values())
        if len(seen) < each:
            print(f"only {len(seen)} different claims of kind {fault} can be made from this evidence")
    return out


def measured(evidence: Sequence[Evidence]) -> list[Evidence]:
    """Metrics of one endpoint with a value from before and one of now."""
    return [e for e in evidence if e.kind == "metric" and {"baseline", "current", "peak", "endpoint"} <= set(e.facts)]


def told(e: Evidence, name: str, voice: Voice) -> str:
    """A fact as the answers write it, a count per second with its noun."""
    return say(e.facts[name], voice)


def swapped(rng: random.Random, evidence: Sequence[Evidence], voice: Voice) -> Twin | None:
    """Before and after exchanged."""
    e = rng.choice([m for m in measured(evidence) if has_moved(m)])
    before, now = told(e, "baseline", voice), told(e, "current", voice)
    if before == now:
        return None
    verb = "rose" if e.facts["direction"].value == "rose" else "fell"
    template = rng.choice(
        [
            "{title} {verb} from {a} to {b}.",
            "{title} went from {a} to {b}.",
            "{title}: {a} → {b}.",
            "{title} was {a} before and is {b} now.",
            "{title} is now {b}.",
            "The baseline of {title} is {a}.",
            "{title}, normally {a}, currently stands at {b}.",
            "{title} stands at {b}, against a baseline of {a}.",
            "We see {b} for {title} at the moment, {a} before.",
            "{title} used to be {a}.",
            "{title} started at {a} and ended up at {b}.",
            "From {a}, {title} {verb} to {b}.",
            "Compared with {a} before, {title} is at {b}.",
            "{title} moved: {a} before the deploy, {b} now.",
        ]
    )
    title = e.title
    return Twin(
        "swapped",
        template.format(title=title, verb=verb, a=before, b=now),
        template.format(title=title, verb=verb, a=now, b=before),
        (e.id,),
    )


def other_number(rng: random.Random, evidence: Sequence[Evidence], voice: Voice) -> Twin | None:
    """The value of another endpoint or metric with the same unit."""
    one, two = rng.sample(measured(evidence), 2)
    name = rng.choice(["baseline", "current", "peak"])
    if one.facts[name].unit != two.facts[name].unit:
        return None
    own = {told(one, n, voice) for n in ("baseline", "current", "peak")}
    right, wrong = told(one, name, voice), told(two, name, voice)
    if wrong in own or near(one, two, name):
        return None
    templates = {
        "baseline": ["{t} used to be {v}.", "The baseline of {t} is {v}.", "Before, {t} was {v}."],
        "current": ["{t} is {v} now.", "{t} currently sits at {v}.", "As of now {t} is at {v}."],
        "peak": ["{t} peaked at {v}.", "{t} reached its peak of {v}.", "The peak of {t} was {v}."],
    }
    if is_low(one) or is_low(two):
        templates["peak"] = ["{t} bottomed out at {v}.", "The lowest value of {t} was {v}."]
        if not (is_low(one) and is_low(two)):
            return None
    template = rng.choice(templates[name])
    return Twin(
        "other_number", template.format(t=one.title, v=right), template.format(t=one.title, v=wrong), (one.id, two.id)
    )


def is_low(e: Evidence) -> bool:
    """Whether the extreme of a metric is its lowest value."""
    return float(e.facts["peak"].value) < float(e.facts["baseline"].value)


def near(one: Evidence, two: Evidence, name: str) -> bool:
    """So close that rounding could make them one value."""
    wrong = float(two.facts[name].value)
    return any(
        abs(float(one.facts[n].value) - wrong) <= 0.06 * max(abs(wrong), 1e-9) for n in ("baseline", "current", "peak")
    )


def other_line(rng: random.Random, evidence: Sequence[Evidence], voice: Voice) -> Twin | None:
    """The line above or below the one that says it."""
    del voice
    e = rng.choice([x for x in evidence if x.kind == "code" and x.excerpt])
    path, _, span = str(e.facts["lines"].value).rpartition(":")
    first, last = (int(n) for n in span.split("-"))
    rows = e.excerpt.splitlines()
    if len(rows) != last - first + 1 or len(rows) < 3:
        return None
    i = rng.randrange(len(rows))
    j = i + rng.choice([-2, -1, 1, 2])
    said = said_of(rows[i], rng)
    if not said or not 0 <= j < len(rows):
        return None
    text, name = said
    if re.search(rf"\b{re.escape(name)}\b", rows[j]):
        return None
    return Twin(
        "other_line",
        text.format(line=f"`{path}:{first + i}`"),
        text.format(line=f"`{path}:{first + j}`"),
        (e.id,),
    )


def said_of(row: str, rng: random.Random) -> tuple[str, str] | None:
    """What one line of code says, as a sentence with a place for the line, and the name it rests on."""
    bare = row.strip()
    if match := re.match(r"(?:def|class|func|fn) (\w{4,})", bare):
        return rng.choice(
            ["{line} defines %s.", "%s is defined at {line}.", "The definition of %s is at {line}."]
        ) % match[1], match[1]
    if match := re.match(r"([A-Za-z_]\w{3,})(?:: [\w\[\], |]+)? = (\d+(?:\.\d+)?)\b", bare):
        return rng.choice(["{line} sets %s to %s.", "%s is %s ({line})."]) % match.groups(), match[1]
    if match := re.match(r"(?:self\.)?([a-z_]\w{3,})(?:: [\w\[\], |]+)? = \S", bare):
        return rng.choice(["{line} sets `%s`.", "`%s` gets its value at {line}."]) % match[1], match[1]
    if match := re.search(r"\b(\w{5,})\(", bare):
        return rng.choice(["{line} calls `%s`.", "`%s` is called at {line}."]) % match[1], match[1]
    return None


def wrong_unit(rng: random.Random, evidence: Sequence[Evidence], voice: Voice) -> Twin | None:
    """The same figure with another unit."""
    e = rng.choice(measured(evidence))
    name = rng.choice(["baseline", "current", "peak"])
    right = told(e, name, voice)
    match = re.fullmatch(r"([\d.,]+)( ?)(ms|s|%|/s|µs|min)", right)
    if not match or (name == "peak" and is_low(e)):
        return None
    others = {
        "ms": ["s", "µs"],
        "s": ["ms", "min"],
        "%": ["ms", "/s"],
        "/s": ["%", "/min"],
        "µs": ["ms", "s"],
        "min": ["s"],
    }
    wrong = f"{match[1]} {rng.choice(others[match[3]])}"
    template = rng.choice(
        {
            "baseline": ["{t} was {v} at baseline.", "Normally {t} is {v}."],
            "current": ["{t} is {v}.", "{t} is at {v} now.", "Right now we measure {v} for {t}."],
            "peak": ["{t} peaked at {v}.", "At its peak {t} was {v}."],
        }[name]
    )
    return Twin("wrong_unit", template.format(t=e.title, v=right), template.format(t=e.title, v=wrong), (e.id,))


def happenings(evidence: Sequence[Evidence]) -> Iterator[tuple[Evidence, str, datetime]]:
    """Dated events, each with words that name it."""
    for e in evidence:
        found: tuple[str, Fact] | None = None
        if e.kind == "metric" and "endpoint" in e.facts and "onset_at" in e.facts and has_moved(e):
            verb = "to rise" if e.facts["direction"].value == "rose" else "to fall"
            found = (f"{e.title} began {verb}", e.facts["onset_at"])
        elif e.kind == "deploy":
            found = (f"{e.facts['service'].value} {e.facts['version'].value} was deployed", e.facts["at"])
        elif e.kind == "alert" and "since" in e.facts:
            found = (f"{e.facts['name'].value} fired", e.facts["since"])
        elif e.kind == "change" and "at" in e.facts and "short" in e.facts:
            found = (f"{e.facts['short'].value} was committed", e.facts["at"])
        if found:
            yield e, found[0], datetime.fromisoformat(str(found[1].value)).astimezone(UTC)


def wrong_order(rng: random.Random, evidence: Sequence[Evidence], voice: Voice) -> Twin | None:
    """Before for after, or another distance in time."""
    del voice
    (a, first, at), (b, second, bt) = rng.sample(list(happenings(evidence)), 2)
    gap = (bt - at).total_seconds()
    if a.id == b.id or gap < 60 or gap > 24 * 3600:
        return None
    far = say_duration(gap)
    wrong = (
        say_duration(gap + rng.choice([-1, 1]) * max(120, round(gap * 0.4 / 60) * 60))
        if gap > 240
        else say_duration(gap + 300)
    )
    right, lie = rng.choice(
        [
            (f"{second} {far} after {first}.", f"{second} {far} before {first}."),
            (f"{first} {far} before {second}.", f"{first} {far} after {second}."),
            (f"{second} {far} after {first}.", f"{second} {wrong} after {first}."),
            (f"{far} after {first}, {second}.", f"{wrong} after {first}, {second}."),
            (f"{first} before {second}.", f"{second} before {first}."),
            (f"{second} after {first}.", f"{first} after {second}."),
        ]
    )
    return Twin("wrong_order", right, lie, (a.id, b.id))
