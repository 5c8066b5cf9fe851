"""Who is on call: the rota's shift; where no rota is of what is asked, that none is known, its owner, and the rotas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from workers.contracts import Claim, Draft, Evidence, Gap
from workers.engine.table_cells import ROW
from workers.grounding.health import text_of
from workers.language.stems import stem
from workers.language.stop_words import content_words
from workers.ports import Brief
from workers.reasoning.claim_phrases import doc_name, has, join, of_kind, said_claim
from workers.reasoning.findings import Reading, single_findings
from workers.reasoning.relevance import asked_words, shown_words
from workers.reasoning.wish import OF_WHO, ON_CALL

DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
MOST_ROTAS = 5


def write_on_call(brief: Brief) -> Draft | None:
    """The shift of the rota that is asked for; None where nobody asks who is on call, or where no rota and no owner
    is known."""
    if not ON_CALL.search(brief.question.text) or brief.intent.question_type == "debug_incident":
        return None
    rotas = [item for item in brief.evidence if is_rota(item)]
    wanted = frozenset(asked_words(brief)) - OF_WHO
    own = [item for item in rotas if wanted <= words_of(item)]
    if own and wanted:
        head, *rest = (shift_claim(item, brief) for item in own)
        return Draft(headline=head, docs=tuple(rest[:MOST_ROTAS]), confidence="high")
    others = tuple(shift_claim(item, brief) for item in rotas[:MOST_ROTAS])
    if not wanted:
        return Draft(headline=others[0], docs=others[1:], confidence="high") if others else None
    owners = list(owner_claims(brief, wanted))
    if not (others or owners):
        return None
    known = f" Rotas are known for {join([rota_name(item) for item in rotas[:MOST_ROTAS]])}." if rotas else ""
    notes = [said_claim(n) for n in of_kind(brief.evidence, "note") if wanted <= shown_words(n) and of_on_call(n)][:1]
    cited = tuple(item.id for item in rotas[:MOST_ROTAS])
    none = f"No rota is known for {words_as_asked(brief, wanted)}."
    if owners:
        none = f"{none} {owners[0].template.rstrip('.')}."
        cited = (*owners[0].evidence, *cited)
    return Draft(
        headline=Claim(template=f"{none}{known}", evidence=tuple(dict.fromkeys(cited))),
        docs=(*owners[1:2], *notes, *others),
        missing=(Gap(text="Whoever owns it need not be on call for it.", tool="doc_search"),) if owners else (),
        confidence="medium",
    )


def is_rota(item: Evidence) -> bool:
    """A shift of a calendar, or a section below a heading that says so, which lists people or says who it is."""
    if item.kind == "event":
        return has(item, "person", "team", "when")
    listed = any(ROW.fullmatch(name) for name in item.facts) or ON_CALL.search(text_of(item, "quote"))
    return item.kind == "doc" and of_on_call(item) and bool(listed)


def of_on_call(item: Evidence) -> bool:
    """Whether a section or a note stands below a heading that says so."""
    below = f"{item.title} {text_of(item, 'breadcrumb')} {text_of(item, 'heading')}"
    return ON_CALL.search(below) is not None


def words_of(item: Evidence) -> frozenset[str]:
    """Stems of what a rota says it is of."""
    told = text_of(item, "team") if item.kind == "event" else f"{text_of(item, 'heading')} {item.excerpt}"
    return frozenset(content_words(told))


def shift_claim(item: Evidence, brief: Brief) -> Claim:
    """Who has the shift now: of a calendar, of the row whose date was reached last, else as the section says."""
    k = item.id
    if item.kind == "event":
        text = f"{{{k}.person}} is on call for {{{k}.team}}, {{{k}.when}}"
        return Claim(template=text, evidence=(k,))
    rows = [name for name in item.facts if ROW.fullmatch(name)]
    today = brief.question.received_at.date().isoformat()
    dated = sorted((m[0], name) for name in rows if (m := DATE.search(text_of(item, name))))
    begun = [name for day, name in dated if day <= today][-1:]
    if not dated and rows:
        begun = rows[:MOST_ROTAS]
    said = "; ".join(f"{{{k}.{name}}}" for name in begun) or f"{{{k}.quote}}"
    return Claim(template=f"{doc_name(item)}: {said}", evidence=(k,))


def rota_name(item: Evidence) -> str:
    """What a rota is called, as slots."""
    return f"{{{item.id}.team}}" if item.kind == "event" else doc_name(item)


def owner_claims(brief: Brief, wanted: frozenset[str]) -> Iterator[Claim]:
    """Who owns it, as far as code and documents say, then who wrote most of it."""
    found = [f for f in single_findings(Reading(brief)) if f.kind in {"owner", "authors"}]
    for finding in sorted(found, key=lambda f: f.kind != "owner"):
        if wanted <= (finding.words if finding.kind == "owner" else finding.head):
            yield finding.draft.headline


def words_as_asked(brief: Brief, wanted: frozenset[str]) -> str:
    """Some words of the question as it writes them."""
    written: Sequence[str] = re.findall(r"[\w/-]+", brief.question.text)
    return " ".join(word for word in written if stem(word.lower()) in wanted)
