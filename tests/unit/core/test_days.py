"""Days as people name them, where the clocks change."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core.days import moment

NOW = datetime(2026, 5, 14, 10, 30, 15, 250, UTC)  # a Thursday
try:
    BERLIN = ZoneInfo("Europe/Berlin")
except ZoneInfoNotFoundError:
    pytest.skip("this system brings no time zones", allow_module_level=True)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


@pytest.fixture
def berlin_machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine that stands in Berlin."""
    if not hasattr(time, "tzset"):
        pytest.skip("this system has no way to set the zone of a process")
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-05-01", "2026-05-01"),
        ("2026-05", "2026-05-01"),
        ("2026", "2026-01-01"),
        ("2024-02-29", "2024-02-29"),
        ("2031-01-01", "2031-01-01"),
        ("today", "2026-05-14"),
        ("  ToDay ", "2026-05-14"),
        ("YESTERDAY", "2026-05-13"),
        ("0d", "2026-05-14"),
        ("1d", "2026-05-13"),
        ("7d", "2026-05-07"),
        ("30D", "2026-04-14"),
        ("2w", "2026-04-30"),
        ("3mo", "2026-02-14"),
        ("3m", "2026-02-14"),
        ("5m", "2025-12-14"),
        ("17mo", "2024-12-14"),
        ("1y", "2025-05-14"),
        ("thursday", "2026-05-14"),
        ("fri", "2026-05-08"),
        ("Wed", "2026-05-13"),
        ("thurs", "2026-05-14"),
        ("mon", "2026-05-11"),
        ("sunday", "2026-05-10"),
    ],
)
def test_a_day_is_its_first_moment(text: str, day: str) -> None:
    assert moment(text, NOW, UTC) == utc(day)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "soon",
        "1.5.2026",
        "20260501",
        "2026-5-1",
        "2026-13",
        "2026-02-30",
        "2025-02-29",
        "0000",
        "0000-01-01",
        "26",
        "last-week",
        "d",
        "-7d",
        "+7d",
        "7",
        "7 d",
        "7s",
        "7days",
        "1.5d",
        "７d",
        "mo",
        "m",
        "th",
        "mondays",
        "2026-05-01T25:00",
        "2026-05-01T10",
        "2026-W01-1",
        "999999999d",
        "99999999999d",
        "999999999w",
        "999999999mo",
        "999999999y",
        "3000y",
        "999999999h",
        f"{'9' * 5000}d",
        "\ud800",
        "2026-05-01\x00",
    ],
)
def test_what_names_no_day(text: str) -> None:
    assert moment(text, NOW, UTC) is None


@pytest.mark.parametrize(
    ("today", "text", "day"),
    [
        ("2026-03-31", "1mo", "2026-02-28"),
        ("2024-03-31", "1m", "2024-02-29"),
        ("2024-02-29", "1y", "2023-02-28"),
        ("2026-05-31", "1mo", "2026-04-30"),
        ("2026-01-31", "1mo", "2025-12-31"),
        ("2026-12-31", "12mo", "2025-12-31"),
    ],
)
def test_a_month_ends_with_its_last_day(today: str, text: str, day: str) -> None:
    assert moment(text, utc(today), UTC) == utc(day)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-05-01T10:00", "2026-05-01T08:00"),
        ("2026-05-01 10:00:30", "2026-05-01T08:00:30"),
        ("2026-05-01t10:00:30.5", "2026-05-01T08:00:30.500000"),
        ("2026-05-01T10:00Z", "2026-05-01T10:00"),
        ("2026-05-01T10:00+05:30", "2026-05-01T04:30"),
        ("2026-05-01T10:00-0800", "2026-05-01T18:00"),
        ("2026-01-01T10:00", "2026-01-01T09:00"),
    ],
)
def test_a_time_is_the_users_unless_it_says_its_zone(text: str, expected: str) -> None:
    assert moment(text, NOW, BERLIN) == utc(expected)


