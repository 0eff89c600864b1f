import hashlib
import itertools
import os

import pytest
from claude_files import Home, answer, copied, own, prompt, talk, time
from hypothesis import given, settings
from hypothesis import strategies as st
from transcript_fixtures import TRANSCRIPTS, read_all, source_of

from nlm_tui.ingest.ports import TranscriptError
from nlm_tui.runtimes import ClaudeCodeReader

ID = "00000000-0000-4000-8000-000000000001"
OTHER = "00000000-0000-4000-8000-000000000002"
THIRD = "00000000-0000-4000-8000-000000000003"


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


def suffix(folder):
    return "_" + hashlib.sha256(folder.encode()).hexdigest()[:8]


@pytest.mark.parametrize("fixture", ["c13-resume-copy", "c25-same-id"])
def test_over_all_files_each_message_counts_once(fixture):
    transcripts = read_all(ClaudeCodeReader([TRANSCRIPTS / "claude" / fixture])).values()
    unique = {message for transcript in transcripts for message in own(transcript)}
    assert sum(len(own(transcript)) for transcript in transcripts) == len(unique)


def test_a_resumed_copy_names_its_original():
    (copy,) = [
        transcript
        for transcript in read_all(ClaudeCodeReader([TRANSCRIPTS / "claude" / "c13-resume-copy"])).values()
        if transcript.forked_from
    ]
    assert copy.forked_from == "cc_0000c13a-0000-4000-8000-00000000c13a"
    assert (copy.inherited_prompts, copy.inherited_answers) == (2, 2)
    assert (copy.input_tokens, copy.output_tokens) == (12, 34)


def test_a_chain_of_copies_inherits_from_the_one_before(home):
    home.write("p/c", *talk(0, 1, 2, 3, 4, 5))
    home.write("p/a", *talk(0, 1))
    home.write("p/b", *talk(0, 1, 2, 3))
    read = home.read()
    assert [own(read[f"cc_{name}"]) for name in "abc"] == [
        ["prompt 0", "answer 1"],
        ["prompt 2", "answer 3"],
        ["prompt 4", "answer 5"],
    ]
    assert [read[f"cc_{name}"].forked_from for name in "abc"] == [None, "cc_a", "cc_b"]
    assert [read[f"cc_{name}"].input_tokens for name in "abc"] == [10, 10, 10]


def test_of_two_forks_the_original_is_the_one_that_went_on_first(home):
    home.write("p/a", *talk(0, 1), *talk(2, 3, at=50))
    home.write("p/b", *talk(0, 1), *talk(4, 5, at=40))
    read = home.read()
    assert own(read["cc_b"]) == ["prompt 0", "answer 1", "prompt 4", "answer 5"]
    assert own(read["cc_a"]) == ["prompt 2", "answer 3"]


def test_of_equal_files_the_first_path_is_the_original(home):
    home.write("p/b", *talk(0, 1))
    home.write("p/a", *talk(0, 1))
    read = home.read()
    assert (own(read["cc_a"]), own(read["cc_b"])) == (["prompt 0", "answer 1"], [])


def test_a_copy_without_what_was_rewound_is_a_copy(home):
    start = [prompt(0, 0), answer(1, 1, parentUuid="u0")]
    rewound = [*start, prompt(2, 2, parentUuid="u1"), prompt(4, 3, parentUuid="u1")]
    home.write("p/a", *rewound)
    home.write("p/b", *start, rewound[3], answer(5, 9))
    read = home.read()
    assert own(read["cc_b"]) == ["answer 5"]


@pytest.mark.parametrize("prefix", ["", "new-"])
def test_a_fork_that_says_so_is_one_wherever_its_original_is(home, prefix):
    home.write("p/a", *talk(0, 1))
    home.write("q/b", *copied(talk(0, 1), "a", prefix), *talk(2, 3, at=9))
    home.write("q/c", *copied(talk(6, 7), "long-gone"), *talk(8, 9, at=9))
    read = home.read()
    assert own(read["cc_a"]) == ["prompt 0", "answer 1"]
    assert (own(read["cc_b"]), read["cc_b"].forked_from) == (["prompt 2", "answer 3"], "cc_a")
    assert (own(read["cc_c"]), read["cc_c"].forked_from) == (["prompt 8", "answer 9"], "cc_long-gone")


def test_a_fork_that_says_so_is_never_the_original(home):
    home.write("p/b", *talk(0, 1), *talk(2, 3, at=50))
    home.write("p/a", *copied(talk(0, 1), "b"), *talk(4, 5, at=40))
    read = home.read()
    assert own(read["cc_b"]) == ["prompt 0", "answer 1", "prompt 2", "answer 3"]
    assert own(read["cc_a"]) == ["prompt 4", "answer 5"]


def test_a_record_that_names_its_own_session_is_no_copy(home):
    home.write("p/a", *copied(talk(0, 1), "a"))
    assert own(home.read()["cc_a"]) == ["prompt 0", "answer 1"]


def test_equal_ids_of_other_words_are_no_copies(home):
    home.write("p/a", prompt(0, 0, "Sail"), answer(1, 1))
    home.write("p/b", prompt(0, 0, "Kiln"), answer(1, 1))
    assert all(len(own(transcript)) == 2 for transcript in home.read().values())


