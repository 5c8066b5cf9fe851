"""The demo team's service really runs, and each fault really is in its code."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from examples.shop.build import Demo
from examples.shop.fault import fault_kinds, load_fault
from examples.shop.history import TREE

HEALTHY = "healthy"


@pytest.fixture(scope="session")
def trees(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The healthy tree, and one with each fault in it."""
    folder = tmp_path_factory.mktemp("trees")
    out = {}
    for kind in (HEALTHY, *fault_kinds()):
        out[kind] = folder / kind
        shutil.copytree(TREE, out[kind], ignore=shutil.ignore_patterns("__pycache__", "var"))
        for path, text in {} if kind == HEALTHY else load_fault(kind).contents().items():
            (out[kind] / path).write_text(text, encoding="utf-8")
    return out


def run(tree: Path, *arguments: str) -> str:
    """Run Python in a tree and return what it printed."""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": ""}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=tree, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("kind", [HEALTHY, *fault_kinds()])
def test_its_own_tests_pass(trees: dict[str, Path], kind: str) -> None:
    run(trees[kind], "-m", "unittest", "discover", "-s", "tests", "-t", ".")


# What shows each fault: (code that prints one JSON value, what a healthy tree prints, what the fault makes of it).
PROBES = {
    "cache_never_hits": (
        """
        shop = seeded_shop()
        for _ in range(5):
            ask(shop, "GET", "/api/search", "q=kettle")
        counted = shop.instruments.cache_requests
        print([counted.value("/api/search", result) for result in ("hit", "miss")])
        """,
        [4, 1],
        [0, 5],
    ),
    "missing_index": (
        """
        from orders.repository import Orders
        shop = seeded_shop()
        seen = []
        class Recorder:
            def rows(self, sql, params, *, table):
                seen.extend(shop.shop.rows("EXPLAIN QUERY PLAN " + sql, params, table=table))
                return []
        Orders(Recorder()).of_customer(5, "", 20)
        print(json.dumps(seen[0]["detail"].split(" (")[0]))
        """,
        "SEARCH orders USING INDEX orders_by_customer",
        "SCAN orders",
    ),
    "retry_storm": (
        """
        from dev.gateway import Gateway, serve
        from metrics import Instruments
        from payments.client import open_client
        from payments.errors import PaymentUnavailable
        from resilience.outbound import Target
        from settings import load_settings
        gateway = Gateway()
        address = f"http://127.0.0.1:{serve(gateway).server_port}"
        instruments = Instruments("shop")
        client = open_client(load_settings("production"), instruments)
        client._target, client._sleep = Target("payments", address, 0.05, instruments), lambda seconds: None
        for number in range(2):
            try:
                client.charge(f"key-{number}", 100, "slow")
            except PaymentUnavailable:
                pass
        print(int(instruments.outbound_requests.value("payments", "none", "timeout")))
        """,
        2,
        16,
    ),
    "n_plus_one": (
        """
        shop = seeded_shop()
        for product in range(1, 11):
            ask(shop, "PUT", "/api/cart", body={"user": 3, "product": product, "quantity": 1})
        before = shop.instruments.queries.value("/api/cart")
        ask(shop, "GET", "/api/cart", "user=3")
        print(int(shop.instruments.queries.value("/api/cart") - before))
        """,
        1,
        21,
    ),
    "exhausted_pool": (
        """
        shop = seeded_shop()
        statuses = [ask(shop, "GET", "/api/users/4", headers={"If-None-Match": '"4-1"'})[0] for _ in range(5)]
        page = ask(shop, "GET", "/metrics")[1]
        in_use = re.search(r'pool="accounts",state="in_use"} (\\d+)', page)[1]
        print(json.dumps([statuses, int(in_use)]))
        """,
        [[200, 200, 200, 200, 200], 0],
        [[304, 304, 304, 304, 503], 4],
    ),
    "slow_dependency": (
        """
        from dev.gateway import Recommender, serve
        from settings import load_settings
        server = serve(Recommender(delay_seconds=0.4))
        limit = load_settings("production").get("recommender.timeout_seconds")
        address = f"http://127.0.0.1:{server.server_port}"
        shop = seeded_shop(recommender__base_url=address, recommender__timeout_seconds=limit)
        print(json.dumps(ask(shop, "GET", "/api/recommendations", "user=4")[1]["source"]))
        """,
        "popular",
        "personal",
    ),
}


