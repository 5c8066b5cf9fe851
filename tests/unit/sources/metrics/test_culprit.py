"""Which value of a label explains a change."""

import numpy as np
import pytest

from workers.sources.metrics.culprit import Breakdown, Part, best_breakdown, excess, score_of, with_share
from workers.sources.metrics.onset import Change
from workers.sources.metrics.series_statistics import Reading

AT = 1_795_240_000.0


def part(value, size=0.0, at=AT, direction="rose"):
    change = None
    if size:
        change = Change(at, at - 60, direction, 0.9, 1.0, 1.0 + size)
    reading = Reading(1.0, "", 1.0 + size, 100 * size, 1.0 + size, at, direction if size else "steady", change, 100)
    return Part(value, reading, score_of(reading))


WHOLE = Change(AT, AT - 60, "rose", 0.9, 1.0, 2.0)


def share(parts, whole=WHOLE, worse="up"):
    return with_share(Breakdown("endpoint", tuple(parts), 0.0), whole, worse)


def test_the_share_is_of_all_that_moved_the_same_way():
    found = share([part("/a", 6.0), part("/b", 2.0), part("/c")])
    assert found.parts[0].value == "/a"
    assert found.share == pytest.approx(0.75)
    assert found.explains


def test_when_all_move_alike_nobody_is_to_blame():
    assert not share([part(f"/{i}", 2.0) for i in range(4)]).explains


def test_what_moved_the_other_way_or_at_another_time_explains_nothing():
    assert share([part("/a", 6.0, direction="fell"), part("/b")]).share == 0
    assert share([part("/a", 6.0, at=AT - 20_000), part("/b")]).share == 0


def test_a_quiet_whole_may_hide_a_part_that_got_worse():
    assert share([part("/a", 6.0), part("/b")], whole=None).explains
    assert not share([part("/a", 6.0), part("/b")], whole=None, worse="down").explains


def test_the_breakdown_that_explains_most_is_taken_else_the_first():
    some = share([part("/a", 6.0), part("/b", 4.0)])
    most = share([part("/a", 6.0), part("/b")])
    none = share([part("/a"), part("/b")])
    assert best_breakdown([some, most, none]) is most
    assert best_breakdown([none, some]) is some
    assert best_breakdown([none]) is none
    assert best_breakdown([]) is None


def test_excess_is_seen_in_both_directions():
    before = np.ones(50)
    assert excess(before, np.full(50, 3.0)) > excess(before, np.full(50, 1.2)) > excess(before, before)
    assert excess(before, np.full(50, 0.1)) > 0.5
    assert excess(before, np.full(50, np.nan)) < 0
