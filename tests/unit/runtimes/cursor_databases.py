"""Databases as Cursor's editor leaves them, for tests."""

import json
import sqlite3
from contextlib import closing

TABLE = "(key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)"


def write_state(path, disk=None, items=None):
    """Put rows into a database of the editor; values that are no texts are written as JSON."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as database, database:
        for table, rows in (("cursorDiskKV", disk), ("ItemTable", items)):
            database.execute(f"CREATE TABLE IF NOT EXISTS {table} {TABLE}")
            for key, value in (rows or {}).items():
                text = value if value is None or isinstance(value, str | bytes) else json.dumps(value)
                database.execute(f"INSERT INTO {table} VALUES (?, ?)", (key, text))  # noqa: S608 - names of ours
    return path


def editor(home):
    return home / "User" / "globalStorage" / "state.vscdb"


def workspace(home, name="0a", folder=None, **items):
    path = home / "User" / "workspaceStorage" / name / "state.vscdb"
    write_state(path, items=items.pop("items", {}))
    if folder is not None:
        (path.parent / "workspace.json").write_text(json.dumps(folder), "utf-8")
    return path


def bubbles(session, *said, **more):
    """Return the rows of a session: `said` are its bubbles, of a user and of the agent in turn where they are texts."""
    rows = {}
    headers = []
    for number, bubble in enumerate(said):
        content = {"type": 1 + number % 2, "text": bubble} if isinstance(bubble, str) else bubble
        headers.append({"bubbleId": f"b{number}", "type": content.get("type")})
        rows[f"bubbleId:{session}:b{number}"] = content
    return rows | {f"composerData:{session}": {"fullConversationHeadersOnly": headers} | more}
