"""The stores of Cursor's agent: a database per session, of pieces named by their hashes.

A piece is a message in JSON or framed as a protocol buffer. The one at the root names the messages in their order.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nlm_tui.core import one_line
from nlm_tui.ingest.ports import TranscriptError
from nlm_tui.runtimes.cursor_composers import title_of
from nlm_tui.runtimes.cursor_store import path_of
from nlm_tui.runtimes.databases import Database, bounded, parsed, reading
from nlm_tui.runtimes.jsonl import Record, as_dict, as_text, parse_json

_META = f"SELECT {bounded('value')} FROM meta ORDER BY key"
_PIECE = f"SELECT {bounded('data')} FROM blobs WHERE id = ?"
_JSON_PIECES = f"SELECT {bounded('data')} FROM blobs WHERE substr(data, 1, 1) IN ('{{', x'7b') ORDER BY rowid"
_MESSAGE_FIELD, _FOLDER_FIELD = 1, 9  # of the root
_HASH = 32  # bytes
_LONGEST_FACTS = 1024 * 1024  # bytes


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a session beside what was said. Times are as the store has them."""

    title: str | None = None
    model: str | None = None
    folder: str = ""
    created: object = None
    updated: object = None
    parent: str = ""
    is_subagent: bool = False
    agent_type: str | None = None


def store_facts(path: Path) -> Facts:
    """Return what a store, and the file beside it, say of their session; what cannot be read they do not say."""
    beside = _facts_beside(path)
    folder, meta = as_text(beside.get("cwd")), Record()
    try:
        with reading(path) as database:
            meta = _meta(database)
            folder = folder or _root_folder(database, meta)
    except (TranscriptError, OSError):
        pass  # the conversation is worth more than its title, and stands elsewhere
    model = meta.get("lastUsedModel")
    named = as_dict(model)
    told = one_line(as_text(model) or as_text(named.get("model")) or as_text(named.get("id")))
    agent = as_dict(meta.get("subagentInfo"))
    return Facts(
        title=title_of(beside.get("title")) or title_of(meta.get("name")),
        model=told if told not in {"", "default"} else None,
        folder=folder,
        created=meta.get("createdAt") or beside.get("createdAtMs"),
        updated=beside.get("updatedAtMs"),
        parent=as_text(agent.get("parentAgentId")),
        is_subagent=bool(agent) or beside.get("isSubagent") is True,
        agent_type=one_line(as_text(agent.get("typeName"))) or None,
    )


def store_messages(path: Path) -> Iterator[Record]:
    """Yield the messages of a session: those that the root names, else all, as they were written.

    Raises:
        TranscriptError: the store cannot be read.
        OSError: it cannot be opened.
    """
    with reading(path) as database:
        is_named = False
        for field, value in _root(database, _meta(database)):
            if field == _MESSAGE_FIELD and len(value) == _HASH:
                for message in _messages(database, _PIECE, (value.hex(),)):
                    is_named = True
                    yield message
        if not is_named:
            yield from _messages(database, _JSON_PIECES, ())


def _messages(database: Database, sql: str, values: tuple[object, ...]) -> Iterator[Record]:
    for (data,) in database.rows(sql, values):
        message = as_dict(parsed(data))
        if "role" in message:
            yield message


def _meta(database: Database) -> Record:
    """Return what a store says of itself, as JSON in hexadecimal digits."""
    for (value,) in database.rows(_META):
        try:
            found = as_dict(parse_json(bytes.fromhex(as_text(value))))
        except ValueError:
            found = as_dict(parsed(value))
        if found:
            return found
    return {}


def _root(database: Database, meta: Record) -> Iterator[tuple[int, bytes]]:
    for (data,) in database.rows(_PIECE, (as_text(meta.get("latestRootBlobId")),)):
        if isinstance(data, bytes):
            yield from _fields(data)


def _root_folder(database: Database, meta: Record) -> str:
    values = [value for field, value in _root(database, meta) if field == _FOLDER_FIELD]
    return path_of(values[0].decode("utf-8", "replace")) if values else ""


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the texts and pieces in a protocol buffer with the numbers of their fields, as far as it is one."""
    at = 0
    while at < len(data):
        tag, at = _number(data, at)
        kind, length = tag & 7, 0
        if kind == 0:
            _, at = _number(data, at)
        elif kind in {1, 5}:
            length = 8 if kind == 1 else 4
        elif kind == 2:
            length, at = _number(data, at)
            if at + length <= len(data):
                yield tag >> 3, data[at : at + length]
        else:
            return
        at += length


def _number(data: bytes, at: int) -> tuple[int, int]:
    """Return the number that begins at a place, seven bits a byte, and the place behind it."""
    number = 0
    for shift in range(0, 64, 7):
        if at >= len(data):
            break
        number |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            break
    return number, at


def _facts_beside(path: Path) -> Record:
    try:
        with path.with_name("meta.json").open("rb") as file:
            return as_dict(parse_json(file.read(_LONGEST_FACTS)))
    except OSError:
        return {}
