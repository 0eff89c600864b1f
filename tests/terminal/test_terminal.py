"""What only a real terminal can show: programs that take it over, its clipboard, exit statuses, picking."""

import os
import shlex
import shutil
import signal
from pathlib import Path

import pytest
from support import a_session

from nlm_tui.storage import SqliteSessionStore

UUID = "0f8fad5b-d9cb-469f-a165-70867728950e"


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    """A store with one session, of an agent that works in the folder `pay app`."""
    path = tmp_path / "memory.sqlite"
    (tmp_path / "pay app").mkdir()
    (tmp_path / "talk.jsonl").write_text("{}\n")
    with SqliteSessionStore.open(path) as store, store.batch():
        store.insert_sessions(
            a_session(
                "cc_1",
                label="Retry budget",
                summary="Three retries.",
                runtime_session_id=UUID,
                project=str(tmp_path / "pay app"),
                transcript_path=str(tmp_path / "talk.jsonl"),
            )
        )
    return path


@pytest.fixture
def started(terminal, memory: Path):
    """Return a function that opens the screen and waits until it shows the session."""

    def start(*options: str, before: str = "", after: str = "; echo status=$?") -> None:
        terminal.enter(f"{before}nlm-tui --db {shlex.quote(str(memory))} {' '.join(options)}{after}")
        terminal.wait_for("Three retries.")

    return start


def agent(programs: Path, script: str) -> None:
    """Make up an agent."""
    path = programs / "claude"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def resume(terminal) -> None:
    """Resume the session, once its command was shown."""
    terminal.press("M-r")
    terminal.wait_for(f"claude --resume {UUID}")
    terminal.press("Enter")


def is_usable(terminal) -> None:
    """Check that the screen is back, listens, and leaves well."""
    terminal.wait_for("Three retries.")
    terminal.tmux("send-keys", "-l", "zebra")
    terminal.wait_for("zebra")
    terminal.wait_without("Three retries.")
    terminal.press("C-q")
    terminal.wait_for("status=0")
    terminal.enter("stty -a | tr ' ' '\\n' | grep -xE -- '-?(icanon|echo|isig);?' | tr '\\n' ' '")
    terminal.wait_for("isig icanon echo")


def test_an_agent_gets_the_terminal_and_gives_it_back(terminal, started, programs: Path, tmp_path: Path) -> None:
    agent(programs, 'echo "agent in $(pwd): $*"\nread answer\necho "$answer" > answered')
    started()
    resume(terminal)
    terminal.wait_for(f"agent in {tmp_path / 'pay app'}: --resume {UUID}")
    terminal.enter("go on")
    terminal.wait_for("back from claude")
    assert (tmp_path / "pay app" / "answered").read_text() == "go on\n"
    is_usable(terminal)


def test_what_a_failing_agent_said_can_be_read(terminal, started, programs: Path) -> None:
    agent(programs, "echo 'no such session' >&2\nexit 3")
    started()
    resume(terminal)
    terminal.wait_for("claude ended with exit status 3")
    assert "no such session" in terminal.shown
    terminal.press("Enter")
    is_usable(terminal)


def test_a_killed_agent_leaves_nothing_behind(terminal, started, programs: Path) -> None:
    agent(programs, "stty raw -echo\nprintf '\\033[?1049h\\033[?25l\\033[?1003h'\nkill -9 $$")
    started()
    resume(terminal)
    terminal.wait_for("claude was ended by SIGKILL")
    terminal.press("Enter")
    is_usable(terminal)


def test_an_interrupt_is_the_agents(terminal, started, programs: Path) -> None:
    agent(programs, "echo waiting\nexec cat")
    started()
    resume(terminal)
    terminal.wait_for("waiting")
    terminal.press("C-c")
    terminal.wait_for("claude was ended by SIGINT")
    terminal.press("Enter")
    is_usable(terminal)


def test_an_agent_that_cannot_be_run(terminal, started, programs: Path) -> None:
    agent(programs, "")
    (programs / "claude").write_text("#!/no/such/interpreter\n")
    started()
    resume(terminal)
    terminal.wait_for("claude: No such file or directory")
    terminal.press("Enter")
    is_usable(terminal)


def edit(terminal) -> None:
    """Open the transcript in the editor."""
    terminal.press("M-o")
    terminal.wait_for("Its transcript")
    terminal.press("t")


