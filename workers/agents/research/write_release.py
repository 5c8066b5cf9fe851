"""What a deploy brought, or what lies between two versions: the range, who wrote it, each commit."""

from __future__ import annotations

from workers.agents.research.release_question import asked_release
from workers.agents.research.write_changes import deployer_gaps
from workers.contracts import Claim, Draft, Evidence, Gap, Step
from workers.grounding.health import text_of
from workers.ports import Brief
from workers.reasoning.claim_phrases import change_claim, deploy_name, has, join, of_kind
from workers.reasoning.empty_answer import unanswered
from workers.reasoning.question_features import AUTHOR

MOST = 10
MOST_AUTHORS = 4
NO_COMMIT = Gap(text="This deploy names no commit that a connected repository has.", tool="repo_search")


def release_step(brief: Brief) -> Step | None:
    """The step that asked what a deploy or a range brought, when the question does."""
    if not asked_release(brief.question.text, brief.landscape):
        return None
    return next((s for s in brief.plan.steps if s.args.get("deploy") or s.args.get("range")), None)


def write_release(brief: Brief, step: Step) -> Draft:
    """The range with its versions and times, who wrote it when that is asked, then its commits, newest first."""
    own = [e for e in brief.evidence if e.step == step.id]
    deploys = of_kind(own, "deploy")
    changes = sorted(of_kind(own, "change"), key=lambda c: text_of(c, "at"), reverse=True)
    if not own:
        return unknown_release(brief, step)
    who = AUTHOR.search(brief.question.text) is not None
    head = [release_claim(deploys, changes, step), *([written_by(changes)] if who and changes else [])]
    count = changes[0].facts["range_commits"].value if changes and has(changes[0], "range_commits") else len(changes)
    left = int(count) - len(changes[:MOST])
    more = (Gap(text=f"… and {left} more commit{'s' if left > 1 else ''} that came before these."),) if left > 0 else ()
    lost = () if changes or any(has(d, "range_commits") for d in deploys) else (NO_COMMIT,)
    gaps = (*more, *lost, *deployer_gaps(brief.question.text))
    return Draft(
        headline=Claim(
            template=" ".join(c.template for c in head),
            evidence=tuple(dict.fromkeys(k for c in head for k in c.evidence)),
        ),
        what_changed=tuple(change_claim(c) for c in changes[:MOST]),
        missing=(*gaps, *brief.gaps),
        confidence="high" if changes else "medium",
    )


def release_claim(deploys: list[Evidence], changes: list[Evidence], step: Step) -> Claim:
    """From what to what, how many commits, and when it went out."""
    if not deploys:
        return range_claim(changes[0]) if has(changes[0], "range_commits") else change_claim(changes[0])
    new, k = deploys[0], deploys[0].id
    old = deploys[1] if len(deploys) > 1 else None
    if step.args.get("range") and old and changes:
        ends = " and ".join(f"{deploy_name(d)}, deployed at {{{d.id}.at}}" for d in (old, new))
        return Claim(template=f"{number(new)} between {ends}.", evidence=(k, old.id))
    lead = f"Deploy {deploy_name(new)} went out at {{{k}.at}}"
    if step.args.get("deploy") and has(new, "environment"):
        lead = f"Deploy {deploy_name(new)} went out to {{{k}.environment}} at {{{k}.at}}"
    cited = (k, *([old.id] if old else []))
    if not has(new, "range_commits"):
        why = (
            f"its own commit is all that can be shown: {{{k}.alone}}"
            if changes
            else "which commits it brought is not known"
        )
        return Claim(template=f"{lead}; {why}.", evidence=(k,))
    before = f"{deploy_name(old)}, deployed at {{{old.id}.at}}" if old else f"{{{k}.range_old}}"
    if not int(new.facts["range_commits"].value):
        said = "is an older commit than" if int(new.facts["range_behind"].value) else "is the same commit as"
        return Claim(template=f"{lead} and brought no new commit; it {said} {before}.", evidence=cited)
    return Claim(template=f"{lead} and brought {number(new)} over {before}.", evidence=cited)


def range_claim(change: Evidence) -> Claim:
    """A range whose ends were not deployed."""
    k = change.id
    return Claim(template=f"{number(change)} from {{{k}.range_old}} to {{{k}.range_new}}.", evidence=(k,))


def number(item: Evidence) -> str:
    """So many commits."""
    one = int(item.facts["range_commits"].value) == 1
    return f"{{{item.id}.range_commits}} commit{'' if one else 's'}"


def written_by(changes: list[Evidence]) -> Claim:
    """The authors of the commits, each once, in the order of the newest."""
    newest = {text_of(c, "author"): c for c in reversed(changes) if has(c, "author")}
    authors = [c for c in changes if newest.get(text_of(c, "author")) is c]
    shown = authors[:MOST_AUTHORS]
    names = [f"{{{c.id}.author}}" for c in shown] + (["others"] if len(authors) > len(shown) else [])
    return Claim(template=f"Written by {join(names)}.", evidence=tuple(c.id for c in shown))


def unknown_release(brief: Brief, step: Step) -> Draft:
    """Nothing is known of it: so much, and what was tried."""
    asked = str(step.args.get("deploy") or "")
    service, _, place = asked.partition("@")
    service, _, version = service.partition(":")
    if not asked:
        empty = any(c.step == step.id and c.status == "empty" for c in brief.calls)
        head = "No commit lies between these two." if empty else "I can't tell what lies between these two."
    else:
        parts = ("deploy", version, f"of {service}" if service else "", f"to {place}" if place else "")
        head = f"I know no {' '.join(p for p in parts if p)}."
    if lost := unanswered(brief, step.tool):
        head = f"{lost}, so I can't say what {'came with it' if asked else 'lies between these two'}."
    return Draft(headline=Claim(template=head), missing=brief.gaps or (Gap(text=head, tool=step.tool),))
