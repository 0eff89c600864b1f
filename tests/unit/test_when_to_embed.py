"""When sessions are embedded while agents write."""

import pytest

from nlm_tui.indexing import Lull


@pytest.fixture
def now() -> list[float]:
    return [100.0]


@pytest.fixture
def lull(now: list[float]) -> Lull:
    return Lull(lambda: now[0])


def test_after_a_rest_without_a_change(lull: Lull, now: list[float]) -> None:
    lull.changed()
    now[0] += 4
    assert not lull.is_due
    lull.changed()
    now[0] += 4
    assert not lull.is_due
    now[0] += 2
    assert lull.is_due
    lull.used()
    assert not lull.is_due


def test_an_agent_that_never_rests_does_not_put_it_off_for_good(lull: Lull, now: list[float]) -> None:
    waited = 0
    while not lull.is_due:
        lull.changed()
        now[0] += 2
        waited += 2
    assert 30 <= waited <= 60
    lull.used()
    lull.changed()
    now[0] += 4
    assert not lull.is_due


def test_what_is_there_at_the_beginning_needs_no_change(lull: Lull, now: list[float]) -> None:
    assert not lull.is_due
    now[0] += 6
    assert lull.is_due
