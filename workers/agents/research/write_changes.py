"""What was changed: in a named place by a deploy, between two versions, or in a file; and who did it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from workers.agents.research.plan import file_in
from workers.agents.research.rank_changes import touches_sources
from workers.contracts import Claim, Draft, Evidence
from workers.grounding.health import text_of
from workers.language.time_phrases import names_deploy
from workers.ports import Brief
from workers.reasoning.claim_phrases import (
    MOST_QUOTED,
    TEST_FILE,
    author_of,
    change_claim,
    code_claim,
    deploy_name,
    has,
    join,
    of_kind,
)
from workers.reasoning.findings import tell_authors
from workers.reasoning.wish import LATEST, VERSION, asks_changed

MOST_HUNKS, MOST_COMMITS, MOST_FILES = 8, 8, 3
COUNTED = re.compile(r"it (?:adds|removes) \d+ lines?")
"""A clause that tells no more than how many lines came and went."""
SINCE = re.compile(r"(?:ever )?(?:since|after|following|seit|nach|desde)\b", re.IGNORECASE)
"""How a phrase of time begins that asks for what came after a deploy."""


def write_changes(brief: Brief) -> Draft | None:
    """The changes of a deploy or between versions, else those of the named file; None where nothing of it is asked."""
    if not asks_changed(brief.question.text):
        return None
    released = VERSION.search(brief.question.text) or any(map(names_deploy, brief.intent.time_hints))
    if not starts_at_deploy(brief):
        if between := step_of(brief, "difference"):
            return write_range(between, None) or whole_range(between)
        if released and (brought := step_of(brief, "release")):
            return write_range(brought, next((d for d in brought if d.kind == "deploy" and has(d, "range_new")), None))
    return write_history(brief) if file_in(brief.question.text) else None


def step_of(brief: Brief, name: str) -> list[Evidence]:
    """What a step returned."""
    return [item for item in brief.evidence if item.step in {name, f"{name}_wide"}]


def starts_at_deploy(brief: Brief) -> bool:
    """Whether the time since a deploy is asked for, not what came with it."""
    return any(names_deploy(hint) and SINCE.match(hint) for hint in brief.intent.time_hints)


def write_range(found: Sequence[Evidence], deploy: Evidence | None) -> Draft | None:
    """What came between two versions: in the files that are asked for first, and that nothing came where none did.

    ``deploy``: the one that brought all of it; None where several may have.
    """
    changes = commits_of(found)
    told = found if deploy else [item for item in found if has(item, "range")]
    first = next((item for item in told if has(item, "asked_commits")), None)
    if first is None:
        return None  # what a deploy brought is told with when it went out
    own = [c for c in changes if asked_hunks(c)]
    rest = tuple(change_claim(c) for c in changes if c not in own)[:MOST_COMMITS]
    if not own:
        return untouched(first, deploy, rest) if not int(first.facts["asked_commits"].value) else None
    lead, *others = [(c, name) for c in own for name in asked_hunks(c)]
    more = [*others, *((c, name) for c in own for name in other_hunks(c))]
    return Draft(
        headline=hunk_change(
            *lead, f"Deploy {deploy_name(deploy)} changed " if deploy else f"{{{first.id}.range}}: ", deploy
        ),
        what_changed=(*map(change_claim, own[:MOST_COMMITS]), *rest),
        code=tuple(hunk_change(c, name) for c, name in more[:MOST_HUNKS]),
        confidence="high",
    )


def whole_range(found: Sequence[Evidence]) -> Draft | None:
    """All that came between two versions, where no place is named."""
    changes = commits_of(found)
    first = next((c for c in changes if has(c, "range", "range_commits")), None)
    if first is None:
        return None
    k, count = first.id, int(first.facts["range_commits"].value)
    commits = f"{{{k}.range_commits}} commits, among them " if count > 1 else "one commit, "
    head = f"{{{k}.range}}: {commits}{{{k}.short}} “{{{k}.subject}}”{author_of(first)}."
    return Draft(
        headline=Claim(template=head, evidence=(k,)),
        what_changed=tuple(map(change_claim, changes[:MOST_COMMITS])),
        confidence="high",
    )


def commits_of(found: Sequence[Evidence]) -> list[Evidence]:
    """The commits among some evidence, those of sources first."""
    return sorted((c for c in found if has(c, "short")), key=lambda c: not touches_sources(c))


def untouched(item: Evidence, deploy: Evidence | None, rest: tuple[Claim, ...]) -> Draft:
    """Nothing came in the files that are asked for; what did come stands below."""
    k = item.id
    files = [f"{{{k}.asked_{n}}}" for n in range(1, MOST_FILES + 1) if has(item, f"asked_{n}")]
    by = f"by deploy {deploy_name(deploy)}" if deploy else f"in {{{k}.range}}"
    of = "" if text_of(item, "asked_name") == text_of(item, "asked_1") else f": no commit touched {join(files)}"
    return Draft(
        headline=Claim(
            template=f"{{{k}.asked_name}} was not changed {by}{of}.",
            evidence=tuple(dict.fromkeys((k, *((deploy.id,) if deploy else ())))),
        ),
        what_changed=rest,
        confidence="high",
    )


def write_history(brief: Brief) -> Draft | None:
    """The newest commits of a file, of the span where one is asked for; that none was in it, and the newest before."""
    file = file_in(brief.question.text)
    own = sorted((c for c in of_kind(brief.evidence, "change") if path_fact(c, file)), key=at, reverse=True)
    window, hints = brief.intent.window, brief.intent.time_hints
    if not own:
        none = any(c.step.startswith("file_changes") and c.status == "empty" for c in brief.calls)
        none = none and not any(file in f"{e.title} {e.excerpt}" for e in brief.evidence)  # a topic, not a file of ours
        return Draft(headline=Claim(template=f"No commit is known that touched {file}.")) if none else None
    inside = [c for c in own if not hints or window is None or window.start <= at(c) <= window.end]
    if not inside:
        k, when = own[0].id, " ".join(hints)
        before = f"the newest before that is {{{k}.short}} “{{{k}.subject}}”{author_of(own[0])}, committed {{{k}.at}}"
        head = f"No commit changed {{{k}.{path_fact(own[0], file)}}} “{when}”; {before}."
        return Draft(headline=Claim(template=head, evidence=(k,)), code=tuple(hunk_claims(own[:1])), confidence="high")
    return Draft(
        headline=commit_change(inside[0], file),
        what_changed=tuple(map(change_claim, inside[1:MOST_COMMITS])),
        code=tuple(hunk_claims(inside))[1:],
        confidence="high",
    )


def path_fact(change: Evidence, file: str) -> str:
    """The fact that says a commit touched a file of this name or end of a path; empty when none does."""
    names = (f"{name}_{n}{end}" for name, end in (("hunk", "_asked"), ("file", "")) for n in range(1, 9))
    return next((name for name in names if f"/{text_of(change, name)}".endswith(f"/{file.lstrip('/')}")), "")


def at(change: Evidence) -> datetime:
    """When it was committed."""
    return datetime.fromisoformat(text_of(change, "at"))


def commit_change(change: Evidence, file: str) -> Claim:
    """A commit by who, when and what it says, with the first lines of the file that it changed."""
    k, names = change.id, asked_hunks(change)
    lines = f": {lines_of(change, names[0])}" if names else ""
    who = f"{{{k}.author}} " if has(change, "author") else ""
    said = (
        f"{who}changed {{{k}.{path_fact(change, file)}}} last, {{{k}.at}}, in {{{k}.short}} “{{{k}.subject}}”{lines}."
    )
    return Claim(template=said[0].upper() + said[1:], evidence=(k,))


def hunk_claims(changes: Sequence[Evidence]) -> Iterator[Claim]:
    """What the hunks of some commits do in the file that is asked for, at most eight."""
    pairs = [(c, name) for c in changes for name in asked_hunks(c)]
    yield from (hunk_change(c, name) for c, name in pairs[:MOST_HUNKS])


def asked_hunks(change: Evidence) -> list[str]:
    """The hunks in a file that is asked for, those that tell more than a count of lines first."""
    names = [name for name in all_hunks(change) if has(change, f"{name}_asked")]
    return sorted(names, key=lambda name: COUNTED.match(text_of(change, f"{name}_does")) is not None)


def other_hunks(change: Evidence) -> list[str]:
    """The hunks in other files, tests last."""
    names = [name for name in all_hunks(change) if not has(change, f"{name}_asked")]
    return sorted(names, key=lambda name: TEST_FILE.search(text_of(change, name)) is not None)


def all_hunks(change: Evidence) -> list[str]:
    """The names of its hunks whose lines are known."""
    return [f"hunk_{n}" for n in range(1, 9) if has(change, f"hunk_{n}", f"hunk_{n}_does")]


def hunk_change(change: Evidence, name: str, lead: str = "", deploy: Evidence | None = None) -> Claim:
    """What a hunk does, with its lines before and after and its commit; behind a ``lead`` with who made it."""
    k, said = change.id, f" “{{{change.id}.subject}}”{author_of(change)}" if lead else ""
    cited = (k, deploy.id) if deploy else (k,)
    return Claim(template=f"{lead}{lines_of(change, name)} ({{{k}.short}}{said}).", evidence=cited)


def lines_of(change: Evidence, name: str) -> str:
    """``cart.py:41-43 (`total`), it sets LIMIT to 5, which was 3: `LIMIT = 3` → `LIMIT = 5```."""
    k = change.id
    symbol = f" (`{{{k}.{name}_symbol}}`)" if text_of(change, f"{name}_symbol") else ""
    sides = [
        [f"`{{{k}.{name}_{side}_{n}}}`" for n in (1, 2, 3) if has(change, f"{name}_{side}_{n}")]
        for side in ("old", "new")
    ]
    old, new = (" ".join(side) for side in sides)
    shown = f"{old} → {new}" if old and new else f"removed {old}" if old else f"added {new}" if new else ""
    return f"{{{k}.{name}}}{symbol}: {{{k}.{name}_does}}{f': {shown}' if shown else ''}"


def write_authors(brief: Brief) -> Draft | None:
    """Who changed the named file or definition last, else who brought it, else who made most of its commits.

    None where none is named.
    """
    whole = next((item for item in brief.evidence if has(item, "author_1", "commits", "newest_author")), None)
    if whole is None:
        return None
    code = [c for c in of_kind(brief.evidence, "code") if is_named(text_of(c, "symbol"), brief.question.text)]
    if not file_in(brief.question.text) and not code:
        return None
    most = next(draft for _, draft in tell_authors(whole))
    own = next((c for c in code if has(c, "last_author", "last_commit", "last_subject", "last_at")), None)
    newest = (
        last_by(own, "last_author", "last_at", "last_commit", "last_subject")
        if own
        else last_by(whole, "newest_author", "newest_at", "newest_commit", "newest_subject")
    )
    lines = (code_claim(own, most=MOST_QUOTED),) if own else ()
    if LATEST.search(brief.question.text):
        return Draft(headline=newest, what_changed=(most.headline, *most.what_changed), code=lines, confidence="high")
    if origin := next((item for item in brief.evidence if has(item, "origin_name", "author")), None):
        k = origin.id
        said = f"{{{k}.author}} brought `{{{k}.origin_name}}` in {{{k}.short}} “{{{k}.subject}}”, committed {{{k}.at}}."
        rest = (newest, most.headline, *most.what_changed)
        return Draft(headline=Claim(template=said, evidence=(k,)), what_changed=rest, code=lines, confidence="high")
    return most.model_copy(update={"what_changed": (*most.what_changed, newest), "code": lines, "confidence": "high"})


def last_by(item: Evidence, author: str, when: str, commit: str, subject: str) -> Claim:
    """Who changed something last, by the facts that say so."""
    k = item.id
    what = f"`{{{k}.symbol}}`" if text_of(item, "symbol") else f"{{{k}.place}}"
    said = f"{{{k}.{author}}} changed {what} last, {{{k}.{when}}}, in {{{k}.{commit}}} “{{{k}.{subject}}}”."
    return Claim(template=said, evidence=(k,))


def is_named(symbol: str, text: str) -> bool:
    """Whether a question names a definition, by its own name or with its scope."""
    own = re.split(r"\.|::|#", symbol)[-1]
    return len(own) > 2 and re.search(rf"(?<!\w){re.escape(own)}(?!\w)", text) is not None
