"""Stores to be read, built by tests, and what is read from them in short."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from hypothesis import strategies as st
from transcript_fixtures import read_all

VALUES = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.floats(), st.text(), st.binary())
"""Whatever a column of a database may hold."""


def put(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")


def database(path: Path, schema: str):
    """Return a new database with these tables, open; it closes as a context."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.executescript(schema)
    return closing(connection)


def insert(connection, table, row):
    marks = ", ".join("?" * len(row))
    connection.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", tuple(row.values()))  # noqa: S608


def clean(value):
    """Return a value that SQLite takes; half a surrogate pair it does not."""
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def only(reader):
    ((_, transcript),) = read_all(reader).items()
    return transcript


def by_id(reader):
    return {native_id: transcript for (_, native_id), transcript in read_all(reader).items()}


def told(transcript):
    return [(message.role, message.text) for message in transcript.messages]


def json_text(value):
    return value if isinstance(value, str) else json.dumps(value)
