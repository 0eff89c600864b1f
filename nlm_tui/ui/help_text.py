"""What the help says: of the part of the screen that has the focus, then all keys. Made of the table of commands."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len
from textual.binding import Binding
from textual.dom import DOMNode

from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.scopes import scopes
from nlm_tui.ui.wrap import wrap

_GAP: Final = 3
_WIDEST_KEYS: Final = 18
_INDENT: Final = 1
TWO_COLUMNS: Final = 100  # cells, from which on there are two
_QUERY: Final = (
    ("any words", "some of them must occur; more and rarer ones rank higher"),
    ('"dead letter"', "in a row"),
    ("-kafka", "without it"),
    ("agent:claude", "its agent; agent:pi,aider either; -agent:pi not that"),
    ("project:pay", "its folder"),
    ("entity:Redis", "what it is on"),
    ("has:open", "or has:decision"),
    ("in:label", "the words stand there"),
    ("status:closed", "its state"),
    ("is:pinned", "what you made of it: pinned, hidden, noted"),
    ("since:7d", "that recent; before:2026-05 that old"),
    ("branch:main", "its branch; model:opus its model"),
    ("like:ID", "close to that session in meaning"),
)


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the help: what is typed or pressed, and what that does; then sentences."""

    title: str
    entries: tuple[tuple[str, str], ...] = ()
    sentences: tuple[str, ...] = ()


def sections(keys: KeyMap, focused: DOMNode | None) -> list[Section]:
    """Return the whole help, what has the focus first."""
    from nlm_tui.ui.commands import GROUPS  # noqa: PLC0415 - one of the commands shows the help

    everywhere, *parts = scopes()
    here = next((part for part in parts if isinstance(focused, part.nodes)), None)
    found: list[Section] = []
    if here is None or here.types:
        found.append(Section("What you can type", _QUERY, _about_queries(keys)))
    if here is not None:
        found.append(_section(f"In {here.name}", here.bindings, keys))
    listed = {command.id for group in GROUPS.values() for command in group}
    for title, group in GROUPS.items():
        found.append(_section(title, (command.binding for command in group), keys))
    others = (binding for binding in everywhere.bindings if binding.id not in listed)
    found.append(_section("Leaving, and commands by name", others, keys))
    rest = (_section(f"In {part.name}", part.bindings, keys) for part in parts if part is not here)
    return [*found, *(section for section in rest if section.entries)]


def _section(title: str, bindings: Iterable[Binding], keys: KeyMap) -> Section:
    """Return what keys do here; then what has none and is found by its name."""
    entries: list[tuple[str, str]] = []
    nameless: list[str] = []
    for binding in bindings:
        if binding.id is not None:
            labels = keys.labels(binding.id)
            if labels:
                entries.append((" ".join(labels), binding.tooltip))
            else:
                nameless.append(binding.description)
    by_name = f"By name, with {keys.label('app.palette')}: {', '.join(nameless)}."
    return Section(title, tuple(entries), (by_name,) if nameless else ())


def _about_queries(keys: KeyMap) -> tuple[str, ...]:
    return (
        "Hits by words come at once, hits by meaning join them when you rest. A ~ marks what came by meaning.",
        f"{keys.label('search.mode')} asks for words and meaning, or for one of both.",
        f"{keys.label('search.complete')} completes a condition, {keys.label('search.take_off')} takes off the last.",
        f"{keys.label('results.open')} moves into what is selected, {keys.label('search.back')} comes back.",
        f"{keys.label('search.back')} in the box clears it, and once more brings the text back.",
    )


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a line of the help; `kind` is how it looks: title, key or text."""

    text: str
    kind: str = "text"


HelpLine = tuple[Piece, ...]


def lay_out_help(parts: Sequence[Section], width: int) -> list[HelpLine]:
    """Return the lines of the help, in two columns where there is room."""
    if width < TWO_COLUMNS:
        return _column(parts, width)
    half = (width - _GAP) // 2
    heights = [len(_column([part], half)) for part in parts]
    cut = min(range(1, len(parts) + 1), key=lambda cut: max(sum(heights[:cut]), sum(heights[cut:])))
    left, right = _column(parts[:cut], half), _column(parts[cut:], half)
    lines: list[HelpLine] = []
    for number in range(max(len(left), len(right))):
        line = left[number] if number < len(left) else ()
        room = half + _GAP - sum(cell_len(piece.text) for piece in line)
        lines.append((*line, Piece(" " * room), *(right[number] if number < len(right) else ())))
    return lines


def _column(parts: Sequence[Section], width: int) -> list[HelpLine]:
    lines: list[HelpLine] = []
    for part in parts:
        lines += [(Piece(part.title, "title"),)]
        widest = max((cell_len(what) for what, _ in part.entries), default=0)
        room = min(widest, _WIDEST_KEYS, max(width // 2, 1))
        for what, does in part.entries:
            lines += _entry(what, does, room, width)
        if part.entries and part.sentences:
            lines.append(())
        for sentence in part.sentences:
            lines += [(Piece(" " * _INDENT + row),) for row in _rows(sentence, width - _INDENT)]
        lines.append(())
    return lines[:-1]


def _entry(what: str, does: str, room: int, width: int) -> Iterator[HelpLine]:
    """Yield what is pressed and, beside it, what that does; what does not fit goes on in the next lines."""
    left = _rows(what, room)
    right = _rows(does, width - room - _INDENT - 2)
    for number in range(max(len(left), len(right))):
        key = left[number] if number < len(left) else ""
        text = right[number] if number < len(right) else ""
        blank = " " * (room - cell_len(key) + 2)
        yield (Piece(" " * _INDENT), Piece(key, "key"), Piece(blank), Piece(text))


def _rows(text: str, width: int) -> list[str]:
    return [text[start:end].strip() for start, end in wrap(text, max(width, 1))]
