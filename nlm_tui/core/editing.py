"""What a user does to the memory: each deed is checked, said in words, and appended to the log of actions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Protocol

from nlm_tui.core.actions import Action, ActionKind, SubjectType, marker_id, standing
from nlm_tui.core.corrections import Marker
from nlm_tui.core.describing import described, named
from nlm_tui.core.model import Session
from nlm_tui.core.ports import StoreError
from nlm_tui.core.query import MarkerKind
from nlm_tui.core.safe import one_line, storable, strip_control

LONGEST: Final = {"title": 200, "decision": 2_000, "question": 2_000, "answer": 2_000, "topic": 100, "note": 10_000}
"""Characters of what a user may write."""

_CALLED: Final[dict[MarkerKind, str]] = {"decision": "decision", "open": "question"}
_SUBJECTS: Final[dict[MarkerKind, SubjectType]] = {"decision": "decision", "open": "open_question"}
_ADD: Final[dict[MarkerKind, ActionKind]] = {"decision": "add_decision", "open": "add_open"}
_REVISE: Final[dict[MarkerKind, ActionKind]] = {"decision": "revise_decision", "open": "revise_open"}
_DISMISS: Final[dict[MarkerKind, ActionKind]] = {"decision": "dismiss_decision", "open": "dismiss_open"}


class EditRefusedError(Exception):
    """What was asked makes no sense, or cannot be; the text says why, to the user."""


@dataclass(frozen=True, slots=True)
class Edit:
    """What was done: the entry of the log, and what to say of it."""

    said: str
    action: Action


class ActionStore(Protocol):
    """A store that keeps the log, and applies it to what it holds."""

    def require_writable(self) -> None:
        """Raise `StoreError`, which says why, where nothing can be written."""
        ...

    def get_by_id(self, session_id: str) -> Session | None:
        """Return the session, or None."""
        ...

    def log(self) -> Sequence[Action]:
        """Return all actions, oldest first."""
        ...

    def markers(self, session_id: str) -> Sequence[Marker]:
        """Return the markers of a session, closed questions too."""
        ...

    def has_topic(self, name: str) -> bool:
        """Return whether any session has the topic."""
        ...

    def act(self, action: Action) -> None:
        """Append an action to the log and apply it, all of it or nothing."""
        ...


class EditService:
    """Edits one store. `now` is the time, `new_suffix` gives eight digits by chance, so that no two ids are the same.

    Markers are named by their ids. Each deed raises `EditRefusedError` where it makes no sense, and `StoreError` where
    the store fails.
    """

    def __init__(self, store: ActionStore, *, now: Callable[[], datetime], new_suffix: Callable[[], str]) -> None:
        self._store = store
        self._now = now
        self._new_suffix = new_suffix
        self._done: set[str] = set()

    def why_not(self) -> str:
        """Return why nothing can be edited here; '' where it can."""
        try:
            self._store.require_writable()
        except StoreError as error:
            return str(error)
        return ""

    def markers(self, session_id: str) -> tuple[tuple[str, Marker], ...]:
        """Return the markers of a session with their ids, closed questions too."""
        return tuple((marker.id(session_id), marker) for marker in self._store.markers(session_id))

    def retitle(self, session_id: str, title: str) -> Edit:
        """Give a session another label."""
        session, title = self._session(session_id), _line(title, "title")
        if title == session.label:
            raise EditRefusedError("it is called that already")
        return self._act("retitle", "session", session_id, to=title, original_text=session.label)

    def supersede(self, session_id: str, by: str) -> Edit:
        """Mark a session as superseded by a newer one."""
        self._two(session_id, by, "superseded")
        if by in self._session(session_id).superseded_by:
            raise EditRefusedError("it is superseded by that session already")
        if _reaches(self._store, by, session_id, lambda session: session.superseded_by):
            raise EditRefusedError("that session is itself superseded by this one")
        return self._act("supersede", "session", session_id, by=by)

    def continue_(self, newer: str, older: str) -> Edit:
        """Mark a session as the continuation of an older one."""
        self._two(newer, older, "continued")
        if older in self._session(newer).continues:
            raise EditRefusedError("it continues that session already")
        if _reaches(self._store, older, newer, lambda session: session.continues):
            raise EditRefusedError("that session itself continues this one")
        return self._act("continue", "session", older, by=newer)

    def hide(self, session_id: str) -> Edit:
        """Let a session be found nowhere, unless it is asked for."""
        if self._session(session_id).hidden:
            raise EditRefusedError("it is hidden already")
        return self._act("hide", "session", session_id)

    def unhide(self, session_id: str) -> Edit:
        """Let a session be found again that is hidden."""
        if not self._session(session_id).hidden:
            raise EditRefusedError("it is not hidden")
        return self._act("unhide", "session", session_id)

    def pin(self, session_id: str) -> Edit:
        """Pin a session."""
        if self._session(session_id).pinned:
            raise EditRefusedError("it is pinned already")
        return self._act("pin", "session", session_id)

    def unpin(self, session_id: str) -> Edit:
        """Let a session be as others that is pinned."""
        if not self._session(session_id).pinned:
            raise EditRefusedError("it is not pinned")
        return self._act("unpin", "session", session_id)

    def note(self, session_id: str, text: str) -> Edit:
        """Write a note on a session in place of the one that is there; an empty text takes it off."""
        session, text = self._session(session_id), storable(strip_control(text)).strip()
        if len(text) > LONGEST["note"]:
            raise EditRefusedError(f"a note holds at most {LONGEST['note']} characters, this one {len(text)}")
        if text == session.note:
            raise EditRefusedError("the note says that already" if text else "there is no note to take off")
        return self._act("note", "session", session_id, text=text)

    def add_marker(self, session_id: str, kind: MarkerKind, text: str) -> Edit:
        """Add a decision or an open question to a session."""
        self._session(session_id)
        text = _line(text, _CALLED[kind])
        self._require_new(session_id, kind, text)
        return self._act(_ADD[kind], "session", session_id, text=text)

    def revise(self, marker: str, text: str) -> Edit:
        """Give a marker another text."""
        session_id, found = self._marker(marker)
        text = _line(text, _CALLED[found.kind])
        if text == found.text:
            raise EditRefusedError("it reads so already")
        if text != found.first_text:
            self._require_new(session_id, found.kind, text)
        return self._act(_REVISE[found.kind], *_subject(found, marker), to=text, original_text=found.first_text)

    def dismiss(self, marker: str) -> Edit:
        """Take a marker out, since it is none."""
        _, found = self._marker(marker)
        return self._act(_DISMISS[found.kind], *_subject(found, marker))

    def resolve(self, marker: str) -> Edit:
        """Close an open question."""
        self._open_question(marker)
        return self._act("resolve_open", "open_question", marker)

    def promote(self, marker: str, resolution: str) -> Edit:
        """Close an open question by a decision."""
        session_id, found = self._open_question(marker)
        resolution = _line(resolution, "answer")
        self._require_new(session_id, "decision", resolution)
        return self._act("promote_open", "open_question", marker, resolution=resolution, original_text=found.first_text)

    def reopen(self, marker: str) -> Edit:
        """Open a question that is closed; a decision that it was answered by is none then."""
        _, found = self._marker(marker)
        if found.kind != "open" or found.state == "standing":
            raise EditRefusedError("this question is not closed")
        log = standing(self._log())
        for action in reversed(log):
            if action.subject_id == marker and action.kind == "reopen_open":
                break
            if action.subject_id == marker:
                _require_unchanged(action, log)
        return self._act("reopen_open", "open_question", marker)

    def rename_topic(self, name: str, to: str) -> Edit:
        """Call a topic by a name that none has."""
        to = _line(to, "topic")
        self._require_topic(name)
        if to == name:
            raise EditRefusedError("it is called that already")
        if self._store.has_topic(to):
            raise EditRefusedError(f"there is a topic {named(to)}: merge them instead")
        return self._act("rename_entity", "entity", name, to=to)

    def merge_topics(self, name: str, into: str) -> Edit:
        """Let the sessions of a topic be those of another."""
        if name == into:
            raise EditRefusedError("a topic cannot be merged with itself")
        self._require_topic(name)
        self._require_topic(into)
        return self._act("merge_entity", "entity", name, into=into)

    def retire_topic(self, name: str) -> Edit:
        """Let a name be no topic any more."""
        self._require_topic(name)
        return self._act("retire_entity", "entity", name)

    def last(self) -> tuple[Action, bool] | None:
        """Return what `undo` takes back, the last action done here, else of all, and whether it was done here."""
        found = standing(self._log())
        own = [action for action in found if action.id in self._done]
        if own:
            return own[-1], True
        return (found[-1], False) if found else None

    def undo(self, action_id: str | None = None) -> Edit:
        """Take back an action; without one, the `last` that still has an effect."""
        standing_ones = standing(self._log())
        if action_id is None:
            if (last := self.last()) is None:
                raise EditRefusedError("there is nothing to undo")
            action_id = last[0].id
        found = next((action for action in standing_ones if action.id == action_id), None)
        if found is None:
            raise EditRefusedError("this was undone already, or never done")
        _require_unchanged(found, standing_ones)
        undone = {"undone_kind": found.kind, "undone_subject": f"{found.subject_type}:{found.subject_id}"}
        edit = self._act("undo", "action", found.id, **undone)
        return Edit(f"undone: {described(found, self._label)}", edit.action)

    def _act(self, kind: ActionKind, subject_type: SubjectType, subject_id: str, **payload: str) -> Edit:
        at = self._moment()
        text = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        action_id = f"act_{text.replace(':', '-').replace('.', '-')}_{self._new_suffix()}"
        action = Action(action_id, text, kind, subject_type, subject_id, payload)
        self._store.act(action)
        self._done.add(action.id)
        return Edit(described(action, self._label), action)

    def _log(self) -> Sequence[Action]:
        """Return the log of a store that can be edited."""
        self._require_editable()
        return self._store.log()

    def _require_editable(self) -> None:
        if reason := self.why_not():
            raise EditRefusedError(reason)

    def _moment(self) -> datetime:
        """Return the time, or the moment after the last action where the clock does not show that it has passed."""
        after = (moment for action in reversed(self._log()) if (moment := _after(action)) is not None)
        return max(self._now().astimezone(UTC), next(after, datetime.min.replace(tzinfo=UTC)))

    def _label(self, session_id: str) -> str:
        """Return the title of a session; its id where it is gone or has none."""
        session = self._store.get_by_id(session_id)
        return session.label if session and session.label else session_id

    def _session(self, session_id: str) -> Session:
        self._require_editable()
        session = self._store.get_by_id(session_id)
        if session is None:
            raise EditRefusedError(f"there is no session {one_line(session_id)}")
        return session

    def _two(self, session_id: str, other: str, done: str) -> None:
        if session_id == other:
            raise EditRefusedError(f"a session cannot be {done} by itself")
        self._session(session_id)
        self._session(other)

    def _marker(self, marker: str) -> tuple[str, Marker]:
        for ending in ("::dec::", "::"):
            session_id = marker.rpartition(ending)[0]
            for found in self._store.markers(session_id) if session_id else ():
                if found.id(session_id) == marker:
                    return session_id, found
        raise EditRefusedError("this decision or question is gone")

    def _open_question(self, marker: str) -> tuple[str, Marker]:
        session_id, found = self._marker(marker)
        if found.kind != "open":
            raise EditRefusedError("only a question can be closed")
        if found.state != "standing":
            raise EditRefusedError("this question is closed already")
        return session_id, found

    def _require_new(self, session_id: str, kind: MarkerKind, text: str) -> None:
        for marker in self._store.markers(session_id):
            if marker.kind != kind:
                continue
            if marker.text == text:
                raise EditRefusedError(f"this session has that {_CALLED[kind]} already")
            if marker.first_text == text:
                raise EditRefusedError(f"a {_CALLED[kind]} of this session read so before it was revised: undo that")

    def _require_topic(self, name: str) -> None:
        if not self._store.has_topic(name):
            raise EditRefusedError(f"there is no topic {named(name)}")


def _reaches(store: ActionStore, start: str, goal: str, following: Callable[[Session], Sequence[str]]) -> bool:
    """Return whether links lead from one session to another."""
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        session_id = ahead.pop()
        if session_id == goal:
            return True
        session = None if session_id in seen else store.get_by_id(session_id)
        if session is not None:
            ahead += following(session)
        seen.add(session_id)
    return False


def _subject(found: Marker, marker: str) -> tuple[SubjectType, str]:
    return _SUBJECTS[found.kind], marker


def _after(action: Action) -> datetime | None:
    """Return the moment after an action; None where its time is none."""
    try:
        at = datetime.fromisoformat(action.at)
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC) + timedelta(milliseconds=1)
    except (ValueError, OverflowError):
        return None


def _require_unchanged(action: Action, log: Sequence[Action]) -> None:
    """Refuse to go on where the marker that an action brought in was changed later in the log."""
    made = _made_marker(action)
    if made and any(later.subject_id == made and later.id > action.id for later in log):
        raise EditRefusedError("what it added was changed since: undo that first")


def _made_marker(action: Action) -> str:
    """Return the id of the marker that an action brought in; '' for most."""
    match action.kind:
        case "add_decision":
            return marker_id("decision", action.subject_id, action.payload.get("text", ""))
        case "add_open":
            return marker_id("open", action.subject_id, action.payload.get("text", ""))
        case "promote_open":
            session_id = action.subject_id.rpartition("::")[0]
            return marker_id("decision", session_id, action.payload.get("resolution", ""))
        case _:
            return ""


def _line(text: str, called: str) -> str:
    """Return what a user wrote as one line."""
    line = storable(one_line(text))
    if not line:
        raise EditRefusedError(f"write the {called} first")
    if len(line) > LONGEST[called]:
        raise EditRefusedError(f"the {called} has {len(line)} characters, at most {LONGEST[called]} are kept")
    return line
