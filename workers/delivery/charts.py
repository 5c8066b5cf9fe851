"""The chart of an answer: the main metric, what moved with it, and the deploy, drawn from cited samples only."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from workers.contracts import Evidence, RequestLog
from workers.delivery.chart_axes import gaps_marked, say_tick, time_ticks, value_ticks
from workers.delivery.cited_evidence import charted, cited_evidence
from workers.delivery.rich_text import clip, safe
from workers.engine.anomaly import has_moved
from workers.grounding.health import text_of
from workers.grounding.value_format import say_number, zone_label
from workers.language.zones import read_zone
from workers.ports import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH, LEFT, RIGHT, TOP, ROW, GAP = 1600, 190, 62, 96, 54, 78  # pixels
DPI = 100
LARGE, NORMAL, SMALL = 31.0, 27.0, 25.0  # points; 25 is 8 pixels high where a phone shows the picture 390 wide
BLUE, GREEN, VERMILLION, PURPLE = "#0072B2", "#00795A", "#C04A00", "#A8447F"  # Okabe and Ito's, darker where they write
INK, GREY, BAND, GRID, PAPER = "#1D1C1D", "#5E5E60", "#DCE9F3", "#E4E4E4", "#FFFFFF"
FONT = "DejaVu Sans"
HALO = {"facecolor": PAPER, "edgecolor": "none", "alpha": 0.8, "pad": 2}  # behind words that stand on lines
MAX_DEPLOYS = 2
FAR = 1e11  # epoch seconds; later is no date


@dataclass(frozen=True)
class Mark:
    """Something that happened: a moment (epoch seconds), words, and whether it lasts to the chart's end."""

    at: float
    words: str
    color: str
    lasts: bool = False


@dataclass(frozen=True)
class Frame:
    """What all panels share: epoch seconds, and the zone in which they are written."""

    start: float
    end: float
    zone: tzinfo


def draw_chart(log: RequestLog) -> Picture | None:
    """The chart of a finished request.

    Returns:
        A PNG of 1600 pixels' width, or None when neither the headline nor a metrics claim cites a metric with at
        least eight samples.
    """
    shown = charted(log)
    if shown is None:
        return None
    main, second = shown
    times = [at for at, value in main.series if math.isfinite(at) and math.isfinite(value)]
    if len(times) < 2 or not 0 < min(times) < max(times) < FAR or not all(drawable_series(e) for e in shown if e):
        return None
    frame = Frame(min(times), max(times), read_zone(log.question.timezone))
    marks = marks_of(log, main, frame)
    png = draw(main, second, marks, frame)
    title = clip(safe(main.title), 200)
    return Picture(name="chart.png", title=title, alt=describe(main, second, marks, frame), png=png)


def marks_of(log: RequestLog, main: Evidence, frame: Frame) -> list[Mark]:
    """Cited or suspected deploys, the onset, and the first cited alert that fires, within the chart's time."""
    cited = cited_evidence(log)
    marks = deploys_of(log, cited)[:MAX_DEPLOYS]
    onset = moment_of(main, "onset_at")
    if onset is not None:
        marks.append(Mark(onset, text_of(main, "direction") if has_moved(main) else "changed", BLUE))
    for item in cited:
        since = moment_of(item, "since") if item.kind == "alert" else None
        if since is not None and text_of(item, "state") == "firing":
            marks.append(Mark(since, f"{text_of(item, 'name') or item.title} firing since", PURPLE, lasts=True))
            break
    return [m for m in marks if frame.start <= m.at <= frame.end]


def deploys_of(log: RequestLog, cited: Sequence[Evidence]) -> list[Mark]:
    """Deploys as marks, the suspected one first, each once."""
    found: dict[float, tuple[str, str, str]] = {}
    deploy = log.suspect.deploy if log.suspect else None
    if deploy:
        found[deploy.at.timestamp()] = (deploy.service, deploy.version, deploy.commit)
    for item in cited:
        at = moment_of(item, "at") if item.kind == "deploy" else None
        if at is not None:
            found[at] = (text_of(item, "service"), text_of(item, "version"), text_of(item, "commit"))
    marks = []
    for at, (service, version, commit) in found.items():
        name = " ".join(part for part in ("deploy", service, version) if part)
        marks.append(Mark(at, f"{name} · {commit[:7]} ·" if commit else f"{name} ·", VERMILLION))
    return marks


