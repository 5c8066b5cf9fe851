"""The picture is checked by its pixels, its words by the facts that they come from."""

from __future__ import annotations

import io
import math
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from tests.support.finished_requests import START, claim, incident, series, texts
from workers.contracts import Answer, Deploy, Evidence, Fact, RequestLog, Suspect
from workers.delivery.chart_axes import gaps_marked, say_tick, time_ticks, value_ticks
from workers.delivery.charts import BLUE, GREEN, LEFT, PURPLE, RIGHT, VERMILLION, WIDTH, draw_chart
from workers.language.zones import read_zone

Samples = tuple[tuple[float, float], ...]


def pixels(png: bytes, color: str) -> npt.NDArray[np.bool_]:
    """Where the picture has about this color: rows × columns."""
    image = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=int)
    wanted = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)])
    return np.abs(image - wanted).max(axis=2) < 12


def column_of(at: float, samples: Samples) -> float:
    """The column of a moment."""
    share = (at - samples[0][0]) / (samples[-1][0] - samples[0][0])
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def with_main(log: RequestLog, **changes: Any) -> RequestLog:
    """The same with another main metric."""
    main = log.evidence[0].model_copy(update=changes)
    return log.model_copy(update={"evidence": (main, *log.evidence[1:])})


def drawn(log: RequestLog) -> bytes:
    picture = draw_chart(log)
    assert picture is not None
    return picture.png


def test_the_picture_is_a_png_of_full_width_with_a_title_and_words() -> None:
    picture = draw_chart(incident())
    assert picture is not None
    with Image.open(io.BytesIO(picture.png)) as image:
        assert image.format == "PNG"
        assert image.width == WIDTH
        assert 600 <= image.height <= 1_100
    assert picture.title == "p95 latency of /api/search"
    assert picture.name.endswith(".png")


def test_the_words_hold_the_numbers_of_the_facts() -> None:
    picture = draw_chart(incident())
    assert picture is not None
    assert picture.alt == (
        "p95 latency of /api/search from Nov 20 05:00 to Nov 20 14:55 UTC: 210 ms before, 1.9 s now, 1.9 s peak. "
        "Marked: deploy shop v1.42.0 · 4f2c1ab · 14:04; rose 14:06; SearchLatencyHigh firing since 14:11. "
        "Below it database p95 latency of /api/search: 18 ms before, 240 ms now, 250 ms peak."
    )


def test_nothing_is_drawn_without_samples_that_are_cited() -> None:
    log = incident()
    assert draw_chart(log.model_copy(update={"answer": None})) is None
    assert (
        draw_chart(log.model_copy(update={"answer": Answer(headline=claim("x", "E5"), code=(claim("y", "E1"),))}))
        is None
    )
    few = with_main(log, series=series(0.2, 1.9)[:7])
    assert draw_chart(few.model_copy(update={"answer": Answer(headline=claim("x", "E1"))})) is None
    nothing = with_main(log, series=tuple((START + i, math.nan) for i in range(20)))
    assert draw_chart(nothing) is None


def test_the_deploy_stands_at_its_moment_in_both_panels() -> None:
    log = incident()
    there = pixels(drawn(log), VERMILLION)
    lines = np.flatnonzero(there.sum(axis=0) > 0.4 * there.shape[0])
    at = datetime(2026, 11, 20, 14, 4, tzinfo=UTC).timestamp()
    assert lines.size
    assert np.abs(lines - column_of(at, log.evidence[0].series)).max() <= 4


def test_a_suspected_deploy_is_marked_though_no_evidence_names_it() -> None:
    log = incident(answer=Answer(headline=claim("x", "E1")))
    assert not pixels(drawn(log), VERMILLION).any()
    at = datetime(2026, 11, 20, 13, 0, tzinfo=UTC)
    suspect = Suspect(since=at, until=at, deploy=Deploy(service="shop", version="v9", commit="a" * 40, at=at))
    suspected = log.model_copy(update={"suspect": suspect})
    assert pixels(drawn(suspected), VERMILLION).any()
    picture = draw_chart(suspected)
    assert picture is not None
    assert "deploy shop v9 · aaaaaaa · 13:00" in picture.alt


def test_an_alert_lasts_from_its_start_to_the_end() -> None:
    log = incident()
    there = pixels(drawn(log), PURPLE)
    samples = log.evidence[0].series
    since = datetime(2026, 11, 20, 14, 11, tzinfo=UTC).timestamp()
    first, last = (round(column_of(at, samples)) for at in (since, samples[-1][0]))
    bars = np.flatnonzero(there[:, first + 3 : last - 3].all(axis=1))
    assert bars.size
    assert not there[bars, first - 6].any()
    assert not there[bars, last + 6].any()


def test_a_second_panel_shows_what_moved_with_it() -> None:
    log = incident()
    assert pixels(drawn(log), GREEN).any()
    steady = {**log.evidence[2].facts, "direction": Fact(value="steady")}
    still = log.evidence[2].model_copy(update={"facts": steady})
    calm = log.model_copy(update={"evidence": (*log.evidence[:2], still, *log.evidence[3:])})
    assert not pixels(drawn(calm), GREEN).any()


def test_missing_samples_stay_a_gap() -> None:
    samples = series(0.21, 1.87)
    holed = tuple(s for i, s in enumerate(samples) if not 30 < i < 60)
    whole, gap = (pixels(drawn(with_main(incident(), series=s)), BLUE) for s in (samples, holed))
    columns = slice(int(column_of(samples[34][0], samples)), int(column_of(samples[56][0], samples)))
    panel = slice(400, whole.shape[0])
    assert whole[panel, columns].any(axis=0).all()
    assert not gap[panel, columns].any()


