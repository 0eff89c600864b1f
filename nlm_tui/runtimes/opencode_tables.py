"""The databases of OpenCode since 1.2: the tables of 1.x, and those of 2.x, which come to stand beside them."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter

from nlm_tui.ingest.ports import Transcript, TranscriptError
from nlm_tui.runtimes.conversation import epoch_ns
from nlm_tui.runtimes.databases import Database, bounded, parsed
from nlm_tui.runtimes.jsonl import Record, as_dict
from nlm_tui.runtimes.opencode_talk import Header, Talk
from nlm_tui.runtimes.session_lists import Listed

_COLUMNS = (
    *("parent_id", "fork_session_id", "directory", "title", "revert"),
    *("time_created", "time_updated", "time_archived"),
)
_MESSAGES = f"""
    SELECT m.id, {bounded("m.data")}, p.id, {bounded("p.data")}
    FROM message AS m LEFT JOIN part AS p ON p.message_id = m.id
    WHERE m.session_id = ? ORDER BY m.time_created, m.id, p.id
"""
_ROWS = f"SELECT id, type, time_created, {bounded('data')} FROM session_message WHERE session_id = ? ORDER BY seq"


@dataclass(frozen=True, slots=True)
class _Store:
    """The tables of one version."""

    sessions: str
    messages: str
    parts: str
    take: Callable[[Database, Talk, str], None]


def listed(database: Database) -> dict[str, Listed]:
    """Return the sessions of a database by their ids, each as the newest tables have it that hold messages of it.

    Raises:
        TranscriptError: it is none of OpenCode, or cannot be read.
    """
    stores = _stores(database)
    if not stores and database.has_tables():
        raise TranscriptError("no OpenCode session in it")
    found: dict[str, Listed] = {}
    for store in reversed(stores):
        updated = dict(database.rows(f"SELECT id, time_updated FROM {store.sessions}"))
        parts = _counted(database, store.parts) if store.parts else {}
        for session, (count, latest) in _counted(database, store.messages).items():
            if session in updated and isinstance(session, str):
                more, later = parts.get(session, (0, 0))
                found[session] = Listed(count + more, max(epoch_ns(updated[session]), latest, later))
    return found


def _counted(database: Database, table: str) -> dict[object, tuple[int, int]]:
    """Return of each session how many rows of a table are its, and when they were last written to."""
    written = "max(time_updated)" if "time_updated" in database.columns(table) else "0"
    rows = database.rows(f"SELECT session_id, count(*), {written} FROM {table} GROUP BY session_id")
    return {session: (count, epoch_ns(latest)) for session, count, latest in rows}


def read(database: Database, session: str) -> Transcript | None:
    """Read a session from the newest tables that hold messages of it; None if none do."""
    for store in _stores(database):
        for row in database.records(store.sessions, _COLUMNS, "WHERE id = ?", (session,)):
            talk = Talk(_header(session, row))
            store.take(database, talk, session)
            if talk.has_begun:
                return talk.transcript()
    return None


def _take_rows(database: Database, talk: Talk, session: str) -> None:
    for native_id, kind, created, data in database.rows(_ROWS, (session,)):
        talk.take_row(str(native_id), str(kind), created, parsed(data))


def _take_messages(database: Database, talk: Talk, session: str) -> None:
    for native_id, rows in groupby(database.rows(_MESSAGES, (session,)), key=itemgetter(0)):
        first = next(rows)
        parts = (parsed(data) for _, _, part, data in chain((first,), rows) if part is not None)
        talk.take_message(str(native_id), parsed(first[1]), parts)


_STORES = (
    _Store("session_v2", "session_message", "", _take_rows),
    _Store("session", "message", "part", _take_messages),
)


def _stores(database: Database) -> list[_Store]:
    """Return the tables that a database has, the newest first."""
    return [store for store in _STORES if database.columns(store.sessions) and database.columns(store.messages)]


def _header(session: str, row: Record) -> Header:
    return Header(
        native_id=session,
        kind="opencode-sqlite",
        title=row["title"],
        directory=row["directory"],
        parent=row["parent_id"],
        fork=row["fork_session_id"],
        revert=as_dict(parsed(row["revert"])),
        created=row["time_created"],
        updated=row["time_updated"],
        archived=bool(row["time_archived"]),
    )
