"""Using a session: each flow from the key to what the machine was asked, and what is said."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from support import a_session

from nlm_tui.core import Message, join_messages
from nlm_tui.core.resume import Resume
from nlm_tui.core.secrets import DOTS
from nlm_tui.ui.clipboard import LONGEST, Clipboard
from nlm_tui.ui.machine import Machine
from nlm_tui.ui.outside import Ended
from nlm_tui.ui.screens.asking import AskText, Choose
from nlm_tui.ui.screens.search import SearchScreen

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
RUNS = Resume(("claude", "--resume", "1"), "/src/pay", notes=("its directory is gone",))


class Fake:
    """A machine that notes what it is asked to do."""

    def __init__(self, folder: Path, **environ: str) -> None:
        self.ran: list[tuple[tuple[str, ...], str | None, bytes | None]] = []
        self.shown: list[str] = []
        self.copied: list[str] = []
        self.ended = Ended("it", 0)
        self.resume = RUNS
        clipboard = Clipboard({"DISPLAY": ":0"}, lambda name: name, "linux", self._feed, lambda _: "")
        self.machine = Machine(
            environ=environ, which=lambda name: name, resume=lambda *_: self.resume, clipboard=clipboard,
            run=self._run, show=self._show, folder=folder,
        )  # fmt: skip

    def _feed(self, _, data: bytes) -> int:
        self.copied.append(data.decode())
        return 0

    def _run(self, _, command, cwd=None, *, data=None) -> Ended:
        self.ran.append((tuple(command), cwd, data))
        return self.ended

    def _show(self, _, text: str) -> str:
        self.shown.append(text)
        return ""


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    folder = tmp_path / "work"
    folder.mkdir()
    return Fake(folder, EDITOR="vim -f", PAGER="less -X")


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    path.write_text('{"a": 1}\n{"timestamp": "2026-05-14T10:32:00.000Z"}\n{"timestamp": "2026-05-14T10:33:00.000Z"}\n')
    return path


@pytest.fixture
def opened(make_app, memory_of, fake: Fake, transcript: Path):
    """Return a coroutine that opens the app on one session, its conversation in view."""
    body, turns = join_messages(
        (
            Message("user", f"Use {TOKEN}", "2026-05-14T10:32:00.000Z"),
            Message("assistant", "So:\n```py\nx = 1\n```\nDone.", "2026-05-14T10:33:00.000Z"),
        )
    )
    session = a_session(
        "cc_1", label="Retry budget", summary="Short.", body=body, turns=turns, decisions=("three retries",),
        open=("who reads it?",), transcript_path=str(transcript), project=str(transcript.parent),
    )  # fmt: skip

    def app(**more):
        return make_app(memory_of(replace(session, **more)), machine=fake.machine)

    return app


async def ready(pilot, settled) -> SearchScreen:
    screen = pilot.app.screen
    await settled(pilot, lambda: screen.session.detail.session_id == "cc_1" and screen.session.detail.row_count)
    return screen


async def chosen(pilot, settled, *keys: str) -> None:
    """Press a command's key, wait for its question, and answer it."""
    for key in keys:
        before = pilot.app.screen
        await pilot.press(key)
        if key is not keys[-1]:
            await settled(pilot, lambda: pilot.app.screen is not before)  # noqa: B023 - awaited here


def said(app) -> list[str]:
    return [notice.message for notice in app._notifications]


async def test_the_agent_runs_once_its_command_was_seen(opened, settled, fake: Fake) -> None:
    app = opened()
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await ready(pilot, settled)
        await pilot.press("alt+r")
        await settled(pilot, lambda: isinstance(app.screen, Choose))
        shown = "\n".join(str(widget.render()) for widget in app.screen.query("Static"))
        assert "claude --resume 1\nin /src/pay\nits directory is gone" in shown
        assert fake.ran == []
        await pilot.press("enter")
        await settled(pilot, lambda: fake.ran)
        assert fake.ran == [(("claude", "--resume", "1"), "/src/pay", None)]
        await settled(pilot, lambda: said(app) == ["back from it"])
        assert isinstance(app.screen, SearchScreen)


async def test_the_command_can_be_copied_instead(opened, settled, fake: Fake) -> None:
    app = opened()
    fake.resume = replace(RUNS, refusal="claude is not installed here")
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await ready(pilot, settled)
        await chosen(pilot, settled, "alt+r", "c")
        await settled(pilot, lambda: fake.copied)
        assert fake.copied == ["cd /src/pay && claude --resume 1"]
        await settled(pilot, lambda: said(app) == ["copied the resume command (32 characters) with xclip"])
        assert fake.ran == []


async def test_what_cannot_be_resumed_is_said(opened, settled, fake: Fake) -> None:
    app = opened()
    fake.resume = Resume(refusal="sessions of x cannot be resumed")
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await ready(pilot, settled)
        await pilot.press("alt+r")
        await settled(pilot, lambda: said(app) == ["sessions of x cannot be resumed"])