def test_hooks_in_front_of_a_copy_do_not_hide_it(home):
    home.write("p/a", *talk(0, 1))
    hook = {"type": "attachment", "uuid": "hook", "timestamp": time(8), "attachment": {"type": "hook_success"}}
    home.write("p/b", hook, *talk(0, 1), *talk(2, at=9))
    assert own(home.read()["cc_b"]) == ["prompt 2"]


def test_twins_have_ids_of_their_own_that_last(home):
    home.write(f"main/{ID}", *talk(0, 1))
    first = home.read()
    home.write(f"tree/{ID}", *talk(2, 3, at=30))
    assert list(first) == [f"cc_{ID}"]
    home.write(f"later/{ID}", *talk(4, 5, at=60))
    read = home.read()
    assert set(read) == {f"cc_{ID}", f"cc_{ID}{suffix('tree')}", f"cc_{ID}{suffix('later')}"}
    assert own(read[f"cc_{ID}"]) == own(first[f"cc_{ID}"])
    assert {transcript.native_id for transcript in read.values()} == {ID}


def test_of_twins_of_one_time_the_folder_decides(home):
    home.write(f"b/{ID}", prompt(0, 0, "in b"))
    home.write(f"a/{ID}", prompt(1, 0, "in a"))
    assert own(home.read()[f"cc_{ID}"]) == ["in a"]


def test_twins_are_read_again_when_another_turns_up_or_goes(home):
    reader = ClaudeCodeReader([home.root])

    def salts():
        return {source.path: source.salt for source in reader.discover()}

    path = home.write(f"main/{ID}", *talk(0, 1))
    assert salts() == {path: ""}
    twin = home.write(f"tree/{ID}", *talk(2, 3, at=30))
    both = salts()
    assert both[path] == both[twin] != ""
    home.write(f"main/{OTHER}", *talk(4, 5))
    home.write(f"tree/{ID}", *talk(2, 3, 4, 5, at=30))
    assert {**both, **salts()} == salts()
    assert salts()[path] == both[path]
    twin.unlink()
    assert salts()[path] == ""


def test_subagents_belong_to_the_twin_beside_them(home):
    home.write(f"main/{ID}", *talk(0, 1))
    home.write(f"tree/{ID}", *talk(2, 3, at=30))
    for folder, number in (("main", 10), ("tree", 20)):
        home.write(f"{folder}/{ID}/subagents/agent-{folder}", prompt(number, 40, isSidechain=True))
    read = home.read()
    twin = f"{ID}{suffix('tree')}"
    assert read[f"cc_sub_{ID}_main"].parent_id == f"cc_{ID}"
    assert read[f"cc_sub_{twin}_tree"].parent_id == f"cc_{twin}"


def test_subagents_left_behind_belong_to_the_session_that_moved(home):
    home.write(f"main/{ID}", {"type": "ai-title", "aiTitle": "Moved", "sessionId": ID})
    home.write(f"main/{ID}/subagents/agent-a", prompt(10, 40, isSidechain=True))
    home.write(f"tree/{ID}", *talk(0, 1))
    read = home.read()
    assert set(read) == {f"cc_{ID}", f"cc_sub_{ID}_a"}
    assert read[f"cc_sub_{ID}_a"].parent_id == f"cc_{ID}"


def test_what_a_moved_session_left_is_no_source(home):
    stub = home.write(f"main/{ID}", {"type": "ai-title", "aiTitle": "Moved", "sessionId": ID})
    reader = ClaudeCodeReader([home.root])
    assert [source.path for source in reader.discover()] == [stub]
    moved = home.write(f"tree/{ID}", *talk(0, 1))
    assert [source.path for source in reader.discover()] == [moved]
    assert reader.read(source_of(stub)) is None


def test_a_file_that_another_of_its_session_goes_on_from_is_none(home):
    home.write(f"main/{ID}", *talk(0, 1))
    home.write(f"tree/{ID}", *talk(0, 1, 2, 3))
    (transcript,) = home.read().values()
    assert transcript.session_id == f"cc_{ID}"
    assert own(transcript) == ["prompt 0", "answer 1", "prompt 2", "answer 3"]


@pytest.mark.parametrize("more", [(), (2, 3)])
def test_a_file_of_which_another_has_all_says_so(home, more):
    home.write(f"main/{ID}", *talk(0, 1))
    home.write(f"tree/{ID}", *talk(0, 1, *more))
    reader = ClaudeCodeReader([home.root])
    said = {}
    for source in reader.discover():
        try:
            reader.read(source)
        except TranscriptError as error:
            said[source.path.parent.name] = str(error)
    copy, whole = ("main", "tree") if more else ("tree", "main")
    assert said == {copy: f"a copy of {home.root / 'projects' / whole / ID}.jsonl"}


