"""``python -m bench deals``: how well deals are ranked; ``deals words``: how requests and passages are told apart;
``deals voices``: passages of each voice by what was learned from
the others; ``deals FILE --mapping FILE``: how fast records of others are loaded and searched."""

from __future__ import annotations

import math
import random
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import yaml

from examples.deals.generate import generate
from workers.agents.deals.source.evidence import ranked_evidence
from workers.agents.deals.source.features import FAMILIES, FEATURES, Floats
from workers.agents.deals.source.labelled_queries import LabelledQuery
from workers.agents.deals.source.load import load_mapped
from workers.agents.deals.source.passage_kinds import LEVER, MODEL, OTHER, RISK, kind_by, passage_kind
from workers.agents.deals.source.passage_training import learn_meanings
from workers.agents.deals.source.ranker import rank
from workers.agents.deals.source.records import Deal
from workers.agents.deals.source.search import Candidates, build_index, closeness, find_candidates, word_scores
from workers.agents.deals.source.training import learn, measure
from workers.language.kind_training import learn as learn_kinds_of
from workers.language.question_kinds import load_model
from workers.language.train_question_kinds import examples_in, files_of
from workers.sources.documents.encoder import encode

DATA = Path(__file__).parent / "data" / "deals"
SEEDS = (1, 2, 3, 4, 5)
TRAIN_SHARE = 0.6
SHOWN = ("recall@1", "recall@3", "recall@5", "recall@10", "ndcg@1", "ndcg@3", "ndcg@5", "ndcg@10", "mrr")
Order = Callable[[Candidates, LabelledQuery], Sequence[str]]


def main(args: list[str]) -> int:
    """Print the table that is asked for."""
    if args[:1] == ["words"]:
        return words()
    if args[:1] == ["voices"]:
        return voices()
    if args:
        return served(Path(args[0]), Path(args[-1]))
    rows: dict[str, list[dict[str, float]]] = {}
    for seed in SEEDS:
        for name, found in measured(seed).items():
            rows.setdefault(name, []).append(found)
        print(f"seed {seed} done", file=sys.stderr)
    print(f"| ranking | {' | '.join(SHOWN)} |\n|{'---|' * (len(SHOWN) + 1)}")
    for name, found in rows.items():
        cells = [f"{np.mean([f[m] for f in found]):.3f} ± {np.std([f[m] for f in found], ddof=1):.3f}" for m in SHOWN]
        print(f"| {name} | {' | '.join(cells)} |")
    return 0


def words() -> int:
    """Print how often the kind of a request, and what a passage tells of, is right on held authors."""
    print("| of | n | right |\n|---|---|---|")
    kinds = held("kinds_held.yaml")
    right = [kind == best_kind(text) for kind, texts in kinds.items() for text in texts]
    print(f"| kinds of request | {len(right)} | {np.mean(right):.0%} |")
    passages = held("passages_held.yaml")
    print("\n| passage told as | of its own kind | of the others | times as often |\n|---|---|---|---|")
    for kind in (LEVER, RISK):
        own = float(np.mean([passage_kind(t) == kind for t in passages[kind]]))
        false = float(np.mean([passage_kind(t) == kind for k, texts in passages.items() if k != kind for t in texts]))
        print(f"| {kind} | {own:.0%} | {false:.1%} | {own / false if false else math.inf:.1f} |")
    return 0


def voices() -> int:
    """Print how often passages of each voice are told right by models that were learned from the others."""
    print("| voice | n | right | not recognised | told as another |\n|---|---|---|---|---|")
    files = files_of(MODEL)
    for file in files[1:]:
        learned = [pair for other in files if other != file for pair in examples_in(other)]
        meanings, in_words = learn_meanings(learned, encode([t for t, _ in learned])), learn_kinds_of(learned)
        own = examples_in(file)
        told = [kind_by(in_words.scores(t), meanings.scores(encode([t])[0])) or OTHER for t, _ in own]
        right = sum(found == kind for found, (_, kind) in zip(told, own, strict=True))
        unsure = sum(found == OTHER != kind for found, (_, kind) in zip(told, own, strict=True))
        print(f"| {file.stem} | {len(own)} | {right / len(own):.0%} | {unsure} | {len(own) - right - unsure} |")
    return 0


def held(name: str) -> dict[str, list[str]]:
    """Labelled texts of authors who saw neither code nor other files."""
    found: dict[str, list[str]] = yaml.safe_load((DATA / name).read_text(encoding="utf-8"))
    return found


