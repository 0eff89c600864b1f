"""What holds for every reader: damaged files cost what is damaged, and never more."""

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TypeVar, cast

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transcript_fixtures import FIXTURES, TRANSCRIPTS, check_storable

from nlm_tui.core import strip_control
from nlm_tui.ingest.ports import PartsReader, Reader, Transcript, TranscriptError
from nlm_tui.runtimes import READERS

MOST_TRIALS = 100  # of one file
SMALL = 320  # bytes: a file of this size is cut at every one of them
VALUES: Sequence[object] = (None, 7, "\ud83d\x1b[1m", [None, 3, "x"], {"text": {"type": []}, "id": 1.5})
COLUMN_VALUES: Sequence[object] = (None, 7, "\x00\x1b[1m", b"\xff\x00", '{"text": {"type": []}}', "[3, null]", 1e300)

CHANGING = (b'"$set":{"messages"', b'"$rewindTo"')  # records that change those of the same ids before them
MODEL_ONLY = ("x02", "x06")  # what only the model saw there is context in a file that also has what was shown

T = TypeVar("T")
Read = Mapping[tuple[str, str], Transcript]
Make = Callable[[Sequence[Path]], Reader]


def make_of(runtime: str) -> Make | None:
    """Return what makes the reader of a runtime, which fixtures name shortly; None if it has none yet."""
    kinds: Mapping[str, Make] = {kind.from_environment({}, Path("/nowhere")).runtime: kind for kind in READERS}
    return next((make for name, make in kinds.items() if name.split("-")[0] == runtime), None)


def files() -> Iterator[tuple[str, Make, Path, Path]]:
    """Yield a name, what makes the reader, the root and the file, of every file in the fixtures."""
    for fixture in FIXTURES:
        root = TRANSCRIPTS / fixture["root"]
        if make := make_of(fixture["runtime"]):
            for path in sorted(path for path in root.rglob("*") if path.is_file()):
                yield f"{fixture['id'].partition('-')[0]}-{path.name[-24:]}", make, root, path.relative_to(root)


def is_database(root: Path, file: Path) -> bool:
    return (root / file).read_bytes().startswith(b"SQLite format 3\0")


FILES = list(files())
DATABASES = [case for case in FILES if is_database(*case[2:])]
BINARIES = [*DATABASES, *(case for case in FILES if case[3].suffix == ".zst")]
TEXTS = [case for case in FILES if case not in BINARIES]
SMALL_TEXTS = [case for case in TEXTS if (case[2] / case[3]).stat().st_size <= SMALL]
LARGE_TEXTS = [case for case in TEXTS if case not in SMALL_TEXTS]
JSON_TEXTS = [case for case in TEXTS if case[3].suffix in {".json", ".jsonl"}]


def each(cases: Iterable[tuple[str, Make, Path, Path]]) -> pytest.MarkDecorator:
    chosen = list(cases)
    return pytest.mark.parametrize(
        ("make", "root", "file"), [case[1:] for case in chosen], ids=[case[0] for case in chosen]
    )


def read_all(make: Make, root: Path) -> Read:
    """Return what can be read below a root, by path and part; what says that it cannot be read is left out."""
    reader = make([root])
    found: dict[tuple[str, str], Transcript] = {}
    for source in reader.discover():
        try:
            for part in reader.parts(source) if isinstance(reader, PartsReader) else (source,):
                try:
                    if transcript := reader.read(part):
                        found[str(part.path.relative_to(root)), part.part] = transcript
                except (TranscriptError, OSError):
                    continue
        except (TranscriptError, OSError):
            continue
    return found


def prompts(read: Read, file: Path | None = None) -> list[str]:
    """Return the prompts that were read, of all files or of one."""
    return [
        message.text
        for (path, _), transcript in read.items()
        for message in transcript.messages
        if message.role == "user" and (file is None or path == str(file))
    ]


def texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in cast("dict[str, object]", value).values():
            yield from texts_in(inner)
    elif isinstance(value, list):
        for inner in cast("list[object]", value):
            yield from texts_in(inner)


def ending(prompt: str) -> str:
    """Return the last line of a prompt that was typed, nothing of one that is an image: images stand behind."""
    return next((line.strip() for line in reversed(prompt.splitlines()) if not line.startswith("[image")), "")


def holds(texts: Iterable[str], prompt: str) -> bool:
    """Return whether a prompt, or the end of it, is in the texts of a file; it may be made of several."""
    return ending(prompt) in strip_control("".join(texts))


def end_of(data: bytes, prompt: str) -> int:
    """Return where the last line ends that holds a prompt: before it, the prompt may wait in a queue."""
    end = found = 0
    for line, record in parsed_lines(data):
        end += len(line) + 1
        if holds(texts_in(record) if record else [line.decode("utf-8", "replace")], prompt):
            found = end
    return found or end


