"""A finished request for precedents: ranked deals with facts, a graph around the first of them, and menus."""

from __future__ import annotations

from typing import Any

from tests.support.finished_requests import claim, question
from workers.contracts import (
    Answer,
    Evidence,
    Fact,
    GraphEdge,
    GraphNode,
    Intent,
    Menu,
    Neighbourhood,
    Option,
    RequestLog,
    Route,
)

DEALS = (
    ("Kestrel Labs", "Fintech", "DACH", "2014–2021", 3),
    ("Tidepay", "Fintech", "Nordics", "2013–2020", 2),
    ("Northbank Ledger", "Fintech", "Nordics", "2015–2019", 1),
    ("Alpenzins", "Payments", "DACH", "2016–2022", 2),
    ("Mosaic Invoicing", "Software", "Benelux", "2017–2023", 0),
    ("Fjordkasse", "Payments", "Nordics", "2018–2024", 4),
    ("Haven Insurance", "Fintech", "Benelux", "2012–2018", 1),
)
"""Name, sector, region, years, add-ons."""
QUESTION = "find precedents for a fintech platform"


def option(value: str, label: str) -> Option:
    return Option(value=value, label=label)


REGIONS = Menu(
    name="Region",
    kind="[region:",
    options=(option("", "any region"), *(option(f"[region: {r}]", r) for r in ("DACH", "Nordics", "Benelux"))),
)
STATUS = Menu(
    name="Status", kind="[status:", options=(option("", "any status"), option("[status: current]", "current"))
)


def graph_of(deals: int = 5) -> Neighbourhood:
    """Deals with sector, region, add-ons and exit."""
    nodes: dict[str, GraphNode] = {}
    edges: list[GraphEdge] = []

    def join(source: str, target: GraphNode, kind: str) -> None:
        nodes.setdefault(target.id, target)
        edges.append(GraphEdge(source=source, target=target.id, type=kind))

    for name, *_ in DEALS[:deals]:
        nodes[name] = GraphNode(id=name, label=name, kind="deal", weight=1)
    for name, sector, region, years, addons in DEALS[:deals]:
        join(name, GraphNode(id=f"sector:{sector}", label=sector, kind="sector"), "IN_SECTOR")
        join(name, GraphNode(id=f"region:{region}", label=region, kind="region"), "IN_REGION")
        join(name, GraphNode(id=f"exit:{name}", label=years[-4:], kind="exit", weight=0.2), "EXITED_VIA")
        for n in range(addons):
            join(name, GraphNode(id=f"{name}/{n}", label=f"Add-on {n}", kind="add-on", weight=0.3), "ADDON_TO")
    return Neighbourhood(nodes=tuple(nodes.values()), edges=tuple(edges))


def row_of(place: int, graph: Neighbourhood | None) -> Evidence:
    name, sector, region, years, addons = DEALS[place]
    texts = {"name": name, "sector": sector, "region": region, "years": years, "status": "realized"}
    texts |= {"add_ons": str(addons), "reasons": f"same sector; {addons} add-ons"}
    facts = {key: Fact(value=value) for key, value in texts.items()}
    shown = graph if place == 0 else None
    return Evidence(id=f"E{place + 1}", kind="row", title=name, locator=f"deals:{place}", facts=facts, graph=shown)


def precedents(
    deals: int = 7, *, text: str = QUESTION, graph: Neighbourhood | None = None, **changes: Any
) -> RequestLog:
    """Ranked deals, a passage of a memo, and menus; changes are those of the answer."""
    rows = [row_of(i, graph if graph is not None else graph_of(min(deals, 5))) for i in range(deals)]
    memo = Evidence(id="E9", kind="note", title="Memo", locator="memos/kestrel.md")
    cards = [
        claim(f"*{name}* · {sector}, {region} · {years}, realized · same sector; {addons} add-ons", f"E{i + 1}")
        for i, (name, sector, region, years, addons) in enumerate(DEALS[:deals])
    ]
    fields: dict[str, Any] = {
        "headline": claim("The nearest of 2,000 deals are these.", "E1"),
        "what_changed": tuple(cards),
        "docs": (claim("Kestrel Labs: “three add-ons carried it abroad”", "E9"),),
        "menus": (REGIONS, STATUS),
        "tools_used": ("deal_search ×1",),
    }
    return RequestLog(
        request_id="7f3a12bc90de",
        question=question(text),
        route=Route(task="deals", confidence=1.0),
        intent=Intent(question_type="deal_precedents"),
        evidence=(*rows, memo),
        answer=Answer(**{**fields, **changes}),
        timings_ms={"total": 412.0},
    )


def typed(log: RequestLog, question_type: str) -> RequestLog:
    """The same for another type of question."""
    return log.model_copy(update={"intent": Intent(question_type=question_type)})
