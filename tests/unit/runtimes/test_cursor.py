import json
import sqlite3
from contextlib import closing

import pytest
from cursor_databases import bubbles, editor, workspace, write_state
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from transcript_fixtures import all_sources, check, check_storable, read_all, sessions

from nlm_tui.ingest.ports import Source, TranscriptError
from nlm_tui.runtimes import cursor_composers
from nlm_tui.runtimes.cursor import CursorReader
from nlm_tui.runtimes.cursor_bubbles import rich_text, shown
from nlm_tui.runtimes.cursor_store import moment, path_of
from nlm_tui.runtimes.databases import reading

SESSIONS = [case for case in sessions("cursor", set()) if case[0].startswith("u01")]
A, B = "000000a1-0000-4000-8000-0000000000a1", "000000a2-0000-4000-8000-0000000000a2"
CHATS = "workbench.panel.aichat.view.aichat.chatdata"
WORDS = (
    *("type", "text", "createdAt", "richText", "images", "thinking", "toolFormerData", "name", "rawArgs", "result"),
    *("fullConversationHeadersOnly", "bubbleId", "b0", "b1", "conversation", "conversationMap", "modelConfig"),
    *("modelName", "lastUpdatedAt", "subagentInfo", "workspaceIdentifier", "uri", "fsPath", "context"),
    *("selectedImages", "data", "path", "tokenCount", "root", "children", "tabs", "tabId", "bubbles", "allComposers"),
    *("composerId", A, "user", "ai", '{"root": {"children": [{"text": "x"}]}}', '{"output": ["a"]}'),
)


def only(home, part=None):
    reader = CursorReader([home])
    (source,) = [source for source in all_sources(reader) if part is None or source.part.endswith(part)]
    return reader.read(source)


def texts(transcript):
    return [message.text for message in transcript.messages]


@pytest.mark.parametrize(("root", "expected"), [case[1:] for case in SESSIONS], ids=[case[0] for case in SESSIONS])
def test_reads_what_is_expected(root, expected):
    before = {file: (file.stat().st_mtime_ns, file.is_file() and file.read_bytes()) for file in root.rglob("*")}

    transcript = read_all(CursorReader([root]))["state.vscdb", expected["session_id"]]

    check(transcript, expected)
    assert transcript.session_id == f"cursor_{expected['session_id']}"
    assert {file: (file.stat().st_mtime_ns, file.is_file() and file.read_bytes()) for file in root.rglob("*")} == before


def test_composers_in_which_nothing_was_said_are_no_parts():
    parts = [source.part for source in all_sources(CursorReader([SESSIONS[0][1]]))]
    assert sorted(part[-4:] for part in parts) == ["00d1", "00d2", "00d4"]


@pytest.mark.parametrize(
    ("platform", "environ", "folder"),
    [
        ("linux", {}, ".config/Cursor"),
        ("linux", {"XDG_CONFIG_HOME": "xdg"}, "xdg/Cursor"),
        ("darwin", {"XDG_CONFIG_HOME": "xdg"}, "Library/Application Support/Cursor"),
        ("win32", {"APPDATA": "roaming"}, "roaming/Cursor"),
        ("win32", {}, "AppData/Roaming/Cursor"),
    ],
)
def test_looks_where_cursor_keeps_its_sessions(tmp_path, platform, environ, folder):
    environ = {name: str(tmp_path / path) for name, path in environ.items()}
    reader = CursorReader.from_environment(environ, tmp_path, platform=platform)
    assert tmp_path / folder / "User" / "globalStorage" in reader.roots
    assert {tmp_path / ".cursor" / "projects", tmp_path / ".cursor" / "chats"} < set(reader.roots)


@pytest.mark.parametrize(
    ("sql", "values"),
    [
        (cursor_composers.LIST_SESSIONS, ()),
        (cursor_composers.LIST_BUBBLES, ("a", "b")),
        (cursor_composers.ORDER_BUBBLES, ("a", "b")),
        (cursor_composers.GET_VALUE, ("a",)),
    ],
)
def test_rows_are_found_by_their_keys(tmp_path, sql, values):
    with reading(write_state(tmp_path / "state.vscdb")) as database:
        plan = [row[3] for row in database.rows(f"EXPLAIN QUERY PLAN {sql}", values)]
    assert all("USING" in step and "INDEX sqlite_autoindex_cursorDiskKV_1 (key" in step for step in plan[:1])
    assert not any(step.startswith("SCAN") for step in plan)
    if sql != cursor_composers.GET_VALUE:
        assert "COVERING" in plan[0]  # of rows that are only listed not even the first page is read


