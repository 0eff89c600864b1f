"""Hits over time in one line."""

import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.ui.views.histogram import histogram

BARS = " ▁▂▃▄▅▆▇█"


def days(*counts: int, first: date = date(2026, 3, 1), step: int = 1) -> list[tuple[date, int]]:
    return [(first + timedelta(days=number * step), count) for number, count in enumerate(counts)]


def test_a_bar_for_each_day_where_there_is_room() -> None:
    assert histogram(days(1, 0, 4, 8), 40) == "Mar 2026 ▁ ▄█ Mar 2026"


def test_weeks_months_quarters_years_as_the_span_grows() -> None:
    first = date(2026, 1, 5)  # a Monday
    assert histogram([(first, 2), (first + timedelta(days=6), 2), (first + timedelta(days=50), 1)], 40) == (
        "Jan 2026 █      ▂ Feb 2026"
    )
    assert histogram([(date(2025, 1, 9), 1), (date(2026, 6, 1), 1)], 45) == "Jan 2025 █                █ Jun 2026"
    assert histogram([(date(2020, 2, 1), 1), (date(2026, 6, 1), 1)], 60) == f"Feb 2020 █{' ' * 24}█ Jun 2026"
    assert histogram([(date(1990, 2, 1), 1), (date(2026, 6, 1), 1)], 60) == f"Feb 1990 █{' ' * 35}█ Jun 2026"


@pytest.mark.parametrize("width", [0, 1, 10, 21])
def test_nothing_where_there_is_no_room(width) -> None:
    assert histogram(days(1, 2), width) == ""


def test_nothing_without_days() -> None:
    assert histogram([], 80) == ""
    assert histogram(days(0, 0), 80) == ""


@given(
    st.dictionaries(st.dates(), st.integers(1, 10_000), min_size=1, max_size=40).map(
        lambda found: sorted(found.items())
    ),
    st.integers(0, 200),
)
def test_it_fits_and_shows_first_and_last(found, width) -> None:
    line = histogram(found, width)
    assert len(line) <= width
    if line:
        bars = re.fullmatch(r"\w{3} \d+ (.+) \w{3} \d+", line)[1]
        assert len(bars) == 1 or (bars[0] != " " and bars[-1] != " ")
        assert set(bars) <= set(BARS)
        assert "█" in bars
