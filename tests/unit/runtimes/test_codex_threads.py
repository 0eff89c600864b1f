import os
import shutil
from pathlib import Path

import pytest
from codex_records import answer_event, answer_item, at, header, prompt_event, prompt_item, prompt_response
from transcript_fixtures import FIXTURES, TRANSCRIPTS, discovered, jsonl, read_all, source_of
from zstd_files import packed

from nlm_tui.runtimes import CodexReader

THREAD, PAGE, FORK, OTHER = (f"0000000{n}-0000-4000-8000-000000000000" for n in "1234")
DAY = Path("sessions/2026/09/01")


def write(root, name, *records, folder=DAY, compressed=False):
    """Write a rollout and return its path and its bytes before compression."""
    path = root / folder / f"rollout-2026-09-01T{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    data = jsonl(records)
    if compressed:
        path = path.with_name(path.name + ".zst")
    path.write_bytes(packed(data) if compressed else data)
    return path, data


def turn(prompt, answer):
    return prompt_item(prompt), answer_item(answer)


def based(thread, base, end, **values):
    return header(thread, history_base={"thread_id": base, "end_byte_offset": end}, **values)


def only(reader):
    (transcript,) = [reader.read(source) for source in reader.discover()]
    return transcript


def withdrawn(transcript):
    return [message.text for message in transcript.messages if message.withdrawn]


@pytest.mark.parametrize("fixture", [f for f in FIXTURES if f["runtime"] == "codex"], ids=lambda f: f["id"])
def test_every_thread_is_found_once(fixture):
    reader = CodexReader([TRANSCRIPTS / fixture["root"]])
    transcripts = read_all(reader)
    assert sorted(id_ for _, id_ in transcripts) == sorted(expected["session_id"] for expected in fixture["sessions"])
    for role, name in (("user", "unique_user"), ("assistant", "unique_assistant")):
        own = [m for t in transcripts.values() for m in t.messages if m.role == role and not m.inherited]
        assert len(own) == fixture.get("corpus", {}).get(name, len(own))


def test_what_follows_the_cut_is_withdrawn_in_its_place():
    reader = CodexReader([TRANSCRIPTS / "codex" / "x10-history-base"])
    source = next(source for source in reader.discover() if "0a0b" in source.path.name)
    assert source.path.name.endswith("0a0d.jsonl")
    transcript = reader.read(source)
    texts = [message.text for message in transcript.messages]
    assert texts[2:4] == withdrawn(transcript) == ["Fire the second kiln", "Second kiln lit."]
    assert transcript.forked_from is None


@pytest.mark.parametrize("compressed", [False, True])
def test_of_two_reverts_each_withdraws_what_came_after(tmp_path, compressed):
    begin, second = (header(THREAD), *turn("One", "First")), turn("Two", "Second")
    _, kept = write(tmp_path, f"10-00-00-{THREAD}", *begin)
    write(tmp_path, f"10-00-00-{THREAD}", *begin, *second, compressed=compressed)
    if compressed:
        (tmp_path / DAY / f"rollout-2026-09-01T10-00-00-{THREAD}.jsonl").unlink()
    write(tmp_path, f"10-10-00-{THREAD}_{PAGE}", based(THREAD, THREAD, len(kept)), *turn("Three", "Third"))
    write(tmp_path, f"10-20-00-{THREAD}_{OTHER}", based(THREAD, THREAD, len(kept)), *turn("Four", "Fourth"))
    transcript = only(CodexReader([tmp_path]))
    assert withdrawn(transcript) == ["Two", "Second", "Three", "Third"]
    assert (transcript.prompts, transcript.answers) == (4, 4)


def test_a_thread_that_goes_on_on_another_page_keeps_all(tmp_path):
    _, first = write(tmp_path, f"10-00-00-{THREAD}", header(THREAD, cwd="/a"), *turn("One", "First"))
    _, second = write(tmp_path, f"10-10-00-{THREAD}_{PAGE}", based(THREAD, THREAD, len(first)), *turn("One", "First"))
    write(tmp_path, f"10-20-00-{THREAD}_{OTHER}", based(THREAD, PAGE, len(second)), *turn("Three", "Third"))
    transcript = only(CodexReader([tmp_path]))
    assert (transcript.prompts, withdrawn(transcript), transcript.project) == (3, [], "/a")


@pytest.mark.parametrize("base", [None, {"thread_id": OTHER, "end_byte_offset": 3}, {"thread_id": 7}, "x"])
def test_a_page_that_does_not_say_what_goes_before_withdraws_nothing(tmp_path, base):
    write(tmp_path, f"10-00-00-{THREAD}", header(THREAD), *turn("One", "First"))
    write(tmp_path, f"10-10-00-{THREAD}_{PAGE}", header(THREAD, history_base=base), *turn("Two", "Second"))
    transcript = only(CodexReader([tmp_path]))
    assert (transcript.prompts, withdrawn(transcript)) == (2, [])


