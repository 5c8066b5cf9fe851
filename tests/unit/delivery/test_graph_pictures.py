"""The picture of a graph: drawn when there is something to draw, bounded, and said in words."""

from __future__ import annotations

import io

from PIL import Image

from tests.support.deal_answers import graph_of, precedents
from tests.support.finished_requests import HOSTILE, incident
from workers.contracts import GraphEdge, GraphNode, Neighbourhood
from workers.delivery.cited_evidence import graphed, pictured_again
from workers.delivery.graph_pictures import WIDTH, draw, draw_graph
from workers.delivery.graph_words import MOST_NODES, bounded_graph, describe_graph, graph_title

EMPTY = Neighbourhood(nodes=(), edges=())
LONE = Neighbourhood(nodes=(GraphNode(id="a", label="A", kind="deal", weight=1),), edges=())


def test_the_first_cited_graph_is_drawn_and_said() -> None:
    picture = draw_graph(precedents())
    assert picture is not None
    with Image.open(io.BytesIO(picture.png)) as image:
        assert (image.format, image.width) == ("PNG", WIDTH)
        assert 500 <= image.height <= 1_300
    assert picture.title == "Kestrel Labs and four other deals"
    assert picture.alt == (
        "Kestrel Labs and four other deals: three in Fintech, two in DACH, two in Nordics, one in Payments, one in "
        "Software, one in Benelux. Around them 5 exits and 8 add-ons."
    )
    assert picture.png == draw_graph(precedents()).png, "the same each time"  # type: ignore[union-attr]


def test_nothing_is_drawn_without_a_graph_of_several_things() -> None:
    assert draw_graph(incident()) is None
    assert draw_graph(precedents(graph=EMPTY)) is None
    assert draw_graph(precedents(graph=LONE)) is None
    uncited = precedents(what_changed=(), headline=precedents().answer.docs[0])  # type: ignore[union-attr]
    assert graphed(uncited) is None


def test_a_chart_comes_before_a_graph_and_nothing_is_shown_twice() -> None:
    log = precedents()
    assert pictured_again(log, log)
    assert not pictured_again(log, precedents(2))
    assert not pictured_again(log, incident())
    assert not pictured_again(log, None)
    assert pictured_again(incident(), incident())
    assert not pictured_again(precedents(graph=EMPTY), precedents(graph=EMPTY))


def test_one_thing_is_said_without_counting() -> None:
    assert describe_graph(graph_of(1)) == "Kestrel Labs: in Fintech, in DACH. Around them 1 exit and 3 add-ons."


def test_of_a_large_graph_what_weighs_most_is_drawn() -> None:
    nodes = [
        GraphNode(id=str(n), label=f"{HOSTILE} $x_1$ 日本 {n}", kind=f"kind {n % 9}", weight=n / 90) for n in range(90)
    ]
    edges = [GraphEdge(source=str(n), target=str(n // 2), type="JOINED") for n in range(90)]
    odd = GraphEdge(source="1", target="no such node", type="JOINED")
    graph = bounded_graph(Neighbourhood(nodes=(*nodes, nodes[0]), edges=(*edges, odd)))
    assert len(graph.nodes) == MOST_NODES
    assert min(int(node.id) for node in graph.nodes) == 50
    assert draw(graph).startswith(b"\x89PNG")
    assert len(describe_graph(graph)) <= 1_900
    assert graph_title(graph)


def test_things_that_nothing_joins_are_drawn_too() -> None:
    pair = Neighbourhood(
        nodes=(GraphNode(id="a", label="", kind=""), GraphNode(id="b", label="B", kind="company")), edges=()
    )
    assert draw(pair).startswith(b"\x89PNG")
    assert describe_graph(pair) == "a and one other company."