def test_times_are_the_askers() -> None:
    picture = draw_chart(incident(timezone="+09:00"))
    assert picture is not None
    assert "from Nov 20 14:00 to Nov 20 23:55 UTC+09:00" in picture.alt
    assert "deploy shop v1.42.0 · 4f2c1ab · 23:04;" in picture.alt
    assert picture.png != drawn(incident())


def test_a_chart_over_days_names_the_days() -> None:
    samples = tuple((at + 43_200.0, v) for at, v in series(0.21, 1.87))
    picture = draw_chart(with_main(incident(), series=samples, facts={}))
    assert picture is not None
    assert "from Nov 20 17:00 to Nov 21 02:55 UTC: 120 samples." in picture.alt


@pytest.mark.parametrize(
    "values", [[0.0] * 20, [0.2] * 20, [-1.0, 1.0] * 10, [1e-9] * 20, [5e14] * 20, [math.nan, 1.0] * 10]
)
def test_flat_empty_and_extreme_series_are_drawn(values: list[float]) -> None:
    samples = tuple((START + 60.0 * i, v) for i, v in enumerate(values))
    assert drawn(with_main(incident(), series=samples, facts={}))


@given(
    texts(60),
    st.lists(st.tuples(st.floats(START, START + 1e6), st.floats()), min_size=8, max_size=20),
    st.dictionaries(
        st.sampled_from(["baseline", "current", "peak", "peak_at", "onset_at", "direction", "window_start"]),
        st.builds(
            Fact,
            value=st.one_of(texts(30), st.floats(), st.just("2026-11-20T09:00:00Z")),
            unit=st.sampled_from(["s", "ratio", "bytes", "x"]),
        ),
    ),
)
def test_any_evidence_is_drawn_or_left_without_a_fuss(
    title: str, samples: list[tuple[float, float]], facts: dict[str, Fact]
) -> None:
    log = incident()
    odd = {key: Fact(value=title) for key in ("service", "version", "commit", "name")}
    others = tuple(
        e.model_copy(update={"facts": {**e.facts, **odd}}) if e.kind in {"deploy", "alert"} else e
        for e in log.evidence[1:]
    )
    main: Evidence = log.evidence[0].model_copy(update={"title": title, "series": tuple(samples), "facts": facts})
    picture = draw_chart(log.model_copy(update={"evidence": (main, *others)}))
    assert picture is None or len(picture.png) > 1_000


def test_a_dollar_sign_is_no_formula() -> None:
    broken = r"$\frac{1$ of $PATH"
    assert drawn(with_main(incident(), title=broken)) != drawn(with_main(incident(), title="of PATH"))


# --- axes -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("top", "unit", "words"),
    [
        (2.1, "s", ["0", "1 s", "2 s"]),
        (0.26, "s", ["0", "100 ms", "200 ms"]),
        (0.0004, "s", ["0", "100 µs", "200 µs", "300 µs", "400 µs"]),
        (300, "s", ["0", "2 min", "4 min"]),
        (1.0, "ratio", ["0", "25 %", "50 %", "75 %", "100 %"]),
        (0.0085, "ratio", ["0", "0.25 %", "0.5 %", "0.75 %"]),
        (41.6, "/s", ["0", "20/s", "40/s"]),
        (3.2 * 2**30, "bytes", ["0", "1 GiB", "2 GiB", "3 GiB"]),
        (3.7, "count", ["0", "1", "2", "3"]),
        (0.0, "s", ["0"]),
    ],
)
def test_values_are_written_in_one_unit(top: float, unit: str, words: list[str]) -> None:
    assert [say_tick(v, top, unit) for v in value_ticks(top, unit)] == words


def test_times_are_round_in_the_readers_zone() -> None:
    start = datetime(2026, 11, 19, 14, 32, tzinfo=UTC).timestamp()
    ticks = time_ticks(start, start + 48 * 3600, UTC)
    assert [w for _, w in ticks] == ["00:00\nNov 20", "12:00", "00:00\nNov 21", "12:00"]
    assert [datetime.fromtimestamp(at, UTC).hour for at, _ in ticks] == [0, 12, 0, 12]
    indian = time_ticks(start, start + 7_200, read_zone("+05:30"))
    assert [w for _, w in indian] == ["20:30", "21:00", "21:30", "22:00"]
    assert [w for _, w in time_ticks(start, start + 20 * 86_400, UTC)][:2] == ["Nov 26", "Dec 3"]


def test_the_day_that_the_clocks_change_has_round_times() -> None:
    zone = ZoneInfo("Europe/Berlin")
    start = datetime(2026, 10, 24, 20, 0, tzinfo=zone).timestamp()
    words = [datetime.fromtimestamp(at, zone).strftime("%H:%M") for at, _ in time_ticks(start, start + 86_400, zone)]
    assert words == ["00:00", "06:00", "12:00", "18:00"]


def test_a_gap_is_not_a_number() -> None:
    times, values = gaps_marked([(0, 1), (60, 1), (120, 1), (600, 2), (660, math.inf)])
    assert times == [0, 60, 120, 360, 600, 660]
    assert [math.isnan(v) for v in values] == [False, False, False, True, False, True]