class Damaged:
    """A copy of a fixture, one file of which is damaged, and what was read of it before."""

    def __init__(self, make: Make, root: Path, file: Path, folder: Path) -> None:
        self.root = Path(shutil.copytree(root, folder / "copy"))
        self.path = self.root / file
        self.data = self.path.read_bytes()
        self._make = make
        self._file = file
        self.whole = read_all(make, self.root)
        self.prompts = prompts(self.whole, file)
        self.said = {key: prompts({key: transcript}, file) for key, transcript in self.whole.items()}
        self._others = {key: transcript for key, transcript in self.whole.items() if key[0] != str(file)}
        self._is_alone = any(path == str(file) for path, _ in self.whole) and not is_database(root, file)

    def read(self, data: bytes, *, twice: bool = False) -> list[str]:
        """Return the prompts in the file once it holds `data`; what is in other files is what it was."""
        self.path.write_bytes(data)
        read = read_all(self._make, self.root)
        for transcript in read.values():
            check_storable(transcript)
        if twice:
            assert read_all(self._make, self.root) == read
        if self._is_alone:
            found = prompts(read)
            lost = [prompt for prompt in prompts(self._others) if prompt not in found]
            assert lost == [], "in other files"
        return prompts(read, self._file)


def check_cut(damaged: Damaged, places: Mapping[str, int], cut: int) -> None:
    found = damaged.read(damaged.data[:cut], twice=cut % 5 == 0)
    lost = [prompt for prompt, end in places.items() if end <= cut and prompt not in found]
    assert lost == [], f"cut at {cut}"


def ends_of_prompts(damaged: Damaged) -> dict[str, int]:
    """Return where each prompt ends in a file of lines."""
    if damaged.path.suffix == ".json":
        return {}
    return {prompt: end_of(damaged.data, prompt) for prompt in damaged.prompts}


@each(SMALL_TEXTS)
def test_a_small_file_may_be_cut_anywhere(make, root, file, tmp_path):
    damaged = Damaged(make, root, file, tmp_path)
    places = ends_of_prompts(damaged)
    for cut in range(len(damaged.data)):
        check_cut(damaged, places, cut)


@each(LARGE_TEXTS)
def test_a_file_may_be_cut_anywhere(make, root, file, tmp_path):
    damaged = Damaged(make, root, file, tmp_path)
    places = ends_of_prompts(damaged)

    @settings(derandomize=True, max_examples=30, database=None, deadline=None)
    @given(st.integers(0, len(damaged.data)))
    def check(cut: int) -> None:
        check_cut(damaged, places, cut)

    check()


def paths_in(value: object) -> Iterator[tuple[str | int, ...]]:
    """Yield the way to every value within `value`."""
    inner: Iterable[tuple[str | int, object]] = ()
    if isinstance(value, dict):
        inner = cast("dict[str, object]", value).items()
    elif isinstance(value, list):
        inner = enumerate(cast("list[object]", value))
    for step, found in inner:
        yield (step,)
        for path in paths_in(found):
            yield (step, *path)


def replaced(value: object, path: Sequence[str | int], new: object) -> object:
    """Return `value` with another value at the end of a path."""
    if not path:
        return new
    if isinstance(value, dict):
        return {name: replaced(inner, path[1:], new) if name == path[0] else inner for name, inner in value.items()}
    assert isinstance(value, list)
    return [replaced(inner, path[1:], new) if at == path[0] else inner for at, inner in enumerate(value)]


def at(value: object, path: Sequence[str | int]) -> object:
    for step in path:
        value = cast("dict[str | int, object]", value)[step]
    return value


def parsed_lines(data: bytes) -> list[tuple[bytes, object]]:
    lines: list[tuple[bytes, object]] = []
    for line in data.split(b"\n"):
        try:
            lines.append((line, orjson.loads(line)))
        except orjson.JSONDecodeError:
            lines.append((line, None))
    return lines


def some(trials: list[T]) -> list[T]:
    """Return at most so many trials, spread over all of them."""
    step = len(trials) // MOST_TRIALS + 1
    return trials[:: step + (step % len(VALUES) == 0)]


def changed_lines(data: bytes) -> Iterator[tuple[str, bytes, list[str]]]:
    """Yield what was changed, the data with one value of one line changed, and the texts of that line."""
    lines = parsed_lines(data)
    trials = [
        (number, path, value)
        for number, (_, record) in enumerate(lines)
        for path in paths_in(record)
        for value in VALUES
    ]
    for number, path, value in some(trials):
        record = lines[number][1]
        raw = [line for line, _ in lines]
        raw[number] = json.dumps(replaced(record, path, value)).encode()
        yield f"line {number + 1}, {path}: {value!r}", b"\n".join(raw), list(texts_in(record))


