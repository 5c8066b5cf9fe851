"""``python -m bench redaction [FILE]``: how many secrets are taken out, and how much that only looks like one.

Without a file: tokens are made from the shape of each kind (`tests.support.secret_samples`), in every form ten times;
the sentences stand in ``password_mentions.txt`` and ``password_harmless.txt`` below ``bench/data``, a line each, the
former with a slot for a password of some sort.

With a file (``bench/data/redaction/develop.jsonl`` is one) it is judged what an author wrote, one JSON object a line:
``{"id", "form", "text", "secret", "must_stay", "lang"}``, where ``secret`` is what must not survive, or null, and
``must_stay`` lists what must; and ``{"id", "question", "ask"}``, where ``ask`` is ``harmless`` or ``value``.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.support.secret_samples import FORMS, commands, lookalikes, password, tokens
from workers.agents.registry import build_likelihood
from workers.contracts import Question
from workers.engine.policy import UNSAFE_FROM
from workers.language.request_routes import UNSAFE
from workers.settings.load import load_settings
from workers.toolkit.redaction import BUILTIN, redact_text

DATA = Path(__file__).parent / "data"
SORT = re.compile(r"\{(\w+)\}")
TALK = re.compile(r"(?i)chat|talk|message|sentence|slack|thread|prose")
ROUNDS = 10
IN_SENTENCES = ("{}", 'note: "{}"', "# {}", "connect()  // {}", "@Ann {}\nok thanks")
Row = Mapping[str, Any]


def main(args: Sequence[str]) -> None:
    """Print a table, and each text that is missed or spoilt."""
    if args:
        judge_file(Path(args[0]))
        return
    pasted = [(form.format(text), secret) for text, secret in all_tokens() for form in FORMS.values()]
    told = list(mentions())
    harmless = [*lookalikes(random.Random(3)), *lines("password_harmless.txt")]
    print("| what | n | taken out |\n|---|---|---|")
    for name, found in (("tokens, pasted", pasted), ("passwords, told", told)):
        print(f"| {name} | {len(found)} | {sum(secret not in redact_text(text) for text, secret in found)} |")
    print(f"| look-alikes | {len(harmless)} | {sum(redact_text(text) != text for text in harmless)} |")
    for text in sorted({text for text, secret in told if secret in redact_text(text)}):
        print(f"missed: {text!r}")
    for text in harmless:
        if redact_text(text) != text:
            print(f"taken out: {text!r}")


def judge_file(file: Path) -> None:
    """Judge what an author wrote."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    texts, asked = [r for r in rows if "text" in r], [r for r in rows if "question" in r]
    kept, alike = [r for r in texts if r.get("secret")], [r for r in texts if not r.get("secret")]
    through, taken = [r for r in kept if is_through(r)], [r for r in alike if clean(r) != r["text"]]
    lost = [r for r in kept if any(part not in clean(r) for part in r.get("must_stay") or ())]
    harmless, values = ([r for r in asked if r["ask"] == ask] for ask in ("harmless", "value"))
    refused = refusals(asked)
    wrongly, told = [r for r in harmless if r["id"] in refused], [r for r in values if r["id"] not in refused]
    print("| what | n | wrong | % |\n|---|---|---|---|")
    for name, some, wrong in (
        ("secrets through", kept, through),
        ("beside a secret taken out too", kept, lost),
        ("look-alikes taken out", alike, taken),
        ("harmless questions refused", harmless, wrongly),
        ("questions for a value not refused", values, told),
    ):
        if some:
            print(f"| {name} | {len(some)} | {len(wrong)} | {100 * len(wrong) / len(some):.1f} |")
    for name, wrong in (("through", through), ("lost beside", lost), ("taken out", taken)):
        for row in wrong:
            print(f"{name} {row['id']} ({row.get('form', '')}): {row['text']!r} -> {clean(row)!r}")
    for name, wrong in (("refused", wrongly), ("not refused", told)):
        for row in wrong:
            print(f"{name} {row['id']}: {row['question']!r}")


def clean(row: Row) -> str:
    """A text as it would be shown: people's own words are read as such."""
    return BUILTIN.talk(row["text"]) if TALK.search(row.get("form", "")) else redact_text(row["text"])


def is_through(row: Row) -> bool:
    """Whether a secret can be read, as it was written or without what has no width in it."""
    shown = clean(row)
    bare = "".join(letter for letter in row["secret"] if letter.isprintable())
    return row["secret"] in shown or (bare != "" and bare in "".join(c for c in shown if c.isprintable()))


def refusals(asked: Sequence[Row]) -> set[str]:
    """The questions that are refused as they are asked."""
    if not asked:
        return set()
    with tempfile.TemporaryDirectory() as home:
        likely = build_likelihood(load_settings(home=Path(home)))
        return {row["id"] for row in asked if likely(question_of(row)).get(UNSAFE, 0.0) >= UNSAFE_FROM}


def question_of(row: Row) -> Question:
    """A question without a thread."""
    return Question(request_id=str(row["id"]), text=row["question"], received_at=datetime.now(UTC))


def all_tokens() -> Iterator[tuple[str, str]]:
    """Tokens and commands with a secret, and that."""
    for number in range(ROUNDS):
        yield from tokens(random.Random(number))
        yield from commands(random.Random(number))


def mentions() -> Iterator[tuple[str, str]]:
    """Sentences that tell a password, and that."""
    chance = random.Random(2)
    for sentence in lines("password_mentions.txt"):
        found = SORT.search(sentence)
        if found:
            for form in IN_SENTENCES:
                secret = password(found[1], chance)
                yield form.format(sentence.replace(found[0], secret)), secret


def lines(name: str) -> list[str]:
    """The lines of a table."""
    return (DATA / name).read_text(encoding="utf-8").splitlines()
