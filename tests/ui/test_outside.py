"""Programs on the app's terminal: the app comes back, whatever they do, and says how they ended."""

import io
import signal
import sys
from contextlib import contextmanager

import pytest
from textual.app import SuspendNotSupported

from nlm_tui.ui.outside import Ended, run_outside, show_outside


class FakeApp:
    """An app that notes when it leaves the terminal and when it is back."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    @contextmanager
    def suspend(self):
        self.seen.append("away")
        yield
        self.seen.append("back")


class NoApp:
    """An app whose terminal cannot be handed over."""

    def suspend(self):
        raise SuspendNotSupported("not here")


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> FakeApp:
    monkeypatch.setattr(sys, "__stdin__", io.StringIO("\n\n"))
    monkeypatch.setattr(sys, "__stderr__", io.StringIO())
    return FakeApp()


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def printed() -> str:
    return sys.__stderr__.getvalue()


def test_a_program_that_ends_well(app: FakeApp, tmp_path) -> None:
    code = "import os; open('here', 'w').write(os.getcwd())"
    ended = run_outside(app, python(code), str(tmp_path))
    assert (ended.status, ended.problem, ended.text) == (0, "", "")
    assert (tmp_path / "here").read_text() == str(tmp_path)
    assert app.seen == ["away", "back"]
    assert "Enter" not in printed()


def test_what_a_program_said_when_it_failed_stays_until_enter(app: FakeApp) -> None:
    ended = run_outside(app, python("raise SystemExit(3)"))
    assert ended.text == f"{sys.executable} ended with exit status 3"
    assert printed().endswith("ended with exit status 3\nPress Enter to go back to nlm-tui.\n")
    assert app.seen == ["away", "back"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_program_that_is_killed(app: FakeApp) -> None:
    ended = run_outside(app, python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"))
    assert ended.text.endswith("was ended by SIGKILL")
    assert "\x1b[?1047l" in printed()
    assert app.seen == ["away", "back"]


@pytest.mark.parametrize(
    ("command", "cwd"), [(["no-such-agent"], None), ([sys.executable, "-c", ""], "/no/such/folder"), (["a\0b"], None)]
)
def test_a_program_that_cannot_be_run(app: FakeApp, command: list[str], cwd: str | None) -> None:
    ended = run_outside(app, command, cwd)
    assert ended.status is None
    assert ended.text.startswith(f"{ended.program}: ")
    assert app.seen == ["away", "back"]


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_an_interrupt_ends_the_program_and_not_the_app(app: FakeApp) -> None:
    before = signal.getsignal(signal.SIGINT)
    code = "import os, signal; os.kill(os.getppid(), signal.SIGINT); os.kill(os.getpid(), signal.SIGINT)"
    ended = run_outside(app, ["sh", "-c", f"exec {sys.executable} -c '{code}' 2>/dev/null"])
    assert ended.text.endswith("was ended by SIGINT")
    assert signal.getsignal(signal.SIGINT) is before


def test_the_cursor_stays_where_a_program_left_it(app: FakeApp) -> None:
    run_outside(app, python(""))
    assert "\x1b[?1049l" not in printed()
    assert printed().endswith("\r\n\x1b[J")


def test_a_program_reads_what_it_is_given(app: FakeApp, tmp_path) -> None:
    code = "import sys; open('read', 'wb').write(sys.stdin.buffer.read())"
    run_outside(app, python(code), str(tmp_path), data="Grüße".encode())
    assert (tmp_path / "read").read_text("utf-8") == "Grüße"


def test_text_is_shown_until_enter(app: FakeApp) -> None:
    assert show_outside(app, "select me") == ""
    assert printed().startswith("select me\n")
    assert app.seen == ["away", "back"]


def test_where_the_terminal_cannot_be_handed_over() -> None:
    assert run_outside(NoApp(), ["x"]).text == "x: it cannot be run from here: this terminal cannot be handed over"
    assert show_outside(NoApp(), "x") == "this terminal cannot be handed over"


def test_no_stream_to_speak_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "__stdin__", None)
    monkeypatch.setattr(sys, "__stderr__", None)
    assert run_outside(FakeApp(), ["no-such-agent"]) == Ended("no-such-agent", problem="No such file or directory")
