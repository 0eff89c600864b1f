"""Invented transcripts with what a good answer finds in them: read, checked, and turned into what a reader reads."""

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

FOLDER = Path(__file__).parent / "gold"
_BLOCK = re.compile(r"^>>> (user|assistant|command|result|call(?: \S+)?)$", re.MULTILINE)
_START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
_SHORTEST_QUOTE = 12
# Beside a character of a script that has no blanks a word may begin anywhere.
_WIDE = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff00-\uffef"
_START_OF_WORD = rf"(?:(?<![^\W_])|(?<=[{_WIDE}])|(?=[{_WIDE}]))"
_KEYS = {"kind", "language", "project", "trivial", "entities", "entities_also", "label", "summary", "decisions", "open"}
_ITEM_KEYS = {"about", "gave_up", "why", "from"}


class GoldError(Exception):
    """A file that is no gold transcript; the text says which, and what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a transcript; `tool` is the name of the tool that a `call` calls."""

    kind: str
    text: str
    tool: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """A decision or an open question: groups of words, of each of which one must be said, and where it was said."""

    about: tuple[str, ...]
    quotes: tuple[str, ...]
    gave_up: tuple[str, ...] = ()
    why: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """A transcript and its reference."""

    name: str
    kind: str
    language: str
    project: str
    trivial: bool
    blocks: tuple[Block, ...]
    label: tuple[str, ...]
    summary: tuple[str, ...]
    entities: tuple[str, ...]
    entities_also: tuple[str, ...]
    decisions: tuple[Item, ...]
    open: tuple[Item, ...]


def says(text: str, groups: Sequence[str]) -> bool:
    """Tell whether of each group, spellings parted by `|`, one occurs in `text` at the start of a word."""
    return all(any(_occurs(text, spelling) for spelling in group.split("|")) for group in groups)


def _occurs(text: str, spelling: str) -> bool:
    return re.search(_START_OF_WORD + re.escape(spelling.strip().lower()), text.lower()) is not None


def read_all(half: str) -> list[Gold]:
    """Return the transcripts of a half, `dev` or `test`, by name."""
    return [read(path) for path in sorted((FOLDER / half).glob("*.md"))]


def read(path: Path) -> Gold:
    """Return the transcript in a file, checked.

    Raises:
        GoldError: the file is malformed.
    """
    _, head, talk = _parted(path)
    try:
        told = tomllib.loads(head)
    except tomllib.TOMLDecodeError as error:
        raise GoldError(f"{path}: {error}") from None
    if unknown := told.keys() - _KEYS:
        raise GoldError(f"{path}: unknown keys {sorted(unknown)}")
    gold = Gold(
        name=path.stem,
        kind=told.get("kind", ""),
        language=told.get("language", ""),
        project=told.get("project", ""),
        trivial=told.get("trivial", False),
        blocks=tuple(_blocks(path, talk)),
        label=tuple(told.get("label", {}).get("about", ())),
        summary=tuple(told.get("summary", {}).get("about", ())),
        entities=tuple(told.get("entities", ())),
        entities_also=tuple(told.get("entities_also", ())),
        decisions=tuple(_item(path, item) for item in told.get("decisions", ())),
        open=tuple(_item(path, item) for item in told.get("open", ())),
    )
    _check(path, gold)
    return gold


def _parted(path: Path) -> tuple[str, str, str]:
    text = path.read_text(encoding="utf-8")
    parts = re.split(r"^\+\+\+$\n?", text, maxsplit=2, flags=re.MULTILINE)
    if len(parts) != 3 or parts[0].strip():
        raise GoldError(f"{path}: does not begin with a head between two lines of +++")
    return parts[0], parts[1], parts[2]


