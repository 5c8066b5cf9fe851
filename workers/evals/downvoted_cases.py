"""Answers that people marked as bad, as cases: recorded results from the log, expectations for a person to complete."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from sqlalchemy import select

from workers.contracts import Deploy, Evidence, Landscape, MetricInfo, RequestLog, ToolCall
from workers.errors import ConfigError, RequestNotFound
from workers.evals.cases import load_suite
from workers.ports import Store
from workers.settings.load import is_zone, shown_path
from workers.store.database import Database
from workers.store.tables import feedback

SPECIAL = re.compile(r"[.^$*+?{}\[\]\\|()]")
NEAREST = re.compile(r"\(nearest: ([^()]+)\)$")
HEAD = """\
# Answers that people marked as bad. The recorded results are what the tools returned then, without what was redacted;
# `when` matches exactly those arguments, an entry without it any others. Complete `expect`: what should have
# been said (facts, cites, gaps), and what should not (not_facts); correct kind and question_type where they were wrong.
"""


@dataclass(frozen=True)
class Complaint:
    """What people said of one answer."""

    request_id: str
    people: int
    words: tuple[str, ...]


def case_id(request_id: str) -> str:
    """The id of a request's case."""
    return f"down-{re.sub(r'[^A-Za-z0-9._:-]', '-', request_id)}"[:120]


def complaints(database: Database) -> tuple[Complaint, ...]:
    """Every answer that someone marked as bad, oldest verdict first. Raises: StoreUnavailable."""
    query = select(feedback).where(feedback.c.verdict == "bad").order_by(feedback.c.at, feedback.c.request_id)
    with database.begin() as connection:
        rows = connection.execute(query).mappings().all()
    said: dict[str, list[str]] = {}
    for row in rows:
        said.setdefault(row["request_id"], []).append(": ".join(t for t in (row["reason"], row["text"]) if t))
    return tuple(Complaint(name, len(words), tuple(w for w in words if w)) for name, words in said.items())


def export_bad(file: Path, database: Database, store: Store, clean: Callable[[str], str]) -> tuple[int, int]:
    """Append every answer marked as bad that the file does not have yet.

    Args:
        file: a suite, made when it does not exist.
        database: with the verdicts.
        store: with the logs.
        clean: takes secrets out of what people wrote.

    Returns: how many were added, and how many logs no longer exist.

    Raises:
        ConfigError: the file is no suite or cannot be written; it stays as it is.
        StoreUnavailable: the database cannot be reached.
    """
    known: set[str] = set()
    before = ""
    if file.exists():
        before = file.read_text(encoding="utf-8") if file.is_file() else ""
        known = {entry.case.id for entry in load_suite(file).cases} if before.strip() else set()
    blocks, lost = [], 0
    for complaint in complaints(database):
        if case_id(complaint.request_id) in known:
            continue
        try:
            log = store.load(complaint.request_id)
        except RequestNotFound:
            lost += 1
            continue
        blocks.append(write_case(log, complaint, clean))
    if blocks:
        write_checked(file, "".join([before.rstrip("\n") + "\n" if before.strip() else HEAD, *blocks]))
    return len(blocks), lost


def write_checked(file: Path, text: str) -> None:
    """Replace the file by a text that is a valid suite. Raises: ConfigError."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=file.parent, prefix=".draft-", suffix=".yaml", delete=False) as opened:
            opened.write(text.encode("utf-8", "replace"))
        draft = Path(opened.name)
        try:
            load_suite(draft)
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise ConfigError(f"{shown_path(file)}: cannot be written ({error})") from error


def write_case(log: RequestLog, complaint: Complaint, clean: Callable[[str], str]) -> str:
    """One entry of the list, with what people said above it."""
    told = "; ".join(one_line(clean(words)) for words in complaint.words)
    people = "1 person" if complaint.people == 1 else f"{complaint.people} people"
    body = yaml.dump(
        [make_case(log)], Dumper=Plain, sort_keys=False, default_flow_style=None, allow_unicode=True, width=110
    )
    return f"\n# marked as bad by {people}{f': {told}' if told else ''}\n{body}"


def one_line(text: str) -> str:
    """A text that may stand in a comment."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


