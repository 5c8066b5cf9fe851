"""The picture of an answer about how things are joined: the first cited graph, readable on a phone."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workers.contracts import Neighbourhood, RequestLog
from workers.delivery.charts import (
    BLUE,
    DPI,
    FONT,
    GREEN,
    GREY,
    GRID,
    INK,
    LARGE,
    PAPER,
    PURPLE,
    SMALL,
    VERMILLION,
    drawable,
)
from workers.delivery.cited_evidence import graphed
from workers.delivery.graph_labels import (
    FACES,
    LINE_SPACING,
    MARK_SIZE,
    MARK_WEIGHT,
    NAMED_CHARS,
    Box,
    Place,
    labels_of,
    measured,
    size_of,
)
from workers.delivery.graph_words import bounded_graph, describe_graph, graph_title, kind_name, main_nodes
from workers.ports import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = (BLUE, GREEN, VERMILLION, PURPLE, "#8A6D00", "#3B7A9E")
"""Of the kinds, in the order in which they come."""
WIDTH, HEAD, FOOT, SIDE = 1200, 84, 84, 110  # pixels; narrower than a chart, so that names are larger on a phone
LOW, HIGH = 440, 1_050
"""The height of the part that is drawn in, for few nodes and for many."""
TITLE_CHARS = 42
UNJOINED_STEPS = 4
"""So many edges lie between things that nothing joins, as far as their places go."""


def draw_graph(log: RequestLog) -> Picture | None:
    """The picture of a finished request; None when its answer cites no graph of more than one node."""
    found = graphed(log)
    graph = bounded_graph(found) if found else None
    if graph is None or len(graph.nodes) < 2:
        return None
    return Picture(name="graph.png", title=graph_title(graph), alt=describe_graph(graph), png=draw(graph))


def draw(graph: Neighbourhood) -> bytes:
    """The picture, from top to bottom: title, graph, legend."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - large, and few processes draw
    from matplotlib.figure import Figure  # noqa: PLC0415 - as above

    tall = LOW + (HIGH - LOW) * min(1.0, len(graph.nodes) / 30)
    height = HEAD + tall + FOOT
    figure = Figure(figsize=(WIDTH / DPI, height / DPI), dpi=DPI, facecolor=PAPER)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(height, 0)
    colors = {kind: COLORS[i % len(COLORS)] for i, kind in enumerate(dict.fromkeys(n.kind for n in graph.nodes))}
    places = fitted(laid_out(graph), (SIDE, HEAD + 40, WIDTH - SIDE, HEAD + tall - 50))
    draw_edges(axes, graph, places)
    draw_nodes(axes, graph, places, colors)
    write(
        axes,
        (24, 22),
        drawable(graph_title(graph), TITLE_CHARS),
        size=LARGE,
        color=INK,
        weight="bold",
        ha="left",
        va="top",
    )
    page = (8.0, float(HEAD), WIDTH - 8.0, height - FOOT)
    for label in labels_of(figure, graph, places, colors, page):
        size, weight = FACES[label.main]
        write(axes, label.at, label.text, size=size, color=label.color, weight=weight, ha="center", va="center")
    draw_legend(figure, axes, graph, colors, height - FOOT / 2)
    out = io.BytesIO()
    canvas.print_png(out, pil_kwargs={"compress_level": 2})  # type: ignore[no-untyped-call]
    return out.getvalue()


# --- where everything stands ------------------------------------------------------------------------------------


def laid_out(graph: Neighbourhood) -> dict[str, Place]:
    """Places such that what is joined is near; the same for the same graph."""
    import networkx as nx  # noqa: PLC0415 - large, and few processes draw

    plain: Any = nx.Graph()
    plain.add_nodes_from(node.id for node in graph.nodes)
    plain.add_edges_from((edge.source, edge.target) for edge in graph.edges)
    near = dict(nx.all_pairs_shortest_path_length(plain))
    apart = {one: {other: near[one].get(other, UNJOINED_STEPS) for other in plain} for one in plain}
    start = nx.circular_layout(plain)
    found = nx.kamada_kawai_layout(plain, dist=apart, pos=start)
    return {name: (float(x), float(y)) for name, (x, y) in found.items()}


def fitted(places: Mapping[str, Place], box: Box) -> dict[str, Place]:
    """The same places, stretched over a box."""
    left, top, right, bottom = box
    out = {}
    across, down = ([place[i] for place in places.values()] for i in (0, 1))
    for name, (x, y) in places.items():
        out[name] = (left + (right - left) * share(x, across), top + (bottom - top) * share(y, down))
    return out


def share(value: float, among: Sequence[float]) -> float:
    """Where a value lies between the least and the largest: 0 to 1."""
    low, high = min(among), max(among)
    return (value - low) / (high - low) if high - low > 1e-9 else 0.5


# --- drawing ----------------------------------------------------------------------------------------------------


def draw_edges(axes: Axes, graph: Neighbourhood, places: Mapping[str, Place]) -> None:
    """Thin lines below everything."""
    for edge in graph.edges:
        (x, y), (to_x, to_y) = places[edge.source], places[edge.target]
        axes.plot([x, to_x], [y, to_y], color="#B9BDC2", linewidth=3, zorder=1, solid_capstyle="round")


def draw_nodes(axes: Axes, graph: Neighbourhood, places: Mapping[str, Place], colors: Mapping[str, str]) -> None:
    """Discs of the colour of their kind; the smallest are diamonds."""
    main = {node.id for node in main_nodes(graph)}
    for node in sorted(graph.nodes, key=lambda node: node.weight):
        mark = "D" if node.id not in main and node.weight <= MARK_WEIGHT else "o"
        how: dict[str, Any] = {"markeredgecolor": PAPER, "markeredgewidth": 4, "zorder": 3}
        x, y = places[node.id]
        axes.plot([x], [y], marker=mark, markersize=size_of(node, main), color=colors[node.kind], **how)


def write(axes: Axes, at: Place, text: str, *, size: float, color: str, **how: Any) -> None:
    """Text as it is, for a dollar sign is no formula, with a thin paper edge so that lines do not cross it."""
    from matplotlib.patheffects import withStroke  # noqa: PLC0415 - as above

    edge = [withStroke(linewidth=6, foreground=PAPER)]
    face: dict[str, Any] = {"fontsize": size, "color": color, "family": FONT, "linespacing": LINE_SPACING}
    axes.text(at[0], at[1], text, parse_math=False, zorder=5, path_effects=edge, **face, **how)


def draw_legend(figure: Figure, axes: Axes, graph: Neighbourhood, colors: Mapping[str, str], y: float) -> None:
    """What each colour is, in one row."""
    axes.plot([24, WIDTH - 24], [y - FOOT / 2 + 4] * 2, color=GRID, linewidth=2, zorder=0)
    x = 44.0
    for kind, color in colors.items():
        heaviest = max(node.weight for node in graph.nodes if node.kind == kind)
        diamond = heaviest <= MARK_WEIGHT
        text = drawable(kind_name(kind), NAMED_CHARS)
        if x + 26 + measured(figure, text, main=False)[0] > WIDTH:
            break
        axes.plot([x], [y], marker="D" if diamond else "o", markersize=MARK_SIZE + (0 if diamond else 4), color=color)
        write(axes, (x + 26, y), text, size=SMALL, color=GREY, ha="left", va="center")
        x += 26 + measured(figure, text, main=False)[0] + 58