def fact_number(item: Evidence, name: str) -> float | None:
    """A fact as a finite number."""
    value = item.facts[name].value if name in item.facts else None
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def moment_of(item: Evidence, name: str) -> float | None:
    """A fact of unit ``time`` as epoch seconds."""
    try:
        moment = datetime.fromisoformat(text_of(item, name))
        return moment.timestamp() if moment.tzinfo else None
    except (ValueError, OverflowError, OSError):
        return None


def unit_of(item: Evidence) -> str:
    """The unit of the samples: that of its facts."""
    return next((item.facts[k].unit for k in ("peak", "current", "baseline") if fact_number(item, k) is not None), "")


def day_of(at: float, frame: Frame) -> str:
    """``Nov 20``; empty when the chart lies within one day."""
    local, first, last = (datetime.fromtimestamp(t, frame.zone) for t in (at, frame.start, frame.end))
    return "" if first.date() == last.date() else f"{local:%b} {local.day}"


def zone_name(frame: Frame) -> str:
    """``UTC``, ``CET`` or ``UTC+05:30``."""
    label = zone_label(datetime.fromtimestamp(frame.end, frame.zone))
    return label if label.isalpha() else f"UTC{label}"


# --- words ----------------------------------------------------------------------------------------------------


def describe(main: Evidence, second: Evidence | None, marks: Sequence[Mark], frame: Frame) -> str:
    """The picture in two or three sentences, in numbers of the facts."""
    start, end = (
        f"{t:%b} {t.day} {t:%H:%M}" for t in (datetime.fromtimestamp(x, frame.zone) for x in (frame.start, frame.end))
    )
    parts = [f"{main.title} from {start} to {end} {zone_name(frame)}: {figures(main)}."]
    if marks:
        said = [f"{m.words} {datetime.fromtimestamp(m.at, frame.zone):%H:%M}" for m in marks]
        days = [day_of(m.at, frame) for m in marks]
        parts.append(f"Marked: {'; '.join(f'{s} on {d}' if d else s for s, d in zip(said, days, strict=True))}.")
    if second:
        parts.append(f"Below it {second.title}: {figures(second)}.")
    return clip(safe(" ".join(parts)), 1_900)


def figures(item: Evidence) -> str:
    """Before, now and peak as far as the facts say them."""
    unit, low = unit_of(item), text_of(item, "direction") == "fell"
    names = (("baseline", "before"), ("current", "now"), ("peak", "lowest" if low else "peak"))
    said = [f"{say_number(value, unit)} {word}" for key, word in names if (value := fact_number(item, key)) is not None]
    return ", ".join(said) or f"{len(item.series)} samples"


def drawable_series(item: Evidence) -> bool:
    """Whether its numbers are of a size that axes can carry."""
    numbers = [*(v for _, v in item.series), *(fact_number(item, k) or 0.0 for k in ("baseline", "peak"))]
    return all(abs(v) < 1e100 for v in numbers if math.isfinite(v))


@lru_cache(maxsize=1)
def drawable_characters() -> frozenset[int]:
    """What the chart's font has glyphs for."""
    from matplotlib.font_manager import findfont, get_font  # noqa: PLC0415 - large, and few processes draw

    return frozenset(get_font(findfont(FONT)).get_charmap())


def drawable(text: str, at_most: int) -> str:
    """Text of one line that the font can draw."""
    known = drawable_characters()
    return "".join(c if ord(c) in known else "\N{WHITE SQUARE}" for c in clip(safe(text), at_most))


# --- drawing --------------------------------------------------------------------------------------------------