def test_pages_that_name_each_other_are_read_once(tmp_path):
    write(tmp_path, f"10-00-00-{THREAD}", based(THREAD, PAGE, 10**6), *turn("One", "First"))
    write(tmp_path, f"10-10-00-{THREAD}_{PAGE}", based(THREAD, THREAD, 10**6), *turn("Two", "Second"))
    assert only(CodexReader([tmp_path])).prompts == 2


def test_bad_lines_of_all_pages_count_the_tail_of_the_newest_only(tmp_path):
    first, data = write(tmp_path, f"10-00-00-{THREAD}", header(THREAD), *turn("One", "First"))
    first.write_bytes(data + b'{"torn')
    write(tmp_path, f"10-10-00-{THREAD}_{PAGE}", based(THREAD, THREAD, len(data)), *turn("Two", "Second"))
    transcript = only(CodexReader([tmp_path]))
    assert (transcript.bad_lines, transcript.bad_line, transcript.truncated_tail) == (1, None, False)


def test_a_source_is_another_when_an_earlier_file_changed(tmp_path):
    first, data = write(tmp_path, f"10-00-00-{THREAD}", header(THREAD), *turn("One", "First"))
    write(tmp_path, f"10-10-00-{THREAD}_{PAGE}", based(THREAD, THREAD, len(data)), *turn("Two", "Second"))
    reader = CodexReader([tmp_path])
    (before,) = reader.discover()
    first.write_bytes(data + jsonl(turn("Late", "Too late")))
    (after,) = reader.discover()
    assert before.path == after.path
    assert before.salt != after.salt


@pytest.mark.parametrize("folder", [DAY, Path("archived_sessions")])
@pytest.mark.parametrize("compressed", [False, True])
def test_a_fork_tells_how_much_it_has_from_others(tmp_path, folder, compressed):
    _, base = write(tmp_path, f"10-00-00-{OTHER}", header(OTHER), *turn("One", "First"))
    begin = (based(THREAD, OTHER, len(base), forked_from_id=OTHER), *turn("Two", "Second"))
    _, end = write(tmp_path, f"10-10-00-{THREAD}", *begin)
    path, _ = write(
        tmp_path, f"10-10-00-{THREAD}", *begin, *turn("Not", "Inherited"), folder=folder, compressed=compressed
    )
    if path.parent != tmp_path / DAY or compressed:
        (tmp_path / DAY / f"rollout-2026-09-01T10-10-00-{THREAD}.jsonl").unlink()
    fork, _ = write(tmp_path, f"10-20-00-{FORK}", based(FORK, THREAD, len(end)), *turn("Three", "Third"))
    reader = CodexReader([tmp_path])
    transcript = reader.read(discovered(reader, fork))
    assert (transcript.prompts, transcript.inherited_prompts, transcript.inherited_answers) == (1, 2, 2)
    assert transcript.forked_from == f"codex_{THREAD}"
    assert not any(message.inherited for message in transcript.messages)


def test_a_fork_of_a_page_is_of_its_thread(tmp_path):
    _, first = write(tmp_path, f"10-00-00-{THREAD}", header(THREAD), *turn("One", "First"))
    _, page = write(tmp_path, f"10-10-00-{THREAD}_{PAGE}", based(THREAD, THREAD, len(first)), *turn("Two", "Second"))
    fork, data = write(tmp_path, f"10-20-00-{FORK}", based(FORK, PAGE, len(page)), *turn("Three", "Third"))
    end, _ = write(tmp_path, f"10-30-00-{FORK}_{OTHER}", based(FORK, FORK, len(data)), *turn("Four", "Fourth"))
    reader = CodexReader([tmp_path])
    transcript = reader.read(discovered(reader, end))
    assert (transcript.forked_from, transcript.inherited_prompts, transcript.prompts) == (f"codex_{THREAD}", 2, 2)
    assert fork not in {source.path for source in reader.discover()}


def test_a_fork_whose_base_is_gone_still_names_it(tmp_path):
    write(tmp_path, f"10-20-00-{FORK}", based(FORK, THREAD, 100, forked_from_id=THREAD), *turn("Three", "Third"))
    transcript = only(CodexReader([tmp_path]))
    assert (transcript.forked_from, transcript.inherited_prompts) == (f"codex_{THREAD}", 0)


