"""What a server holds, kept for a minute, and the label of a family that has a value."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from urllib.parse import urlsplit

from workers.language.environment_labels import is_environment, same_environments
from workers.language.route_notation import same_routes
from workers.sources.metrics.backend import Backend
from workers.sources.metrics.inventory import Family, Inventory, read_inventory
from workers.sources.metrics.label_roles import NAMES
from workers.sources.metrics.name_words import tokens

KEEP_S = 60.0
KEEP_PART_S = 3.0  # what could not all be read in time is looked at again soon
MOST_KEPT = 8
PATIENCE_S = 0.3  # waited for while something is known; it is read to its end beside
EVERY_S = 3_600.0  # what a server held is looked at anew for moments this far apart
SUFFIXES = ("_bucket", "_count", "_sum", "_total")
ENDS = {"instance": "-_.:@/", "service": "-_.:@/", "endpoint": "./#:"}  # what follows a service's name within a value
Alike = Callable[[str, tuple[str, ...]], tuple[str, ...]]
VERB = re.compile(r"^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS) ")


class InventoryCache:
    """The families of a server as of a moment, read when first needed."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.lock = threading.Lock()
        self.at = time.time()
        self.kept: dict[int, tuple[float, Inventory]] = {}
        self.reading: dict[int, Future[Inventory]] = {}

    def inventory(self, at: float | None = None) -> dict[str, Family]:
        """Families by name as of epoch seconds; of the moment asked about last without.

        What takes long is read to its end beside; until then, what was held at the nearest moment that is known.
        """
        moment = at or self.at
        key = int(moment // EVERY_S)
        with self.lock:
            self.at = moment
            read_at, held = self.kept.get(key, (0.0, Inventory()))
            old = time.monotonic() - read_at > (KEEP_S if held.complete else KEEP_PART_S)
            if held.families and not old:
                return held.families
            whole = [k for k, (_, other) in self.kept.items() if other.families]
            nearest = self.kept[min(whole, key=lambda k: abs(k - key))][1] if whole else None
            reading = self.reading.get(key) or self.start(key, moment)
        try:
            return reading.result(timeout=PATIENCE_S if nearest else None).families
        except TimeoutError:
            return nearest.families if nearest else {}

    def start(self, key: int, moment: float) -> Future[Inventory]:
        """Read a moment in a thread of its own, once for all that wait for it. Called under the lock."""

        def read() -> Inventory:
            try:
                held = read_inventory(self.backend, moment)
                with self.lock:
                    if len(self.kept) > MOST_KEPT:
                        self.kept.clear()
                    self.kept[key] = (time.monotonic(), held)
                return held
            finally:
                with self.lock:
                    del self.reading[key]

        pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="metrics-inventory")
        self.reading[key] = reading = pool.submit(read)
        pool.shutdown(wait=False)
        return reading

    @property
    def complete(self) -> bool:
        """Whether all that was looked for has been read."""
        return all(held.complete for _, held in list(self.kept.values()))

    def family(self, metric: str, at: float | None = None) -> Family | None:
        """The family of one of the server's metrics."""
        return in_families(self.inventory(at), metric)

    def known(self, metric: str) -> Family | None:
        """The family of a metric as far as it has been read already."""
        for _, held in list(self.kept.values()):
            found = in_families(held.families, metric)
            if found:
                return found
        return None


def in_families(families: dict[str, Family], metric: str) -> Family | None:
    """The family that a name belongs to."""
    if metric in families:
        return families[metric]
    ends = (families.get(metric.removesuffix(s)) for s in SUFFIXES if metric.endswith(s))
    return next((f for f in ends if f), None)


def holding(family: Family, label: str, value: str) -> tuple[str, str] | None:
    """The label of a family that has a value, else where a service's name stands instead."""
    return carrying(family, label, value) or implied(family, label, value)


def carrying(family: Family, label: str, value: str) -> tuple[str, str] | None:
    """The label of a family that has a value, as it spells it: exactly, else but for case, slashes and a verb before
    it, else a route in another notation. A label that plays the part asked for is preferred; of a route that is
    written in several ways all are meant, and of an environment all of its kind."""
    held = {
        name: values
        for name, values in family.labels.items()
        if family.parts.get(name) not in {"within", "status", "verb"} or name == label
    }
    order = sorted(held, key=lambda name: (family.parts.get(name) != label, name))
    alike: tuple[Alike, ...] = (exactly, nearly)
    alike = (exactly, same_routes, nearly, same_paths) if "/" in value else alike
    alike = (*alike, same_environments) if is_environment(label) else alike
    for same in alike:
        found = {name: fitting for name in order if (fitting := same(value, held[name]))}
        if same is exactly and "/" in value and found:
            name = next(iter(found))
            return matching(name, dict.fromkeys((*found[name], *same_routes(value, held[name]))))
        if same is same_environments:
            found = {name: fitting for name, fitting in found.items() if is_environment(name)}
        if len(found) == 1 or (found and same is exactly):
            name = next(iter(found))
            return matching(name, found[name]) if same is not nearly or len(found[name]) == 1 else None
    return None


def exactly(value: str, values: Sequence[str]) -> tuple[str, ...]:
    """The value itself, where it is among some values."""
    return (value,) if value in values else ()


def same_paths(value: str, values: Sequence[str]) -> tuple[str, ...]:
    """Those of some addresses whose path is a route, such as the targets of probes."""
    return tuple(v for v in values if "://" in v and urlsplit(v).path.rstrip("/") == value.rstrip("/"))


def nearly(value: str, values: Sequence[str]) -> tuple[str, ...]:
    """Those of some values that differ from one only in what people leave out."""
    return tuple(v for v in values if plain(v) == plain(value))


def matching(label: str, values: Iterable[str]) -> tuple[str, str]:
    """A label with the value it has; of several, marked as one with a regular expression for them."""
    told = list(values)
    return (label, told[0]) if len(told) == 1 else (f"{label}~", "|".join(plain_text(v) for v in told))


def implied(family: Family, label: str, value: str) -> tuple[str, str] | None:
    """Where a service's name stands when no label has it: before the numbers of its instances, which a regular
    expression then matches, or in the metric's own name, which needs no label."""
    asked, words = set(tokens(label)), tokens(value)
    if asked & NAMES["service"]:
        for name, values in family.labels.items():
            ends = ENDS.get(family.parts[name], "")
            if ends and any(v.startswith(tuple(value + end for end in ends)) for v in values):
                return f"{name}~", f"{plain_text(value)}[-_./:#@].+"
        for name, values in family.labels.items():
            between = f"(.+[-_./:@])?{plain_text(value)}([-_./:@].+)?"
            if family.parts[name] in {"instance", "service", ""} and any(re.fullmatch(between, v) for v in values):
                return f"{name}~", between
    if asked & (NAMES["service"] | NAMES["endpoint"]) and words:
        own = family.words
        if any(own[i : i + len(words)] == words for i in range(len(own))):
            return "", value
    return None


def plain_text(value: str) -> str:
    """A value as a regular expression that matches it alone."""
    return re.escape(value).replace(r"\-", "-")


def plain(value: str) -> str:
    """A value without what people leave out."""
    return VERB.sub("", value).strip("/").casefold()
