import unittest

from cache import TTLCache
from metrics import Instruments


class CacheTest(unittest.TestCase):
    def setUp(self) -> None:
        self.now = 0.0
        self.instruments = Instruments("shop")
        self.cache: TTLCache[int] = TTLCache(10, 2, self.instruments, clock=lambda: self.now)

    def test_loads_once_within_its_time(self) -> None:
        loads = []
        for moment in (0.0, 9.9, 10.0):
            self.now = moment
            self.cache.get_or_load("a", lambda: loads.append(1) or 1)
        self.assertEqual(len(loads), 2)
        self.assertEqual(self.instruments.cache_requests.value("none", "hit"), 1)
        self.assertEqual(self.instruments.cache_requests.value("none", "miss"), 2)

    def test_the_least_recently_used_goes_first(self) -> None:
        for key in ("a", "b", "a", "c"):
            self.cache.get_or_load(key, lambda: 1)
        loads = []
        for key in ("a", "c", "b"):
            self.cache.get_or_load(key, lambda key=key: loads.append(key) or 1)
        self.assertEqual(loads, ["b"])


if __name__ == "__main__":
    unittest.main()
