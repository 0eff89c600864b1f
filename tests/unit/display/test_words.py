"""Times, names and numbers as people read them."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.display.words import (
    age,
    clock_time,
    counted,
    duration,
    home_path,
    moment,
    parse_time,
    project_name,
    short_runtime,
)

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
TOKYO = timezone(timedelta(hours=9))


@pytest.mark.parametrize(
    ("started_at", "shown"),
    [
        ("2026-06-01T12:00:00Z", "0m"),
        ("2026-06-01T11:00:01Z", "59m"),
        ("2026-06-01T11:00:00.000Z", "1h"),
        ("2026-06-01T13:00:00+09:00", "8h"),
        ("2026-05-31T12:00:00", "1d"),
        ("2026-05-18T12:00:01Z", "13d"),
        ("2026-05-18T12:00:00Z", "2w"),
        ("2026-03-23T12:00:01Z", "9w"),
        ("2026-03-23T12:00:00Z", "2mo"),
        ("2025-06-01", "12mo"),
        ("2027-01-01T00:00:00Z", "0m"),
        ("yesterday", "?"),
        ("", "?"),
    ],
)
def test_age_is_one_number_and_one_unit(started_at: str, shown: str) -> None:
    assert age(started_at, NOW) == shown


@given(st.text(st.characters()))
def test_a_time_that_is_none_is_taken_as_it_is(text: str) -> None:
    parse_time(text)
    age(text, NOW)
    clock_time(text, TOKYO)
    assert "\x1b" not in moment(text, TOKYO, now=NOW)


@pytest.mark.parametrize(
    ("text", "zone", "shown"),
    [
        ("2026-05-14T10:32:00.000Z", UTC, "14 May 10:32"),
        ("2026-05-14T20:32:00Z", TOKYO, "15 May 05:32"),
        ("2025-12-31T20:00:00Z", TOKYO, "1 Jan 05:00"),
        ("2025-12-31T20:00:00Z", UTC, "31 Dec 2025 20:00"),
        ("0001-01-01T00:00:00Z", timezone(timedelta(hours=-5)), "0001-01-01T00:00:00Z"),
        ("some\x1b[2J day", UTC, "some day"),
        (None, UTC, ""),
    ],
)
def test_a_moment_names_the_year_only_where_it_is_another(text: str | None, zone: timezone, shown: str) -> None:
    assert moment(text, zone, now=NOW) == shown


def test_clock_time() -> None:
    assert clock_time("2026-05-14T20:32:00Z", TOKYO) == "05:32"
    assert clock_time("9999-12-31T23:59:59Z", TOKYO) == ""
    assert clock_time(None, UTC) == clock_time("soon", UTC) == ""


@pytest.mark.parametrize(
    ("minutes", "shown"),
    [(None, ""), (0, "0 min"), (119, "119 min"), (120, "2 h 00"), (185, "3 h 05"), (6000, "100 h 00")],
)
def test_duration(minutes: int | None, shown: str) -> None:
    assert duration(minutes) == shown


@pytest.mark.parametrize(
    ("project", "name"),
    [("/home/sam/src/pay", "pay"), ("C:\\Users\\sam\\pay", "pay"), ("/", "/"), ("", ""), (None, ""), ("~/a b/", "a b")],
)
def test_a_project_is_its_last_folder(project: str | None, name: str) -> None:
    assert project_name(project) == name


@pytest.mark.parametrize(
    ("path", "home", "shown"),
    [
        ("/home/sam/src", "/home/sam", "~/src"),
        ("/home/sam", "/home/sam", "~"),
        ("/home/samuel", "/home/sam", "/home/samuel"),
        ("/srv", "/home/sam", "/srv"),
        ("/srv", "/", "/srv"),
        (None, "/home/sam", ""),
    ],
)
def test_the_home_folder_is_a_tilde(path: str | None, home: str, shown: str) -> None:
    assert home_path(path, Path(home)) == shown


def test_names_and_numbers() -> None:
    assert [short_runtime(name) for name in ("claude-code", "codex", "newer-one")] == ["claude", "codex", "newer-one"]
    assert counted(1, "session") == "1 session"
    assert counted(1204, "session") == "1,204 sessions"
    assert counted(0, "entity", "entities") == "0 entities"