def test_what_a_fork_replays_is_inherited_until_somebody_speaks(tmp_path):
    copied = (header(THREAD), prompt_event("One"), prompt_response("One"), answer_event("First"))
    own = (prompt_event("One"), prompt_response("One"), answer_event("Second"))
    write(
        tmp_path,
        f"10-00-00-{FORK}",
        at(0, header(FORK, timestamp="2026-09-01T08:00:00.000Z")),
        *(at(1.2 + n * 0.9, record) for n, record in enumerate(copied)),
        *(at(20 + n, record) for n, record in enumerate(own)),
    )
    transcript = only(CodexReader([tmp_path]))
    assert [(m.text, m.inherited) for m in transcript.messages] == [
        *(("One", True), ("First", True)),
        *(("One", False), ("Second", False)),
    ]
    assert (transcript.inherited_prompts, transcript.inherited_answers) == (1, 1)
    assert transcript.forked_from == f"codex_{THREAD}"


def test_records_older_than_the_fork_are_inherited(tmp_path):
    write(
        tmp_path,
        f"10-00-00-{FORK}",
        at(50, header(FORK, timestamp="2026-09-01T08:00:50.000Z")),
        at(1, header(THREAD)),
        at(2, prompt_event("One")),
        at(9, answer_event("First")),
        at(51, prompt_event("Two")),
        at(53, answer_event("Second")),
    )
    transcript = only(CodexReader([tmp_path]))
    assert [m.text for m in transcript.messages if m.inherited] == ["One", "First"]


def test_a_subagent_says_where_its_own_records_begin(tmp_path):
    copied = [prompt_response("Of the parent"), prompt_response("<environment_context>x</environment_context>")]
    own = [prompt_event("Look"), answer_event("Found")]
    meta = header(FORK, parent_thread_id=THREAD, subagent_history_start_ordinal=4)
    records = [meta, header(THREAD), *copied, *own]
    numbered = [at(n / 100, {"ordinal": n, **record}) for n, record in enumerate(records)]
    write(tmp_path, f"10-00-00-{FORK}", *numbered)
    transcript = only(CodexReader([tmp_path]))
    assert [(m.text, m.inherited) for m in transcript.messages] == [
        ("Of the parent", True),
        ("Look", False),
        ("Found", False),
    ]
    assert (transcript.parent_id, transcript.forked_from) == (f"codex_{THREAD}", f"codex_{THREAD}")


def test_a_fork_in_which_nothing_was_said_yet_is_all_inherited(tmp_path):
    write(tmp_path, f"10-00-00-{FORK}", at(0, header(FORK)), at(1, header(THREAD)), at(1, prompt_event("One")))
    transcript = only(CodexReader([tmp_path]))
    assert [m.inherited for m in transcript.messages] == [True]
    assert transcript.inherited_prompts == transcript.prompts == 1


def test_a_thread_in_two_places_counts_once(tmp_path):
    name = f"10-00-00-{THREAD}"
    old, _ = write(tmp_path, name, header(THREAD), *turn("One", "First"))
    new, _ = write(
        tmp_path, name, header(THREAD), *turn("One", "First"), *turn("Two", "Second"), folder="archived_sessions"
    )
    for path, second in ((old, 1), (new, 2)):
        os.utime(path, (second, second))
    (source,) = CodexReader([tmp_path]).discover()
    assert source.path == new
    packed_copy, _ = write(tmp_path, name, header(THREAD), compressed=True)
    os.utime(packed_copy, (3, 3))
    (source,) = CodexReader([tmp_path]).discover()
    assert source.path == new
    assert only(CodexReader([tmp_path, tmp_path])).archived


def test_only_what_lies_in_the_archive_is_archived(tmp_path):
    reader = CodexReader([tmp_path])
    kept, _ = write(tmp_path, f"10-00-00-{THREAD}", header(THREAD), *turn("One", "First"))
    put_away, _ = write(tmp_path, f"10-00-00-{OTHER}", header(OTHER), *turn("One", "First"), folder="archived_sessions")
    assert not reader.read(discovered(reader, kept)).archived
    assert reader.read(discovered(reader, put_away)).archived


def test_a_file_that_discover_did_not_find_is_read_with_those_that_belong_to_it(tmp_path):
    reader = CodexReader([tmp_path])
    assert list(reader.discover()) == []
    _, data = write(tmp_path, f"10-00-00-{THREAD}", header(THREAD), *turn("One", "First"))
    path, _ = write(tmp_path, f"10-10-00-{THREAD}_{PAGE}", based(THREAD, THREAD, len(data)), *turn("Two", "Second"))
    assert reader.read(source_of(path)).prompts == 2
    shutil.copy(path, tmp_path / "elsewhere.jsonl")
    assert reader.read(source_of(tmp_path / "elsewhere.jsonl")).prompts == 1
