"""What may have caused what moved, as it was weighed: the likeliest, what fits as well, what is ruled out and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workers.contracts import Claim, Draft, Evidence, Gap
from workers.engine.anomaly import has_moved
from workers.grounding.health import text_of
from workers.reasoning.claim_phrases import doc_name, has, join

MOST_RULED_OUT, MOST_BESIDE = 3, 2


@dataclass(frozen=True)
class Weighed:
    """The verdict, and its candidates by their roles, the likeliest first."""

    verdict: Evidence
    causes: tuple[Evidence, ...]
    ruled_out: tuple[Evidence, ...]

    @property
    def commits(self) -> list[Evidence]:
        """The commits that may be behind it."""
        return [c for c in self.causes if c.kind == "change"]


def read_weighed(evidence: Sequence[Evidence]) -> Weighed | None:
    """The candidates among some evidence; None when nothing was weighed."""
    verdict = next((e for e in evidence if has(e, "cause_kind", "sure")), None)
    if verdict is None:
        return None
    candidates = [e for e in evidence if has(e, "short", "role") and e.kind != "metric"]
    causes = [e for role in ("cause", "rival") for e in candidates if text_of(e, "role") == role]
    return Weighed(verdict, tuple(causes), tuple(e for e in candidates if e not in causes))


def cause_claims(
    weighed: Weighed, main: Evidence, docs: Sequence[Evidence], metrics: Sequence[Evidence]
) -> tuple[Claim, ...]:
    """The likeliest cause as a hypothesis, and what is ruled out."""
    if not has(main, "onset_at"):
        return ()
    out = [e for e in weighed.ruled_out if has(e, "against")][:MOST_RULED_OUT]
    return (likeliest(weighed, main, docs, metrics), *map(out_claim, out))


def with_cause(draft: Draft, evidence: Sequence[Evidence]) -> Draft:
    """A draft that tells what was weighed, where it does not yet."""
    weighed = read_weighed(evidence)
    if weighed is None:
        return draft
    told = {key for claim in draft.claims for key in claim.evidence}
    if told & {weighed.causes[0].id if weighed.causes else weighed.verdict.id}:
        return draft
    return draft.model_copy(
        update={"what_changed": (*cause_claims(weighed, weighed.verdict, (), ()), *draft.what_changed)}
    )


def likeliest(weighed: Weighed, main: Evidence, docs: Sequence[Evidence], metrics: Sequence[Evidence]) -> Claim:
    """The cause, that several fit, or that nothing explains it."""
    k = weighed.verdict.id
    if not weighed.causes:
        commits = weighed.verdict.facts["commits"].value if has(weighed.verdict, "commits") else 0
        text = f"None of the {{{k}.commits}} commits that were weighed explains it, and nothing else stands out."
        text = text if commits else "No change before it is known that could explain it."
        return Claim(template=text, evidence=(k, main.id), status="hypothesis")
    first, *rivals = weighed.causes
    if rivals:
        text = f"Inconclusive: {join([name_of(e) for e in weighed.causes])} fit about equally."
        return Claim(template=text, evidence=(*(e.id for e in weighed.causes), k), status="hypothesis")
    cited = [first.id, main.id]
    if first.kind != "change":
        other = "" if first.kind == "flag" else "no commit explains it as well; "
        what = "" if first.kind == "flag" else f"{{{first.id}.kind}} may be behind it: "
        behind = " may be behind it" if first.kind == "flag" else ""
        text = f"{other}{what}{name_of(first)}{behind}: {{{first.id}.for}}."
        return Claim(template=text[0].upper() + text[1:], evidence=tuple(cited), status="hypothesis")
    text = f"{name_of(first)} may be behind it"
    if has(first, "carried_by", "carried_at"):
        lag = f"{{lag({main.id}.onset_at,{first.id}.carried_at)}}"
        moved = f"{main.title} moved" if main.kind == "metric" else "it began"
        text += f": {moved} {lag} deploy {{{first.id}.carried_by}}, which brought it"
    with_it = [m for m in metrics[1:] if has_moved(m)][:MOST_BESIDE]
    if with_it:
        text += f", together with {' and '.join(m.title for m in with_it)}"
        cited.extend(m.id for m in with_it)
    if docs and text_of(docs[0], "doc_kind") == "runbook":
        text += f"; the runbook describes such a case under {doc_name(docs[0])}"
        cited.append(docs[0].id)
    if has(first, "effect"):
        text += f"; in its diff {{{first.id}.effect}}"
    return Claim(template=f"{text}.", evidence=tuple(cited), status="hypothesis")


def out_claim(item: Evidence) -> Claim:
    """What is ruled out or less likely, and why."""
    role = text_of(item, "role").capitalize()
    return Claim(template=f"{role}: {name_of(item)}: {{{item.id}.against}}.", evidence=(item.id,))


def name_of(item: Evidence) -> str:
    """A candidate by its name: a commit with its title."""
    k = item.id
    if item.kind == "change":
        return f"{{{k}.short}} “{{{k}.subject}}”"
    return f"flag {{{k}.short}} ({{{k}.said}})" if item.kind == "flag" and has(item, "said") else f"{{{k}.said}}"


def unsure_deliveries(evidence: Sequence[Evidence]) -> tuple[Gap, ...]:
    """Deploys of which it is not known which commits they brought."""
    unsure = [e for e in evidence if e.kind == "deploy" and has(e, "alone", "service", "version")]
    said = (f"{text_of(e, 'service')} {text_of(e, 'version')}: {text_of(e, 'alone')}." for e in unsure[:MOST_BESIDE])
    return tuple(Gap(text=f"What a deploy brought is not sure: {text}", tool="candidate_causes") for text in said)
