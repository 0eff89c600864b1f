"""`SqliteSessionStore`: the memory in one SQLite file."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from glob import escape
from pathlib import Path
from types import TracebackType
from typing import Self

import orjson

from nlm_tui.core import (
    BEST,
    EmbedderUnavailable,
    EmbeddingModel,
    FilterName,
    FilterValue,
    KeywordNeighbor,
    Page,
    Ranking,
    Recipe,
    SemanticNeighbor,
    Session,
    SessionFilter,
    StoreError,
    storable,
)
from nlm_tui.storage import forgetting, writing
from nlm_tui.storage.actions import Corrections
from nlm_tui.storage.browsing import Browsing
from nlm_tui.storage.connection import Connection, can_write, open_readonly, open_writable
from nlm_tui.storage.extractions import Extractions
from nlm_tui.storage.filters import Condition, Filters
from nlm_tui.storage.foreign import ForeignConnection, is_foreign
from nlm_tui.storage.foreign_vectors import ForeignVectors
from nlm_tui.storage.index import OURS
from nlm_tui.storage.migrations import migrate, migrations_folder, read_migrations
from nlm_tui.storage.overlay import Overlay
from nlm_tui.storage.reference import reference_search
from nlm_tui.storage.rows import SessionColumns, read_sessions
from nlm_tui.storage.search import KeywordSearch, placed_words
from nlm_tui.storage.sources import SourceRecords
from nlm_tui.storage.vector_sets import SessionVectors
from nlm_tui.storage.vectors import VectorSearch

Sessions = list[Session]  # named here, since the class has a method `list`
_NAMED = 3  # sessions that are named where one was meant
STATUSES = ("active", "closed", "superseded")


class SqliteSessionStore(SourceRecords):
    """Sessions in a SQLite file, of ours or (read-only) of nlm-memory.

    One object is one connection: calls from several threads take turns, and `interrupt` stops the one that runs.
    """

    def __init__(self, connection: Connection) -> None:
        self.foreign = isinstance(connection, ForeignConnection)
        self.read_only = connection.read_only
        self._connection = connection
        self._columns = SessionColumns(connection)
        self._overlay: Overlay | None = None
        self._foreign_vectors: ForeignVectors | None = None
        if isinstance(connection, ForeignConnection):
            self._overlay = Overlay(connection, self._columns)
            self._foreign_vectors = ForeignVectors(connection)
        self._index = self._overlay.current if self._overlay else lambda: OURS
        self._filters = Filters(connection, self._columns, self._index)
        self._keyword = KeywordSearch(connection)
        self.browsing = Browsing(connection, self._columns, self._filters, self._index)
        self.vectors = SessionVectors(connection, self)
        self._vector_search = VectorSearch(connection)
        self.extractions = Extractions(connection, self)
        self.corrections = Corrections(connection, self._columns, self)

    @classmethod
    def open(cls, path: str | Path, *, migrations: Path | None = None) -> Self:
        """Open the store at `path`, creating and migrating it where needed.

        A store of nlm-memory is opened read-only and never changed; one of ours is only read where it cannot be
        written. `migrations` is a folder of SQL files; None means the ones that came with the program.

        Raises:
            StoreError: the file cannot be opened, is no store, was written by a newer version of this program, or
                cannot be written and needs to be.
        """
        path = Path(path)
        if is_foreign(path):
            return cls(ForeignConnection(path))
        connection = open_readonly(path) if path.exists() and not can_write(path) else open_writable(path)
        try:
            migrate(connection, read_migrations(migrations or migrations_folder()))
            return cls(connection)
        except BaseException:
            connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store; closing twice does nothing."""
        if self._overlay:
            self._overlay.close()
        self._connection.close()

    def searching(self) -> AbstractContextManager[None]:
        """One search of this thread, of several calls: an interrupt stops it also between two of them."""
        return self._connection.searching()

    def interrupt(self) -> None:
        """Stop the search that began last; it raises `SearchInterruptedError` in its thread."""
        self._connection.interrupt()

    def state(self) -> object:
        """Return a value that differs whenever this or another program may have changed the store."""
        return self._connection.state()

    def changes(self) -> object:
        """Return a value that differs whenever a user changed the store; what sessions are read does not count."""
        if self.foreign:
            return self.state()
        return self._connection.rows("SELECT (SELECT max(rowid) FROM actions), (SELECT count(*) FROM forgotten)")

    def list(self, limit: int | None = None, session_filter: SessionFilter | None = None, offset: int = 0) -> Sessions:
        """Return the newest sessions, newest first, after skipping `offset` of them."""
        passing = self._condition(session_filter)
        rows = self._connection.rows(
            f"SELECT {self._columns.select} FROM sessions AS s WHERE {passing.sql('s.rowid')} "
            "ORDER BY s.started_at DESC, s.id LIMIT ? OFFSET ?",
            (-1 if limit is None else limit, offset),
        )
        return read_sessions(self._connection, rows)

    def get_by_id(self, session_id: str) -> Session | None:
        """Return the session, or None."""
        return next(iter(self.get_by_ids([session_id])), None)

    def get_by_ids(self, session_ids: Sequence[str]) -> Sessions:
        """Return the sessions in the order of their ids; unknown ids are left out."""
        ids = [storable(session_id) for session_id in session_ids]
        rows = self._connection.rows(
            f"SELECT {self._columns.select} FROM sessions AS s WHERE s.id IN (SELECT value FROM json_each(?))",
            (orjson.dumps(ids).decode(),),
        )
        found = {session.id: session for session in read_sessions(self._connection, rows)}
        return [found[session_id] for session_id in ids if session_id in found]

    def ids_beginning_with(self, text: str, limit: int) -> Sequence[str]:
        """Return ids of sessions, in order, that begin with `text`, or whose id in their own runtime does."""
        if not text:
            return []
        first, last = storable(text), storable(text) + "\U0010ffff"
        native = self._columns.expressions["runtime_session_id"]
        rows = self._connection.rows(
            "SELECT id FROM sessions WHERE id BETWEEN ?1 AND ?2 "
            f"UNION SELECT s.id FROM sessions AS s WHERE {native} BETWEEN ?1 AND ?2 ORDER BY id LIMIT ?3",
            (first, last, limit),
        )
        return [session_id for (session_id,) in rows]

    def count(self, session_filter: SessionFilter | None = None) -> int:
        """Return how many sessions pass the filter."""
        ((total,),) = self._connection.rows(self._condition(session_filter).count_sql)
        return total

    def filter_values(self, name: FilterName) -> Sequence[FilterValue]:
        """Return the values of a filter that sessions have, the most frequent first; none for one with fixed values."""
        return self._filters.values(name)

    def keyword_search(  # noqa: PLR0913 - the last three are options, by name
        self,
        query: str,
        limit: int,
        session_filter: SessionFilter | None = None,
        *,
        typing: bool = False,
        ranking: Ranking = "best",
        recipe: Recipe | None = None,
    ) -> Page[KeywordNeighbor]:
        """Return the sessions that hold any word or quoted phrase of `query`, best first; no word finds nothing.

        With `typing` the last word counts as a beginning, until a blank follows it. A large store of nlm-memory is
        searched by the reference ranking until an index that holds all that the best one looks at is made.
        """
        index = self._overlay.reference() if self._overlay and ranking == "reference" else self._index()
        if ranking == "reference" or not index.extended:
            passing = self._filters.condition(session_filter, indexed=True)
            return reference_search(self._connection, query, limit, passing, typing=typing, index=index)
        session_filter, fields = placed_words(session_filter)
        passing = self._filters.condition(session_filter, indexed=True)
        return self._keyword.search(query, limit, passing, fields, recipe or BEST, typing=typing)

    def semantic_search(
        self,
        vector: Sequence[float],
        limit: int,
        session_filter: SessionFilter | None = None,
        *,
        model: EmbeddingModel | None = None,
    ) -> Page[SemanticNeighbor]:
        """Return the sessions whose vectors are nearest to a unit `vector`, nearest first, each by its best one.

        Only vectors of its size, and of `model`, are looked at; without a model those of the newest such set.

        Raises:
            EmbedderUnavailable: there are no such vectors of `model`, or vectors cannot be compared on this platform.
        """
        if self._foreign_vectors:
            return self._foreign_vectors.search(vector, limit, self._condition(session_filter), model)
        found = self.vectors.find_set(model, len(vector))
        if found is None and model is not None:
            raise EmbedderUnavailable(f"this memory has no vectors of {len(vector)} numbers by {model.name}")
        if found is None:
            return Page()
        return self._vector_search.search(vector, limit, self._condition(session_filter), found)

    def similar_search(
        self, session_ids: Sequence[str], limit: int, session_filter: SessionFilter | None = None
    ) -> Page[SemanticNeighbor]:
        """Return the sessions nearest to those with `session_ids`, which are left out, by their own vectors.

        The beginning of an id will do where it is the only one; what names no session is noted.

        Raises:
            EmbedderUnavailable: all that is named is no session, or is the beginning of several, or none has vectors.
        """
        whole, unknown = _whole_ids(self, session_ids)
        searches = self._foreign_vectors.search_similar if self._foreign_vectors else self._vector_search.similar
        found = searches(whole, limit, self._condition(session_filter))
        found.notes = tuple(unknown)
        return found

    @property
    def embedding_model(self) -> EmbeddingModel | None:
        """What made the vectors of a store of another program; None without vectors, and for a store of ours."""
        return self._foreign_vectors.model() if self._foreign_vectors else None

    # Writing

    def require_writable(self) -> None:
        """Refuse to go on where nothing can be written.

        Raises:
            StoreError: the store is only read.
        """
        if self.foreign:
            reason = "this store belongs to another program and is only read; choose a store of your own with --db"
        elif self.read_only:
            reason = "the store cannot be written; make it writable, or choose another with --db"
        else:
            return
        raise StoreError(f"{self._connection.path}: {reason}")

    def insert_sessions(self, *sessions: Session) -> None:
        """Insert sessions with markers and entities, or replace those of the same id, in one transaction."""
        self.require_writable()
        with self._connection.transaction():
            for session in writing.write_sessions(self._connection, sessions):
                self.vectors.follow(session)

    def update_status(self, session_id: str, status: str) -> bool:
        """Set a session's status; return whether there is such a session.

        Raises:
            ValueError: the status is unknown.
        """
        self.require_writable()
        if status not in STATUSES:
            raise ValueError(f"unknown status {status!r}: use one of {', '.join(STATUSES)}")
        return self.corrections.set_status(session_id, status)

    def forget(self, session_ids: Sequence[str]) -> int:
        """Delete sessions and their subagents for good, never to be read again; return how many there were.

        Raises:
            StoreError: the store cannot be written, or traces of them stay in its file; the text says why.
        """
        self.require_writable()
        gone = forgetting.forget(self._connection, session_ids, self.corrections.follow)
        if gone:
            forgetting.clean(self._connection)
        return len(gone)

    def copies(self) -> Sequence[Path]:
        """Return the copies that were made before the store was brought up to date: they hold what was forgotten."""
        path = self._connection.path
        return sorted(path.parent.glob(f"{escape(path.name)}.schema-*.backup*"))

    def batch(self) -> AbstractContextManager[None]:
        """One transaction: all that is written inside becomes visible at its end, or nothing."""
        self.require_writable()
        return self._connection.transaction()

    def _condition(self, session_filter: SessionFilter | None) -> Condition:
        return self._filters.condition(session_filter)


def _whole_ids(store: SqliteSessionStore, names: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the ids that `names` are, or are the only beginnings of, and why others are no session's.

    Raises:
        EmbedderUnavailable: all are no session's.
    """
    whole: list[str] = []
    unknown: list[str] = []
    for name in names:
        ids = [name] if store.get_by_id(name) else store.ids_beginning_with(name, _NAMED + 1)
        if len(ids) == 1:
            whole += ids
        else:
            unknown.append(_unknown(name, ids))
    if not whole:
        raise EmbedderUnavailable("; ".join(unknown))
    return whole, unknown


def _unknown(name: str, ids: Sequence[str]) -> str:
    """Return why `name` is no session's where it begins none or several `ids`."""
    several = f"{name} begins several ids: {', '.join(ids[:_NAMED])}{', ...' if len(ids) > _NAMED else ''}"
    return several if ids else f"no session {name}"
