"""Uses of one definition, not of others that have its name."""

from __future__ import annotations

import pytest

from tests.support.git_repositories import make_repository
from workers.sources.code.index import CodeIndex
from workers.sources.code.symbol_uses import own_uses

FILES = {
    "cart/service.py": """class Basket:
    def get(self):
        return 1


def load_total(lines):
    return sum(lines)


print(load_total([]))
""",
    "orders/service.py": "def load_total(orders):\n    return len(orders)\n\n\nprint(load_total([1]))\n",
    "cart/views.py": "from cart.service import load_total\n\n\ndef view():\n    return load_total([2])\n",
    "orders/views.py": "from orders.service import load_total\n\n\ndef view_orders():\n    return load_total([3])\n",
    "web.py": """import cart.service as service
from cart.service import Basket

print(service.load_total([4]), Basket.get(None))
""",
    "loose.py": "def run(load_total):\n    return load_total([5]), {}.get(1), {}.get(2)\n",
    "only.py": "def reconcile_charges():\n    return 1\n",
    "job.py": "import only\n\nprint(only.reconcile_charges())\n",
    "go/a.go": "package a\n\nfunc Sum(x int) int {\n\treturn x\n}\n",
    "go/b.go": "package a\n\nfunc Twice() int {\n\treturn Sum(2)\n}\n",
    "gox/a.go": "package x\n\nfunc Sum(x int) int {\n\treturn x\n}\n\nvar y = Sum(1)\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> CodeIndex:
    place = tmp_path_factory.mktemp("uses")
    make_repository(place / "shop", FILES)
    return CodeIndex.build(place / "shop", place / "index")


def uses(index: CodeIndex, symbol: str, path: str) -> set[str]:
    hit = next(h for h in index.definitions(symbol) if h.path == path)
    return {place.partition(":")[0] for place in own_uses(index, hit, 20)}


def test_a_name_of_its_own_has_all_of_its_uses(index: CodeIndex) -> None:
    assert uses(index, "reconcile_charges", "only.py") == {"job.py"}


def test_a_shared_name_has_those_that_import_it_or_stand_in_its_file(index: CodeIndex) -> None:
    assert uses(index, "load_total", "cart/service.py") == {"cart/service.py", "cart/views.py", "web.py"}
    assert uses(index, "load_total", "orders/service.py") == {"orders/service.py", "orders/views.py"}


def test_a_method_with_an_everyday_name_has_those_behind_its_class(index: CodeIndex) -> None:
    assert uses(index, "Basket.get", "cart/service.py") == {"web.py"}


def test_files_of_a_package_see_each_other_without_an_import(index: CodeIndex) -> None:
    assert uses(index, "Sum", "go/a.go") == {"go/b.go"}
    assert uses(index, "Sum", "gox/a.go") == {"gox/a.go"}