def test_only_a_session_that_was_written_to_changes(tmp_path):
    state = write_state(editor(tmp_path), bubbles(A, "One", "Two") | bubbles(B, "Three", "Four"))
    reader = CursorReader([tmp_path])
    before = {source.part: source for source in all_sources(reader)}
    write_state(state, {f"bubbleId:{A}:b1": {"type": 2, "text": "Too"}})
    after = {source.part: source for source in all_sources(reader)}
    assert before[f"composerData:{A}"] != after[f"composerData:{A}"]
    assert before[f"composerData:{B}"] == after[f"composerData:{B}"]


def test_the_folder_of_a_session_is_a_part_of_its_source(tmp_path):
    write_state(editor(tmp_path), bubbles(A, "One", "Two"))
    reader = CursorReader([tmp_path])
    (state,) = reader.discover()
    (before,) = reader.parts(state)
    items = {"composer.composerData": {"allComposers": [{"composerId": A, "lastUpdatedAt": 1770300060000}]}}
    workspace(tmp_path, folder={"folder": "vscode-remote://ssh-remote%2Bpi/srv/lamp%20shop"}, items=items)
    later = [source for source in reader.discover() if source.path == state.path]
    assert later != [state]
    (after,) = reader.parts(later[0])
    assert before.salt != after.salt
    assert after.mtime_ns == 1770300060 * 10**9
    assert (reader.read(before).project, reader.read(after).project) == (None, "/srv/lamp shop")


def test_where_a_list_does_not_say_when_a_session_changed_the_session_does(tmp_path):
    write_state(editor(tmp_path), bubbles(A, "One", "Two", lastUpdatedAt=1770300060000))
    items = {"composer.composerData": {"allComposers": [{"composerId": A, "createdAt": 1770300000000}]}}
    workspace(tmp_path, folder={"folder": "file:///lamp"}, items=items)
    (source,) = all_sources(CursorReader([tmp_path]))
    assert (source.mtime_ns, source.salt.partition("\n")[2]) == (1770300060 * 10**9, "/lamp")


def test_workspaces_that_cannot_be_read_take_no_session_away(tmp_path):
    write_state(editor(tmp_path), bubbles(A, "One", "Two", createdAt="1770300000000"))
    broken = workspace(tmp_path, folder=["no object"])
    broken.write_bytes(b"no database")
    reader = CursorReader([tmp_path])
    found = {source.path: source for source in reader.discover()}
    (part,) = reader.parts(found[editor(tmp_path)])
    assert reader.read(part).started_at == "2026-02-05T14:00:00.000Z"
    with pytest.raises(TranscriptError):
        list(reader.parts(found[broken]))


@pytest.mark.parametrize(
    ("workspace_file", "folder"),
    [
        ({"folder": "file:///home/dana/lamp%20shop"}, "/home/dana/lamp shop"),
        ({"folder": "file:///c%3A/Users/dana/lamp"}, "c:\\Users\\dana\\lamp"),
        ({"folder": "file://server/share/lamp"}, "\\\\server\\share\\lamp"),
        ({"workspace": "file:///home/dana/both/lamps.code-workspace"}, "/home/dana/both"),
        ({"workspace": {"configPath": "file:///home/dana/both/lamps.code-workspace"}}, "/home/dana/both"),
        ({"folder": "file://[bad"}, None),
        ({}, None),
        ([], None),
    ],
)
def test_the_folder_of_a_workspace_is_in_its_file(tmp_path, workspace_file, folder):
    chats = {CHATS: {"tabs": [{"tabId": "t", "bubbles": [{"type": "user", "text": "Hello"}]}]}}
    workspace(tmp_path, folder=workspace_file, items=chats)
    assert only(tmp_path).project == folder


def test_newer_sessions_name_their_folder_themselves(tmp_path):
    named = {"workspaceIdentifier": {"id": "x", "uri": {"fsPath": "/home/dana/lamp", "scheme": "file"}}}
    rows = bubbles(A, "One", "Two", **named) | bubbles(B, "Three", "Four")
    listed = {"allComposers": [{"composerId": B, "workspaceIdentifier": {"uri": {"path": "/srv/bulb"}}}]}
    write_state(editor(tmp_path), rows, {"composer.composerHeaders": listed})
    assert (only(tmp_path, A).project, only(tmp_path, B).project) == ("/home/dana/lamp", "/srv/bulb")


