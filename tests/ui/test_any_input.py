"""Whatever comes from the keyboard, typing goes on; where the thread that reads it fails, the app ends with that."""

import os
from threading import Event, Thread

import pytest
from textual import events
from textual.driver import Driver
from textual.drivers.headless_driver import HeadlessDriver

from nlm_tui.ui.any_input import any_input

linux_driver = pytest.importorskip("textual.drivers.linux_driver", exc_type=ImportError)


class Keyboard(any_input(linux_driver.LinuxDriver)):
    """Reads from a pipe, and keeps what it makes of that."""

    def __init__(self) -> None:
        self.fileno, self.into = os.pipe()
        self.exit_event = Event()
        self._debug = False
        self.messages: list[object] = []
        self.seen = Event()

    def process_message(self, message: object) -> None:
        self.messages.append(message)
        if isinstance(message, events.Key) and message.key == "Z":
            self.seen.set()

    def read(self, *pieces: bytes) -> list[object]:
        """Return what comes of `pieces`, each of which is there as soon as the one before is read, and of a Z."""
        reader = Thread(target=self.run_input_thread, daemon=True)
        reader.start()
        for piece in (*pieces, b"Z"):
            os.write(self.into, piece)
        assert self.seen.wait(20)
        self.exit_event.set()
        os.close(self.into)
        reader.join()
        os.close(self.fileno)
        return [
            message.character if isinstance(message, events.Key) else message.text
            for message in self.messages[:-1]
            if isinstance(message, events.Key | events.Paste)
        ]


@pytest.mark.parametrize(
    ("pieces", "typed"),
    [
        ((b"a\xe9b",), ["a", "\ufffd", "b"]),
        ((b"\xff\xc3(",), ["\ufffd", "\ufffd", "("]),
        (("é€".encode(), b"\xe2\x82", b"\xac"), ["é", "€", "€"]),
        ((b"\x1b[200~one \xff\xc3( two\x1b[201~",), ["one \ufffd\ufffd( two"]),
        ((b"a\x1b[99999999999~b\x1b[1114112ub\x1b[;:ub",), ["a", "b", "b", "b"]),
        ((b"\x1b[48;24;80;0;0t\x1b[<0;5;5Mb",), ["b"]),
    ],
)
def test_typing_goes_on(pieces: tuple[bytes, ...], typed: list[str]) -> None:
    assert Keyboard().read(*pieces) == typed


class Broken(HeadlessDriver):
    def run_input_thread(self) -> None:
        raise OSError("no terminal")


async def test_a_reader_that_fails_is_a_crash_of_the_app(make_app) -> None:
    crashes: list[BaseException] = []
    app = make_app(report_crash=crashes.append)

    def read(driver: Driver) -> None:
        Thread(target=driver._run_input_thread, daemon=True).start()

    with pytest.raises(OSError, match="no terminal"):
        async with app.run_test():
            read(any_input(Broken)(app))
            await app._exception_event.wait()
    assert app.return_code == 1
    assert [str(error) for error in crashes] == ["no terminal"]