@pytest.mark.parametrize(
    ("now", "text", "zone", "expected"),
    [
        # The user's day, not that of Greenwich.
        ("2026-05-14T23:30", "today", "Europe/Berlin", "2026-05-14T22:00"),
        ("2026-05-14T02:00", "today", "America/New_York", "2026-05-13T04:00"),
        ("2026-05-14T12:00", "yesterday", "Pacific/Kiritimati", "2026-05-13T10:00"),
        # Days are not 24 hours: summer time begins on 29 March 2026, ends on 25 October.
        ("2026-03-30T10:00", "1d", "Europe/Berlin", "2026-03-28T23:00"),
        ("2026-03-30T10:00", "today", "Europe/Berlin", "2026-03-29T22:00"),
        ("2026-10-26T10:00", "7d", "Europe/Berlin", "2026-10-18T22:00"),
        ("2026-05-14T12:00", "2026-01-15", "Europe/Berlin", "2026-01-14T23:00"),
        # Midnight is skipped: the day begins at one.
        ("2018-11-05T12:00", "2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00"),
        # Midnight comes twice: the day begins with the first.
        ("2026-11-02T12:00", "2026-11-01", "America/Havana", "2026-11-01T04:00"),
        # A day that never was begins where it would have.
        ("2012-01-01T12:00", "2011-12-30", "Pacific/Apia", "2011-12-30T10:00"),
    ],
)
def test_days_are_civil_days_of_the_zone(now: str, text: str, zone: str, expected: str) -> None:
    assert moment(text, utc(now), ZoneInfo(zone)) == utc(expected)


def test_hours_are_counted_and_not_days() -> None:
    now = utc("2026-03-29T10:00")
    assert moment("12h", now, BERLIN) == utc("2026-03-28T22:00")
    assert moment("12h", now.astimezone(BERLIN), BERLIN) == utc("2026-03-28T22:00")


@pytest.mark.usefixtures("berlin_machine")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("today", "2026-05-13T22:00"),
        ("2026-01-15", "2026-01-14T23:00"),
        ("2026-05-01T10:00", "2026-05-01T08:00"),
        ("1969-07-20", "1969-07-19T23:00"),
    ],
)
def test_without_a_zone_it_is_the_machines(text: str, expected: str) -> None:
    assert moment(text, NOW) == utc(expected)


def test_where_the_system_knows_no_old_offset_it_is_the_present_one(monkeypatch: pytest.MonkeyPatch) -> None:
    class Windows(datetime):
        def astimezone(self, tz: tzinfo | None = None) -> datetime:
            if self.tzinfo is None and self.year < 1970:
                raise OSError(22, "Invalid argument")
            return super().astimezone(tz)

    monkeypatch.setattr("nlm_tui.core.days.datetime", Windows)
    now = NOW.astimezone()
    assert moment("1969-07-20", now) == utc("1969-07-20") - (now.utcoffset() or timedelta())


@given(
    st.text(max_size=12)
    | st.from_regex(r"[0-9]{1,12}(d|w|m|mo|y|h)", fullmatch=True)
    | st.from_regex(r"[0-9]{4}(-[0-9]{2}){0,2}(T[0-9]{2}:[0-9]{2}(Z|[+-][0-9]{2}:?[0-9]{2})?)?", fullmatch=True),
    st.datetimes(timezones=st.just(UTC)),
    st.sampled_from((None, UTC, BERLIN, timezone(timedelta(hours=14)), timezone(timedelta(hours=-12)))),
)
def test_no_text_raises(text: str, now: datetime, zone: tzinfo | None) -> None:
    found = moment(text, now, zone)
    assert found is None or found.tzinfo is UTC


@pytest.mark.parametrize("hours", [-12, 0, 14])
@pytest.mark.parametrize("text", ["0001", "0001-01-01", "9999", "9999-12-31", "9999-12-31T23:59", "0001-01-01T00:00Z"])
def test_the_ends_of_the_calendar(text: str, hours: int) -> None:
    found = moment(text, NOW, timezone(timedelta(hours=hours)))
    assert found is None or found.year in {1, 9998, 9999}