def test_facts_of_a_session(tmp_path):
    facts = {
        "name": "Lamp\x1b[31m shop",
        "createdAt": 1770300000000,
        "lastUpdatedAt": 1770300060000,
        "isArchived": True,
        "modelConfig": {"modelName": "default"},
        "createdOnBranch": "main",
        "activeBranch": {"branchName": "dev"},
        "subagentInfo": {"parentComposerId": B, "subagentTypeName": "explore"},
    }
    said = [
        {"type": 1, "text": "One", "modelInfo": {"modelName": "gpt-5"}, "createdAt": "2026-02-05T13:00:00.000Z"},
        {"type": 2, "text": "Two", "tokenCount": {"inputTokens": 30, "outputTokens": 4}},
    ]
    write_state(editor(tmp_path), bubbles(A, *said, **facts))
    transcript = only(tmp_path)
    assert (transcript.title, transcript.model, transcript.branch) == ("Lamp shop", "gpt-5", "dev")
    assert (transcript.started_at, transcript.ended_at) == ("2026-02-05T13:00:00.000Z", "2026-02-05T14:01:00.000Z")
    assert (transcript.parent_id, transcript.is_subagent, transcript.agent_type) == (f"cursor_{B}", True, "explore")
    assert (transcript.input_tokens, transcript.output_tokens, transcript.archived) == (30, 4, True)


def test_placeholders_are_no_titles(tmp_path):
    write_state(editor(tmp_path), bubbles(A, "One", "Two", name="New Agent"))
    assert only(tmp_path).title is None


def test_what_is_in_bubbles(tmp_path):
    rich = {"root": {"children": [{"children": [{"text": "Rich "}, {"type": "mention", "text": "@a"}]}]}}
    said = [
        {"type": 1, "text": "", "richText": json.dumps(rich)},
        {"type": 1, "text": "Background task done", "isSimulatedMsg": True},
        {"type": 1, "text": "", "context": {"selectedImages": [{"path": "C:\\shots\\a.png"}, {"data": "AAAA"}]}},
        {"type": 2, "text": "hm", "isThought": True, "thinking": {"text": "hm"}},
        {"type": 2, "text": "Looking.", "toolFormerData": {"name": "read_file", "params": {"target_file": "a.py"}}},
        {"type": 2, "toolFormerData": {"name": "x", "rawArgs": "{torn", "error": '{"message": "no such file"}'}},
        {"type": 2, "toolFormerData": {"additionalData": {}}},
        {"type": 3, "text": "unknown"},
    ]
    write_state(editor(tmp_path), bubbles(A, *said))
    transcript = only(tmp_path)
    assert [(message.role, message.text) for message in transcript.messages] == [
        ("user", "Rich @a"),
        ("user", "[image a.png]\n[image 3 B]"),
        ("assistant", "Looking."),
        ("tool", "read_file  a.py"),
        ("tool", "x  {torn"),
        ("output", "no such file"),
    ]
    assert (transcript.tool_calls, transcript.tool_results, transcript.images) == (2, 1, 2)


@pytest.mark.parametrize(
    ("result", "text"),
    [
        ('{"output": "a", "exitCode": 0}', "a"),
        ('{"content": [{"type": "text", "text": "a"}, {"type": "image", "data": "QUJD"}]}', "a"),
        ("plain", "plain"),
        ("[torn", "[torn"),
        ("data:image/png;base64,QUJD", ""),
        ({"result": '{"contents": "nested"}'}, "nested"),
        (None, ""),
        (7, ""),
    ],
)
def test_results_have_many_forms(result, text):
    assert shown(result) == text


def test_deep_values_are_no_danger():
    deep = json.dumps("x")
    for _ in range(60):
        deep = f'{{"output": {deep}}}'
    assert shown(deep) == ""
    assert rich_text('{"root": {"children": ' + '[{"children": ' * 500 + "[]" + "}]" * 500 + "}}") == ""
    assert shown("[" * 100_000) == "[" * 100_000


