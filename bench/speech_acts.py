"""Speech acts on authors that were not learned from.

``python -m bench speech_acts [AUTHOR …]``: without authors, each three that were learned from are left out in turn;
with some (held ones, by name), they are judged by the shipped model. Two tables: how often the likeliest act of a
message is right, and how many of people's sentences that reach a threshold of a summary do what they are taken for.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from workers.incidents.summary.utterances import LIKELY, SURE
from workers.language.speech_acts import ACTS, probabilities_of
from workers.language.train_speech_acts import DATA, Example, examples_of, learn, training_files

TOGETHER = 3
"""Authors that are left out at a time."""
NOTHING = 0.2
"""A likeliest act below it counts as none."""
MERGED = tuple(n for n, act in enumerate(ACTS) if act != "deed")  # every deed is "done" too
ASKED = frozenset({"question", "proposal", "task_request", "hypothesis"})
"""Acts that questions do as well."""


def main(args: list[str]) -> None:
    """Print both tables."""
    held = [DATA / f"{name}.jsonl" for name in args]
    files = held or [file for file in training_files() if file.parent == DATA]
    examples = examples_of(held or training_files())
    began = time.perf_counter()
    if held:
        chances = np.array([probabilities_of(one.said) for one in examples])
        print(f"{(time.perf_counter() - began) / len(examples) * 1e3:.2f} ms a sentence\n")
    else:
        chances = left_out(examples, [file.stem for file in files])
    names = {file.stem for file in files}
    kept = [n for n, one in enumerate(examples) if one.author in names]
    print_right([examples[n] for n in kept], chances[kept])
    for name, bounds in (("sure", SURE), ("likely", LIKELY)):
        print_thresholds(name, bounds, [examples[n] for n in kept], chances[kept])


def left_out(examples: Sequence[Example], authors: Sequence[str]) -> NDArray[np.float64]:
    """The probabilities of each sentence of some authors by what was learned without them and `TOGETHER` - 1 others."""
    found = np.zeros((len(examples), len(ACTS)))
    for start in range(0, len(authors), TOGETHER):
        some = authors[start : start + TOGETHER]
        own = np.array([one.author in some for one in examples])
        learned = learn([one for one in examples if one.author not in some])
        found[own] = learned.probabilities([one for one in examples if one.author in some])
    return found


def print_right(examples: Sequence[Example], chances: NDArray[np.float64]) -> None:
    """How often the likeliest act is one of those that the author labelled, by author."""
    messages: dict[int, tuple[str, set[str], list[NDArray[np.float64]]]] = {}
    for one, row in zip(examples, chances, strict=True):
        _, acts, rows = messages.setdefault(one.message, (one.author, set(), []))
        acts.update(one.acts)
        rows.append(row[list(MERGED)])
    right: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for author, acts, rows in messages.values():
        best = np.max(rows, axis=0)
        act = ACTS[MERGED[int(best.argmax())]]
        right[author].append((bool(acts), act in acts if acts else best.max() < NOTHING))
    print("| author | messages with an act | right | of those without | right |\n|---|---|---|---|---|")
    for author, found in [*right.items(), ("all", [one for each in right.values() for one in each])]:
        does, none = [ok for has, ok in found if has], [ok for has, ok in found if not has]
        print(f"| {author} | {len(does)} | {np.mean(does):.0%} | {len(none)} | {np.mean(none):.0%} |")


def print_thresholds(
    name: str, bounds: Mapping[str, float], examples: Sequence[Example], chances: NDArray[np.float64]
) -> None:
    """Of people's sentences, questions left out where none does the act: how many that reach a bound are right."""
    print(f"\n| act | {name} from | sentences | right | of those that do it |\n|---|---|---|---|---|")
    people = np.array([not one.said.bot for one in examples])
    asks = np.array([one.said.text.rstrip().endswith("?") for one in examples])
    for act, bound in bounds.items():
        does = np.array([act in one.acts for one in examples])
        counted = people if act in ASKED else people & ~asks
        taken = counted & (chances[:, ACTS.index(act)] >= bound)
        right, found = does[taken].mean() if taken.any() else 0.0, does[taken].sum() / max(does[counted].sum(), 1)
        print(f"| {act} | {bound} | {taken.sum()} | {right:.0%} | {found:.0%} |")
