"""Rate limits count by method, posts by channel, and say how long to wait."""

from slack_sandbox.rate_limits import POST, Rates


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_posts_have_a_burst_and_then_one_a_second_in_each_channel():
    clock = Clock()
    rates = Rates(clock=clock)
    assert [rates.take(POST, "C1") for _ in range(10)] == [0] * 10
    assert rates.take(POST, "C1") == 1
    assert rates.take(POST, "C2") == 0
    clock.now += 1.01
    assert rates.take(POST, "C1") == 0
    assert rates.take(POST, "C1") == 1


def test_a_method_has_its_tier():
    clock = Clock()
    rates = Rates(clock=clock)
    assert [rates.take("pins.add") for _ in range(20)] == [0] * 20
    assert rates.take("pins.add") == 3
    clock.now += 3.01
    assert rates.take("pins.add") == 0
    assert rates.take("reactions.add") == 0


def test_limits_can_be_lifted():
    rates = Rates(clock=Clock())
    rates.per_minute["pins.add"] = None
    rates.post_per_second = None
    assert not any(rates.take(method, "C1") for method in ("pins.add", POST) for _ in range(1000))


def test_a_method_without_a_tier_is_not_limited():
    rates = Rates(clock=Clock())
    assert not any(rates.take("auth.test") for _ in range(1000))
