"""Secrets out of everything a tool returned, and out of the log. Each becomes ``[redacted:KIND]``, line for line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel

from workers.contracts import Evidence, Fact, Proposal, ToolOutput
from workers.errors import ConfigError
from workers.language.told_secrets import told_secrets
from workers.settings.load import Settings
from workers.toolkit.key_values import is_named_otherwise
from workers.toolkit.plain_letters import plain_letters
from workers.toolkit.secret_patterns import LONG_WORD, OURS, VENDORS, Mentions, Reader, Rule
from workers.toolkit.secret_values import holds_secret

M = TypeVar("M", bound=BaseModel)
SHORT, HEARD, REMEMBERED = 200, 2_000, 8_192
"""The same names, paths and labels pass many times a request; texts of so many characters, and so many of them."""
BARE = frozenset({int, float, bool, type(None)})
"""Types whose values hold no text."""
TALK = frozenset({"message", "note"})
"""Kinds of evidence in people's own words."""


class RuleSet:
    """Rules, of which few may match a text."""

    def __init__(self, rules: Iterable[Rule | Reader | Mentions]) -> None:
        self.rules = tuple(rules)
        self.anchors = frozenset(anchor for rule in self.rules for anchor in rule.anchors)
        self.always = [rule for rule in self.rules if not rule.anchors]

    def due(self, known: str) -> list[Rule | Reader | Mentions]:
        """Those that may match a lower-cased text."""
        found = {anchor for anchor in self.anchors if anchor in known}
        if not found:
            return self.always
        return [rule for rule in self.rules if not rule.anchors or not found.isdisjoint(rule.anchors)]


VENDOR_RULES, OUR_RULES = RuleSet(VENDORS), RuleSet(OURS)


