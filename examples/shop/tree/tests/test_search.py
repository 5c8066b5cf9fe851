import time
import unittest

from catalog.products import Catalog
from search_service import SearchRequest, SearchService, words
from tests.support import ask, seeded_shop, test_settings


def request(text: str, category: str = "", page: int = 1) -> SearchRequest:
    return SearchRequest(text, category, page, 20, received_at=time.time())


class SearchTest(unittest.TestCase):
    def setUp(self) -> None:
        self.shop = seeded_shop()
        settings, instruments = test_settings(), self.shop.instruments
        catalog = Catalog(self.shop.shop, settings, instruments)
        self.search = SearchService(self.shop.shop, catalog, settings, instruments)

    def test_words(self) -> None:
        self.assertEqual(words("Steel kettle, 1.7 l"), ["steel", "kettle", "1", "7", "l"])

    def test_every_word_must_be_there(self) -> None:
        found = self.search.search(request("steel kettle"))["products"]
        self.assertTrue(found)
        self.assertTrue(all({"steel", "kettle"} <= set(words(p["name"])) for p in found))

    def test_category_narrows(self) -> None:
        everywhere = self.search.search(request("steel"))["total"]
        kitchen = self.search.search(request("steel", category="kitchen"))
        self.assertLess(kitchen["total"], everywhere)
        self.assertEqual({p["category"] for p in kitchen["products"]}, {"kitchen"})

    def test_pages_do_not_overlap(self) -> None:
        first = self.search.search(request("blue"))["products"]
        second = self.search.search(request("blue", page=2))["products"]
        self.assertEqual(len(first), 20)
        self.assertFalse({p["id"] for p in first} & {p["id"] for p in second})

    def test_the_same_request_is_looked_up_once(self) -> None:
        again = request("oak")
        self.assertEqual(self.search.search(again), self.search.search(again))
        self.assertEqual(self.shop.instruments.cache_requests.value("none", "hit"), 1)

    def test_nothing_found(self) -> None:
        self.assertEqual(self.search.search(request("zeppelin")), {"total": 0, "products": []})

    def test_bad_requests(self) -> None:
        self.assertEqual(ask(self.shop, "GET", "/api/search")[0], 400)
        self.assertEqual(ask(self.shop, "GET", "/api/search", "q=pan&page=x")[0], 400)


if __name__ == "__main__":
    unittest.main()
