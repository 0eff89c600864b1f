"""The transcript fixtures, how a parsed transcript is compared with what is expected of it, and hostile files."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import orjson
import pytest
from hypothesis import strategies as st

from nlm_tui.ingest.ports import PartsReader, Reader, Source, Transcript, TranscriptError

TRANSCRIPTS = Path(__file__).parents[2] / "transcripts"
FIXTURES = json.loads((TRANSCRIPTS / "expected.json").read_text("utf-8"))["fixtures"]


def sessions(runtime: str, left_out: set[str]) -> Iterator[tuple[str, Path, dict]]:
    """Yield a name, the root and the expected values of every session of a runtime."""
    for fixture in FIXTURES:
        number = fixture["id"].partition("-")[0]
        if fixture["runtime"] == runtime and number not in left_out:
            for expected in fixture["sessions"]:
                name = (expected["session_id"] or f"run{expected['run']}")[-8:]
                yield f"{number}-{name}", TRANSCRIPTS / fixture["root"], expected


def files_without_session(runtime: str, left_out: set[str]) -> Iterator[tuple[str, Path, str]]:
    """Yield a name, the root and the path of every file of a runtime that holds no session."""
    for fixture in FIXTURES:
        number = fixture["id"].partition("-")[0]
        if fixture["runtime"] == runtime and number not in left_out:
            for file in fixture.get("no_session", ()):
                yield f"{number}-{Path(file).name}", TRANSCRIPTS / fixture["root"], file


def source_of(path: Path) -> Source:
    stat = path.stat()
    return Source(path, stat.st_size, stat.st_mtime_ns)


def discovered(reader: Reader, path: Path) -> Source:
    (source,) = [source for source in reader.discover() if source.path == path]
    return source


def all_sources(reader: Reader) -> list[Source]:
    """Return all that a reader finds, files that hold many transcripts by their parts."""
    found = reader.discover()
    return [
        part for source in found for part in (reader.parts(source) if isinstance(reader, PartsReader) else (source,))
    ]


def read_all(reader: Reader) -> dict[tuple[str, str], Transcript]:
    """Return the transcripts that a reader finds, by file name and native id."""
    read = [(source, reader.read(source)) for source in all_sources(reader)]
    return {(source.path.name, transcript.native_id): transcript for source, transcript in read if transcript}


def label(transcript: Transcript) -> str | None:
    """Return the title by the rule of the fixtures, which leave out control characters that we show as pictures."""
    if transcript.title:
        return transcript.title
    for role in ("user", "command"):
        for message in transcript.messages:
            lines = (re.sub(r"\[image\b[^\[\]]*\]", "", line).strip() for line in message.text.splitlines())
            if message.role == role and (first := next(filter(None, lines), "")):
                return "".join(character for character in first if not "\u2400" <= character <= "\u241f")
    return None


def said(transcript: Transcript) -> str:
    return "\n\n".join(message.text for message in transcript.messages if message.role in {"user", "assistant"})


def measured(transcript: Transcript, expected: dict) -> dict:
    """Return the values of `transcript` under the names that `expected` has for them."""
    active = [message.role for message in transcript.messages if not message.withdrawn]
    own = [message.role for message in transcript.messages if not message.inherited]
    parent, source = transcript.parent_id, transcript.forked_from
    values = {
        "session_id": transcript.native_id,
        "title": label(transcript),
        "cwd": transcript.project,
        "git_branch": transcript.branch,
        "model": transcript.model,
        "started": transcript.started_at,
        "ended": transcript.ended_at,
        "user": transcript.prompts,
        "assistant": transcript.answers,
        "tool_calls": transcript.tool_calls,
        "tool_results": transcript.tool_results,
        "images": transcript.images,
        "summaries": transcript.summaries,
        "bad_lines": transcript.bad_lines,
        "truncated_tail": transcript.truncated_tail,
        "parent_session_id": parent.partition("_")[2] if parent else None,
        "commands": [message.text for message in transcript.messages if message.role == "command"],
        "active_user": active.count("user"),
        "active_assistant": active.count("assistant"),
        "own_user": own.count("user"),
        "own_assistant": own.count("assistant"),
        "inherited_user": transcript.inherited_prompts,
        "inherited_assistant": transcript.inherited_answers,
        "sidechain_user": transcript.sidechain_prompts,
        "sidechain_assistant": transcript.sidechain_answers,
        "kind": "subagent" if transcript.is_subagent else "main",
        "agent_type": transcript.agent_type,
        "archived": transcript.archived,
        "forked_from": source.partition("_")[2] if source else None,
        "started_local": transcript.local_start,
        "ended_local": transcript.local_end,
    }
    return {name: value for name, value in values.items() if name in expected}


def check(transcript: Transcript | None, expected: dict) -> None:
    """Compare everything that is expected and that a transcript can tell."""
    assert transcript is not None
    values = measured(transcript, expected)
    assert values == {name: expected[name] for name in values}
    assert transcript.truncated_tail is expected.get("truncated_tail", False)
    assert transcript.summaries == expected.get("summaries", 0)
    assert transcript.images == expected.get("images", 0)
    text = said(transcript)
    assert [part for part in expected.get("text_has", ()) if part not in text] == []
    assert [part for part in expected.get("text_has_not", ()) if part in text] == []
    roles = [message.role for message in transcript.messages]
    assert (roles.count("user"), roles.count("assistant")) == (transcript.prompts, transcript.answers)
    check_storable(transcript)


def check_storable(transcript: Transcript) -> None:
    """All text must be valid UTF-8 and harmless to a terminal."""
    names = (transcript.session_id, transcript.native_id, transcript.title, transcript.project, transcript.branch)
    texts = [message.text for message in transcript.messages]
    for text in filter(None, (*names, transcript.model, transcript.parent_id, *texts)):
        text.encode("utf-8")
        assert not any(c < " " and c not in "\n\t" for c in text)
        assert not any("\x7f" <= c <= "\x9f" for c in text)


def check_unbroken(reader: Reader, path: Path, data: bytes) -> None:
    """Let a reader read a file that holds `data`: it may refuse it; what it makes of it can be stored and shown."""
    path.write_bytes(data)
    try:
        transcript = reader.read(source_of(path))
    except TranscriptError:
        return
    if transcript:
        check_storable(transcript)


def check_other_form(reader: Reader, path: Path, data: bytes, problem: str | None) -> None:
    """Let a reader read a file that holds `data` and no transcript: it says what the `problem` is, if there is one."""
    path.write_bytes(data)
    if problem is None:
        assert reader.read(source_of(path)) is None
    else:
        with pytest.raises(TranscriptError, match=problem):
            reader.read(source_of(path))


def jsonl(records: Iterable[object]) -> bytes:
    return b"".join(orjson.dumps(record) + b"\n" for record in records)


def hostile_files(*words: str) -> st.SearchStrategy[bytes]:
    """Arbitrary bytes, or lines of records whose keys and values are often those a reader looks for."""
    texts = st.one_of(st.sampled_from(words), st.text())
    scalars = st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), texts)
    values = st.recursive(
        scalars,
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(words) | st.text(), inner, max_size=6)
        ),
        max_leaves=20,
    )
    lines = st.one_of(values.map(orjson.dumps), values.map(json.dumps).map(str.encode), st.binary())
    return st.one_of(st.binary(), st.lists(lines).map(b"\n".join))