async def test_how_a_program_failed_is_said(opened, settled, fake: Fake) -> None:
    app = opened()
    fake.ended = Ended("claude", 3)
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await ready(pilot, settled)
        await chosen(pilot, settled, "alt+r", "r")
        await settled(pilot, lambda: said(app) == ["claude ended with exit status 3"])


@pytest.mark.parametrize(
    ("letter", "copied"),
    [
        ("i", "cc_1"),
        ("p", "{transcript}"),
        ("r", "cd /src/pay && claude --resume 1"),
        ("d", "* three retries\n? who reads it?"),
        ("m", f"Use ghp_{DOTS}"),
        ("c", "x = 1"),
    ],
)
async def test_what_can_be_copied(opened, settled, fake: Fake, transcript: Path, letter: str, copied: str) -> None:
    app = opened()
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await ready(pilot, settled)
        await chosen(pilot, settled, "ctrl+y", letter)
        await settled(pilot, lambda: fake.copied)
        assert fake.copied == [copied.format(transcript=transcript)]
        await settled(pilot, lambda: len(said(app)) == 1)
        assert said(app)[0].endswith("with xclip")


async def test_the_whole_session_is_copied_as_markdown(opened, settled, fake: Fake) -> None:
    app = opened()
    async with app.run_test(size=(120, 30)) as pilot:
        await ready(pilot, settled)
        await chosen(pilot, settled, "ctrl+y", "a")
        await settled(pilot, lambda: fake.copied)
        assert fake.copied[0].startswith("# Retry budget\n")
        assert TOKEN not in fake.copied[0]


async def test_text_can_be_shown_to_be_selected(opened, settled, fake: Fake) -> None:
    app = opened()
    async with app.run_test(size=(120, 30)) as pilot:
        await ready(pilot, settled)
        await chosen(pilot, settled, "ctrl+y", "s", "i")
        await settled(pilot, lambda: fake.shown)
        assert fake.shown == ["cc_1"]
        assert fake.copied == []


async def test_over_ssh_the_terminal_gets_it(opened, settled, fake: Fake) -> None:
    app = opened()
    fake.machine = replace(fake.machine, clipboard=Clipboard({"SSH_TTY": "/dev/pts/1"}, lambda name: name))
    app.context.machine = fake.machine
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await ready(pilot, settled)
        await chosen(pilot, settled, "ctrl+y", "i")
        await settled(pilot, lambda: app.clipboard == "cc_1")
        await settled(pilot, lambda: said(app) == ["sent the id (4 characters) to the terminal's clipboard by OSC 52"])


async def test_what_is_too_long_for_it_can_be_a_file(opened, settled, fake: Fake) -> None:
    app = opened(body="x" * LONGEST, turns=())
    app.context.machine = replace(fake.machine, clipboard=Clipboard({}, lambda _: None))
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await ready(pilot, settled)
        await chosen(pilot, settled, "ctrl+y", "a")
        await settled(pilot, lambda: isinstance(app.screen, AskText))
        assert "most terminals take no more" in said(app)[0]
        await pilot.press("enter")
        path = fake.machine.folder / "retry-budget.md"
        await settled(pilot, path.exists)


@pytest.mark.parametrize(
    ("letter", "ran"),
    [("t", ("vim", "-f", "+2", "{transcript}")), ("f", ("vim", "-f", "{folder}"))],
)
async def test_the_editor_opens_it(
    opened, settled, fake: Fake, transcript: Path, letter: str, ran: tuple[str, ...]
) -> None:
    app = opened()
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot, settled)
        await chosen(pilot, settled, "alt+o", letter)
        await settled(pilot, lambda: fake.ran)
        places = {"transcript": transcript, "folder": transcript.parent}
        assert fake.ran == [(tuple(word.format(**places) for word in ran), None, None)]


async def test_the_pager_reads_it_cleaned_and_masked(opened, settled, fake: Fake) -> None:
    app = opened(summary=f"\x1b[31mred {TOKEN}")
    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot, settled)
        await chosen(pilot, settled, "alt+o", "r")
        await settled(pilot, lambda: fake.ran)
        ((command, _, data),) = fake.ran
        assert command == ("less", "-X")
        assert data.decode().startswith("Retry budget\n")
        assert f"red ghp_{DOTS}" in data.decode()
        assert b"\x1b" not in data


async def test_what_cannot_be_opened_is_said(opened, settled, fake: Fake) -> None:
    app = opened(project="relative/folder", transcript_path="/no/such/file")
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await ready(pilot, settled)
        await chosen(pilot, settled, "alt+o", "f")
        await settled(pilot, lambda: said(app) == ["relative/folder is no whole path"])
        await chosen(pilot, settled, "alt+o", "t")
        await settled(pilot, lambda: "cannot be read: No such file or directory" in said(app)[-1])
        assert fake.ran == []