def test_programs_stand_below_each_other_and_the_shell_below_them(terminal, started, programs: Path) -> None:
    agent(programs, "echo 'the agent says a long thing'\nread answer\nprintf 'no end of line'")
    (programs / "ed").write_text(
        "#!/bin/sh\nprintf '\\033[?1049hon a screen of its own\\033[?1049l'\necho edits\nread go\n"
    )
    (programs / "ed").chmod(0o755)
    started(before="EDITOR=ed ")
    for _ in range(2):
        resume(terminal)
        terminal.wait(lambda: terminal.shown.rstrip().endswith("a long thing"), "the agent")
        terminal.enter("one")
        terminal.wait_for("Three retries.")
        edit(terminal)
        terminal.wait(lambda: terminal.shown.rstrip().endswith("edits"), "the editor")
        terminal.enter("two")
        terminal.wait_for("Three retries.")
    terminal.press("C-q")
    terminal.wait_for("status=0")
    lines = [line.rstrip() for line in terminal.rows if line.strip()]
    assert lines[-2:] == ["status=0", "$"]
    once = ["the agent says a long thing", "one", "no end of line", "edits", "two"]
    assert lines[-12:-2] == once * 2


def test_what_a_killed_agent_said_is_not_written_over(terminal, started, programs: Path) -> None:
    agent(programs, "echo 'first words'\necho 'last words'\nkill -9 $$")
    started()
    resume(terminal)
    terminal.wait_for("Press Enter to go back")
    lines = [line.rstrip() for line in terminal.rows if line.strip()]
    assert lines[-4:-2] == ["first words", "last words"], terminal.shown
    terminal.press("Enter")
    is_usable(terminal)


@pytest.fixture
def in_bash(terminal):
    """Run bash, which lets what it kills go on, in the terminal."""
    if shutil.which("bash") is None:
        pytest.skip("bash is not installed")
    terminal.enter("exec env PS1='$ ' bash --norc --noprofile")


def stop(terminal) -> None:
    """Go back to the shell for now."""
    terminal.press("C-z")
    terminal.wait_for("Stopped")


@pytest.mark.usefixtures("in_bash")
def test_after_a_stop_it_goes_on(terminal, started) -> None:
    started(after="")
    for answer in ("fg", "bg; fg; echo status=$?"):
        stop(terminal)
        terminal.enter(answer)
        terminal.wait_for("Three retries.")
        terminal.wait_without("Stopped")
    is_usable(terminal)


@pytest.mark.usefixtures("in_bash")
def test_stopped_from_outside_it_goes_on(terminal, started) -> None:
    started(after="")
    shell = terminal.tmux("display-message", "-p", "#{pane_pid}").strip()
    children = Path(f"/proc/{shell}/task/{shell}/children")
    if not children.exists():
        pytest.skip("the system does not say what a shell runs")
    os.kill(int(children.read_text()), signal.SIGSTOP)
    terminal.wait_for("Stopped")
    terminal.enter("fg; echo status=$?")
    terminal.wait_without("Stopped")
    is_usable(terminal)


@pytest.mark.usefixtures("in_bash")
@pytest.mark.parametrize("before", ["", "bg; "])
def test_killed_while_it_is_stopped_it_ends(terminal, started, before: str) -> None:
    started(after="")
    stop(terminal)
    terminal.enter(f"set -b; {before}kill %1")
    terminal.wait_for("Exit 143")
    terminal.enter("stty -a | tr ' ' '\\n' | grep -xE -- '-?(icanon|echo|isig);?' | tr '\\n' ' '")
    terminal.wait_for("isig icanon echo")


def test_a_missing_agent_is_said_before(terminal, started) -> None:
    started()
    terminal.press("M-r")
    terminal.wait_for("claude is not installed here")
    terminal.press("Escape")
    terminal.wait_without("Resume this session")
    is_usable(terminal)


def test_the_terminals_clipboard(terminal, started) -> None:
    terminal.tmux("set-option", "-s", "set-clipboard", "on")
    started()
    terminal.press("C-y")
    terminal.wait_for("Command that resumes it")
    terminal.press("i")
    terminal.wait_for("by OSC 52")
    assert "set-clipboard on" not in terminal.shown
    terminal.wait(lambda: "tmux" not in terminal.tmux("list-buffers") and terminal.tmux("list-buffers"), "a buffer")
    assert terminal.tmux("show-buffer") == "cc_1"


