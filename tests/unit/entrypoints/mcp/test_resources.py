"""Texts of families as resources: every one is listed once, and read by its address."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.entrypoints.mcp.resources import PAGE, list_resources, list_templates
from workers.errors import ToolArgumentError
from workers.ports import ListedText


class Shelf:
    """So many texts of one kind. Implements `workers.ports.ServedTexts`."""

    title, description = "A text", "One of many."

    def __init__(self, name: str, count: int) -> None:
        self.name, self.scheme, self.template = name, f"{name}://", f"{name}://{{id}}"
        self.ids = [f"n {i}" for i in range(count)]

    def page(self, user: str, skip: int, most: int) -> tuple[Sequence[ListedText], int]:
        assert user == "T1/U1"
        return [ListedText(one, one.upper()) for one in self.ids[skip : skip + most]], len(self.ids)

    def read(self, user: str, text_id: str) -> str:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError


@given(counts=st.lists(st.sampled_from([0, 1, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE]), max_size=3))
def test_pages_together_are_all_texts_once(counts: list[int]) -> None:
    shelves = [Shelf(f"kind{i}", count) for i, count in enumerate(counts)]
    cursor, listed, pages = None, list[str](), 0
    while pages == 0 or cursor is not None:
        page, cursor = list_resources(shelves, "T1/U1", cursor)
        listed += [str(one.uri) for one in page]
        pages += 1
        assert len(page) == PAGE or cursor is None
    assert listed == [f"{shelf.scheme}n%20{i}" for shelf in shelves for i in range(len(shelf.ids))]
    assert pages == max(1, -(-sum(counts) // PAGE))


def test_templates_stand_in_the_order_of_their_names() -> None:
    templates = list_templates([Shelf("thread", 1), Shelf("note", 0)])
    assert [one.uri_template for one in templates] == ["note://{id}", "thread://{id}"]


@pytest.mark.parametrize("cursor", ["", "-1", "x", "1" * 8])
def test_a_page_that_is_none_is_refused(cursor: str) -> None:
    with pytest.raises(ToolArgumentError, match="there is no page"):
        list_resources([Shelf("note", 3)], "T1/U1", cursor)
