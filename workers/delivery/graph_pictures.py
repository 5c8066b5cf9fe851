"""The picture of an answer about how things are joined: the first cited graph, readable on a phone."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workers.contracts import GraphNode, Neighbourhood, RequestLog
from workers.delivery.charts import (
    BLUE,
    DPI,
    FONT,
    GREEN,
    GREY,
    GRID,
    INK,
    LARGE,
    NORMAL,
    PAPER,
    PURPLE,
    SMALL,
    VERMILLION,
    drawable,
)
from workers.delivery.cited_evidence import graphed
from workers.delivery.graph_words import (
    NAMED_WEIGHT,
    bounded_graph,
    describe_graph,
    graph_title,
    kind_name,
    main_nodes,
    name_of,
)
from workers.ports import Picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLORS = (BLUE, GREEN, VERMILLION, PURPLE, "#8A6D00", "#3B7A9E")
"""Of the kinds, in the order in which they come."""
WIDTH, HEAD, FOOT, SIDE = 1200, 84, 84, 110  # pixels; narrower than a chart, so that names are larger on a phone
LOW, HIGH = 440, 1_050
"""The height of the part that is drawn in, for few nodes and for many."""
MAIN_SIZE, NAMED_SIZE, SMALL_SIZE, MARK_SIZE = 42.0, 26.0, 19.0, 14.0  # points across
POINT = DPI / 72  # pixels
DOT = 12.0  # pixels
MARK_WEIGHT = 0.2
"""What weighs no more is a small diamond."""
TITLE_CHARS, MAIN_CHARS, NAMED_CHARS = 42, 26, 22
MOST_SURE = 8
"""So many of what the graph is about are named whatever their names cover."""
UNJOINED_STEPS = 4
"""So many edges lie between things that nothing joins, as far as their places go."""
FACES = {True: (NORMAL, "bold"), False: (SMALL, "normal")}
"""Size and weight of the names of what the graph is about, and of other names."""
Place = tuple[float, float]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom, in pixels from the top left corner."""


@dataclass(frozen=True)
class Label:
    """A name and where it stands: the middle of its box, in pixels."""

    text: str
    at: Place
    main: bool
    color: str


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
    for label in labels_of(figure, graph, places, colors):
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


def size_of(node: GraphNode, main: set[str]) -> float:
    """How large a node is, in points."""
    if node.id in main:
        return MAIN_SIZE
    if node.weight >= NAMED_WEIGHT:
        return NAMED_SIZE
    return SMALL_SIZE if node.weight > MARK_WEIGHT else MARK_SIZE


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


def labels_of(
    figure: Figure, graph: Neighbourhood, places: Mapping[str, Place], colors: Mapping[str, str]
) -> list[Label]:
    """The names of what has one, each beside its node where it covers least; one that would cover another is left out.

    The first of what the graph is about are always named.
    """
    main = {node.id for node in main_nodes(graph)}
    discs = [around(places[node.id], size_of(node, main) * POINT / 2) for node in graph.nodes]
    lines = [dot for edge in graph.edges for dot in dotted(places[edge.source], places[edge.target])]
    page = (8.0, float(HEAD), WIDTH - 8.0, figure.get_figheight() * DPI - FOOT)
    named = [node for node in graph.nodes if node.id in main or node.weight >= NAMED_WEIGHT]
    names: list[Box] = []
    out: list[Label] = []
    for node in sorted(named, key=lambda node: (node.id not in main, -node.weight)):
        about = node.id in main
        text = drawable(name_of(node), MAIN_CHARS if about else NAMED_CHARS)
        wide, tall = measured(figure, text, about)
        gap = size_of(node, main) * POINT / 2 + 6
        boxes = [inside(boxed(at, wide, tall), page) for at in beside(places[node.id], gap, wide, tall)]
        best = min(boxes, key=lambda box: covered(box, [*discs, *names]) * 4 + covered(box, lines))
        if len(out) < min(MOST_SURE, len(main)) or covered(best, names) < 0.1 * wide * tall:
            names.append(best)
            middle = ((best[0] + best[2]) / 2, (best[1] + best[3]) / 2)
            out.append(Label(text, middle, about, INK if about else colors[node.kind]))
    return out


def beside(at: Place, gap: float, wide: float, tall: float) -> list[Place]:
    """Where the middle of a label may stand: below, above, right, left, and in the corners."""
    x, y = at
    down, across = gap + tall / 2, gap + wide / 2
    corners = [(x + i * (0.6 * gap + wide / 2), y + j * (0.6 * gap + tall / 2)) for j in (1, -1) for i in (1, -1)]
    return [(x, y + down), (x, y - down), (x + across, y), (x - across, y), *corners]


def dotted(start: Place, end: Place) -> list[Box]:
    """A line as small boxes, one every few pixels."""
    steps = max(int(math.dist(start, end) / DOT), 1)
    dots = [
        (start[0] + (end[0] - start[0]) * i / steps, start[1] + (end[1] - start[1]) * i / steps) for i in range(steps)
    ]
    return [around(dot, DOT / 2) for dot in dots]


def covered(box: Box, others: Sequence[Box]) -> float:
    """How much of others a box covers, in square pixels."""
    return sum(overlap(box, other) for other in others)


def measured(figure: Figure, text: str, main: bool) -> Place:
    """Width and height of a name, in pixels."""
    size, weight = FACES[main]
    found = figure.text(0, 0, text, fontsize=size, family=FONT, weight=weight, parse_math=False)
    box = found.get_window_extent()
    found.remove()
    return box.width, box.height


def around(at: Place, radius: float) -> Box:
    """The box of a disc."""
    return at[0] - radius, at[1] - radius, at[0] + radius, at[1] + radius


def boxed(at: Place, wide: float, tall: float) -> Box:
    """The box around a middle."""
    return at[0] - wide / 2, at[1] - tall / 2, at[0] + wide / 2, at[1] + tall / 2


def inside(box: Box, page: Box) -> Box:
    """The same box, moved onto the page."""
    x = max(page[0] - box[0], 0.0) + min(page[2] - box[2], 0.0)
    y = max(page[1] - box[1], 0.0) + min(page[3] - box[3], 0.0)
    return box[0] + x, box[1] + y, box[2] + x, box[3] + y


def overlap(one: Box, other: Box) -> float:
    """How much of two boxes is the same, in square pixels."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    tall = min(one[3], other[3]) - max(one[1], other[1])
    return wide * tall if wide > 0 and tall > 0 else 0.0


def write(axes: Axes, at: Place, text: str, *, size: float, color: str, **how: Any) -> None:
    """Text as it is, for a dollar sign is no formula, with a thin paper edge so that lines do not cross it."""
    from matplotlib.patheffects import withStroke  # noqa: PLC0415 - as above

    edge = [withStroke(linewidth=6, foreground=PAPER)]
    axes.text(*at, text, fontsize=size, color=color, family=FONT, parse_math=False, zorder=5, path_effects=edge, **how)


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
