"""Sessions as users corrected them: what was read, with all standing actions applied."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Final, Literal, NamedTuple

from nlm_tui.core.actions import Action, marker_id, session_of
from nlm_tui.core.model import ClosedQuestion, Evidence, Session
from nlm_tui.core.query import MARKER_KINDS, MarkerKind

MarkerState = Literal["standing", "resolved", "promoted"]
TopicNames = Mapping[str, str | None]
LinkKind = Literal["supersedes", "continues"]

_LINKS: Final[Mapping[str, LinkKind]] = {"supersede": "supersedes", "continue": "continues"}
_FLAGS: Final[Mapping[str, tuple[Literal["hidden", "pinned"], bool]]] = {
    "hide": ("hidden", True),
    "unhide": ("hidden", False),
    "pin": ("pinned", True),
    "unpin": ("pinned", False),
}
_MARKER_KINDS: Final = frozenset(
    {
        "add_decision",
        "add_open",
        "revise_decision",
        "revise_open",
        "dismiss_decision",
        "dismiss_open",
        "resolve_open",
        "promote_open",
        "reopen_open",
    }
)
_NAMED_IN: Final[Mapping[str, str]] = {"rename_entity": "to", "merge_entity": "into"}


@dataclass(frozen=True, slots=True)
class Original:
    """What corrections may change of a session, as it was read."""

    label: str
    status: str
    decisions: tuple[str, ...]
    open: tuple[str, ...]
    entities: tuple[str, ...]
    evidence: Mapping[tuple[str, str], Evidence] = field(default_factory=dict[tuple[str, str], Evidence], hash=False)

    @classmethod
    def of(cls, session: Session) -> "Original":
        """Return what a session says now."""
        return cls(**{field.name: getattr(session, field.name) for field in fields(cls)})

    def put_into(self, session: Session) -> Session:
        """Return the session as it was read."""
        return replace(session, **{field.name: getattr(self, field.name) for field in fields(self)})


@dataclass(frozen=True, slots=True)
class Marker:
    """A decision or an open question. `first_text` is the one that brought it in: actions name it by that.

    `answer` is what a question was promoted with, `evidence` where the first text comes from.
    """

    kind: MarkerKind
    text: str
    first_text: str
    state: MarkerState = "standing"
    answer: str = ""
    evidence: Evidence | None = None

    def id(self, session_id: str) -> str:
        """Return the id that actions on it carry."""
        return marker_id(self.kind, session_id, self.first_text)


class HeldMarker(NamedTuple):
    """A decision or an open question as a session holds it, closed or not, and where it comes from."""

    kind: MarkerKind
    text: str
    state: MarkerState = "standing"
    answer: str = ""
    evidence: Evidence | None = None


@dataclass(frozen=True, slots=True)
class Corrected:
    """A session with all its corrections, its markers in order, and the newer sessions that it is linked to."""

    session: Session
    markers: tuple[Marker, ...]
    links: tuple[tuple[str, LinkKind], ...]


def corrected(as_read: Session, standing: Iterable[Action], topics: TopicNames | None = None) -> Corrected:
    """Return `as_read` with the `standing` actions applied in their order; what they say of others has no effect.

    `topics` says what topics are called now, if that is known already.
    """
    actions = tuple(standing)
    own = [action for action in actions if action.subject_type == "session" and action.subject_id == as_read.id]
    last = {action.kind: action for action in own}
    flags = {_FLAGS[action.kind][0]: _FLAGS[action.kind][1] for action in own if action.kind in _FLAGS}
    labels = [label for action in own if action.kind == "retitle" and (label := action.payload.get("to", ""))]
    markers = _markers(as_read, actions)
    links = tuple(sorted({link for action in own if (link := _link(action)) is not None}))
    superseded_by = tuple(newer for newer, kind in links if kind == "supersedes")
    session = replace(
        as_read,
        label=labels[-1] if labels else as_read.label,
        status="superseded" if superseded_by else as_read.status,
        entities=called(as_read.entities, topic_names(actions) if topics is None else topics),
        decisions=_standing(markers, "decision"),
        open=_standing(markers, "open"),
        closed=tuple(ClosedQuestion(marker.text, marker.answer) for marker in markers if marker.state != "standing"),
        evidence={(marker.kind, marker.text): marker.evidence for marker in markers if marker.evidence},
        hidden=flags.get("hidden", False),
        pinned=flags.get("pinned", False),
        note=last["note"].payload.get("text", "") if "note" in last else "",
        superseded_by=superseded_by,
        continues=_continued(as_read.id, actions),
    )
    return Corrected(session, markers, links)


def held_markers(session: Session) -> Iterator[HeldMarker]:
    """Yield the markers of a session: decisions, open questions, closed ones."""
    for text in session.decisions:
        yield HeldMarker("decision", text, evidence=session.evidence.get(("decision", text)))
    for text in session.open:
        yield HeldMarker("open", text, evidence=session.evidence.get(("open", text)))
    for text, answer in session.closed:
        state = "promoted" if answer else "resolved"
        yield HeldMarker("open", text, state, answer, session.evidence.get(("open", text)))


def topic_names(standing: Iterable[Action]) -> dict[str, str | None]:
    """Return what topics that were renamed, merged or retired are called now; None for those that are none any more.

    An action is about what bears its name at that moment. Where nothing does, it is about what was read by that name:
    so the last one about a topic counts, also of a program that goes on calling it as it was read.
    """
    names: dict[str, str | None] = {}
    for action in standing:
        if action.subject_type != "entity":
            continue
        old, new = action.subject_id, _new_name(action)
        if new in {"", old}:
            continue
        bearers = [name for name, now in names.items() if now == old]
        if old not in names or not bearers:
            bearers.append(old)
        for name in bearers:
            names[name] = new
    return names


def called(topics: Iterable[str], names: TopicNames) -> tuple[str, ...]:
    """Return `topics` by the names that they have now, each once."""
    now = (names.get(topic, topic) for topic in topics)
    return tuple(dict.fromkeys(topic for topic in now if topic is not None))


def _new_name(action: Action) -> str | None:
    """Return the name that a topic is given; None for no name any more, '' where that is not said."""
    if action.kind == "retire_entity":
        return None
    return action.payload.get(_NAMED_IN.get(action.kind, ""), "").strip()


def _link(action: Action) -> tuple[str, LinkKind] | None:
    kind, newer = _LINKS.get(action.kind), action.payload.get("by", "")
    return (newer, kind) if kind and newer not in {"", action.subject_id} else None


def _continued(session_id: str, actions: Iterable[Action]) -> tuple[str, ...]:
    """Return the sessions that this one continues."""
    links = ((action.subject_id, _link(action)) for action in actions if action.subject_type == "session")
    return tuple(sorted({older for older, link in links if link == (session_id, "continues")}))


def _standing(markers: Iterable[Marker], kind: MarkerKind) -> tuple[str, ...]:
    return tuple(marker.text for marker in markers if marker.kind == kind and marker.state == "standing")


def _markers(as_read: Session, actions: Iterable[Action]) -> tuple[Marker, ...]:
    """Return the markers, decisions first; where any were edited, of those that read alike the first."""
    edits = [action for action in actions if action.kind in _MARKER_KINDS and session_of(action) == as_read.id]
    if not edits:
        read: tuple[tuple[MarkerKind, Sequence[str]], ...] = (("decision", as_read.decisions), ("open", as_read.open))
        return tuple(_read_marker(as_read, kind, text) for kind, texts in read for text in texts)
    edited = _EditedMarkers(as_read)
    for action in edits:
        edited.apply(action)
    ordered = sorted(edited.by_id.values(), key=lambda marker: MARKER_KINDS.index(marker.kind))
    found: dict[tuple[MarkerKind, str], Marker] = {}
    for marker in ordered:
        found.setdefault((marker.kind, marker.text), marker)
    return tuple(found.values())


def _read_marker(as_read: Session, kind: MarkerKind, text: str) -> Marker:
    return Marker(kind, text, text, evidence=as_read.evidence.get((kind, text)))


class _EditedMarkers:
    """The markers of one session, by their ids, while actions are applied.

    What a user wrote is never lost: where the marker that it was about is gone since a session was read again, it is a
    marker of its own.
    """

    def __init__(self, as_read: Session) -> None:
        self._session_id = as_read.id
        self.by_id: dict[str, Marker] = {}
        self._answers: dict[str, str] = {}  # the decision that a question became
        for text in as_read.decisions:
            self._add(_read_marker(as_read, "decision", text))
        for text in as_read.open:
            self._add(_read_marker(as_read, "open", text))

    def apply(self, action: Action) -> None:
        """Apply one action, if it is about a marker of the session."""
        match action.kind:
            case "add_decision" | "add_open" if action.subject_id == self._session_id:
                self._add_text("decision" if action.kind == "add_decision" else "open", action.payload.get("text", ""))
            case "revise_decision" | "revise_open":
                self._revise("decision" if action.kind == "revise_decision" else "open", action)
            case "dismiss_decision" | "dismiss_open":
                self.by_id.pop(action.subject_id, None)
            case "resolve_open":
                marker = self.by_id.get(action.subject_id)
                if marker is not None:
                    self.by_id[action.subject_id] = replace(marker, state="resolved", answer="")
            case "promote_open":
                self._promote(action)
            case "reopen_open":
                self._reopen(action.subject_id)
            case _:
                pass

    def _revise(self, kind: MarkerKind, action: Action) -> None:
        text = action.payload.get("to", "")
        marker = self._marker_of(kind, action)
        if text and marker is not None:
            self.by_id[action.subject_id] = replace(marker, text=text)

    def _promote(self, action: Action) -> None:
        answer = action.payload.get("resolution", "")
        marker = self._marker_of("open", action)
        if answer and marker is not None:
            self.by_id[action.subject_id] = replace(marker, state="promoted", answer=answer)
            if made := self._add_text("decision", answer):
                self._answers[action.subject_id] = made

    def _reopen(self, question: str) -> None:
        marker = self.by_id.get(question)
        if marker is None:
            return
        self.by_id[question] = replace(marker, state="standing", answer="")
        answer = self._answers.pop(question, "")
        made = self.by_id.get(answer)
        if made is not None and made.text == made.first_text:
            del self.by_id[answer]

    def _marker_of(self, kind: MarkerKind, action: Action) -> Marker | None:
        """Return the marker that an action is about; one that is gone comes back as it is called in the action."""
        known = self.by_id.get(action.subject_id)
        if known is not None:
            return known
        text = action.payload.get("original_text", "")
        made = Marker(kind, text, text)
        return made if text and made.id(self._session_id) == action.subject_id else None

    def _add_text(self, kind: MarkerKind, text: str) -> str:
        """Add a marker and return its id; '' where there is one that reads so, or is called so."""
        if not text or any((marker.kind, marker.text) == (kind, text) for marker in self.by_id.values()):
            return ""
        return self._add(Marker(kind, text, text))

    def _add(self, marker: Marker) -> str:
        marker_id = marker.id(self._session_id)
        return marker_id if self.by_id.setdefault(marker_id, marker) is marker else ""
