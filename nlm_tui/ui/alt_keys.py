"""Alt with a letter or a digit, as terminals send it: Escape, then the letter."""

from string import ascii_letters, digits
from typing import Final, NamedTuple, cast

from textual._ansi_sequences import ANSI_SEQUENCES_KEYS  # there is no public way to say what a sequence means

_ESCAPE: Final = "\x1b"
_BEGINS_OTHERS: Final = frozenset("OPXNZ")  # what follows Escape in longer sequences, or in ones with another meaning
_ALREADY: Final = frozenset("bf")  # some terminals send these for Ctrl with an arrow, and Textual reads them so


class _Named(NamedTuple):
    """A key as Textual looks it up: by its value."""

    value: str


def _name(sign: str) -> str:
    return f"alt+shift+{sign.lower()}" if sign.isupper() else f"alt+{sign}"


def tell_alt_keys() -> None:
    """Let Alt with a letter or a digit be a key at once.

    Without this Textual waits whether more follows, takes what is typed meanwhile for a part of it, hands the letter
    to the box as text, and takes digits for what a Mac types with Option.
    """
    known = cast("dict[str, object]", ANSI_SEQUENCES_KEYS)
    for sign in set(ascii_letters + digits) - _BEGINS_OTHERS - _ALREADY:
        known[_ESCAPE + sign] = (_Named(_name(sign)),)
