"""The schema, step by step: `NNN_name.sql` files, each applied once, in order, in its own transaction."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson

from nlm_tui.core import StoreError, index_parts, indexed_texts, project_words
from nlm_tui.storage.connection import Connection

APPLICATION_ID = 0x6E6C6D74  # "nlmt": tells our stores from those of other programs


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema."""

    version: int
    name: str
    sql: str


def migrations_folder() -> Path:
    """Return where the SQL files are: inside the installed package, or at the top of a source tree."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "migrations", package.parent / "migrations"):
        if folder.is_dir():
            return folder
    raise StoreError(f"{package}: the migrations are missing from this installation; install nlm-tui again")


def read_migrations(folder: Path) -> list[Migration]:
    """Return the migrations in `folder`, in the order of their versions."""
    found = [
        Migration(int(file.stem.partition("_")[0]), file.stem.partition("_")[2], file.read_text(encoding="utf-8"))
        for file in folder.glob("[0-9]*_*.sql")
    ]
    return sorted(found, key=lambda migration: migration.version)


def applied_versions(connection: Connection) -> set[int]:
    """Return the versions that a store of ours has."""
    if not connection.rows("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migrations'"):
        return set()
    return {version for (version,) in connection.rows("SELECT version FROM schema_migrations")}


def migrate(connection: Connection, migrations: Sequence[Migration]) -> None:
    """Bring a store of ours, or an empty file, to the newest schema; a store that holds sessions is backed up first.

    Raises:
        StoreError: the store was written by a newer version of this program, or needs a migration and is only read. It
            is left as it is.
    """
    applied = applied_versions(connection)
    newest = max(migration.version for migration in migrations)
    if any(version > newest for version in applied):
        raise StoreError(
            f"{connection.path}: written by a newer nlm-tui (schema {max(applied)}, this one knows {newest}); "
            "upgrade nlm-tui, or choose another store with --db"
        )
    missing = [migration for migration in migrations if migration.version not in applied]
    if not missing:
        return
    if connection.read_only:
        raise StoreError(
            f"{connection.path}: this version must open the store once where it can be written, to bring it up to date"
        )
    if applied:
        _back_up(connection, newest)
    else:
        connection.run("PRAGMA journal_mode = WAL")
    connection.add_function("index_parts", index_parts)
    connection.add_function("indexed_texts", lambda texts: indexed_texts(orjson.loads(texts)))
    connection.add_function("project_words", project_words)
    for migration in missing:
        _apply(connection, migration)


def _back_up(connection: Connection, newest: int) -> None:
    with connection.transaction():  # of several instances one makes the copy, before any brings the store up to date
        version = max(applied_versions(connection))
        if version < newest and connection.rows("SELECT 1 FROM sessions LIMIT 1"):
            connection.back_up(connection.path.with_name(f"{connection.path.name}.schema-{version}.backup"))


def _apply(connection: Connection, migration: Migration) -> None:
    with connection.transaction():
        # Another instance may have been faster while this one waited for the lock.
        if migration.version in applied_versions(connection):
            return
        connection.run(
            "CREATE TABLE IF NOT EXISTS schema_migrations ("
            "version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at TEXT NOT NULL DEFAULT (datetime('now')))"
        )
        connection.run(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.run(migration.sql)
        connection.run(
            "INSERT INTO schema_migrations (version, name) VALUES (?, ?)", (migration.version, migration.name)
        )
