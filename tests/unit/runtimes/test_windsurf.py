import pytest
from cursor_databases import workspace
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transcript_fixtures import all_sources, check, check_storable, read_all, sessions

from nlm_tui.ingest.ports import TranscriptError
from nlm_tui.runtimes.windsurf import WindsurfReader

SESSIONS = list(sessions("windsurf", set()))
CHATS = "workbench.panel.aichat.view.aichat.chatdata"


@pytest.mark.parametrize(("root", "expected"), [case[1:] for case in SESSIONS], ids=[case[0] for case in SESSIONS])
def test_reads_what_is_expected(root, expected):
    before = sorted((file, file.stat().st_mtime_ns) for file in root.rglob("*"))

    transcripts = read_all(WindsurfReader([root]))

    assert list(transcripts) == [("state.vscdb", expected["session_id"])]
    transcript = transcripts["state.vscdb", expected["session_id"]]
    check(transcript, expected)
    assert (transcript.session_id, transcript.runtime) == (f"windsurf_{expected['session_id']}", "windsurf")
    assert sorted((file, file.stat().st_mtime_ns) for file in root.rglob("*")) == before


@pytest.mark.parametrize(
    ("platform", "environ", "folder"),
    [
        ("linux", {}, ".config/Windsurf"),
        ("darwin", {}, "Library/Application Support/Windsurf - Next"),
        ("win32", {"APPDATA": "roaming"}, "roaming/Windsurf"),
    ],
)
def test_looks_where_windsurf_keeps_its_chats(tmp_path, platform, environ, folder):
    environ = {name: str(tmp_path / path) for name, path in environ.items()}
    roots = WindsurfReader.from_environment(environ, tmp_path, platform=platform).roots
    assert tmp_path / folder / "User" / "workspaceStorage" in roots
    assert {tmp_path / ".codeium" / name / "cascade" for name in ("windsurf", "windsurf-next")} < set(roots)


def test_cascade_conversations_are_named_not_hidden(tmp_path):
    (tmp_path / "cascade").mkdir()
    (tmp_path / "cascade" / "x.pb").write_bytes(b"\x00\x01")
    (tmp_path / "cascade" / "x.tmp").touch()
    reader = WindsurfReader([tmp_path])
    (source,) = all_sources(reader)
    assert source.size == 2
    with pytest.raises(TranscriptError, match="encrypts"):
        reader.read(source)


def test_chats_are_those_of_every_workspace(tmp_path):
    for name in ("0a", "0b"):
        bubbles = [{"type": "user", "text": name}, {"type": "ai", "rawText": "Yes.", "modelType": "gpt-4"}]
        tabs = [{"tabId": f"t-{name}", "chatTitle": "", "lastSendTime": "1770768000000", "bubbles": bubbles}]
        workspace(tmp_path, name, {"folder": f"file:///home/dana/{name}"}, items={CHATS: {"tabs": tabs}})
    found = read_all(WindsurfReader([tmp_path]))
    assert {(transcript.project, transcript.model, transcript.started_at) for transcript in found.values()} == {
        (f"/home/dana/{name}", "gpt-4", "2026-02-11T00:00:00.000Z") for name in ("0a", "0b")
    }


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.recursive(
        st.none() | st.integers() | st.text() | st.sampled_from(("user", "ai", "t")),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(st.sampled_from(("tabs", "tabId", "bubbles", "type", "text", "lastSendTime")), inner)
        ),
    )
)
def test_any_chats_are_read(tmp_path, chats):
    workspace(tmp_path, items={CHATS: chats})
    for transcript in read_all(WindsurfReader([tmp_path])).values():
        check_storable(transcript)
