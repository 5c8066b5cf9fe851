"""Where the names of a drawn graph stand: each beside its node, where it covers least."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workers.contracts import GraphNode, Neighbourhood
from workers.delivery.charts import DPI, FONT, INK, NORMAL, SMALL, drawable
from workers.delivery.graph_words import NAMED_WEIGHT, main_nodes, name_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAIN_SIZE, NAMED_SIZE, SMALL_SIZE, MARK_SIZE = 42.0, 26.0, 19.0, 14.0  # points across
POINT = DPI / 72  # pixels
DOT = 12.0  # pixels
MARK_WEIGHT = 0.2
"""What weighs no more is a small diamond."""
MAIN_CHARS, NAMED_CHARS = 26, 22
LINE_CHARS = 14
"""A longer name stands on two lines."""
APART = 8.0  # pixels between names
MOST_SURE = 8
"""So many of what the graph is about are named whatever their names cover."""
FACES = {True: (NORMAL, "bold"), False: (SMALL, "normal")}
"""Size and weight of the names of what the graph is about, and of other names."""
LINE_SPACING = 1.05
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


def size_of(node: GraphNode, main: set[str]) -> float:
    """How large a node is, in points."""
    if node.id in main:
        return MAIN_SIZE
    if node.weight >= NAMED_WEIGHT:
        return NAMED_SIZE
    return SMALL_SIZE if node.weight > MARK_WEIGHT else MARK_SIZE


def labels_of(
    figure: Figure, graph: Neighbourhood, places: Mapping[str, Place], colors: Mapping[str, str], page: Box
) -> list[Label]:
    """The names of what has one, each beside its node where it covers least; one that would cover another is left out.

    The first of what the graph is about are always named.

    Args:
        figure: what is drawn on, for measuring.
        graph: all nodes and edges.
        places: where each node stands, in pixels.
        colors: of the kinds.
        page: what no name leaves.
    """
    main = {node.id for node in main_nodes(graph)}
    discs = [around(places[node.id], size_of(node, main) * POINT / 2) for node in graph.nodes]
    lines = [dot for edge in graph.edges for dot in dotted(places[edge.source], places[edge.target])]
    named = [node for node in graph.nodes if node.id in main or node.weight >= NAMED_WEIGHT]
    names: list[Box] = []
    out: list[Label] = []
    for node in sorted(named, key=lambda node: (node.id not in main, -node.weight)):
        about = node.id in main
        text = on_lines(drawable(name_of(node), MAIN_CHARS if about else NAMED_CHARS))
        wide, tall = measured(figure, text, about)
        gap = size_of(node, main) * POINT / 2 + 6
        boxes = [inside(boxed(at, wide, tall), page) for at in beside(places[node.id], gap, wide, tall)]
        best = min(boxes, key=lambda box: covered(box, [*discs, *names]) * 4 + covered(box, lines))
        if len(out) < min(MOST_SURE, len(main)) or covered(best, names) < 0.1 * wide * tall:
            names.append((best[0] - APART, best[1] - APART, best[2] + APART, best[3] + APART))
            middle = ((best[0] + best[2]) / 2, (best[1] + best[3]) / 2)
            out.append(Label(text, middle, about, INK if about else colors[node.kind]))
    return out


def on_lines(name: str) -> str:
    """A name, on two lines of about the same length where it is long and has a space."""
    spaces = [i for i, char in enumerate(name) if char == " "]
    if len(name) <= LINE_CHARS or not spaces:
        return name
    middle = min(spaces, key=lambda i: abs(i - len(name) / 2))
    return f"{name[:middle]}\n{name[middle + 1 :]}"


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
    face: dict[str, Any] = {"fontsize": size, "family": FONT, "weight": weight, "linespacing": LINE_SPACING}
    found = figure.text(0, 0, text, parse_math=False, **face)
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
