"""Lists in the settings file: which of their elements is not as it must be, and why."""

from typing import cast

from nlm_tui.settings.toml_text import shown


class WrongElementError(ValueError):
    """An element of a list is not as it must be; the text says which one, counted from 1, and why."""

    def __init__(self, number: int, value: object, reason: str) -> None:
        super().__init__(f"element {number} is {shown(value)}, {reason}")


def texts(value: object) -> tuple[str, ...]:
    """Return a list of texts.

    Raises:
        WrongElementError: something in it is no text.
        ValueError: it is no list.
    """
    if isinstance(value, list):
        return tuple(_text(number, element) for number, element in enumerate(cast("list[object]", value), 1))
    raise ValueError


def _text(number: int, value: object) -> str:
    if isinstance(value, str):
        return value
    raise WrongElementError(number, value, "which is no text")


def words(value: object) -> tuple[str, ...]:
    """Return a list of texts that say something. Raises what `texts` raises."""
    found = texts(value)
    for number, word in enumerate(found, 1):
        if not word.strip():
            raise WrongElementError(number, word, "which is empty")
        if "\0" in word:
            raise WrongElementError(number, word, "which holds a NUL character")
    return found
