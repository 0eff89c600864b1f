from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import a_session

from nlm_tui.core import Session, StoreError
from nlm_tui.core.actions import Action, standing
from nlm_tui.core.corrections import Marker, corrected
from nlm_tui.core.editing import LONGEST, Edit, EditRefusedError, EditService
from nlm_tui.core.model import ClosedQuestion

NOW = datetime(2026, 11, 30, 9, 18, 5, 128_000, UTC)


class FakeStore:
    """Works out what each session says whenever it is asked."""

    def __init__(self, *sessions: Session, closed: str = "") -> None:
        self.as_read = {session.id: session for session in sessions}
        self.actions: list[Action] = []
        self.closed = closed

    def require_writable(self) -> None:
        if self.closed:
            raise StoreError(self.closed)

    def get_by_id(self, session_id: str) -> Session | None:
        as_read = self.as_read.get(session_id)
        return corrected(as_read, standing(self.actions)).session if as_read else None

    def log(self) -> Sequence[Action]:
        return sorted(self.actions, key=lambda action: action.id)

    def markers(self, session_id: str) -> Sequence[Marker]:
        as_read = self.as_read.get(session_id)
        return corrected(as_read, standing(self.actions)).markers if as_read else ()

    def has_topic(self, name: str) -> bool:
        return any(name in session.entities for id_ in self.as_read if (session := self.get_by_id(id_)) is not None)

    def act(self, action: Action) -> None:
        assert action.id not in {known.id for known in self.actions}
        self.actions.append(action)


def service(store: FakeStore, now: Callable[[], datetime] = lambda: NOW) -> EditService:
    numbers = count(0xCC7794A7, -1)  # ids of one moment sort backwards
    return EditService(store, now=now, new_suffix=lambda: f"{next(numbers):08x}")


@pytest.fixture
def store() -> FakeStore:
    return FakeStore(
        a_session("a", label="First", decisions=("use a queue",), open=("who reads it",), entities=("SQS", "pay")),
        a_session("b", label="Second", entities=("pay",)),
        a_session("c", label="Third", entities=("kafka",)),
    )


@pytest.fixture
def edits(store: FakeStore) -> EditService:
    return service(store)


def now(store: FakeStore, session_id: str = "a") -> Session:
    found = store.get_by_id(session_id)
    assert found is not None
    return found


def id_of(edits: EditService, text: str, session_id: str = "a") -> str:
    return next(name for name, marker in edits.markers(session_id) if marker.text == text)


def test_an_entry_of_the_log_is_as_other_programs_write_it(edits: EditService, store: FakeStore) -> None:
    edit = edits.retitle("a", "  Queue \n of the\x1b[31m worker ")
    assert edit == Edit("retitled to \u201cQueue of the worker\u201d", store.actions[0])
    assert store.actions[0] == Action(
        "act_2026-11-30T09-18-05-128Z_cc7794a7",
        "2026-11-30T09:18:05.128Z",
        "retitle",
        "session",
        "a",
        {"to": "Queue of the worker", "original_text": "First"},
    )
    undone = edits.undo()
    assert undone.said == "undone: retitled to \u201cQueue of the worker\u201d"
    assert undone.action.subject_type == "action"
    assert undone.action.subject_id == edit.action.id
    assert undone.action.payload == {"undone_kind": "retitle", "undone_subject": "session:a"}
    assert now(store).label == "First"


def test_ids_sort_in_order_whatever_the_clock_shows(store: FakeStore) -> None:
    times = iter((NOW, NOW, NOW - timedelta(hours=1), NOW + timedelta(hours=1)))
    edits = service(store, lambda: next(times))
    made = [edits.retitle("a", title).action for title in "wxyz"]
    assert sorted(made, key=lambda action: action.id) == made
    assert sorted(made, key=lambda action: action.at) == made
    assert now(store).label == "z"