@pytest.mark.parametrize(("letter", "name"), [("m", "retry-budget.md"), ("h", "retry-budget.html")])
async def test_a_session_is_exported(opened, settled, fake: Fake, letter: str, name: str) -> None:
    app = opened()
    path = fake.machine.folder / name
    path.write_text("mine")
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await ready(pilot, settled)
        await chosen(pilot, settled, "alt+w", letter, "enter")
        written = path.with_stem(path.stem + "-2")
        await settled(pilot, lambda: said(app))
        assert said(app)[0].startswith(f"wrote {written} (")
        assert path.read_text() == "mine"
        assert f"ghp_{DOTS}" in written.read_text("utf-8")


async def test_the_list_is_exported(opened, settled, fake: Fake, typed) -> None:
    app = opened()
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await ready(pilot, settled)
        await typed(pilot, "retry")
        await chosen(pilot, settled, "alt+w", "J", "enter")
        path = fake.machine.folder / "sessions-retry.json"
        await settled(pilot, path.exists)
        await settled(pilot, lambda: said(app))
        assert [row["id"] for row in json.loads(path.read_text("utf-8"))["rows"]] == ["cc_1"]


async def test_a_file_that_cannot_be_written_is_said(opened, settled) -> None:
    app = opened()
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await ready(pilot, settled)
        await chosen(pilot, settled, "alt+w", "m")
        await settled(pilot, lambda: isinstance(app.screen, AskText))
        app.screen.box.value = "nowhere/x.md"
        await pilot.press("enter")
        await settled(pilot, lambda: said(app) == ["nowhere/x.md was not written: No such file or directory"])


async def test_secrets_are_revealed_in_the_pane_only(opened, settled, fake: Fake) -> None:
    app = opened()

    def pane() -> str:
        detail = app.screen.session.detail
        return "\n".join(detail.render_line(number).text for number in range(detail.size.height))

    async with app.run_test(size=(120, 40)) as pilot:
        await ready(pilot, settled)
        assert f"Use ghp_{DOTS}" in pane()
        await pilot.press("alt+k")
        await settled(pilot, lambda: f"Use {TOKEN}" in pane())
        await chosen(pilot, settled, "ctrl+y", "m")
        await settled(pilot, lambda: fake.copied)
        assert fake.copied == [f"Use ghp_{DOTS}"]
        await pilot.press("alt+k")
        await settled(pilot, lambda: f"Use ghp_{DOTS}" in pane())


@pytest.mark.parametrize("leave", ["down", "query", "view"])
@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_secrets_of_another_session_stay_masked(make_app, memory_of, settled, typed, size, leave: str) -> None:
    leaky = [
        a_session(f"cc_{number}", label=f"{name} token", summary=f"{TOKEN}", decisions=("kept",), started_at=started)
        for number, name, started in ((1, "First", "2026-05-02T08:00:00Z"), (2, "Second", "2026-05-01T08:00:00Z"))
    ]
    app = make_app(memory_of(*leaky))

    def pane(screen) -> str:
        detail = screen.session.detail
        return "\n".join(detail.render_line(number).text for number in range(detail.size.height))

    async with app.run_test(size=size, notifications=True) as pilot:
        screen = await ready(pilot, settled)
        await pilot.press("alt+k")
        await settled(pilot, lambda: TOKEN in pane(screen))
        assert screen.session.position.text.startswith("secrets shown   ")
        app.clear_notifications()
        if leave == "down":
            await pilot.press("down")
        elif leave == "query":
            await typed(pilot, "second")
        else:
            await pilot.press("alt+2", "down")
        await settled(pilot, lambda: screen.session.detail.session_id == "cc_2" and "ghp_" in pane(screen))
        assert TOKEN not in pane(screen)
        assert "secrets" not in screen.session.position.text
        await (typed(pilot, "") if leave == "query" else pilot.press("up"))
        await settled(pilot, lambda: screen.session.detail.session_id == "cc_1" and "ghp_" in pane(screen))
        assert TOKEN not in pane(screen)


async def test_without_a_session_nothing_is_used(make_app, memory_of, settled, fake: Fake) -> None:
    app = make_app(memory_of(), machine=fake.machine)
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await settled(pilot, lambda: app.screen.answered is not None)
        await pilot.press("alt+r", "ctrl+y", "alt+o", "alt+w", "alt+k")
        await settled(pilot, lambda: len(said(app)) == 5)
        assert set(said(app)) == {"no session is selected"}


async def test_enter_picks_a_session(make_app, settled) -> None:
    app = make_app(picks=True, query="billing")
    async with app.run_test(size=(100, 30)) as pilot:
        screen = app.screen
        await settled(pilot, lambda: screen.answered == "billing" and screen.results.hits)
        first = screen.results.hits[0].id
        assert screen.box.cursor_position == len("billing")
        await pilot.press("enter")
        await settled(pilot, lambda: app.context.picked == first)
    assert app.return_code == 0


async def test_escape_out_of_an_empty_box_picks_nothing(make_app, settled) -> None:
    app = make_app(picks=True, query="billing")
    async with app.run_test(size=(100, 30)) as pilot:
        await settled(pilot, lambda: app.screen.answered == "billing")
        await pilot.press("escape")
        assert app.screen.box.value == ""
        assert app.is_running
        await pilot.press("escape")
        await settled(pilot, lambda: not app.is_running)
    assert app.context.picked is None
