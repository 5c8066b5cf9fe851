"""Which commits and deploys may carry the cause of what moved, and in which order they are told."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from workers.contracts import Evidence
from workers.grounding.health import text_of
from workers.language.stop_words import content_words
from workers.language.tokens import split_names
from workers.ports import Brief
from workers.reasoning.claim_phrases import DOC_FILE, TEST_FILE, has, of_kind
from workers.reasoning.question_features import quoted_phrases

ENOUGH = 0.6
"""Of the words that are quoted, so many stand in the commit that is meant."""
NO_SOURCE = re.compile(
    rf"{TEST_FILE.pattern}|{DOC_FILE.pattern}|(?:^|/)(?:VERSION|CHANGELOG|package-lock\.json|yarn\.lock|Cargo\.lock|go\.sum)",
    re.IGNORECASE,
)


def rank_changes(changes: Sequence[Evidence], deploy: Evidence | None, brief: Brief) -> list[Evidence]:
    """The commit that was deployed, those that name the endpoint, then those of the deployed service's own files.

    Other services' come behind them; then what an earlier deploy brought, and last what does nothing.
    """
    service = text_of(deploy, "service") if deploy else ""
    head = text_of(deploy, "commit") if deploy else ""
    services = {v.lower() for v in brief.landscape.labels.get("service", ())}
    before = deploy_before(deploy, brief)
    asked = content_words(" ".join(s.removeprefix("/api") for s in brief.intent.subjects if s.startswith("/")))

    def order(change: Evidence) -> tuple[bool, ...]:
        commit = text_of(change, "commit")
        parts = {p.lower() for i in range(1, 9) for p in re.split(r"[^\w-]+", text_of(change, f"file_{i}"))}
        own = service.lower() in parts
        named = content_words(split_names(f"{text_of(change, 'subject')} {' '.join(parts)}"))
        return (
            has(change, "inert") or not touches_sources(change),
            before is not None and has(change, "at") and datetime.fromisoformat(text_of(change, "at")) <= before,
            not (head and commit.startswith(head)),
            not asked & named,
            not own,
            bool(parts & (services - {service.lower()})) and not own,
        )

    return sorted(changes, key=order)


def deploy_before(deploy: Evidence | None, brief: Brief) -> datetime | None:
    """When the service was deployed before a deploy; None where that is not known."""
    if deploy is None:
        return None
    at, service = datetime.fromisoformat(text_of(deploy, "at")), text_of(deploy, "service")
    return max((d.at for d in brief.landscape.deploys if d.service == service and d.at < at), default=None)


def telling_changes(changes: Sequence[Evidence]) -> list[Evidence]:
    """The first three that touch sources; commits of tests and documents alone only when there is nothing else."""
    return ([c for c in changes if touches_sources(c)] or list(changes))[:3]


def touches_sources(change: Evidence) -> bool:
    """Not only tests, documents and version numbers."""
    files = [text_of(change, f"file_{i}") for i in range(1, 9) if has(change, f"file_{i}")]
    return any(not NO_SOURCE.search(f) for f in files)


def named_first(deploys: Sequence[Evidence], brief: Brief) -> list[Evidence]:
    """Deploys whose version or service the question names, before the rest."""
    text = " ".join((brief.question.text, *brief.question.context)).lower()
    bare = {d.id: text_of(d, "version").lower().lstrip("v") for d in deploys}

    def unnamed(d: Evidence) -> tuple[bool, bool]:
        version = bool(bare[d.id]) and re.search(rf"(?<![\d.])v?{re.escape(bare[d.id])}(?!\.?\d)", text) is not None
        return not version, text_of(d, "service").lower() not in text

    return sorted(deploys, key=unnamed)


def said_changes(brief: Brief) -> list[Evidence]:
    """Commits whose subject the question quotes."""
    wanted = [words for p in quoted_phrases(brief.question.text) if (words := content_words(p))]
    changes = [(e, content_words(text_of(e, "subject"))) for e in brief.evidence if e.kind == "change"]
    return [c for c, said in changes if any(len(words & said) >= ENOUGH * len(words) for words in wanted)]


def suspect_deploy(brief: Brief) -> Evidence | None:
    """The evidence of the deploy that probably carried the cause."""
    if brief.suspect is None or brief.suspect.deploy is None:
        return None
    at = brief.suspect.deploy.at
    return next((e for e in of_kind(brief.evidence, "deploy") if datetime.fromisoformat(text_of(e, "at")) == at), None)