def draw(main: Evidence, second: Evidence | None, marks: Sequence[Mark], frame: Frame) -> bytes:
    """The picture, from top to bottom: title, marks, main panel, second panel, times."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - as above
    from matplotlib.figure import Figure  # noqa: PLC0415 - as above

    start = TOP + ROW * len(marks)
    tall, small = (390, 190) if second else (470, 0)
    times = time_ticks(frame.start, frame.end, frame.zone)
    bottom = 104 if any("\n" in words for _, words in times) else 66
    height = start + tall + (GAP + small if second else 0) + bottom
    figure = Figure(figsize=(WIDTH / DPI, height / DPI), dpi=DPI, facecolor=PAPER)
    write(figure, 0.016, 1 - 20 / height, headed(main), size=LARGE, color=INK, weight="bold", va="top", at_most=54)
    axes = add_panel(figure, start, tall, times, frame)
    draw_series(axes, main, BLUE)
    draw_baseline(axes, main, frame)
    draw_marks(axes, marks, frame, ROW / tall)
    draw_peak(axes, main, frame)
    if second:
        axes.tick_params(labelbottom=False)
        top = start + tall + GAP
        above = 1 - (top - 12) / height
        write(figure, LEFT / WIDTH, above, headed(second), size=SMALL, color=GREEN, va="bottom", at_most=64)
        axes = add_panel(figure, top, small, times, frame)
        draw_series(axes, second, GREEN, ticks=3)
        for mark in marks:
            if mark.color == VERMILLION:
                axes.axvline(mark.at, color=mark.color, linewidth=3, zorder=2)
    below = (bottom - 22) / height
    write(figure, 0.012, below, zone_name(frame), size=SMALL, color=GREY, va="top", at_most=8)
    out = io.BytesIO()
    FigureCanvasAgg(figure).print_png(out, pil_kwargs={"compress_level": 2})  # type: ignore[no-untyped-call]
    return out.getvalue()


def add_panel(figure: Figure, top: float, tall: float, times: Sequence[tuple[float, str]], frame: Frame) -> Axes:
    """Axes at a place in pixels from the top, with the common time axis."""
    height = figure.get_figheight() * DPI
    box = (LEFT / WIDTH, 1 - (top + tall) / height, (WIDTH - LEFT - RIGHT) / WIDTH, tall / height)
    axes = figure.add_axes(box, facecolor=PAPER)
    axes.set_xlim(frame.start, frame.end)
    axes.set_xticks([at for at, _ in times], [words for _, words in times])
    axes.grid(axis="y", color=GRID, linewidth=1.5, zorder=0)
    axes.tick_params(labelsize=SMALL, colors=GREY, length=7, width=1.5, pad=8, labelfontfamily=FONT)
    for name, spine in axes.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(GREY)
    return axes


def headed(item: Evidence) -> str:
    """What is shown, and how far it moved."""
    before, now = fact_number(item, "baseline"), fact_number(item, "current")
    if not has_moved(item) or before is None or now is None:
        return item.title
    return f"{clip(item.title, 44)}: {say_number(before, unit_of(item))} → {say_number(now, unit_of(item))}"


def write(where: Any, x: float, y: float, text: str, *, size: float, color: str, at_most: int = 80, **how: Any) -> None:
    """Text as it is, for a dollar sign is no formula; a little smaller when it is long."""
    words = drawable(text, at_most * 13 // 10)
    size *= min(1.0, at_most / max(len(words), 1))
    where.text(x, y, words, fontsize=size, color=color, family=FONT, parse_math=False, **how)


def draw_series(axes: Axes, item: Evidence, color: str, ticks: int = 4) -> None:
    """One line over time, and its values' axis from zero."""
    times, values = gaps_marked(item.series)
    there = [v for v in values if math.isfinite(v)]
    edges = [*there, 0.0, *(v for k in ("baseline", "peak") if (v := fact_number(item, k)) is not None)]
    top, bottom = max(edges), min(edges)
    if top - bottom < 1e-12:
        top = 1.0
    axes.set_ylim(bottom * 1.08, top + (top - bottom) * (0.32 if crowded(item) else 0.2))
    axes.plot(times, values, color=color, linewidth=4.5, solid_capstyle="round", solid_joinstyle="round", zorder=3)
    steps = value_ticks(top * 1.1, unit_of(item), ticks)
    axes.set_yticks(steps, [say_tick(v, top, unit_of(item)) for v in steps])


def samples_before(item: Evidence) -> list[float]:
    """Sorted samples before the onset, or before the span that was asked about."""
    until = next((at for k in ("onset_at", "window_start") if (at := moment_of(item, k)) is not None), math.inf)
    return sorted(v for at, v in item.series if math.isfinite(v) and at < until)


def crowded(item: Evidence) -> bool:
    """Whether its samples leave no room for words beside the line of its level before."""
    top = max((abs(v) for _, v in item.series if math.isfinite(v)), default=0.0)
    before = samples_before(item)
    return len(before) > 1 and before[int(0.98 * (len(before) - 1))] - before[int(0.02 * len(before))] > 0.06 * top