def test_values_hold_raw_control_characters_or_nothing_or_cannot_be_read(tmp_path):
    rows = bubbles(A, "One", "Two", "Three", "Four")
    rows[f"bubbleId:{A}:b0"] = '{"type": 1, "text": "One\x01\nand \\ud83d half"}'
    rows[f"bubbleId:{A}:b1"] = "{torn"
    rows[f"bubbleId:{A}:b2"] = None
    rows[f"bubbleId:{A}:b3"] = b'{"type": 2, "text": "bad \xff byte"}'
    write_state(editor(tmp_path), rows)
    transcript = only(tmp_path)
    assert texts(transcript) == ["One\u2401\nand � half", "bad � byte"]
    assert transcript.bad_lines == 1
    check_storable(transcript)


def test_bubbles_are_kept_where_what_lists_them_is_lost(tmp_path):
    rows = bubbles(A, "One", "Two") | {f"composerData:{A}": "{torn"} | bubbles(B, "Three") | {f"composerData:{B}": {}}
    write_state(editor(tmp_path), rows)
    assert texts(only(tmp_path, A)) == ["One", "Two"]
    assert only(tmp_path, A).bad_lines == 1
    assert texts(only(tmp_path, B)) == ["Three"]


def test_bubbles_stand_in_the_entry_itself_in_older_sessions(tmp_path):
    old = {"conversationMap": {"x": {"type": 1, "text": "Mapped"}, "y": {"type": 2, "text": "too"}}}
    mixed = bubbles(B, "New", "Gone") | {}
    mixed[f"composerData:{B}"]["conversation"] = [{"bubbleId": "b1", "type": 2, "text": "but kept here"}]
    del mixed[f"bubbleId:{B}:b1"]
    write_state(editor(tmp_path), {f"composerData:{A}": old} | mixed)
    assert texts(only(tmp_path, A)) == ["Mapped", "too"]
    assert texts(only(tmp_path, B)) == ["New", "but kept here"]


def test_sessions_that_stand_whole_in_the_list_of_a_workspace(tmp_path):
    conversation = [{"bubbleId": "1", "type": 1, "text": "Old"}, {"bubbleId": "2", "type": 2, "text": "Oh."}]
    composers = [{"composerId": name, "conversation": conversation, "createdAt": 1726000000000} for name in (A, B)]
    workspace(tmp_path, folder={"folder": "file:///lamp"}, items={"composer.composerData": {"allComposers": composers}})
    assert texts(only(tmp_path, A)) == ["Old", "Oh."]
    write_state(editor(tmp_path), bubbles(B, "New", "Newer"))
    found = {native: texts(transcript) for (_, native), transcript in read_all(CursorReader([tmp_path])).items()}
    assert found == {A: ["Old", "Oh."], B: ["New", "Newer"]}


def test_databases_without_the_tables_hold_nothing(tmp_path):
    path = editor(tmp_path)
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE later (x)")
    assert all_sources(CursorReader([tmp_path])) == []


def test_an_entry_that_went_away_is_named(tmp_path):
    path = write_state(editor(tmp_path))
    reader = CursorReader([tmp_path])
    with pytest.raises(TranscriptError, match="unreadable"):
        reader.read(Source(path, 0, 0, part=f"composerData:{A}"))
    assert reader.read(Source(path, 0, 0, part="chat:x")) is None
    assert reader.read(Source(path, 0, 0, part="composer.composerData:x")) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1770300000000", 1770300000000), ("2026-02-05", "2026-02-05"), (5, 5), (None, None), ("1" * 30, "1" * 30)],
)
def test_times_may_be_milliseconds_in_a_text(value, expected):
    assert moment(value) == expected


@given(st.text())
def test_any_address_has_a_path_or_none(address):
    assert isinstance(path_of(address), str)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.sampled_from(WORDS) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(WORDS), inner, max_size=8),
    max_leaves=25,
)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(values=st.lists(VALUES | st.binary(), min_size=5, max_size=5))
def test_any_values_are_read_or_named(tmp_path, values):
    composer, first, second, chats, listed = values
    state = editor(tmp_path)
    rows = {f"composerData:{A}": composer, f"bubbleId:{A}:b0": first, f"bubbleId:{A}:b1": second}
    write_state(state, rows, {CHATS: chats, "composer.composerData": listed, "composer.composerHeaders": listed})
    reader = CursorReader([tmp_path])
    for source in all_sources(reader):
        try:
            transcript = reader.read(source)
        except TranscriptError:
            continue
        if transcript:
            check_storable(transcript)