def test_markers_are_edited(edits: EditService, store: FakeStore) -> None:
    edits.revise(id_of(edits, "use a queue"), "use two queues")
    edits.revise(id_of(edits, "use two queues"), "use three queues")
    edits.add_marker("a", "decision", "no cron")
    edits.add_marker("a", "open", "which region")
    edits.dismiss(id_of(edits, "which region"))
    edits.promote(id_of(edits, "who reads it"), "the on-call")
    edits.revise(id_of(edits, "the on-call"), "the night shift")
    assert now(store).decisions == ("use three queues", "no cron", "the night shift")
    assert now(store).closed == (ClosedQuestion("who reads it", "the on-call"),)
    assert now(store).open == ()


def test_a_question_is_opened_again(edits: EditService, store: FakeStore) -> None:
    question = id_of(edits, "who reads it")
    edits.resolve(question)
    assert edits.reopen(question).said == "question reopened"
    edits.promote(question, "the on-call")
    edits.revise(id_of(edits, "the on-call"), "nobody")
    with pytest.raises(EditRefusedError, match="changed since"):
        edits.reopen(question)
    edits.undo()
    edits.reopen(question)
    assert now(store).open == ("who reads it",)
    assert now(store).decisions == ("use a queue",)


def test_a_question_that_was_opened_again_is_answered_and_opened_once_more(
    edits: EditService, store: FakeStore
) -> None:
    question = id_of(edits, "who reads it")
    edits.promote(question, "the on-call")
    edits.reopen(question)
    edits.add_marker("a", "decision", "the on-call")
    edits.revise(id_of(edits, "the on-call"), "nobody")
    edits.resolve(question)
    edits.reopen(question)  # what its first answer brought in was taken away: another one was revised
    assert (now(store).open, now(store).decisions) == (("who reads it",), ("use a queue", "nobody"))


def test_what_was_revised_elsewhere_meanwhile_is_not_lost_with_the_answer(edits: EditService, store: FakeStore) -> None:
    question = id_of(edits, "who reads it")
    edits.promote(question, "the on-call")
    answer = id_of(edits, "the on-call")
    edits.reopen(question)
    revised = Action("act_2026-11-30T09-18-05-128Z_z", "", "revise_decision", "decision", answer, {"to": "nobody"})
    store.actions.append(revised)  # between the two
    assert (now(store).open, now(store).decisions) == (("who reads it",), ("use a queue", "nobody"))


def test_sessions_are_linked(edits: EditService, store: FakeStore) -> None:
    assert edits.supersede("a", "b").said == "superseded by \u201cSecond\u201d"
    assert edits.undo().said == "undone: superseded by \u201cSecond\u201d"
    edits.supersede("a", "b")
    assert edits.continue_("c", "b").said == "continued by \u201cThird\u201d"
    assert now(store).superseded_by == ("b",)
    assert now(store, "c").continues == ("b",)


def test_flags_are_set_and_taken_back(edits: EditService, store: FakeStore) -> None:
    edits.hide("a")
    edits.pin("a")
    assert edits.note("a", " one\ntwo\x07 ").said == "note written"
    assert (now(store).hidden, now(store).pinned, now(store).note) == (True, True, "one\ntwo␇")
    assert edits.unhide("a").said == "shown again"
    assert edits.unpin("a").said == "unpinned"
    assert edits.note("a", " ").said == "note taken off"
    assert now(store) == store.as_read["a"]


TOGGLES: dict[str, tuple[Callable[[EditService], Edit], Callable[[EditService], Edit]]] = {
    "pin": (lambda edits: edits.pin("a"), lambda edits: edits.unpin("a")),
    "hide": (lambda edits: edits.hide("a"), lambda edits: edits.unhide("a")),
    "resolve": (
        lambda edits: edits.resolve(id_of(edits, "who reads it")),
        lambda edits: edits.reopen(id_of(edits, "who reads it")),
    ),
    "answer": (
        lambda edits: edits.promote(id_of(edits, "who reads it"), "the on-call"),
        lambda edits: edits.reopen(id_of(edits, "who reads it")),
    ),
}