@pytest.mark.parametrize("kind", fault_kinds())
def test_the_fault_is_in_the_code(trees: dict[str, Path], kind: str) -> None:
    code, healthy, faulty = PROBES[kind]
    script = "import json, re\nfrom tests.support import ask, seeded_shop\n" + re.sub(r"(?m)^ {8}", "", code)
    assert json.loads(run(trees[HEALTHY], "-c", script)) == healthy
    assert json.loads(run(trees[kind], "-c", script)) == faulty


def test_the_searchs_query_is_answered_from_its_index(trees: dict[str, Path]) -> None:
    """The runbook says what the plan must be."""
    script = """
from search_service import SEARCH_SQL
from tests.support import seeded_shop
for row in seeded_shop().shop.rows("EXPLAIN QUERY PLAN " + SEARCH_SQL, ("oak", "", "", 5), table="t"):
    print(row["detail"])
"""
    assert "USING COVERING INDEX product_terms_by_term" in run(trees[HEALTHY], "-c", script)


@pytest.fixture
def server(trees: dict[str, Path]) -> Iterator[str]:
    """The healthy service with the stand-ins it calls, on free ports."""
    starter = """
import pathlib, re, sys
from dev.gateway import Gateway, Recommender, serve
ports = [serve(service).server_port for service in (Gateway(), Recommender())]
path = pathlib.Path("config/default.yaml")
path.write_text(path.read_text().replace("9701", str(ports[0])).replace("9702", str(ports[1])))
import server
sys.argv = ["server.py", "--port", "0", "--seed"]
server.main()
"""
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": ""}
    command = [sys.executable, "-c", starter]
    with subprocess.Popen(
        command, cwd=trees[HEALTHY], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout
            yield process.stdout.readline().strip()
        finally:
            process.terminate()
            process.wait(20)


def labels_of(text: str) -> dict[str, set[str]]:
    """Sample names and their label names."""
    out: dict[str, set[str]] = {}
    for name, labels in re.findall(r"^(\w+)\{(.*?)\} ", text, re.MULTILINE):
        out.setdefault(name, set()).update(re.findall(r"(\w+)=", labels))
    return out


def bounds_of(text: str, name: str) -> set[str]:
    """The bucket bounds of one histogram."""
    return set(re.findall(rf'^{name}_bucket\{{.*le="([^"]+)"', text, re.MULTILINE))


def test_the_service_answers_and_measures_what_the_demo_holds(server: str, demo: Demo) -> None:
    with httpx.Client(base_url=server, timeout=20) as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        assert client.get("/api/search", params={"q": "steel kettle"}).json()["total"] > 0
        assert client.get("/api/products", params={"category": "garden"}).status_code == 200
        line = {"user": 7, "product": 12, "quantity": 1}
        assert client.put("/api/cart", json=line).json()["total_cents"] > 0
        paid = {"user": 7, "card_token": "flaky-1", "attempt_token": "t"}
        assert client.post("/api/checkout", json=paid).status_code == 201
        assert client.get("/api/orders", params={"user": 7}).json()["orders"][0]["status"] == "paid"
        assert client.get("/api/recommendations", params={"user": 7}).status_code == 200
        assert client.get("/api/users/7").json()["name"] == "Customer 7"
        assert client.get("/api/nothing").status_code == 404
        shown = client.get("/metrics").text
    last = f" {int(demo.built_at.timestamp()) // 60 * 60}\n"
    with demo.openmetrics.open(encoding="utf-8") as file:
        made = "".join(line for line in file if line.endswith(last) and not line.startswith("ALERTS"))
    assert labels_of(shown) == labels_of(made)
    for name in ("http_request_duration_seconds", "db_query_duration_seconds", "db_pool_wait_seconds"):
        assert bounds_of(shown, name) == bounds_of(made, name)