class Redactor:
    """The built-in rules and this team's own patterns."""

    def __init__(self, patterns: Iterable[re.Pattern[str]] = ()) -> None:
        self.own = tuple(Rule("configured", (), p, min(p.groups, 1)) for p in patterns)
        self.remembered = lru_cache(REMEMBERED)(self.clean)
        self.heard = lru_cache(REMEMBERED // 8)(self.clean_talk)

    def text(self, text: str) -> str:
        """The text without secrets; the number of lines stays."""
        return self.remembered(text) if len(text) <= SHORT else self.clean(text)

    def talk(self, text: str) -> str:
        """What people write in their own words, without secrets: those too that only a sentence tells."""
        return self.heard(text) if len(text) <= HEARD else self.clean_talk(text)

    def clean_talk(self, text: str) -> str:
        """The same, of any text."""
        text = self.clean(text)
        for start, end in reversed(list(told_secrets(text))):
            if not is_named_otherwise(text, start, end):
                text = f"{text[:start]}[redacted:secret]{text[end:]}"
        return text

    def clean(self, text: str) -> str:
        """The same, of any text. What is found in its plain letters is taken out of the text as it was written."""
        plain, places = plain_letters(text)
        out, last = list[str](), 0
        for first, behind, kind in self.found(plain):
            start, end = (places[first], places[behind - 1] + 1) if places else (first, behind)
            lines = text.count("\n", start, end) + 1
            out += [text[last:start], "\n".join([f"[redacted:{kind}]"] * lines)]
            last = end
        return "".join((*out, text[last:])) if out else text

    def found(self, text: str) -> list[tuple[int, int, str]]:
        """Every secret: start, end and kind, in order; of two that overlap the first rule's kind counts for both.

        Tokens are looked for in long words only: most texts have few.
        """
        lowered = text.lower()
        words = " ".join(LONG_WORD.findall(lowered))
        rules = (*self.own, *VENDOR_RULES.due(words), *OUR_RULES.due(lowered))
        every = [(start, end, n) for n, rule in enumerate(rules) for start, end in rule.spans(text)]
        out: list[tuple[int, int, int]] = []
        for start, end, n in sorted(every):
            if out and start < out[-1][1]:
                out[-1] = (out[-1][0], max(end, out[-1][1]), min(n, out[-1][2]))
            else:
                out.append((start, end, n))
        return [(start, end, rules[n].kind) for start, end, n in out]

    def value(self, value: Any) -> Any:
        """Any JSON value without secrets, keys included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list | tuple):
            return [v if type(v) in BARE else self.value(v) for v in value]
        if isinstance(value, Mapping):
            named = str(value.get("name") or value.get("key") or "")
            return {self.value(k): v if type(v) in BARE else self.member(k, v, named) for k, v in value.items()}
        return value

    def member(self, key: Any, value: Any, named: str) -> Any:
        """A value of an object without secrets: its key tells, and for ``value`` the entry's ``name``."""
        name = named if key == "value" and named else key
        if isinstance(value, str) and isinstance(name, str) and holds_secret(name, value.strip(), "quoted"):
            return "[redacted:secret]"
        return self.value(value)

    def output(self, output: ToolOutput) -> ToolOutput:
        """A tool's output without secrets, in every field that holds text."""
        return output.model_copy(
            update={
                "summary": self.text(output.summary),
                "reason": self.text(output.reason),
                "data": self.value(output.data),
                "nearest": tuple(map(self.text, output.nearest)),
                "evidence": tuple(map(self.evidence, output.evidence)),
                "proposals": tuple(map(self.proposal, output.proposals)),
            }
        )

    def proposal(self, proposal: Proposal) -> Proposal:
        """A change as it is shown, without secrets; the change itself stays as it is."""
        return proposal.model_copy(update={"title": self.text(proposal.title), "preview": self.text(proposal.preview)})

    def evidence(self, evidence: Evidence) -> Evidence:
        """One piece of evidence without secrets."""
        clean = self.talk if evidence.kind in TALK else self.text
        return evidence.model_copy(
            update={
                "title": clean(evidence.title),
                "locator": self.text(evidence.locator),
                "url": evidence.url and self.text(evidence.url),
                "excerpt": clean(evidence.excerpt),
                "facts": {name: self.fact(fact, clean) for name, fact in evidence.facts.items()},
                "data": self.value(evidence.data),
            }
        )

    def fact(self, fact: Fact, clean: Callable[[str], str]) -> Fact:
        """One fact without secrets; the same object when there is nothing to hide."""
        value = clean(fact.value) if isinstance(fact.value, str) else fact.value
        entity = self.text(fact.entity)
        if value == fact.value and entity == fact.entity:
            return fact
        return fact.model_copy(update={"value": value, "entity": entity})

    def message(self, message: M) -> M:
        """Any contract without secrets, such as the log of one request."""
        return type(message).model_validate(self.value(message.model_dump(mode="json")))


def build_redactor(settings: Settings) -> Redactor:
    """The rules with ``secrets`` of ``config/oracle.yaml``.

    Raises:
        ConfigError: a pattern is not a regular expression, or matches everything.
    """
    patterns, problems = [], []
    for i, source in enumerate(settings.core.secrets):
        place = f"{settings.where(f'oracle.secrets.{i}')}: secrets.{i}"
        try:
            pattern = re.compile(source)
        except re.error as error:
            problems.append(f"{place}: not a regular expression ({error})")
            continue
        if pattern.match(""):
            problems.append(f"{place}: matches the empty text, so it would match everywhere")
        patterns.append(pattern)
    if problems:
        raise ConfigError(*problems)
    return Redactor(patterns)


BUILTIN = Redactor()
SHORTEST_LINE = 4
"""A line of a secret that is shorter is found in too many other places."""


def redact_source(source: bytes) -> bytes:
    """A file's content without secrets, as it is read: what is made of it has none. Other files stay."""
    if b"\0" in source[:8_000]:
        return source
    try:
        text, encoding = source.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        text, encoding = source.decode("latin-1"), "latin-1"  # byte for byte
    clean = BUILTIN.clean(text)
    return source if clean == text else clean.encode(encoding)


def hidden_lines(text: str) -> list[str]:
    """The lines of all secrets of a text, without blanks around them, each once."""
    plain, places = plain_letters(text)
    spans = [(places[a], places[b - 1] + 1) if places else (a, b) for a, b, _ in BUILTIN.found(plain)]
    lines = (line.strip() for a, b in spans for line in text[a:b].split("\n"))
    return list(dict.fromkeys(line for line in lines if len(line) >= SHORTEST_LINE))


def redact_text(text: str) -> str:
    """The text without secrets, by the built-in rules."""
    return BUILTIN.text(text)