class Plain(yaml.SafeDumper):
    """YAML without aliases, texts of several lines as blocks."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002
        """Nothing is written as a reference."""
        return True


def write_text(dumper: Plain, text: str) -> yaml.ScalarNode:
    """A text; of several lines as a block where YAML can."""
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


Plain.add_representer(str, write_text)


def make_case(log: RequestLog) -> dict[str, Any]:
    """A request as a case; everything that is not known yet is what the bad answer had."""
    question = log.question
    kind = log.answer.kind if log.answer else "answer"
    expect: dict[str, Any] = {"kind": kind}
    if log.intent:
        expect["question_type"] = [log.intent.question_type]
    expect["tools"] = list(dict.fromkeys(c.name for c in log.tool_calls if c.status == "ok"))
    zone = question.timezone
    usable = is_zone(zone) or re.fullmatch(r"[+-]\d{2}:\d{2}", zone)
    case = {
        "id": case_id(log.request_id),
        "question": question.text,
        "context": [message for message in question.context if message],
        "timezone": zone if usable else "UTC",
        "now": question.received_at.isoformat(),
        "evidence": "missing" if log.gaps else "complete",
        "tools": recorded(log),
        "landscape": landscape_of(log).model_dump(mode="json", exclude_defaults=True),
        "expect": {**expect, "cites": [], "facts": [], "not_facts": [], "gaps": []},
    }
    return {key: value for key, value in case.items() if key != "context" or value}


# --- what the tools returned ----------------------------------------------------------------------------------


def recorded(log: RequestLog) -> dict[str, list[dict[str, Any]]]:
    """The results by tool: each call with exactly its arguments, then all of a tool's evidence for any others."""
    out: dict[str, list[dict[str, Any]]] = {}
    for call in log.tool_calls:
        when = {name: exactly(value) for name, value in call.args.items() if isinstance(value, str)}
        entries = out.setdefault(call.name, [])
        if not any(entry["when"] == when for entry in entries):
            found = [e for e in log.evidence if call.status == "ok" and e.step == call.step]
            entries.append({"when": when, "output": output_of(call, found, log)})
    for name, entries in out.items():
        if len(entries) == 1 and entries[0]["output"]["status"] == "ok":
            del entries[0]["when"]
            continue
        steps = {call.step for call in log.tool_calls if call.name == name and call.status == "ok"}
        if found := [e for e in log.evidence if e.step in steps]:
            entries.append({"output": {"status": "ok", "evidence": bare(found)}})
    return out


def exactly(text: str) -> str:
    """A regular expression that only this text matches."""
    return f"^{SPECIAL.sub(lambda match: chr(92) + match[0], text)}$"


def output_of(call: ToolCall, found: Sequence[Evidence], log: RequestLog) -> dict[str, Any]:
    """A tool's output as far as the log tells."""
    said = "summary" if call.status == "ok" else "reason"
    out: dict[str, Any] = {"status": call.status, said: call.summary}
    if found:
        out["evidence"] = bare(found)
    gap = next((g.text for g in log.gaps if call.status != "ok" and call.summary and call.summary in g.text), "")
    if match := NEAREST.search(gap):
        out["nearest"] = [name.strip() for name in match[1].split(",")]
    return out


def bare(found: Iterable[Evidence]) -> list[dict[str, Any]]:
    """Evidence as a tool returns it: without its number and step; without the samples, which only charts show."""
    return [e.model_dump(mode="json", exclude={"id", "step", "series"}, exclude_defaults=True) for e in found]


def landscape_of(log: RequestLog) -> Landscape:
    """The names that the log shows to exist."""
    labels: dict[str, dict[str, None]] = {}
    metrics: dict[str, MetricInfo] = {}
    deploys: dict[tuple[str, str], Deploy] = {}
    for item in log.evidence:
        values = {name: str(fact.value) for name, fact in item.facts.items()}
        for label in ("endpoint", "service"):
            if label in values:
                labels.setdefault(label, {})[values[label]] = None
        if item.kind == "metric" and "metric_name" in values:
            unit = item.facts["current"].unit if "current" in item.facts else "count"
            name = values["metric_name"]
            metrics[name] = MetricInfo(name=name, unit=unit, role=values.get("role", ""))
        if item.kind == "deploy" and {"service", "version", "at"} <= values.keys():
            known = {key: values.get(key, "") for key in ("service", "version", "commit", "at")}
            deploys[values["service"], values["version"]] = Deploy.model_validate(known)
    named = [s for s in (log.intent.subjects if log.intent else ()) if s.startswith("/")]
    named += [o.value for o in (log.answer.options if log.answer else ()) if o.value.startswith("/")]
    if named:
        labels.setdefault("endpoint", {}).update(dict.fromkeys(named))
    return Landscape(
        metrics=tuple(metrics.values()),
        labels={label: tuple(found) for label, found in labels.items()},
        alerts=facts_of(log, "alert", "name"),
        deploys=tuple(sorted(deploys.values(), key=lambda d: d.at)),
        repositories=tuple(
            dict.fromkeys((*facts_of(log, "code", "repository"), *facts_of(log, "change", "repository")))
        ),
        documents=facts_of(log, "doc", "path"),
    )


def facts_of(log: RequestLog, kind: str, fact: str) -> tuple[str, ...]:
    """The values of one fact over all evidence of a kind, each once."""
    return tuple(dict.fromkeys(str(e.facts[fact].value) for e in log.evidence if e.kind == kind and fact in e.facts))
