"""The sessions of Cursor's editor: a row that lists the bubbles of a session, and a row for each bubble.

These databases have many gigabytes, most of which is something else, so rows are only ever found by their keys. Rows
that are written again get a new number.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.runtimes.conversation import Conversation, epoch_ns
from nlm_tui.runtimes.cursor_bubbles import take_bubble
from nlm_tui.runtimes.cursor_store import item, loosely_parsed, moment, path_of, salted, told_in
from nlm_tui.runtimes.databases import Database, bounded
from nlm_tui.runtimes.jsonl import Record, as_dict, as_list, as_text

RUNTIME = "cursor"
COMPOSER = "composerData:"
LISTED = "composer.composerData"

_TABLE = "cursorDiskKV"
_EVERYWHERE = "composer.composerHeaders"
_UNNAMED = {"New Agent", "New Chat", "New Composer", "Untitled"}
LIST_SESSIONS = f"SELECT key, rowid FROM {_TABLE} WHERE key >= 'composerData:' AND key < 'composerData;'"
LIST_BUBBLES = f"SELECT count(*), max(rowid) FROM {_TABLE} WHERE key >= ? AND key < ?"
ORDER_BUBBLES = f"SELECT key FROM {_TABLE} WHERE key >= ? AND key < ? ORDER BY rowid"
GET_VALUE = f"SELECT {bounded('value')}, value IS NOT NULL FROM {_TABLE} WHERE key = ?"


@dataclass(frozen=True, slots=True)
class Header:
    """What is said of a session: the folder of its workspace, and when it changed, 0 where that is not said."""

    folder: str
    changed_ns: int


def session_id(native_id: str) -> str:
    """Return the id of a session that Cursor calls `native_id`."""
    return f"cursor_{one_line(native_id)}"


def title_of(name: object) -> str | None:
    """Return the title that a session was given, None where it has none yet."""
    title = one_line(as_text(name))
    return None if not title or title in _UNNAMED else title


def listed_headers(database: Database, folder: str) -> dict[str, Header]:
    """Return what the database of a workspace, or of all, says of sessions, by their ids."""
    headers: dict[str, Header] = {}
    for key in (LISTED, _EVERYWHERE):
        for listed in map(as_dict, as_list(item(database, key)[1].get("allComposers"))):
            if session := as_text(listed.get("composerId")):
                headers[session] = Header(_own_folder(listed) or folder, epoch_ns(moment(listed.get("lastUpdatedAt"))))
    return headers


def composer_parts(
    source: Source, database: Database, headers: Mapping[str, Header], seen: dict[tuple[str, int], Header | None]
) -> Iterator[Source]:
    """Yield the sessions in a database, without those in which nothing was said.

    `seen` is for what the rows of sessions say that are not listed, by key and number: looking into them is slow.
    """
    if "value" not in database.columns(_TABLE):
        return
    for key, revision in database.rows(LIST_SESSIONS):
        session = as_text(key).removeprefix(COMPOSER)
        ((bubbles, newest),) = database.rows(LIST_BUBBLES, _bubble_keys(session))
        header = headers.get(session)
        if not bubbles or not (header and header.changed_ns):
            if (key, revision) not in seen:
                seen[key, revision] = _own_header(as_dict(_value(database, key)))
            own = seen[key, revision]
            if not (own or bubbles):
                continue
            header = Header(header.folder if header else "", own.changed_ns if own else 0)
        salt = salted(f"{revision} {newest}", header.folder)
        yield Source(source.path, bubbles, header.changed_ns, salt, as_text(key), source.file)


def sessions_with_bubbles(database: Database) -> Iterator[str]:
    """Yield the ids of the sessions that a database has bubbles of."""
    if "value" in database.columns(_TABLE):
        for key, _ in database.rows(LIST_SESSIONS):
            session = as_text(key).removeprefix(COMPOSER)
            if any(count for count, _ in database.rows(LIST_BUBBLES, _bubble_keys(session))):
                yield session


def read_composer(database: Database, source: Source) -> Transcript:
    """Read a session with its bubbles, one by one.

    Raises:
        TranscriptError: the session cannot be read, and has no bubbles either.
    """
    session = source.part.removeprefix(COMPOSER)
    value = _value(database, source.part)
    composer = _Composer(as_dict(value), session, told_in(source.salt), bad_lines=int(not as_dict(value)))
    for bubble in _bubbles(database, session, composer.entry):
        composer.take(bubble)
    if composer.bad_lines and not composer.talk.messages:
        raise TranscriptError("its entry in the database is unreadable, and so are its messages")
    return composer.transcript()


def inline_parts(source: Source, database: Database, folder: str) -> Iterator[Source]:
    """Yield the sessions that stand whole in the list of a workspace's sessions."""
    revision, listed = item(database, LISTED)
    for composer in map(as_dict, as_list(listed.get("allComposers"))):
        session, bubbles = as_text(composer.get("composerId")), _inline(composer)
        if session and bubbles:
            salt, part = salted(revision, folder), f"{LISTED}:{session}"
            yield Source(source.path, len(bubbles), _changed_ns(composer), salt, part, source.file)


