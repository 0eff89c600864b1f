"""Days as people name them."""

import re
from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta, tzinfo

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_SHORTEST_WEEKDAY = 3
_SPAN = re.compile(r"([0-9]{1,9})(h|d|w|mo?|y)")
_ISO_DAY = re.compile(r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")
_ISO_TIME = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[t ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?(?:z|[+-][0-9]{2}:?[0-9]{2})?"
)


def moment(text: str, now: datetime, zone: tzinfo | None = None) -> datetime | None:
    """Return the moment that `text` names, in UTC; None if it names none.

    A day (`2026-05-01`, `2026-05`, `2026`, `7d`, `2w`, `3mo`, `3m`, `1y`, `today`, `yesterday`, `monday`, `mon`) is its
    first moment in `zone`, the machine's own if None, whatever the clocks did since; a weekday is the latest one up to
    today, and a month ends with its last day (`1mo` on 31 March is the end of February). `12h` counts back from `now`.
    A time (`2026-05-01T10:00`) may say its own zone.
    """
    text = text.strip().lower()
    try:
        if (span := _SPAN.fullmatch(text)) is not None and span[2] == "h":
            return now.astimezone(UTC) - timedelta(hours=int(span[1]))
        if _ISO_TIME.fullmatch(text) is not None:
            named = datetime.fromisoformat(text.upper())
            return _in_utc(named if named.tzinfo is not None else named.replace(tzinfo=zone), now)
        day = _day(text, now.astimezone(zone).date())
        return None if day is None else _in_utc(datetime.combine(day, time.min, zone), now)
    except (OverflowError, ValueError):  # no such day, or none that a calendar of four digits holds
        return None


def _day(text: str, today: date) -> date | None:
    if text in {"today", "yesterday"}:
        return today - timedelta(days=text == "yesterday")
    if (span := _SPAN.fullmatch(text)) is not None:
        return _before(today, int(span[1]), span[2])
    if (iso := _ISO_DAY.fullmatch(text)) is not None:
        return date(int(iso[1]), int(iso[2] or 1), int(iso[3] or 1))
    if len(text) >= _SHORTEST_WEEKDAY:
        for weekday, name in enumerate(_WEEKDAYS):
            if name.startswith(text):
                return today - timedelta(days=(today.weekday() - weekday) % 7)
    return None


def _before(today: date, count: int, unit: str) -> date:
    if unit in {"d", "w"}:
        return today - timedelta(days=count * (7 if unit == "w" else 1))
    year, month = divmod(today.year * 12 + today.month - 1 - count * (12 if unit == "y" else 1), 12)
    first = date(year, month + 1, 1)
    return first.replace(day=min(today.day, monthrange(first.year, first.month)[1]))


def _in_utc(named: datetime, now: datetime) -> datetime:
    """Return `named` in UTC. A naive one is the machine's, in the offset of `now` where the system knows no other."""
    try:
        return named.astimezone(UTC)
    except OSError:  # Windows, before 1970
        return (named - (now.astimezone().utcoffset() or timedelta())).replace(tzinfo=UTC)