def test_what_tmux_needs_is_said(terminal, started) -> None:
    terminal.tmux("set-option", "-s", "set-clipboard", "off")
    started()
    terminal.press("C-y")
    terminal.wait_for("Command that resumes it")
    terminal.press("i")
    terminal.wait_for("set-clipboard on")
    assert terminal.tmux("list-buffers") == ""


def test_text_to_select_is_shown_until_enter(terminal, started, memory: Path) -> None:
    started()
    terminal.press("C-y")
    terminal.wait_for("Command that resumes it")
    terminal.press("s")
    terminal.wait_for("so that it can be selected")
    terminal.wait_without("Show it instead")
    terminal.press("p")
    terminal.wait_for("Press Enter to go back")
    assert str(memory.with_name("talk.jsonl")) in terminal.shown.replace("\n", "")
    assert "Three retries." not in terminal.shown
    terminal.press("Enter")
    is_usable(terminal)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("id", "cc_1"),
        ("path", "{folder}/talk.jsonl"),
        ("command", "cd '{folder}/pay app' && claude --resume " + UUID),
        ("markdown", "# Retry budget"),
    ],
)
def test_a_picked_session_is_printed(
    terminal, started, programs: Path, tmp_path: Path, printed: str, expected: str
) -> None:
    agent(programs, "")
    started("--pick", "--print", printed, before='picked="$(', after=')"; echo "status=$?"; echo "$picked" > picked')
    terminal.press("Enter")
    terminal.wait_for("status=0")
    path = Path(terminal.tmux("display-message", "-p", "#{pane_current_path}").strip()) / "picked"
    terminal.wait(lambda: path.exists() and path.read_text(), "what was picked")
    assert path.read_text().splitlines()[0] == expected.format(folder=tmp_path)


def test_what_an_agent_says_is_not_what_was_picked(terminal, started, programs: Path) -> None:
    agent(programs, "echo 'from the agent'\nread answer")
    started("--pick", before='picked="$(', after=')"; echo "status=$? [$picked]"')
    resume(terminal)
    terminal.wait_for("from the agent")
    terminal.press("Enter")
    terminal.wait_for("back from claude")
    terminal.press("Enter")
    terminal.wait_for("status=0 [cc_1]")


@pytest.mark.parametrize("keys", [("C-q",), ("C-c",), ("Escape",)])
def test_nothing_picked_is_nothing_printed(terminal, started, keys: tuple[str, ...]) -> None:
    started("--pick", before='picked="$(', after=')"; echo "status=$? [$picked]"')
    terminal.press(*keys)
    terminal.wait_for("status=130 []")


def test_a_command_that_cannot_be_made_is_said(terminal, started) -> None:
    started("--pick", "--print", "command", before='picked="$(', after=')"; echo "status=$? [$picked]"')
    terminal.press("Enter")
    terminal.wait_for("status=1 []")
    assert "nlm-tui: claude is not installed here: no such command in PATH" in terminal.shown


def test_a_key_binding_gives_the_query(terminal, started) -> None:
    started("--query", "budget")
    assert "budget" in terminal.rows[0]
    terminal.press("C-q")
    terminal.wait_for("status=0")


def test_a_dumb_terminal_is_refused(terminal, memory: Path) -> None:
    terminal.enter(f"TERM=dumb nlm-tui --db {shlex.quote(str(memory))}; echo status=$?")
    terminal.wait_for("status=2")
    assert "this terminal cannot show the search screen" in terminal.shown


def test_there_is_nothing_to_pick_where_no_memory_is(terminal, tmp_path: Path) -> None:
    path = tmp_path / "none" / "x.sqlite"
    terminal.enter(f"nlm-tui --db {shlex.quote(str(path))} --pick; echo status=$?")
    terminal.wait_for("status=2")
    assert f"no memory at {path}" in terminal.shown
    assert not path.parent.exists()


def test_bytes_that_are_no_text_are_typed_over(terminal, started) -> None:
    started()
    terminal.press("-H", "e9")
    terminal.press("-H", "ff", "c3", "28", "1b", "5b", "39", "39", "39", "39", "39", "39", "39", "7e")
    is_usable(terminal)