def changed_documents(data: bytes) -> Iterator[tuple[str, bytes, list[str]]]:
    """Yield the same of a document, and the texts of the item of a list in it that was changed."""
    document: object = orjson.loads(data)
    for path, value in some([(path, value) for path in paths_in(document) for value in VALUES]):
        item = next((end for end, step in enumerate(path, 1) if isinstance(step, int)), len(path))
        texts = list(texts_in(at(document, path[:item])))
        yield f"{path}: {value!r}", json.dumps(replaced(document, path, value)).encode(), texts


@each(JSON_TEXTS)
def test_a_value_may_be_anything(make, root, file, tmp_path):
    damaged = Damaged(make, root, file, tmp_path)
    try:
        changes = changed_lines if file.suffix == ".jsonl" else changed_documents
        trials = list(changes(damaged.data))
    except orjson.JSONDecodeError:
        pytest.skip("the fixture is damaged itself")
    for number, (change, data, texts) in enumerate(trials):
        found = damaged.read(data, twice=number % 10 == 0)
        kept = [prompt for prompt in damaged.prompts if not holds(texts, prompt)]
        assert [prompt for prompt in kept if prompt not in found] == [], change


def neighbours() -> Iterator[tuple[str, Make, Path, Path, Path]]:
    """Yield files of lines, each with another one of the same runtime."""
    lines = [case for case in TEXTS if case[3].suffix in {".jsonl", ".md"}]
    for name, make, root, file in lines:
        alike = [case for case in lines if case[1] is make and case[3].suffix == file.suffix]
        _, _, other_root, other = alike[(alike.index((name, make, root, file)) + 1) % len(alike)]
        yield name, make, root, file, other_root / other


NEIGHBOURS = list(neighbours())


@pytest.mark.parametrize(
    ("make", "root", "file", "other"), [case[1:] for case in NEIGHBOURS], ids=[case[0] for case in NEIGHBOURS]
)
def test_two_files_may_stand_in_one(make, root, file, other, tmp_path):
    damaged = Damaged(make, root, file, tmp_path)
    added = other.read_bytes()
    found = damaged.read(damaged.data.rstrip(b"\n") + b"\n" + added, twice=True)
    data = damaged.data + added
    if not any(changing in data for changing in CHANGING) and not root.name.startswith(MODEL_ONLY):
        assert [prompt for prompt in damaged.prompts if prompt not in found] == []


def tables(connection: sqlite3.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]


def changed_columns(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield what was changed, and the database with one value in it changed."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        connection.deserialize(data)
        connection.execute("PRAGMA ignore_check_constraints = 1")
        columns = [
            (table, column)
            for table in tables(connection)
            for (column,) in connection.execute("SELECT name FROM pragma_table_info(?)", (table,)).fetchall()
        ]
        rows = {table: connection.execute(f'SELECT rowid FROM "{table}"').fetchall() for table, _ in columns}  # noqa: S608
        trials = [(place, row, value) for place in columns for (row,) in rows[place[0]] for value in COLUMN_VALUES]
        for (table, column), row, value in some(trials):
            connection.execute("BEGIN")
            with suppress(sqlite3.IntegrityError):
                connection.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', (value, row))  # noqa: S608
            yield f"{table}.{column} of row {row}: {value!r}", connection.serialize()
            connection.execute("ROLLBACK")


@each(DATABASES)
def test_a_column_may_hold_anything(make, root, file, tmp_path):
    damaged = Damaged(make, root, file, tmp_path)
    for number, (change, data) in enumerate(changed_columns(damaged.data)):
        found = damaged.read(data, twice=number % 10 == 0)
        hurt = [part for part, said in damaged.said.items() if not set(said) <= set(found)]
        assert len(hurt) <= 1, change


@each(BINARIES)
def test_a_binary_file_may_be_cut_or_overwritten_anywhere(make, root, file, tmp_path):
    damaged = Damaged(make, root, file, tmp_path)

    @settings(derandomize=True, max_examples=25, database=None, deadline=None)
    @given(st.integers(0, len(damaged.data)), st.binary(min_size=1, max_size=40))
    def check(place: int, noise: bytes) -> None:
        damaged.read(damaged.data[:place], twice=place % 2 == 0)
        damaged.read(damaged.data[:place] + noise + damaged.data[place + len(noise) :])

    check()


def test_the_files_of_every_runtime_are_among_these():
    assert {make for _, make, _, _ in FILES} == set(READERS)
