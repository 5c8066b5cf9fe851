"""Fits the weights of `workers.incidents.summary.salience`: ``python -m bench.incidents.fit`` prints them.

Each sentence of a person in the channels of the tune half, at each moment, is an example; it is right when it says what
was expected of that part of a summary, and wrong when it says what must not be there.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from bench.chances import fit
from bench.incidents import until_ts
from bench.incidents.expected import Cut, expected
from bench.incidents.transcripts import Export, export, names, write_export
from workers.incidents.summary.rules_summary import told_of_it
from workers.incidents.summary.salience import signs
from workers.incidents.summary.slack_export import read_export
from workers.incidents.summary.utterances import Utterance

PARTS = ("known", "impact")
Example = tuple[dict[str, float], dict[str, float]]
"""The signs of a sentence, and for each part how much it counts that it stands there: 0 when it need not."""


def examples(name: str) -> Iterator[Example]:
    """Those of one transcript."""
    channel = export(name)
    with tempfile.TemporaryDirectory() as folder:
        file = write_export(channel, Path(folder))
        for cut in (cut for cut in expected(name).cuts if cut.state != ("none",)):
            talk = told_of_it(read_export(file, until_ts(cut, channel)))
            for remark in (r for r in talk.people if not r.quoted):
                yield signs(remark, talk), {part: worth(remark, cut, channel, part) for part in PARTS}


def worth(remark: Utterance, cut: Cut, channel: Export, part: str) -> float:
    """The weight of the weightiest fact that a sentence says in a part; 0 for none, or when it must not stand there."""
    for rule in cut.forbidden:
        named = not rule.cites or remark.ts in {channel.ts[key] for key in rule.cites}
        if named and rule.pattern and part in (rule.sections or PARTS) and says(remark, rule.pattern):
            return 0.0
    facts = (fact for fact in cut.present if part in fact.sections)
    cited = (fact for fact in facts if not fact.cites or remark.ts in {channel.ts[key] for key in fact.cites})
    return max((fact.weight for fact in cited if any(says(remark, words) for words in fact.any_of)), default=0.0)


def says(remark: Utterance, words: Sequence[str]) -> bool:
    """Whether a sentence has all of some patterns."""
    return all(re.search(word, remark.text, re.IGNORECASE) for word in words)


def fitted(found: Sequence[Example], part: str) -> dict[str, float]:
    """The weights of one part, and the offset under ""."""
    right = np.array([float(worths[part] > 0) for _, worths in found])
    worth = np.array([1 + worths[part] / 2 for _, worths in found])
    bound = np.full(len(found[0][0]), np.inf)
    learned = fit([told for told, _ in found], right, worth / worth.sum(), -bound, bound)
    weights = zip(learned.names, learned.weights, strict=True)
    return {"": round(float(learned.offset), 2)} | {name: round(float(weight), 2) for name, weight in weights}


def main() -> None:
    """Print the weights of both parts."""
    found = [example for name in names() if expected(name).half == "tune" for example in examples(name)]
    print(f"{len(found)} sentences")
    for part in PARTS:
        print(f"{part.upper()} = {fitted(found, part)}")


if __name__ == "__main__":
    main()