@pytest.mark.parametrize("name", TOGGLES)
def test_undo_takes_back_what_a_toggle_did_and_nothing_older(edits: EditService, store: FakeStore, name: str) -> None:
    on, off = TOGGLES[name]
    seen = [now(store)]
    deeds = (lambda edits: edits.retitle("a", "Another"), on, off, on, off)
    done: list[Edit] = []
    for deed in deeds:
        done.append(deed(edits))
        seen.append(now(store))
    for edit, before in zip(reversed(done), reversed(seen[:-1]), strict=True):
        assert edits.undo().said == f"undone: {edit.said}"
        assert now(store) == before
    on(edits)
    edits.undo()
    on(edits)
    off(edits)
    edits.undo()
    assert now(store) == replace(seen[2], label="First")


def test_what_two_programs_hid_at_once_is_shown_by_one_deed(edits: EditService, store: FakeStore) -> None:
    edits.hide("a")
    store.actions.append(Action("act_2027", "2027-01-01T00:00:00.000Z", "hide", "session", "a"))
    edits.unhide("a")
    assert not now(store).hidden


def test_topics_are_renamed_merged_retired(edits: EditService, store: FakeStore) -> None:
    edits.rename_topic("SQS", "Queue")
    edits.merge_topics("Queue", "pay")
    assert now(store).entities == ("pay",)
    assert edits.retire_topic("pay").said == "topic \u201cpay\u201d retired"
    assert (now(store).entities, now(store, "b").entities) == ((), ())