def best_kind(text: str) -> str:
    """The kind of a request."""
    scores = load_model("deal_kinds").scores(text)
    return max(scores, key=lambda kind: scores[kind])


def served(source: Path, mapping: Path) -> int:
    """Print how long loading takes, and answers to questions made of the records' own sectors and regions."""
    start = time.perf_counter()
    book, left = load_mapped(source, mapping)
    print(f"loaded in {time.perf_counter() - start:.1f} s: {len(book.deals):,} deals, {len(book.events):,} events, "
          f"{len(left)} rows left out")  # fmt: skip
    start = time.perf_counter()
    index = build_index(book, 2026)
    index.features, index.columns, index.weights  # noqa: B018 - made when first asked for
    print(f"indexed in {time.perf_counter() - start:.1f} s")
    chance = random.Random(1)
    times = []
    for _ in range(200):
        sector, region = chance.choice(book.sectors).name, chance.choice(book.regions).name
        start = time.perf_counter()
        found = find_candidates(index, f"find precedents for a {sector} platform with add-ons in {region}")
        ranked_evidence(index, rank(found, None, 5), found.conditions, found.terms)
        times.append(1_000 * (time.perf_counter() - start))
    print(f"200 questions: p50 {np.percentile(times, 50):.0f} ms, p99 {np.percentile(times, 99):.0f} ms")
    return 0


def measured(seed: int) -> dict[str, dict[str, float]]:
    """Every ranking on the held queries (the newest) of one invented portfolio."""
    portfolio = generate(seed)
    index = build_index(portfolio.book, 2026)
    judged = [(find_candidates(index, q.text), q) for q in portfolio.queries]
    cut = round(len(judged) * TRAIN_SHARE)
    early, held = judged[:cut], judged[cut:]
    ids = [d.id for d in index.book.deals]
    chance = random.Random(seed)
    learned, wrong = learn(early, "", seed), learn([(c, swapped(c, q, chance)) for c, q in early], "", seed)
    orders: dict[str, Order] = {
        "chance, of the candidates": lambda c, _: ids_of(mixed(c, chance).deals),
        "text only": lambda c, _: best(ids, closeness(index, c.terms)),
        "BM25": lambda c, _: best(ids, word_scores(index, c.terms)),
        "text only, of the candidates": lambda c, _: ids_of(c.deals),
        "heuristic": lambda c, _: ids_of(r.deal for r in rank(c)),
        "learned": lambda c, _: ids_of(r.deal for r in rank(c, learned)),
        "learned from shuffled labels": lambda c, _: ids_of(r.deal for r in rank(mixed(c, chance), wrong)),
    }
    out = {name: measure([(order(c, q), q) for c, q in held]) for name, order in orders.items()}
    for family, names in FAMILIES.items():
        blank = learn([(without(c, names), q) for c, q in early], "", seed)
        out[f"learned without {family}"] = measure(
            [(ids_of(r.deal for r in rank(without(c, names), blank)), q) for c, q in held]
        )
    return out


def ids_of(deals: Iterable[Deal]) -> list[str]:
    """The ids of deals."""
    return [d.id for d in deals]


def best(ids: Sequence[str], scores: Floats) -> list[str]:
    """The ids by their scores."""
    return [ids[i] for i in np.argsort(-scores, kind="stable")[:50].tolist()]


def mixed(candidates: Candidates, chance: random.Random) -> Candidates:
    """The candidates in any order, so that equal scores say nothing."""
    order = chance.sample(range(len(candidates.deals)), len(candidates.deals))
    return replace(candidates, deals=tuple(candidates.deals[i] for i in order), rows=candidates.rows[order])


def swapped(candidates: Candidates, query: LabelledQuery, chance: random.Random) -> LabelledQuery:
    """The query with the grades of its candidates dealt out anew among them."""
    some = [d.id for d in candidates.deals]
    grades = [query.grades.get(d, 0) for d in some]
    dealt = zip(chance.sample(some, len(some)), grades, strict=True)
    return query.model_copy(update={"grades": {d: g for d, g in dealt if g}})


def without(candidates: Candidates, names: Sequence[str]) -> Candidates:
    """The candidates with some features zero for every deal."""
    rows = candidates.rows.copy()
    rows[:, [FEATURES.index(name) for name in names]] = 0
    return replace(candidates, rows=rows)