def draw_baseline(axes: Axes, item: Evidence, frame: Frame) -> None:
    """The level before as a dashed line, with the span of the samples before shaded."""
    level = fact_number(item, "baseline")
    if level is None:
        return
    before = samples_before(item)
    until = next((at for k in ("onset_at", "window_start") if (at := moment_of(item, k)) is not None), frame.end)
    if len(before) >= 8:
        low, high = before[int(0.02 * len(before))], before[int(0.98 * (len(before) - 1))]
        axes.fill_between([frame.start, min(until, frame.end)], low, high, color=BAND, zorder=0.5, linewidth=0)
    axes.axhline(level, color=GREY, linewidth=3, linestyle=(0, (4, 3)), zorder=2)
    top, x = axes.get_ylim()[1], frame.start + 0.012 * (frame.end - frame.start)
    words = f"before {say_number(level, unit_of(item))}"
    if crowded(item):
        write(axes, x, top * 0.99, f"- - {words}", size=NORMAL, color=GREY, va="top", zorder=2.5, bbox=HALO)
    elif level > 0.4 * top:
        write(axes, x, level - 0.04 * top, words, size=NORMAL, color=GREY, va="top", zorder=2.5, bbox=HALO)
    else:
        write(axes, x, level + 0.03 * top, words, size=NORMAL, color=GREY, va="bottom", zorder=2.5, bbox=HALO)


def draw_marks(axes: Axes, marks: Sequence[Mark], frame: Frame, row: float) -> None:
    """Lines for moments and bars for what lasts, their words in rows above the panel, first mark on top."""
    places, span = axes.get_xaxis_transform(), frame.end - frame.start
    shares = [(mark.at - frame.start) / span for mark in marks]
    for i, mark in enumerate(marks):
        level = 1 + row * (len(marks) - i - 0.5)
        foot = 0 if i == 0 or mark.color == VERMILLION else 1
        ends = [foot, level - row * 0.4 if i == 0 else level]
        axes.plot([mark.at] * 2, ends, transform=places, color=mark.color, clip_on=False, linewidth=3.5, zorder=2)
        if mark.lasts:
            until = [mark.at, frame.end]
            axes.plot(
                until, [1, 1], transform=places, color=mark.color, clip_on=False, linewidth=7, solid_capstyle="butt"
            )
        words = f"{mark.words} {datetime.fromtimestamp(mark.at, frame.zone):%H:%M}"
        share, wide = shares[i], min(len(words), 58) * 0.0172
        side, fits = ("right", share) if share > 0.55 else ("left", 1 - share)
        if i == 0:  # nothing runs through the top row, so its words may stand across their line
            place = max(share - 0.008, wide) if side == "right" else min(share + 0.008, 1.02 - wide)
        else:
            reach = (share - wide, share) if side == "right" else (share, share + wide)
            crossed = [share, *(s for s in shares[:i] if reach[0] <= s <= reach[1])]
            place = min(crossed) - 0.008 if side == "right" else max(crossed) + 0.008
        how: dict[str, Any] = {"transform": places, "va": "center", "ha": side}
        how["weight"] = "bold" if mark.color == VERMILLION else "normal"
        at_most = 58 if i == 0 else max(int(fits * 66), 24)
        write(axes, frame.start + place * span, level, words, size=NORMAL, color=mark.color, at_most=at_most, **how)


def draw_peak(axes: Axes, item: Evidence, frame: Frame) -> None:
    """The most extreme value of the span that was asked about, marked and named."""
    value, at = fact_number(item, "peak"), moment_of(item, "peak_at")
    if value is None or at is None or not frame.start <= at <= frame.end:
        return
    low = text_of(item, "direction") == "fell"
    beaten = any((v < value if low else v > value) for v in samples_before(item))
    start = moment_of(item, "window_start")
    since = f" since {datetime.fromtimestamp(start, frame.zone):%H:%M}" if beaten and start is not None else ""
    words = f"{'lowest' if low else 'peak'} {say_number(value, unit_of(item))}{since}"
    share = (at - frame.start) / (frame.end - frame.start)
    side = "left" if share < 0.15 else "right" if share > (0.7 if since else 0.85) else "center"
    axes.plot([at], [value], marker="o", markersize=14, color=BLUE, markeredgecolor=PAPER, markeredgewidth=2, zorder=6)
    y = value + 0.045 * axes.get_ylim()[1]
    write(axes, at, y, words, size=NORMAL, color=BLUE, weight="bold", va="bottom", ha=side, zorder=7, bbox=HALO)
