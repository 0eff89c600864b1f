"""Hits over time in one line."""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

_BARS: Final = " ▁▂▃▄▅▆▇█"
_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_LEAST = 4  # bars; fewer tell nothing
_WEEK = 7


def histogram(days: Sequence[tuple[date, int]], width: int) -> str:
    """Return `Mar 2026 ▁▂▅█ Jun 2026`, in at most `width` cells; '' where there is nothing to show, or no room.

    A bar stands for a day, a week, a month, a quarter or a year, whichever is the first that fits.
    """
    days = [(day, count) for day, count in days if count > 0]
    if not days:
        return ""
    first, last = days[0][0], days[-1][0]
    left, right = _month(first), _month(last)
    room = width - len(left) - len(right) - 2
    if room < _LEAST:
        return ""
    starts = _starts(first, last, room)
    counts = [0] * len(starts)
    for day, count in days:
        counts[bisect_right(starts, day) - 1] += count
    most = max(counts)
    bars = "".join(_BARS[-(-count * (len(_BARS) - 1) // most)] for count in counts)
    return f"{left} {bars} {right}"


def _month(day: date) -> str:
    return f"{_MONTHS[day.month - 1]} {day.year}"


def _starts(first: date, last: date, room: int) -> list[date]:
    """Return the first day of each bar, from the one that holds `first` to the one that holds `last`."""
    span = (last - first).days
    for days, begin in ((1, first), (_WEEK, first - timedelta(days=min(first.weekday(), first.toordinal() - 1)))):
        if span // days + 2 <= room:
            return [begin + timedelta(days=step) for step in range(0, (last - begin).days + 1, days)]
    begin, end = first.year * 12 + first.month - 1, last.year * 12 + last.month - 1
    months = next((months for months in (1, 3, 12) if (end - begin) // months + 2 <= room), 0)
    months = months or -(-(end - begin + 1) // max(room - 1, 1))
    begin -= begin % months
    return [date(max(month // 12, 1), month % 12 + 1, 1) for month in range(begin, end + 1, months)]