REFUSED: dict[str, Callable[[EditService], Edit]] = {
    "write the title first": lambda edits: edits.retitle("a", " \x1b[31m\n"),
    "the title has 201 characters, at most 200": lambda edits: edits.retitle("a", "x" * 201),
    "it is called that already": lambda edits: edits.retitle("a", "First"),
    "there is no session z": lambda edits: edits.retitle("z", "x"),
    "a session cannot be superseded by itself": lambda edits: edits.supersede("a", "a"),
    "there is no session y": lambda edits: edits.supersede("a", "y"),
    "superseded by that session already": lambda edits: edits.supersede("b", "c"),
    "itself superseded by this one": lambda edits: edits.supersede("c", "b"),
    "a session cannot be continued by itself": lambda edits: edits.continue_("a", "a"),
    "it continues that session already": lambda edits: edits.continue_("c", "b"),
    "itself continues this one": lambda edits: edits.continue_("b", "c"),
    "it is not hidden": lambda edits: edits.unhide("a"),
    "it is not pinned": lambda edits: edits.unpin("a"),
    "it is hidden already": lambda edits: edits.hide("c"),
    "it is pinned already": lambda edits: edits.pin("c"),
    "no note to take off": lambda edits: edits.note("a", ""),
    "says that already": lambda edits: edits.note("c", "n"),
    "a note holds at most": lambda edits: edits.note("a", "x" * (LONGEST["note"] + 1)),
    "has that decision already": lambda edits: edits.add_marker("a", "decision", "use a queue"),
    "read so before it was revised": lambda edits: edits.add_marker("b", "open", "old"),
    "has that decision already ": lambda edits: edits.promote(id_of(edits, "who reads it"), "use a queue"),
    "write the answer first": lambda edits: edits.promote(id_of(edits, "who reads it"), ""),
    "reads so already": lambda edits: edits.revise(id_of(edits, "who reads it"), "who reads it "),
    "is gone": lambda edits: edits.dismiss("a::dec::0123456789ab"),
    "is gone ": lambda edits: edits.resolve("nothing"),
    "only a question": lambda edits: edits.resolve(id_of(edits, "use a queue")),
    "closed already": lambda edits: edits.promote(id_of(edits, "shut", "b"), "x"),
    "this question is not closed": lambda edits: edits.reopen(id_of(edits, "who reads it")),
    "is called that already": lambda edits: edits.rename_topic("pay", "pay"),
    "no topic \u201cnone\u201d": lambda edits: edits.rename_topic("none", "x"),
    "merge them instead": lambda edits: edits.rename_topic("pay", "SQS"),
    "merged with itself": lambda edits: edits.merge_topics("pay", "pay"),
    "no topic \u201cnil\u201d": lambda edits: edits.merge_topics("pay", "nil"),
    "no topic \u201cx\u201d": lambda edits: edits.retire_topic("x"),
    "undone already": lambda edits: edits.undo("act_1"),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_makes_no_sense_is_refused(edits: EditService, store: FakeStore, reason: str) -> None:
    edits.supersede("b", "c")
    edits.continue_("c", "b")
    edits.hide("c")
    edits.pin("c")
    edits.note("c", "n")
    edits.add_marker("b", "open", "old")
    edits.revise(id_of(edits, "old", "b"), "new")
    edits.add_marker("b", "open", "shut")
    edits.resolve(id_of(edits, "shut", "b"))
    before = list(store.actions)
    with pytest.raises(EditRefusedError, match=reason.strip()):
        REFUSED[reason](edits)
    assert store.actions == before


def test_what_was_done_here_is_undone_before_what_others_did(store: FakeStore) -> None:
    numbers = count()
    here, there = (EditService(store, now=lambda: NOW, new_suffix=lambda: f"{next(numbers):08x}") for _ in range(2))
    there.pin("a")
    mine = here.pin("b").action
    theirs = there.pin("c").action
    assert here.last() == (mine, True)
    here.undo()
    assert here.last() == (theirs, False)
    here.undo()
    assert now(store, "a").pinned
    assert not now(store, "b").pinned
    assert not now(store, "c").pinned


def test_nothing_is_undone_twice(edits: EditService) -> None:
    with pytest.raises(EditRefusedError, match="nothing to undo"):
        edits.undo()
    pinned = edits.pin("a").action.id
    edits.undo()
    for action_id in (pinned, None):
        with pytest.raises(EditRefusedError):
            edits.undo(action_id)


def test_a_revised_marker_can_read_again_as_it_did(edits: EditService, store: FakeStore) -> None:
    edits.revise(id_of(edits, "use a queue"), "use two")
    edits.revise(id_of(edits, "use two"), "use a queue")
    assert now(store).decisions == ("use a queue",)


def test_a_store_that_is_only_read_says_why() -> None:
    edits = service(FakeStore(a_session("a"), closed="/m.sqlite: only read"))
    assert edits.why_not() == "/m.sqlite: only read"
    with pytest.raises(EditRefusedError, match="only read"):
        edits.pin("a")


def test_where_all_can_be_edited_there_is_no_reason(edits: EditService) -> None:
    assert not edits.why_not()


DEEDS: Sequence[Callable[[EditService, str, str], object]] = (
    lambda edits, session, word: edits.retitle(session, word),
    lambda edits, session, word: edits.note(session, word),
    lambda edits, session, word: edits.add_marker(session, "decision", word),
    lambda edits, session, word: edits.add_marker(session, "open", word),
    lambda edits, session, word: [edits.revise(name, word) for name, _ in edits.markers(session)[:1]],
    lambda edits, session, _: [edits.dismiss(name) for name, _ in edits.markers(session)[-1:]],
    lambda edits, session, word: [edits.promote(name, word) for name, _ in edits.markers(session)[-1:]],
    lambda edits, session, _: [edits.reopen(name) for name, _ in edits.markers(session)[-1:]],
    lambda edits, session, _: edits.supersede(session, "b"),
    lambda edits, session, _: edits.continue_("c", session),
    lambda edits, session, _: edits.hide(session),
    lambda edits, session, _: edits.unhide(session),
    lambda edits, _, word: edits.rename_topic("pay", word),
    lambda edits, _, word: edits.merge_topics(word, "SQS"),
    lambda edits, _, __: edits.undo(),
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, len(DEEDS) - 1), st.sampled_from("abc"), st.sampled_from(("pay", "x", "y")))),
)
def test_undoing_all_gives_back_what_was_read(deeds: Sequence[tuple[int, str, str]]) -> None:
    store = FakeStore(
        a_session("a", decisions=("x",), open=("who", "y"), entities=("SQS", "pay")),
        a_session("b", entities=("pay",)),
        a_session("c", open=("x",)),
    )
    edits = service(store)
    for number, session_id, word in deeds:
        try:
            DEEDS[number](edits, session_id, word)
        except EditRefusedError:
            continue
    while standing(store.actions):
        edits.undo()
    assert [store.get_by_id(session_id) for session_id in "abc"] == list(store.as_read.values())