@pytest.mark.parametrize("name", ["a", "z"])
def test_a_link_to_a_file_in_another_project_is_that_file(home, name):
    path = home.write(f"main/{ID}", *talk(0, 1))
    link = home.root / "projects" / name / path.name
    link.parent.mkdir()
    link.symlink_to(path)
    reader = ClaudeCodeReader([home.root])
    for source in reader.discover():
        transcript = reader.read(source)
        assert (transcript.session_id, own(transcript)) == (f"cc_{ID}", ["prompt 0", "answer 1"])


def test_a_session_that_went_on_in_two_folders_is_two(home):
    home.write(f"main/{ID}", *talk(0, 1), *talk(2, 3, at=40))
    home.write(f"tree/{ID}", *talk(0, 1), *talk(4, 5, at=50))
    read = home.read()
    twin = read[f"cc_{ID}{suffix('tree')}"]
    assert (own(twin), twin.forked_from) == (["prompt 4", "answer 5"], f"cc_{ID}")


def test_one_session_in_two_configuration_folders_is_read_once(tmp_path):
    homes = [Home(tmp_path / "one"), Home(tmp_path / "two")]
    for home in homes:
        home.write(f"p/{ID}", *talk(0, 1))
        home.write(f"p/{ID}/subagents/agent-a", prompt(10, 40))
        home.write(f"p/{ID}/subagents/agent-{home.root.name}", prompt(20 + len(home.root.name), 40))
    reader = ClaudeCodeReader([home.root for home in homes])
    assert set(homes[0].read(reader)) == {f"cc_{ID}", f"cc_sub_{ID}_a", f"cc_sub_{ID}_one", f"cc_sub_{ID}_two"}


def test_links_to_one_file_are_no_twins(home):
    path = home.write(f"p/{ID}", *talk(0, 1))
    (home.root / "projects" / "q").mkdir()
    os.link(path, home.root / "projects" / "q" / f"{ID}.jsonl")
    reader = ClaudeCodeReader([home.root])
    assert {source.salt for source in reader.discover()} == {""}
    assert {reader.read(source).session_id for source in reader.discover()} == {f"cc_{ID}"}


def test_what_a_subagent_knows_of_its_session_is_inherited(home):
    home.write(f"p/{ID}", *talk(0, 1, 2, 3))
    compaction = [prompt(90, 50, "Summarise."), answer(91, 51, "Done so far.")]
    home.write(f"p/{ID}/subagents/agent-acompact-1f", *talk(0, 1), *compaction)
    later = [{**record, "isSidechain": True} for record in talk(0, 1, 2, 3)[2:]]
    home.write(f"p/{ID}/subagents/agent-acompact-2f", *later, *compaction[1:])
    home.write(f"p/{ID}/subagents/agent-a3f", prompt(0, 60, "A task"), answer(1, 61))
    read = home.read()
    assert own(read[f"cc_{ID}"]) == ["prompt 0", "answer 1", "prompt 2", "answer 3"]
    assert own(read[f"cc_sub_{ID}_acompact-1f"]) == ["Summarise.", "Done so far."]
    assert own(read[f"cc_sub_{ID}_acompact-2f"]) == ["Done so far."]
    assert own(read[f"cc_sub_{ID}_a3f"]) == ["A task", "answer 1"]


def test_heads_are_read_once(home, monkeypatch):
    home.write(f"main/{ID}", *talk(0, 1))
    home.write(f"tree/{ID}", *talk(2, 3))
    reader = ClaudeCodeReader([home.root])
    home.read(reader)
    opened = []
    monkeypatch.setattr("pathlib.Path.open", lambda path, *_, **__: opened.append(path))
    assert len(list(reader.discover())) == 2
    assert opened == []


FILES = [
    talk(0, 1),
    talk(0, 1, 2, 3),
    [*talk(0, 1), *talk(4, 5, at=30)],
    [*talk(0, 1, 2, 3), *talk(6, 7, at=20)],
    copied(talk(0, 1, 2), "a") + talk(8, 9, at=40),
    talk(10, 11, at=5),
]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.sampled_from("pq"), st.sampled_from(FILES)), min_size=1, max_size=5))
def test_in_one_folder_each_message_is_one_files_own(tmp_path_factory, files):
    home = Home(tmp_path_factory.mktemp("home"))
    for number, (folder, records) in enumerate(files):
        home.write(f"{folder}/{number}", *records)
    read = home.read()
    for folder in "pq":
        numbers = [number for number, file in enumerate(files) if file[0] == folder]
        owned = [text for number in numbers for text in own(read[f"cc_{number}"])]
        said = {record["uuid"] for number in numbers for record in files[number][1]}
        assert len(owned) == len(set(owned))
        is_fork = any("forkedFrom" in record for number in numbers for record in files[number][1])
        assert is_fork or len(owned) == len(said)


@pytest.mark.parametrize("order", itertools.permutations(range(3)))
def test_the_order_of_reading_changes_nothing(tmp_path, order):
    home = Home(tmp_path)
    for name, records in zip((ID, OTHER, THIRD), FILES[1:4], strict=True):
        home.write(f"p/{name}", *records)
    reader = ClaudeCodeReader([tmp_path])
    sources = sorted(reader.discover(), key=lambda source: source.path)
    read = {number: reader.read(sources[number]) for number in order}
    assert [len(own(read[number])) for number in range(3)] == [4, 2, 2]
