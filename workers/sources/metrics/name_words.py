"""Words of the field in metric names, label names and label values: what they say of a metric's meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

# Beside English, what is usual in German, Spanish, French and Portuguese.
CAMEL = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+[a-z]*")

TIME_UNITS = {
    **dict.fromkeys(("second", "sec"), 1.0),
    **dict.fromkeys(("millisecond", "milli", "ms", "msec"), 1e-3),
    **dict.fromkeys(("microsecond", "micro", "us", "usec"), 1e-6),
    **dict.fromkeys(("nanosecond", "nano", "ns", "nsec"), 1e-9),
}
SIZES = frozenset("byte octet bit kilobyte megabyte size length payload row item record batch age".split())
LATENCY = frozenset(
    "latency duration dur time timer timing elapsed delay took rt rtt response handling processing wait roundtrip lag "
    "runtime turnaround dauer laufzeit antwortzeit zeit latenz duracion tiempo demora latencia tempo duree temps "
    "delai".split()
)
TRAFFIC = frozenset(
    "request req call hit query invocation operation op transaction txn tx message handled served processed response "
    "event rps qps rpc http grpc job command completed finished order visit throughput execution rq anfrage aufruf "
    "abruf vorgang auftrag peticion peticione solicitud solicitude llamada pedido requete appel requisicao "
    "richiesta".split()
)
ERRORS = frozenset(
    "error err fail failed failing failure exception fault rejected rejection refused refusal aborted abort timeout "
    "panic crash crashed dropped unsuccessful broken bad fatal 5xx 500 ko nok nack unavailable problem denied "
    "declined lost discarded invalid unhealthy dead incomplete incident mistake undelivered unprocessed oops defect "
    "fehler fehlgeschlagen fehlschlag abgelehnt abgebrochen fallo fallido rechazado erreur echec erro falha errore "
    "fallito".split()
)
SUCCESS = frozenset(
    "success successful succeeded ok good completed passed ack acked erfolg erfolgreich exito exitoso succes reussi "
    "sucesso".split()
)
SATURATION = frozenset(
    "utilization utilisation utilized usage used busy load saturation saturated occupancy pool queue queued depth "
    "backlog lag pending waiting inflight flight active thread concurrency concurrent connection cpu memory mem heap "
    "rss full fullness capacity slot worker throttled disk limit resident quota fd goroutine free available idle "
    "auslastung warteschlange speicher ocupacion ocupado cola memoria hilo charge memoire carga fila".split()
)
LIMITS = frozenset(
    "max limit capacity size maximum total quota allowed ceiling maximal maximo maxima limite grenze kapazitaet "
    "capacidad capacite".split()
)
CONFIGURED = frozenset("config configured spec setting concurrency parallelism".split())  # numbers that somebody chose
IN_USE = frozenset(
    "used active busy inuse use current acquired open taken checked occupied belegt genutzt ocupado activo utilise "
    "occupe usado".split()
)
FREE = frozenset("free idle available unused remaining headroom frei libre livre".split())
CACHE = frozenset("cache cached memo eviction evicted".split())
DEPENDENCY = frozenset(
    "db database sql query client upstream downstream outbound outgoing external backend dependency remote egress "
    "peer store storage statement table third partner".split()
)
MONITORING = frozenset(
    "scrape gc exporter alert alertmanager rule tsdb metric telemetry collector process go python ruby jvm build info "
    "created start clock up".split()
)
SHARES = frozenset(
    "ratio fraction share percent percentage pct utilization utilisation proportion prozent anteil auslastung "
    "porcentaje proporcion pourcentage".split()
)
PERCENTS = frozenset("percent percentage pct prozent porcentaje pourcentage".split())
PACES = {
    **dict.fromkeys(("rps", "qps", "tps", "rate", "irate"), 1.0),
    **dict.fromkeys(("rpm", "qpm", "tpm", "epm", "cpm", "opm"), 60.0),
}
SPANS = {"second": 1.0, "sec": 1.0, "s": 1.0, "minute": 60.0, "min": 60.0, "m": 60.0, "hour": 3_600.0, "h": 3_600.0}
COUNTS = frozenset("cnt count num number increase delta".split())
SPAN = re.compile(r"(\d+)([smh])")


@lru_cache(maxsize=8_192)
def tokens(text: str) -> tuple[str, ...]:
    """The words of a name in lower case and singular, in order."""
    return tuple(singular(w.lower()) for w in CAMEL.findall(text.replace("_", " ")))


def singular(word: str) -> str:
    """A word without the ending of the plural."""
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("s") and len(word) > 3 and not word.endswith(("ss", "us")):
        return word[:-1]
    return word


def has(words: Iterable[str], vocabulary: frozenset[str]) -> int:
    """How many of some words belong to a vocabulary."""
    return len(vocabulary.intersection(words))


def pace(words: tuple[str, ...]) -> float | None:
    """The seconds in which something is counted, as words say it: per second, rpm, a count of 5m."""
    for before, after in pairwise(words):
        if before == "per" and after in SPANS:
            return SPANS[after]
        span = SPAN.fullmatch(after)
        if span and before in COUNTS:
            return float(span[1]) * SPANS[span[2]]
    return next((PACES[w] for w in words if w in PACES), None)


def time_factor(words: Iterable[str]) -> float | None:
    """Seconds in the unit of time that stands among some words; None when none does."""
    return next((TIME_UNITS[w] for w in words if w in TIME_UNITS), None)
