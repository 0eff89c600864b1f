"""A driver that takes whatever comes from the keyboard: what is no text or no key does not end the program."""

import sys
from collections.abc import Callable, Iterator
from encodings.utf_8 import IncrementalDecoder
from functools import partial
from typing import NoReturn

from textual import events
from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.keys import Keys
from textual.message import Message


class _Parser(XTermParser):
    """Reads past keys that there are not, and mouse positions that mean nothing."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterator[events.Key]:  # noqa: FBT001,FBT002
        try:
            yield from super()._sequence_to_key_events(sequence, alt)
        except (ValueError, OverflowError):
            yield events.Key(Keys.Ignore, sequence)

    def parse_mouse_code(self, code: str) -> Message | None:
        try:
            return super().parse_mouse_code(code)
        except ZeroDivisionError:  # the terminal said that it is no pixel wide
            return None


def _decoder_of(_: str) -> Callable[[], IncrementalDecoder]:
    return partial(IncrementalDecoder, "replace")


def any_input(base: type[Driver]) -> type[Driver]:
    """Return a driver that does so; where its reader fails all the same, that is a crash of the app like any other."""
    # The loop that reads is one function: what it reads with are names of its module.
    module = sys.modules[base.__module__]
    for name, ours in (("getincrementaldecoder", _decoder_of), ("XTermParser", _Parser)):
        if hasattr(module, name):
            setattr(module, name, ours)

    class AnyInputDriver(base):
        def _run_input_thread(self) -> None:
            try:
                self.run_input_thread()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
            except Exception as error:  # noqa: BLE001 - the app takes it
                self._app.call_later(_raise, error)

    return AnyInputDriver


def _raise(error: Exception) -> NoReturn:
    raise error
