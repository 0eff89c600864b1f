"""Aider's histories: many runs in one Markdown file."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from transcript_fixtures import TRANSCRIPTS, all_sources, check, check_storable, sessions, source_of

from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.runtimes import AiderReader

NAME = ".aider.chat.history.md"
SESSIONS = [(name, root, expected) for name, root, expected in sessions("aider", set())]
HEADER = "# aider chat started at 2025-03-26 14:32:01"
LINES = (
    *("#### ask  \n", "#### ask\n", "#### /add a.py  \n", "####   \n", "#### <blank>  \n", "> tool  \n", "> quote\n"),
    *(
        ">\n",
        "said\n",
        "\n",
        "```\n",
        "```py\n",
        "~~~\n",
        "# code\n",
        f"{HEADER}\n",
        "> Main model: m with x  \n",
        "\r\n",
    ),
    *(
        "<think>\n",
        "</think>\n",
        "--------------\n► **THINKING**\n",
        "------------\n► **ANSWER**\n",
        "\ufeff",
        "\0",
        "é",
    ),
)


def read_all(path: Path) -> list[Transcript | None]:
    reader = AiderReader([], [path])
    return [reader.read(source) for source in all_sources(reader)]


def read_text(folder: Path, text: str) -> list[Transcript | None]:
    path = folder / NAME
    path.write_bytes(text.encode())
    return read_all(path)


def told(transcript: Transcript | None) -> list[tuple[str, str]]:
    assert transcript is not None
    return [(message.role, message.text) for message in transcript.messages]


@pytest.mark.parametrize(("root", "expected"), [case[1:] for case in SESSIONS], ids=[case[0] for case in SESSIONS])
def test_reads_what_is_expected(root, expected):
    path = root / expected["file"]
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(root.iterdir()))
    reader = AiderReader([root])

    (transcript,) = [
        transcript
        for source in all_sources(reader)
        if (transcript := reader.read(source)) and transcript.local_start == expected["started_local"]
    ]

    check(transcript, {**expected, "session_id": transcript.native_id, "cwd": str(root)})
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(root.iterdir())) == before


def test_a_run_without_a_prompt_is_no_part():
    reader = AiderReader([TRANSCRIPTS / "aider" / "a01-history"])
    assert [source.part for source in all_sources(reader)] == ["20250326T143201", "20250327T090500"]


def test_ids_are_of_the_file_and_the_time_and_stay_when_a_run_is_added(tmp_path):
    text = f"{HEADER}\n#### a  \n{HEADER}\n#### b  \n{HEADER}\n{HEADER}\n#### c  \n"
    before = read_text(tmp_path, text)
    parts = all_sources(AiderReader([tmp_path]))
    assert [source.part for source in parts] == ["20250326T143201", "20250326T143201-2", "20250326T143201-4"]
    ids = [transcript.session_id for transcript in before if transcript]
    assert all(name == f"aider_{name[6:18]}-{source.part}" for name, source in zip(ids, parts, strict=True))

    after = read_text(tmp_path, f"{text}# aider chat started at 2025-04-01 08:00:00\n#### d  \n")
    assert after[:3] == before
    assert all_sources(AiderReader([tmp_path]))[:3] == parts
    (tmp_path / "b").mkdir()
    assert not set(ids) & {transcript.session_id for transcript in read_text(tmp_path / "b", text) if transcript}


def test_a_run_that_grew_changed_and_the_others_did_not(tmp_path):
    text = f"{HEADER}\n#### a  \n# aider chat started at 2025-04-01 08:00:00\n#### d  \n"
    (tmp_path / NAME).write_text(text)
    reader = AiderReader([tmp_path])
    before = all_sources(reader)
    (tmp_path / NAME).write_text(f"{text}#### e  \n")
    after = all_sources(reader)
    assert after[0] == before[0]
    assert after[1] != before[1]
    assert told(reader.read(after[1])) == [("user", "d\ne")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#### a  \n#### b  \n\n#### c  \n", [("user", "a\nb"), ("user", "c")]),
        ("#### a  \n####   \n####     b  \n", [("user", "a\n\n    b")]),
        ("#### <blank>  \n\nSo?\n", [("assistant", "So?")]),
        ("#### a  \n#### <blank>  \n#### b  \n", [("user", "a\n\nb")]),
        ("#### /ask why?  \n#### And how?  \n", [("command", "/ask why? And how?")]),
        ("#### !ls  \n#### /usr/bin/x fails  \n", [("command", "!ls /usr/bin/x fails")]),
        ("#### /usr/bin/x fails  \n", [("user", "/usr/bin/x fails")]),
        ("#### a  \n\n#### A heading\n\nText\n", [("user", "a"), ("assistant", "#### A heading\n\nText")]),
        ("#### a\n\nText\n\n#### b\n", [("user", "a"), ("assistant", "Text"), ("user", "b")]),
        ("#### a\n\n```\n#### b\n```\n", [("user", "a"), ("assistant", "```\n#### b\n```")]),
        ("#### a  \n\n```\nno end\n\n#### b  \n", [("user", "a"), ("assistant", "```\nno end"), ("user", "b")]),
        ("#### a  \n\n```\n> code\n```\n\n> Tokens: 2k  \n", [("user", "a"), ("assistant", "```\n> code\n```")]),
        ("#### a  \n\n```\n> Tokens: 2k  \n", [("user", "a"), ("assistant", "```")]),
        ("#### a  \n\nAs you say:\n> no\n", [("user", "a"), ("assistant", "As you say:\n> no")]),
        ("#### a  \n\n# A title\n\n##### Deep\n", [("user", "a"), ("assistant", "# A title\n\n##### Deep")]),
        ("#### a  \n\n<think>\nhm\n</think>\n\nYes.\n", [("user", "a"), ("assistant", "Yes.")]),
        ("#### a  \n\n<think>\nhm", [("user", "a")]),
        (
            "#### a  \n\n--------------\n► **THINKING**\n\nhm\n\n------------\n► **ANSWER**\n\nYes.\n",
            [("user", "a"), ("assistant", "Yes.")],
        ),
        ("#### a\0b \x1b[1mc  \n", [("user", "ab c")]),
    ],
)
def test_who_said_what(tmp_path, text, expected):
    for ends in ("\n", "\r\n"):
        (transcript,) = read_text(tmp_path, f"{HEADER}\n\n{text}".replace("\n", ends))
        assert told(transcript) == expected


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("#### a  \n", None),
        ("> Model: gpt-4o with diff edit format  \n#### a  \n", "gpt-4o"),
        ("> Models: gpt-4 with diff edit format, weak model gpt-3.5  \n#### a  \n", "gpt-4"),
        ("> Main model: a/b with x  \n#### a  \n\nYes\n\n> Main model: c with x  \n", "a/b"),
        ("> Main model: a with x  \n> Weak model: w  \n#### /model c  \n> Main model: c with x  \n\nYes\n", "c"),
        ("#### a  \n\n    > Main model: a with x\n", None),
    ],
)
def test_the_model_is_the_one_that_answered_last(tmp_path, text, model):
    (transcript,) = read_text(tmp_path, f"{HEADER}\n{text}")
    assert transcript.model == model


@pytest.mark.parametrize("text", ["", "\n\n", f"{HEADER}\n> Aider v0.78.0  \n"])
def test_what_holds_no_run_gives_no_session(tmp_path, text):
    assert read_text(tmp_path, text) == []


@pytest.mark.parametrize("text", ["notes", f"x{HEADER}\n", "# aider chat started at 2025-13-26 14:32:01\n#### a  \n"])
def test_what_is_no_history_is_said(tmp_path, text):
    with pytest.raises(TranscriptError, match="no run of Aider in it"):
        read_text(tmp_path, text)


def test_a_run_that_is_gone_is_said(tmp_path):
    (tmp_path / NAME).write_text(f"{HEADER}\n#### a  \n")
    with pytest.raises(TranscriptError, match="no longer in the file"):
        AiderReader([tmp_path]).read(source_of(tmp_path / NAME))


def test_a_mark_before_the_first_header_is_no_text(tmp_path):
    (transcript,) = read_text(tmp_path, f"\ufeff{HEADER}  \r\n#### a  \n")
    assert told(transcript) == [("user", "a")]


def folders_of(reader: AiderReader, root: Path) -> set[str]:
    return {str(source.path.parent.relative_to(root)) for source in reader.discover()}


def test_histories_are_found_in_the_home_in_known_projects_and_their_repositories(tmp_path):
    for name in (".", "repo", "repo/src/deep", "plain", "other", "other/sub", "listed/a"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / name / NAME).write_text(f"{HEADER}\n#### a  \n")
    (tmp_path / "repo" / ".git").mkdir()
    (tmp_path / "other" / ".git").write_text("gitdir: elsewhere")
    known = [tmp_path / "repo/src/deep", tmp_path / "plain", tmp_path / "other/sub/gone", Path("listed/a")]
    reader = AiderReader.from_environment({}, tmp_path, folders=lambda: [*known, *known, Path("C:\\x"), Path("/\0")])
    assert folders_of(reader, tmp_path) == {".", "repo", "repo/src/deep", "plain", "other"}
    assert len(list(reader.discover())) == 5
    assert reader.roots == (tmp_path / NAME,)
    assert not any(root.is_dir() for root in reader.roots), "what is below the home folder is not to be watched"


def test_roots_are_looked_through_two_levels_deep_and_stand_for_the_home(tmp_path):
    for name in (".", "code", "code/repo", "code/repo/inside", "code/group/repo", "code/group/repo/x", "code/.hidden"):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / name / NAME).write_text(f"{HEADER}\n#### a  \n")
    (tmp_path / "code" / "repo" / ".git").mkdir()
    (tmp_path / "code" / "loop").symlink_to(tmp_path / "code")
    reader = AiderReader.from_environment({}, tmp_path, [tmp_path / "code"])
    assert folders_of(reader, tmp_path) == {"code", "code/repo", "code/group/repo"}


def test_the_file_that_aider_is_told_to_write(tmp_path):
    for name in ("chat.md", "repo/chat.md", f"repo/{NAME}"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"{HEADER}\n#### a  \n")

    def found(environ: dict[str, str], roots: list[Path]) -> set[Path]:
        reader = AiderReader.from_environment(environ, tmp_path / "home", roots, lambda: [tmp_path / "repo"])
        return {source.path for source in reader.discover()}

    assert found({"AIDER_CHAT_HISTORY_FILE": str(tmp_path / "chat.md")}, []) == {
        tmp_path / "chat.md",
        tmp_path / "repo" / NAME,
    }
    assert found({"AIDER_CHAT_HISTORY_FILE": "chat.md"}, [tmp_path / "none"]) == {
        tmp_path / "repo" / "chat.md",
        tmp_path / "repo" / NAME,
    }
    assert found({"AIDER_CHAT_HISTORY_FILE": ""}, []) == {tmp_path / "repo" / NAME}


def test_a_file_that_two_paths_name_is_found_once_and_a_folder_is_none(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / NAME).write_text(f"{HEADER}\n#### a  \n")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    (tmp_path / "c" / NAME).mkdir(parents=True)
    reader = AiderReader([tmp_path / "a", tmp_path / "b", tmp_path / "c"])
    (source,) = reader.discover()
    assert source.path == tmp_path / "a" / NAME


def test_a_file_of_many_runs_is_split_once(tmp_path, monkeypatch):
    (tmp_path / NAME).write_text("".join(f"{HEADER}\n#### ask {number}  \n" for number in range(1_133)))
    reader = AiderReader([tmp_path])
    parts = all_sources(reader)
    assert len(parts) == 1_133
    monkeypatch.setattr("nlm_tui.runtimes.aider._runs", lambda _: pytest.fail("split again"))
    assert told(reader.read(parts[-1])) == [("user", "ask 1132")]
    assert told(reader.read(parts[0])) == [("user", "ask 0")]


def test_a_file_that_was_written_anew_is_split_again(tmp_path):
    (tmp_path / NAME).write_text(f"{HEADER}\n#### a  \n")
    reader = AiderReader([tmp_path])
    (part,) = all_sources(reader)
    (tmp_path / NAME).write_text(f"lines before\n{HEADER}\n#### a  \n")
    assert told(reader.read(part)) == [("user", "a")]


@settings(max_examples=300)
@given(st.lists(st.sampled_from(LINES) | st.text(max_size=5)).map("".join).map(str.encode) | st.binary())
@example(f"{HEADER}".encode())
@example(b"# aider chat started at 0001-01-01 00:00:00\n#### a")
@example(b"# aider chat started at 9999-12-31 23:59:59\n#### a")
def test_any_file_is_runs_or_says_that_it_is_none(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("aider") / NAME
    for data in (content, f"{HEADER}\n".encode() + content):
        path.write_bytes(data)
        try:
            transcripts = read_all(path)
        except TranscriptError:
            continue
        for transcript in transcripts:
            if transcript:
                check_storable(transcript)
                roles = [message.role for message in transcript.messages]
                assert (roles.count("user"), roles.count("assistant")) == (transcript.prompts, transcript.answers)


def test_a_part_names_the_file_that_it_is_in(tmp_path):
    (tmp_path / NAME).write_text(f"{HEADER}\n#### a  \n")
    reader = AiderReader([tmp_path])
    (found,) = reader.discover()
    (part,) = reader.parts(found)
    assert (part.path, part.file, part.size) == (found.path, found.file, found.size)
    assert isinstance(part, Source)
    assert part.key == f"{found.path}#20250326T143201"
