"""Learns `secret_names` from its labelled names: ``python -m workers.language.train_secret_names``.

A logistic regression (scikit-learn, for development only), the same weights each time.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from workers.language.secret_names import KINDS, WEIGHTS, Kind, NameModel, features, parts_of

FOLDER = Path(__file__).parent / "data" / "secret_names"
FEWEST, STRENGTH, COMPOSED, WEIGHT = 3, 3.0, 3, 8
"""Names that hold a feature at least; of the regression; names made of a labelled one; what that counts."""
OWNERS = (
    "shop billing staging prod dev test ci deploy backup admin root app my our new old user service internal"
    " legacy payments"
    " checkout kafka redis mysql mongo postgres ldap smtp vault grafana jenkins acme partner reporting"
    " replica worker the"
).split()
"""What a secret may be of."""
ABOUT = (
    "id name names path file url uri host port length size count total policy ttl expiry expires_at rotation"
    " rotated_at type"
    " kind mode enabled required version algorithm rounds prefix header field label hint regex pattern env"
    " ref arn provider"
    " store age limit timeout timeout_seconds refresh_interval created_at owner description help text error"
    " errors status"
    " usage column scope manager helper validator last_used index max min bytes chars days minutes days_left changed"
).split()
"""What may be told of a secret that is none itself."""
STATES = "old new prod staging dev test backup current previous primary main plain b64 v live eu us".split()
"""What may follow a secret's name and changes nothing."""
VERBS = "get has is check verify validate rotate reset forgot revoke require use no num max min hide show needs".split()


def labelled_names() -> Iterator[tuple[str, str]]:
    """Each name and its kind, plain ones too; a name of two words also without what parts them, as shells write it."""
    for kind, names in names_by_kind().items():
        for name in names:
            yield name, kind
            if len(parts_of(name)) == 2 and re.fullmatch(r"[\w-]+", name):
                yield "".join(parts_of(name)), kind


def names_by_kind() -> dict[Kind, list[str]]:
    """The labelled names of each kind, each once; plain ones hold nothing."""
    found: dict[Kind, list[str]] = {kind: [] for kind in KINDS}
    here: Kind = "none"
    for line in (FOLDER / "names.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            here = KINDS[KINDS.index(line.strip("[]"))]
        elif not line.startswith("#"):
            found[here] += line.split()
    found["none"] += (FOLDER / "plain_names.txt").read_text(encoding="utf-8").split()
    return {kind: list(dict.fromkeys(names)) for kind, names in found.items()}


def plain_parts(rows: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The words of secrets' names that hold none alone: ``string`` of ``secret_string``, ``app`` of ``app_key``."""
    known = {name.lower() for name, _ in rows}
    words = {part for name, kind in rows if kind != "none" and len(parts_of(name)) > 1 for part in parts_of(name)}
    yield from ((word, "none") for word in sorted({*words, *OWNERS, *ABOUT, *STATES, *VERBS} - known))


def composed_names(rows: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Names made of others: an owner before one changes nothing, what it tells of a secret makes it none."""
    chance = random.Random(0)  # noqa: S311 - no secret
    for name, kind in rows:
        if len(parts_of(name)) > 3:
            continue
        for owner in chance.sample(OWNERS, COMPOSED):
            yield f"{owner}_{name}", kind
        if kind != "none":
            for about in chance.sample(ABOUT, COMPOSED):
                yield f"{name}_{about}", "none"
            yield f"{chance.choice(VERBS)}_{name}", "none"
            yield f"{name}_{chance.choice(STATES)}", kind


def learn(own: Sequence[tuple[str, str]]) -> NameModel:
    """Learn from names with their kinds."""
    known = [*own, *plain_parts(own)]
    rows = [*known, *composed_names(known)]
    labelled = [n < len(known) for n in range(len(rows))]
    seen = [set(features(name)) for name, _ in rows]
    counts = Counter(
        f for one, is_own in zip(seen, labelled, strict=True) for f in one for _ in range(FEWEST if is_own else 1)
    )
    vocabulary = {f: n for n, f in enumerate(sorted(f for f, k in counts.items() if k >= FEWEST))}
    places = [sorted(vocabulary[f] for f in one if f in vocabulary) for one in seen]
    starts = np.cumsum([0, *map(len, places)])
    matrix = csr_matrix(
        (np.ones(starts[-1]), np.concatenate(places).astype(int), starts), shape=(len(seen), len(vocabulary))
    )
    kinds = [KINDS.index(kind) for _, kind in rows]
    counted = [WEIGHT if one else 1 for one in labelled]
    fitted = LogisticRegression(C=STRENGTH, random_state=0, max_iter=2_000).fit(matrix, kinds, counted)
    return NameModel(vocabulary, fitted.coef_.T.astype(np.float32), fitted.intercept_.astype(np.float32))


def main() -> None:
    """Train and write."""
    model = learn(list(labelled_names()))
    np.savez_compressed(
        WEIGHTS, features="\n".join(model.vocabulary), weights=model.weights.astype(np.float16), offsets=model.offsets
    )


if __name__ == "__main__":
    main()
