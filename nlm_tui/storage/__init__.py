"""The memory on SQLite: connection, migrations, keyword and vector search."""

from nlm_tui.storage.store import SqliteSessionStore

__all__ = ["SqliteSessionStore"]
