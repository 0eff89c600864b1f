"""Stores of OpenCode, built by tests."""

from transcript_stores import insert, json_text

T = 1767600000000
ROW = {"title": "Roses", "directory": "/garden", "time_created": T, "time_updated": T + 9}
USER = {"role": "user"}
ASSISTANT = {"role": "assistant", "modelID": "claude-sonnet-4-5", "agent": "build"}
SCHEMA = """
    CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, revert TEXT,
        time_created INTEGER, time_updated INTEGER, time_archived INTEGER);
    CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
    CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER,
        time_updated INTEGER, data TEXT);
    CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
    CREATE INDEX part_message_id_id_idx ON part (message_id, id);
    CREATE INDEX part_session_idx ON part (session_id);
"""
SCHEMA_2 = """
    CREATE TABLE session_v2 (id TEXT PRIMARY KEY, parent_id TEXT, fork_session_id TEXT, directory TEXT, title TEXT,
        revert TEXT, time_created INTEGER, time_updated INTEGER, time_archived INTEGER);
    CREATE TABLE session_message (id TEXT PRIMARY KEY, session_id TEXT, type TEXT, seq INTEGER, time_created INTEGER,
        time_updated INTEGER, data TEXT);
    CREATE UNIQUE INDEX session_message_session_seq_idx ON session_message (session_id, seq);
"""


def add_session(connection, native_id, *messages, **columns):
    """Add a session to the tables of 1.x; a message is its data and its parts."""
    row = ROW | {"id": native_id} | columns
    insert(connection, "session", row)
    for number, (data, *parts) in enumerate(messages):
        message = f"msg_{native_id}_{number:03}"
        time = {"time_created": T + number, "time_updated": T + number}
        stored = json_text({"time": {"created": T + number}} | data)
        insert(connection, "message", time | {"id": message, "session_id": native_id, "data": stored})
        for index, part in enumerate(parts):
            ids = {"id": f"prt_{native_id}_{number:03}_{index:03}", "message_id": message, "session_id": native_id}
            insert(connection, "part", time | ids | {"data": json_text(part)})


def add_session_2(connection, native_id, *rows, **columns):
    """Add a session to the tables of 2.x; a row is its type, its data and, maybe, its time."""
    row = ROW | {"id": native_id} | columns
    insert(connection, "session_v2", row)
    for seq, (kind, data, *time) in enumerate(rows):
        times = dict.fromkeys(("time_created", "time_updated"), time[0] if time else T + seq)
        own = {"id": f"msg_{native_id}_{seq}", "session_id": native_id, "type": kind, "seq": seq}
        insert(connection, "session_message", own | times | {"data": json_text(data)})


def said(text, **more):
    return {"type": "text", "text": text, **more}
