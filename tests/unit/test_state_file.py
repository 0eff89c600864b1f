"""What the screen remembers of itself, and the file that holds it."""

import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nlm_tui.settings import LastScreen, SavedQuery, Settings, State
from nlm_tui.settings.state import MOST_QUERIES
from nlm_tui.settings.state_file import LARGEST_BYTES, StateError, StateFile

FULL = State(
    theme="nord",
    history=("billing retries", 'agent:pi "dead letter"'),
    saved=(SavedQuery("open this week", "has:open since:7d"),),
    last=LastScreen(query="billing", mode="keyword", view="decisions", selected="cc_1"),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The file, which is not there yet, nor is its folder."""
    return tmp_path / "state" / "state.json"


def kept(path: Path) -> State:
    """Return what another program reads."""
    return StateFile(path).read()


def test_it_is_in_the_folder_of_the_user_unless_named(home: Path) -> None:
    assert Settings.resolve({}).state_path.is_relative_to(home)
    assert Settings.resolve({"NLM_STATE_PATH": "~/s.json"}).state_path == home / "s.json"


def test_nothing_is_read_and_written_before_there_is_anything(path: Path) -> None:
    file = StateFile(path)
    assert file.read() == State()
    assert file.problem == ""
    file.change(lambda state: state)
    assert not path.parent.exists()


def test_all_of_it_comes_back_and_is_for_its_owner_only(path: Path) -> None:
    StateFile(path).change(lambda _: FULL)
    assert kept(path) == FULL
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [found.name for found in path.parent.iterdir()] == ["state.json"]


def test_without_a_path_it_is_kept_for_this_run(tmp_path: Path) -> None:
    file = StateFile()
    file.change(lambda state: state.used("billing"))
    assert file.read().history == ("billing",)
    assert list(tmp_path.iterdir()) == []


def test_two_programs_keep_what_the_other_kept(path: Path) -> None:
    one, other = StateFile(path), StateFile(path)
    one.read()
    other.read()
    one.change(lambda state: state.used("first"))
    other.change(lambda state: state.used("second"))
    one.change(lambda state: replace(state, theme="nord"))
    assert kept(path) == State(theme="nord", history=("second", "first"))
    assert one.state == kept(path)


def test_what_a_later_version_keeps_stays(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('{"theme": "nord", "zoom": 3}')
    StateFile(path).change(lambda state: state.used("x"))
    assert json.loads(path.read_text())["zoom"] == 3
    assert kept(path).theme == "nord"


@pytest.mark.parametrize(
    "content",
    [b"{", b"", b"[]", b"\xff", b'{"history": 3}', b'{"history": [3]}', b'{"saved": [[]]}', b'{"last": {"mode": 3}}',
     b"[" * 100_000, b'{"theme": "' + b"x" * LARGEST_BYTES + b'"}', b'{"saved": [{"name": null}]}'],
)  # fmt: skip
def test_damage_is_said_and_kept_beside(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    file = StateFile(path)
    assert file.read() == State()
    assert file.problem == f"{path}: is damaged; it is kept as state.json.damaged, and begun anew"
    assert path.read_bytes() == content
    file.change(lambda state: state.used("x"))
    assert kept(path).history == ("x",)
    assert path.with_name("state.json.damaged").read_bytes() == content


def test_another_thing_in_its_place(path: Path) -> None:
    path.mkdir(parents=True)
    file = StateFile(path)
    assert file.read() == State()
    assert file.problem == f"{path}: this is no file"
    file.change(lambda state: state.used("x"))
    assert kept(path).history == ("x",)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_is_not_waited_for(path: Path) -> None:
    path.parent.mkdir()
    os.mkfifo(path)
    file = StateFile(path)
    assert file.read() == State()
    assert "no file" in file.problem


def test_what_cannot_be_written_is_said_and_known_for_this_run(path: Path) -> None:
    path.parent.write_text("a file where the folder should be")
    file = StateFile(path)
    with pytest.raises(StateError, match=r"state\.json: cannot be written: "):
        file.change(lambda state: state.used("x"))
    assert file.state.history == ("x",)


def test_a_crash_while_writing_leaves_the_old_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    StateFile(path).change(lambda _: FULL)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(StateError, match="No space left"):
        StateFile(path).change(lambda state: state.used("x"))
    assert kept(path) == FULL
    assert [found.name for found in path.parent.iterdir()] == ["state.json"]


def test_the_history_is_newest_first_without_duplicates_and_bounded() -> None:
    state = State()
    for number in range(MOST_QUERIES + 10):
        state = state.used(f"query {number}")
    state = state.used("query 300")
    assert state.history[:2] == ("query 300", f"query {MOST_QUERIES + 9}")
    assert len(state.history) == len(set(state.history)) == MOST_QUERIES
    assert state.used("billing retries", instead_of="query 300").history[:2] == ("billing retries", "query 509")
    assert "query 300" not in state.forgotten("query 300").history


def test_what_was_pasted_is_no_query_to_come_back_to() -> None:
    state = State().used("half").used("x" * 2_001, instead_of="half")
    assert state.history == ()
    assert state.used("x" * 2_000).history == ("x" * 2_000,)


def test_what_could_not_be_read_again_is_not_kept(path: Path) -> None:
    StateFile(path).change(lambda _: FULL)
    with pytest.raises(StateError, match="too many to read again"):
        StateFile(path).change(lambda state: state.named("pasted", "x" * LARGEST_BYTES))
    assert kept(path) == FULL
    assert [found.name for found in path.parent.iterdir()] == ["state.json"]


def test_saved_queries_are_sorted_and_one_per_name() -> None:
    state = State().named("week", "since:7d").named("Open", "has:open").named("week", "since:8d")
    assert state.saved == (SavedQuery("Open", "has:open"), SavedQuery("week", "since:8d"))
    assert state.unnamed("week").saved == (SavedQuery("Open", "has:open"),)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(), max_size=5), st.text(), st.text())
def test_any_text_is_kept(path: Path, queries: list[str], name: str, theme: str) -> None:
    texts = [text.encode("utf-8", "replace").decode() for text in queries]
    state = State(theme.encode("utf-8", "replace").decode(), tuple(dict.fromkeys(texts)))
    state = state.named(name.encode("utf-8", "replace").decode(), "x")
    StateFile(path).change(lambda _: state)
    assert kept(path) == state
