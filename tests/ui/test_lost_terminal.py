"""A terminal that is gone: what reads from it ends, also where what writes to it has ended already."""

from threading import Event, Thread

import pytest
from textual.driver import Driver

from nlm_tui.ui.handing_over import HandingOver


class Base(Driver):
    """As Textual's driver: what stops it ends the thread that reads."""

    def __init__(self) -> None:
        self.stopped: list[str] = []
        self.ending = Event()
        self._writer_thread = Thread(target=lambda: None)
        self._key_thread = Thread(target=self.ending.wait, daemon=True)
        for thread in (self._writer_thread, self._key_thread):
            thread.start()
        self._writer_thread.join()

    def start_application_mode(self) -> None:
        raise NotImplementedError

    def disable_input(self) -> None:
        self.stopped.append("input")
        self.ending.set()
        self._key_thread.join()

    def stop_application_mode(self) -> None:
        self.stopped.append("mode")

    def close(self) -> None:
        self.stopped.append("writer")


class Lost(HandingOver, Base):
    def __init__(self) -> None:
        Base.__init__(self)


@pytest.fixture
def lost():
    driver = Lost()
    yield driver
    driver.ending.set()
    driver._key_thread.join()


def test_reading_ends_where_writing_did(lost) -> None:
    lost.stop_application_mode()
    lost.disable_input()
    assert lost.stopped == ["mode", "input"]
    assert not lost._key_thread.is_alive()


def test_what_was_handed_over_is_left_alone(lost) -> None:
    lost.disable_input()
    lost.stopped.clear()
    lost.stop_application_mode()
    lost.disable_input()
    lost.close()
    assert lost.stopped == []
