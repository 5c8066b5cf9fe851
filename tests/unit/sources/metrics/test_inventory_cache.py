"""What a server holds, while it is read slowly."""

import threading

import pytest

from workers.sources.metrics import inventory_cache
from workers.sources.metrics.inventory import Family, Inventory
from workers.sources.metrics.inventory_cache import EVERY_S, InventoryCache

NOW = 1_795_258_800.0
LONG_S = 20.0


def families(name):
    return {name: Family(name, "gauge", name)}


class Slow:
    """Readings by moment that end when they are let go."""

    def __init__(self):
        self.gates = {}
        self.read = []

    def __call__(self, backend, at):
        self.read.append(at)
        gate = self.gates.get(at)
        if gate is not None:
            assert gate.wait(LONG_S)
        return Inventory(families(f"of_{at:.0f}"))


@pytest.fixture
def slow(monkeypatch):
    made = Slow()
    monkeypatch.setattr(inventory_cache, "read_inventory", made)
    monkeypatch.setattr(inventory_cache, "PATIENCE_S", 0.0)
    return made


def test_while_a_moment_is_read_the_nearest_that_is_known_is_used(slow):
    held, past = InventoryCache(None), NOW - 12 * EVERY_S
    assert list(held.inventory(NOW)) == [f"of_{NOW:.0f}"]
    slow.gates[past] = threading.Event()
    assert list(held.inventory(past)) == list(held.inventory(past)) == [f"of_{NOW:.0f}"]
    reading = held.reading[int(past // EVERY_S)]
    slow.gates[past].set()
    reading.result(LONG_S)
    assert list(held.inventory(past)) == [f"of_{past:.0f}"]
    assert slow.read == [NOW, past]


def test_the_first_reading_is_waited_for_by_all(slow):
    held, found = InventoryCache(None), []
    slow.gates[NOW] = threading.Event()
    asking = [threading.Thread(target=lambda: found.append(list(held.inventory(NOW)))) for _ in range(3)]
    for thread in asking:
        thread.start()
    slow.gates[NOW].set()
    for thread in asking:
        thread.join(LONG_S)
    assert found == [[f"of_{NOW:.0f}"]] * 3
    assert slow.read == [NOW]


def test_a_reading_that_fails_is_tried_again(monkeypatch):
    def broken(backend, at):
        raise ValueError("broken")

    monkeypatch.setattr(inventory_cache, "read_inventory", broken)
    held = InventoryCache(None)
    with pytest.raises(ValueError, match="broken"):
        held.inventory(NOW)
    monkeypatch.setattr(inventory_cache, "read_inventory", Slow())
    assert list(held.inventory(NOW)) == [f"of_{NOW:.0f}"]