def _blocks(path: Path, talk: str) -> Iterator[Block]:
    marks = list(_BLOCK.finditer(talk))
    if stray := next((line for line in talk.splitlines() if line.startswith(">>> ") and not _BLOCK.match(line)), None):
        raise GoldError(f"{path}: no such block: {stray}")
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        text = talk[mark.end() : following.start() if following else len(talk)].strip("\n")
        kind, _, tool = mark[1].partition(" ")
        if kind == "call":
            try:
                json.loads(text)
            except ValueError as error:
                raise GoldError(f"{path}: input of {tool} is no JSON: {error}: {text[:80]}") from None
        if kind in {"user", "assistant", "command"} and not text.strip():
            raise GoldError(f"{path}: an empty block of {kind}")
        yield Block(kind, text, tool)


def _item(path: Path, told: dict[str, Any]) -> Item:
    if unknown := told.keys() - _ITEM_KEYS:
        raise GoldError(f"{path}: unknown keys {sorted(unknown)} in an item")
    if not told.get("about") or not told.get("from"):
        raise GoldError(f"{path}: an item without about or from: {told}")
    return Item(tuple(told["about"]), tuple(told["from"]), tuple(told.get("gave_up", ())), tuple(told.get("why", ())))


def _check(path: Path, gold: Gold) -> None:
    if not gold.kind or not gold.language or not gold.blocks:
        raise GoldError(f"{path}: kind, language or the transcript is missing")
    if gold.trivial and (gold.decisions or gold.open or gold.entities):
        raise GoldError(f"{path}: trivial, and yet something is to be found")
    if not gold.trivial and not gold.label:
        raise GoldError(f"{path}: nothing is said of the label")
    waiting = False
    for block in gold.blocks:
        if (block.kind == "result") != waiting:
            raise GoldError(f"{path}: after each call comes its result: {block.text[:60]!r}")
        waiting = block.kind == "call"
    for item in (*gold.decisions, *gold.open):
        for quote in item.quotes:
            found = sum(quote in _seen(block) for block in gold.blocks)
            if len(quote) < _SHORTEST_QUOTE or found != 1:
                raise GoldError(f"{path}: the quote {quote!r} is in {found} blocks, or too short")


def _seen(block: Block) -> str:
    """Return what a quote of a block may quote: of a call the texts of its input."""
    return "\n".join(_strings(json.loads(block.text))) if block.kind == "call" else block.text


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def write_transcript(gold: Gold, folder: Path) -> Path:
    """Write a transcript as Claude Code writes it, and return the file."""
    session = str(uuid5(NAMESPACE_URL, gold.name))
    path = folder / f"{session}.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, block in enumerate(gold.blocks):
            at = (_START + timedelta(seconds=40 * number)).isoformat().replace("+00:00", "Z")
            record = {
                "sessionId": session,
                "uuid": f"{number:08x}",
                "parentUuid": f"{number - 1:08x}" if number else None,
                "cwd": gold.project,
                "timestamp": at,
                **_record(block, number),
            }
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
    return path


def _record(block: Block, number: int) -> dict[str, Any]:
    if block.kind == "assistant":
        return _said(number, {"type": "text", "text": block.text})
    if block.kind == "call":
        called = {"type": "tool_use", "id": f"t{number}", "name": block.tool, "input": json.loads(block.text)}
        return _said(number, called)
    if block.kind == "result":
        result = [{"type": "tool_result", "tool_use_id": f"t{number - 1}", "content": block.text}]
        return {"type": "user", "message": {"role": "user", "content": result}}
    text = block.text
    if block.kind == "command":
        name, _, rest = text.partition(" ")
        told = {"name": name, "message": name[1:], "args": rest}
        text = "\n".join(f"<command-{part}>{word}</command-{part}>" for part, word in told.items())
    return {"type": "user", "message": {"role": "user", "content": text}}


def _said(number: int, block: dict[str, Any]) -> dict[str, Any]:
    return {"type": "assistant", "message": {"id": f"m{number}", "role": "assistant", "content": [block]}}


def main(folders: Sequence[str]) -> int:
    """Say which files are malformed."""
    broken = 0
    for path in (file for folder in folders for file in sorted(Path(folder).glob("*.md"))):
        try:
            read(path)
        except GoldError as error:
            broken += 1
            print(error)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [str(FOLDER / "dev"), str(FOLDER / "test")]))
