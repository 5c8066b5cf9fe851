"""A small graph in words: what it is about, and how much of it is joined to what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from workers.contracts import GraphEdge, GraphNode, Neighbourhood
from workers.delivery.rich_text import clip, safe
from workers.delivery.rich_text_blocks import several

MOST_NODES = 40
MAIN_WEIGHT, NAMED_WEIGHT = 0.8, 0.4
"""From these weights on a node is what the graph is about, and one with a name; a smaller one is a mark."""
NAME_CHARS, ALT_CHARS, MOST_GROUPS = 60, 1_900, 6
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
JOINS = frozenset({"in", "at", "of", "by", "with", "from"})
"""What the type of an edge may begin with so that it can be read: ``IN_SECTOR``."""


def bounded_graph(graph: Neighbourhood) -> Neighbourhood:
    """The nodes that weigh most, each once, in their order, and the edges between them."""
    once = {node.id: node for node in graph.nodes}
    best = sorted(once.values(), key=lambda node: -node.weight)[:MOST_NODES]
    kept = {node.id for node in best}
    edges = dict.fromkeys(e for e in graph.edges if {e.source, e.target} <= kept and e.source != e.target)
    return Neighbourhood(nodes=tuple(n for n in once.values() if n.id in kept), edges=tuple(edges))


def main_nodes(graph: Neighbourhood) -> list[GraphNode]:
    """What it is about; where nothing weighs enough, what weighs most."""
    most = max((node.weight for node in graph.nodes), default=0.0)
    return [node for node in graph.nodes if node.weight >= min(MAIN_WEIGHT, most)]


def name_of(node: GraphNode, at_most: int = NAME_CHARS) -> str:
    """What a node is called."""
    return clip(safe(node.label), at_most) or clip(safe(node.id), at_most) or kind_name(node.kind)


def kind_name(kind: str) -> str:
    """A kind of node as people write it."""
    return clip(safe(kind.replace("_", " ")).lower(), NAME_CHARS) or "other"


def graph_title(graph: Neighbourhood) -> str:
    """``Kestrel Labs and four other deals``: what it is about."""
    main = main_nodes(graph)
    if not main:
        return ""
    first, others = name_of(main[0]), Counter(kind_name(node.kind) for node in main[1:])
    more = [f"{counted(number)} other {plural(kind, number)}" for kind, number in others.items()]
    return f"{first} and {listed(more)}" if more else first


def describe_graph(graph: Neighbourhood) -> str:
    """All that the picture says: what it is about, what of that is joined to what, and how much lies around it."""
    main = main_nodes(graph)
    known, about = {node.id: node for node in graph.nodes}, {node.id for node in main}
    groups: dict[tuple[str, str], set[str]] = {}
    for edge in graph.edges:
        ends = (edge.source, edge.target)
        for one, other in (ends, ends[::-1]):
            if one in about and other in known and other not in about and known[other].weight >= NAMED_WEIGHT:
                groups.setdefault((other, join_of(edge)), set()).add(one)
    largest = sorted(groups.items(), key=lambda item: -len(item[1]))[:MOST_GROUPS]
    said = [f"{counted(len(ones))} {join} {name_of(known[other])}" for (other, join), ones in largest]
    if len(main) == 1:
        said = [f"{join} {name_of(known[other])}" for (other, join), _ in largest]
    small = Counter(kind_name(node.kind) for node in graph.nodes if node.id not in about and node.weight < NAMED_WEIGHT)
    around = [several(number, kind, plural(kind, number)) for kind, number in small.items()]
    text = graph_title(graph)
    text += f": {', '.join(said)}" if said else ""
    return clip(f"{text}. Around them {listed(around)}." if around else f"{text}.", ALT_CHARS)


def join_of(edge: GraphEdge) -> str:
    """How a thing is joined to another, as far as the type of the edge can be read."""
    word = edge.type.partition("_")[0].lower()
    return word if word in JOINS else "joined to"


def counted(number: int) -> str:
    """A small number in words."""
    return NUMBERS[number] if number < len(NUMBERS) else f"{number:,}"


def plural(kind: str, number: int) -> str:
    """A kind of which there are so many."""
    if number == 1:
        return kind
    return f"{kind[:-1]}ies" if kind.endswith("y") and kind[-2:-1] not in "aeiou" else f"{kind}s"


def listed(parts: Sequence[str]) -> str:
    """``a, b and c``."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
