"""The full-text index over a store of another program: like the one of our own stores, made and kept in memory."""

import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from threading import Event, Lock, Thread, current_thread

import orjson

from nlm_tui.core import (
    INDEXED_FIELDS,
    SearchInterruptedError,
    Session,
    StoreError,
    index_parts,
    indexed_texts,
    project_words,
)
from nlm_tui.core.parts import GAP
from nlm_tui.storage.foreign import ForeignConnection
from nlm_tui.storage.index import OURS, Index
from nlm_tui.storage.rows import SessionColumns, read_sessions

_HEADS = tuple(field for field in INDEXED_FIELDS if not field.startswith("body"))
_SCHEMA = f"""
CREATE VIRTUAL TABLE main.sessions_fts USING fts5(
  {", ".join(INDEXED_FIELDS)}, content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2');
CREATE VIRTUAL TABLE main.sessions_heads USING fts5(
  {", ".join(_HEADS)}, content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='1 2 3');
CREATE VIRTUAL TABLE main.sessions_vocabulary USING fts5vocab('sessions_fts', 'row');
"""
_WEIGHTS = {"label": "10", "summary": "4", "body": "1"}
_BATCH = 32  # sessions that enter the index together
_BATCH_CHARACTERS = 400_000
_CHECKED = 128  # sessions that are compared with what the index holds of them together
_GLANCE_SECONDS = 0.01
_PAUSE_SECONDS = 0.001  # between batches, for those who wait for the connection
_MEASURED_SECONDS = 0.2  # after which it shows how long the rest will take


_Texts = dict[str, str | None]


class Overlay:
    """Fills the index in a thread of its own, and brings it up to date when the store has changed.

    A search waits only for what is done soon: `patience` seconds for sessions that are not in the index yet,
    `check_patience` for a look at those that are. Sessions that are new to a complete index are never missed; until it
    is complete, the index of the other program answers.
    """

    patience = 3.0
    check_patience = 0.25

    def __init__(self, connection: ForeignConnection, columns: SessionColumns) -> None:
        self._connection = connection
        self._columns = columns
        self._guard = Lock()
        self._state: object = None
        self._ids: dict[int, str] = {}  # of the rows in the index
        self._contents: dict[int, int] = {}  # hashes of what the index was made from
        self._unknown: list[int] = []  # rows to index, the next one last
        self._unchecked: list[int] = []  # rows in the index that may have changed, the next one last
        self._names: dict[str, list[str]] = {}
        self._worker: Thread | None = None
        self._began = 0.0  # when it did
        self._ahead = 0  # rows to index then
        self._finished = Event()
        self._closed = Event()
        connection.run(_SCHEMA)
        self._theirs = _other_index(connection)

    def reference(self) -> Index:
        """Return what the reference ranking looks into: the index of the other program, where it has one."""
        return self._theirs or self.current()

    def current(self) -> Index:
        """Return the index that answers now, after waiting for what is done soon.

        Raises:
            SearchInterruptedError: the search that asks was interrupted.
            StoreError: the store cannot be read.
        """
        self._look()
        began = time.monotonic()
        while self._is_at_work() and self._is_worth_waiting(time.monotonic() - began):
            self._connection.raise_if_stopped()
            self._finished.wait(_GLANCE_SECONDS)
        return self._theirs if self._unknown and self._theirs else OURS

    def complete(self) -> None:
        """Wait until the index holds all there is, however long that takes."""
        self._look()
        while self._is_at_work():
            self._finished.wait(_GLANCE_SECONDS)

    def close(self) -> None:
        """Stop the work."""
        self._closed.set()
        if self._worker:
            self._worker.join()

    def _look(self) -> None:
        """List what there is to do where the store has changed, and see to it that it is done."""
        with self._guard:
            state = self._connection.file_state()
            if state != self._state:
                self._list()
                self._state = state
            if self._is_at_work() or self._closed.is_set() or not (self._unknown or self._unchecked):
                return
            self._finished.clear()
            self._began, self._ahead = time.monotonic(), len(self._unknown)
            self._worker = Thread(target=self._work, name="nlm-tui-overlay", daemon=True)
            self._worker.start()

    def _list(self) -> None:
        rows: dict[int, str] = dict(self._connection.rows("SELECT rowid, id FROM sessions"))
        names: defaultdict[str, list[str]] = defaultdict(list)
        for name, canonical in self._connection.rows("SELECT variant, canonical FROM entity_variants ORDER BY variant"):
            names[canonical].append(name)
        self._forget([row for row, session_id in self._ids.items() if rows.get(row) != session_id])
        self._names = dict(names)
        self._unknown = sorted(rows.keys() - self._ids.keys())
        # What was not reached the last time comes first: a store that changes all the time is looked through as well.
        still, others = set(self._unchecked), self._ids.keys()
        self._unchecked = [*sorted(others - still), *sorted(still & others)]

    def _forget(self, rows: Collection[int]) -> None:
        if not rows:
            return
        values = [(row,) for row in rows]
        self._connection.write_beside(
            [(f"DELETE FROM main.{index} WHERE rowid = ?", values) for index in ("sessions_fts", "sessions_heads")]
        )
        for row in rows:
            del self._ids[row], self._contents[row]

    def _is_at_work(self) -> bool:
        return self._worker is not None and self._worker.is_alive() and not self._finished.is_set()

    def _is_worth_waiting(self, waited: float) -> bool:
        left = len(self._unknown)
        if not left:
            return waited < self.check_patience
        worked = time.monotonic() - self._began
        if worked < min(_MEASURED_SECONDS, self.patience):
            return True
        needed = worked * left / max(self._ahead - left, 1)
        return waited + needed < self.patience

    def _work(self) -> None:
        """Do all there is to do; an interrupt is meant for somebody else's search."""
        with suppress(Exception):  # a search that meets the same reports it, all others go on
            while not self._closed.is_set():
                with suppress(SearchInterruptedError):
                    if not self._advance():
                        return
                self._closed.wait(_PAUSE_SECONDS)
        with self._guard:
            if self._worker is current_thread():
                self._finished.set()

    def _advance(self) -> bool:
        """Index or check a few sessions; return whether there was anything to do."""
        with self._guard:
            listed, most = (self._unknown, _BATCH) if self._unknown else (self._unchecked, _CHECKED)
            rows, names = listed[-most:], self._names
            if not rows:
                self._finished.set()  # before anybody lists more
                return False
        contents = self._look_into(rows, names)
        unlike = [row for row in rows if row in contents and self._contents.get(row) != contents[row]]
        changed = self._read(unlike[-_BATCH:])
        values = _made(changed, [row for row in reversed(unlike[-_BATCH:]) if row in changed], names)
        later = {*unlike[:-_BATCH], *changed} - {row for row, _ in values}
        rows = rows[max((place for place, row in enumerate(rows, 1) if row in later), default=0) :]
        with self._guard:
            self._forget([row for row in rows if row in self._ids and row not in contents])
            if values:
                self._connection.write_beside([_insertion(INDEXED_FIELDS, values), _insertion(_HEADS, values)])
            self._ids.update((row, changed[row].id) for row, _ in values)
            self._contents.update((row, contents[row]) for row, _ in values)
            if listed is self._unknown or listed is self._unchecked:  # else they were listed anew meanwhile
                del listed[-len(rows) :]
        return True

    def _look_into(self, rows: Sequence[int], names: dict[str, list[str]]) -> dict[int, int]:
        """Return hashes of all that these sessions are found by: this is quick, and most of them have not changed."""
        found = self._connection.rows(
            "SELECT s.rowid, s.names, s.id, s.label, s.summary, s.body, s.decisions, s.open_questions, "
            f"{self._columns.expressions['project']}, {self._columns.expressions['branch']} FROM sessions AS s "
            "WHERE s.rowid IN (SELECT value FROM json_each(?))",
            (orjson.dumps(rows).decode(),),
        )
        return {
            row: hash(
                (*texts, entities, *(name for entity in (entities or "").split(GAP) for name in names.get(entity, ())))
            )
            for row, entities, *texts in found
        }

    def _read(self, rows: Sequence[int]) -> dict[int, Session]:
        with self._connection.reading():
            found = self._connection.rows(
                f"SELECT s.rowid, {self._columns.select} FROM sessions AS s "
                "WHERE s.rowid IN (SELECT value FROM json_each(?))",
                (orjson.dumps(rows).decode(),),
            )
            sessions = read_sessions(self._connection, [values[1:] for values in found])
        return dict(zip((values[0] for values in found), sessions, strict=True))