def is_stored(database: Database, part: str) -> bool:
    """Return whether a session of `inline_parts` has an entry of its own in another database."""
    if "value" not in database.columns(_TABLE):
        return False
    session = part.removeprefix(f"{LISTED}:")
    ((bubbles, _),) = database.rows(LIST_BUBBLES, _bubble_keys(session))
    return bool(bubbles or _inline(as_dict(_value(database, COMPOSER + session))))


def read_inline(database: Database, source: Source) -> Transcript | None:
    """Read a session that stands whole in the list of its workspace's sessions; None if it is not there any more."""
    session = source.part.removeprefix(f"{LISTED}:")
    for entry in map(as_dict, as_list(item(database, LISTED)[1].get("allComposers"))):
        if entry.get("composerId") == session:
            composer = _Composer(entry, session, told_in(source.salt))
            for bubble in _inline(entry).values():
                composer.take(bubble)
            return composer.transcript()
    return None


class _Composer:
    """The state of reading one session."""

    def __init__(self, entry: Record, session: str, folder: str, bad_lines: int = 0) -> None:
        self.entry = entry
        self.talk = Conversation()
        self.bad_lines = bad_lines
        self._session = session
        self._folder = folder
        self._model = ""

    def take(self, bubble: Record | None) -> None:
        """Take the next bubble, None for one that cannot be read."""
        if bubble is None:
            self.bad_lines += 1
            return
        take_bubble(self.talk, bubble)
        self._model = _model(bubble.get("modelInfo")) or self._model

    def transcript(self) -> Transcript:
        """Return what was said, once all bubbles are taken."""
        entry = self.entry
        for name in ("createdAt", "lastUpdatedAt"):
            self.talk.see_time(moment(entry.get(name)))
        native_id = storable(self._session)
        agent = as_dict(entry.get("subagentInfo"))
        parent = as_text(agent.get("parentComposerId")) or as_text(agent.get("parentAgentId"))
        branch = as_dict(entry.get("activeBranch")).get("branchName") or entry.get("createdOnBranch")
        return self.talk.complete(
            Transcript(
                session_id=session_id(native_id),
                runtime=RUNTIME,
                native_id=native_id,
                kind="cursor-sqlite",
                messages=(),
                title=title_of(entry.get("name")),
                project=strip_control(self._folder or _own_folder(entry)) or None,
                branch=strip_control(as_text(branch)) or None,
                model=_model(entry.get("modelConfig")) or self._model or None,
                parent_id=session_id(parent) if parent else None,
                is_subagent=bool(agent),
                agent_type=one_line(as_text(agent.get("subagentTypeName")) or as_text(agent.get("typeName"))) or None,
                archived=entry.get("isArchived") is True,
                bad_lines=self.bad_lines,
            )
        )


def _bubbles(database: Database, session: str, composer: Record) -> Iterator[Record | None]:
    """Yield the bubbles in their order, None for one that cannot be read; some are listed but gone."""
    inline = _inline(composer)
    headers = map(as_dict, as_list(composer.get("fullConversationHeadersOnly")))
    first, end = _bubble_keys(session)
    keys = [first + bubble for bubble in [as_text(header.get("bubbleId")) for header in headers] or inline]
    if not keys:
        keys = [as_text(key) for (key,) in database.rows(ORDER_BUBBLES, (first, end))]
    for key in keys:
        rows = [value for value, is_there in database.rows(GET_VALUE, (key,)) if is_there]
        if not rows:
            yield inline.get(key.removeprefix(first), {})
        elif rows[0] not in {"null", b"null"}:
            yield as_dict(loosely_parsed(rows[0])) or None


def _inline(composer: Record) -> dict[str, Record]:
    """Return the bubbles that stand in the entry of a session itself, by their ids, in order."""
    mapped = as_dict(composer.get("conversationMap"))
    bubbles = [as_dict(bubble) for bubble in (*as_list(composer.get("conversation")), *mapped.values())]
    return {as_text(bubble.get("bubbleId")) or str(number): bubble for number, bubble in enumerate(bubbles) if bubble}


def _bubble_keys(session: str) -> tuple[str, str]:
    """Return the key before all bubbles of a session, and one behind them."""
    return f"bubbleId:{session}:", f"bubbleId:{session};"


def _value(database: Database, key: str) -> object:
    return next((loosely_parsed(value) for value, _ in database.rows(GET_VALUE, (key,))), None)


def _own_header(composer: Record) -> Header | None:
    """Return what a session says of itself, None where it lists no bubbles."""
    is_used = _inline(composer) or as_list(composer.get("fullConversationHeadersOnly"))
    return Header(_own_folder(composer), _changed_ns(composer)) if is_used else None


def _changed_ns(listed: Record) -> int:
    return epoch_ns(moment(listed.get("lastUpdatedAt"))) or epoch_ns(moment(listed.get("createdAt")))


def _own_folder(listed: Record) -> str:
    """Return the folder that a session itself names, which newer ones do."""
    workspace = as_dict(listed.get("workspaceIdentifier"))
    uri = as_dict(workspace.get("uri"))
    return as_text(uri.get("fsPath")) or path_of(as_text(uri.get("path"))) or path_of(as_text(workspace.get("uri")))


def _model(named: object) -> str:
    model = one_line(as_text(as_dict(named).get("modelName")))
    return "" if model == "default" else model