def _made(
    sessions: Mapping[int, Session], rows: Sequence[int], names: dict[str, list[str]]
) -> list[tuple[int, _Texts]]:
    """Return what sessions are found by: of the first of `rows`, of as many as are made in a moment, but of one."""
    values: list[tuple[int, _Texts]] = []
    characters = 0
    for row in rows:
        characters += len(sessions[row].body)
        if values and characters > _BATCH_CHARACTERS:
            break
        values.append((row, _texts(sessions[row], names)))
    return values


def _names(session: Session, names: dict[str, list[str]]) -> tuple[str, ...]:
    """Return all that the session's entities and its project are called."""
    others = (name for entity in session.entities for name in names.get(entity, ()))
    listed = (*session.entities, *others, project_words(session.project), session.branch)
    return tuple(dict.fromkeys(name for name in listed if name))


def _texts(session: Session, names: dict[str, list[str]]) -> _Texts:
    """Return what a session is found by, as our own stores keep it."""
    return {
        "label": session.label,
        "summary": session.summary,
        "body": session.body,
        "decisions": indexed_texts(session.decisions),
        "open_questions": indexed_texts(session.open),
        "names": indexed_texts(_names(session, names)),
        "label_parts": index_parts(session.label),
        "summary_parts": index_parts(session.summary),
        "body_parts": index_parts(session.body),
    }


def _insertion(fields: Sequence[str], sessions: Sequence[tuple[int, _Texts]]) -> tuple[str, list[list[object]]]:
    index = "sessions_fts" if fields is INDEXED_FIELDS else "sessions_heads"
    marks = ", ".join("?" * (len(fields) + 1))
    return (
        f"INSERT OR REPLACE INTO main.{index} (rowid, {', '.join(fields)}) VALUES ({marks})",
        [[row, *(texts[field] for field in fields)] for row, texts in sessions],
    )


def _other_index(connection: ForeignConnection) -> Index | None:
    """Return the index of the other program, or None where it has none that can be read."""
    columns = [name for _, name, *_ in connection.rows("PRAGMA other.table_info(sessions_fts)")]
    if not _WEIGHTS.keys() <= set(columns):
        return None
    try:
        connection.rows("SELECT 1 FROM other.sessions_fts WHERE sessions_fts MATCH '{label summary body} : a' LIMIT 1")
    except StoreError:
        return None
    return Index("other.sessions_fts", extended=False, weights=", ".join(_WEIGHTS.get(name, "0") for name in columns))
