"""The command itself: version, help, completion, terminals that cannot, stores that cannot be used, crashes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support import Run, a_session

from nlm_tui import __version__
from nlm_tui.storage import SqliteSessionStore


def test_version(run: Run) -> None:
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"nlm-tui, version {__version__}\n", "")


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_names_the_files_of_this_machine(run: Run, home: Path, flag: str) -> None:
    deep = home / ("a-rather-long-name-of-a-folder-" * 3)
    done = run(flag, HOME=str(deep), COLUMNS="40")
    assert (done.returncode, done.stderr) == (0, "")
    names = {"memory": "memory.sqlite", "errors": "nlm-tui.log", "settings": "config.toml", "state": "state.json"}
    lines = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    files = {line[0]: Path(line[1]) for line in lines if len(line) == 2 and line[0] in names}
    assert {name: path.name for name, path in files.items()} == names
    assert all(path.is_relative_to(deep) for path in files.values())
    assert "NLM_DB_PATH" in done.stdout
    assert not deep.exists(), "help makes nothing"


def test_keys_are_listed_with_their_ids_and_as_they_are_set(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('[keys]\n"session.copy" = "f6"\n')
    lines = run("keys", NLM_CONFIG=str(config)).stdout.splitlines()
    copying = next(line.split() for line in lines if line.split()[:1] == ["session.copy"])
    assert copying[1:3] == ["F6", "Copy"]
    assert "In the session" in lines
    assert any(line.split()[:2] == ["detail.find", "/"] for line in lines)


@pytest.mark.parametrize("command", ["search", "show", "forget", "resume", "index", "keys", "completion"])
def test_every_command_has_help(run: Run, command: str) -> None:
    done = run(command, "--help")
    assert done.returncode == 0
    assert f"nlm-tui {command} [OPTIONS]" in done.stdout


MISUSES = """
find
--nonsense
search
search x --limit many
search x --kind idea
--mode fuzzy search x
show
show a b
completion powershell
index x
--demo index
--demo --db x.sqlite search x
"""


@pytest.mark.parametrize("arguments", MISUSES.strip().splitlines())
def test_misuse_is_status_two(run: Run, arguments: str) -> None:
    done = run(*arguments.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert "Error:" in done.stderr


def test_without_a_terminal_there_is_no_screen(run: Run) -> None:
    done = run()
    message = "nlm-tui: the search screen needs a terminal; use `nlm-tui search QUERY`\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


def test_the_demo_is_not_indexed_into(run: Run) -> None:
    assert run("--demo", "index").stderr.splitlines()[-1] == "Error: nothing is indexed into the demo; leave out --demo"
    both = "Error: --demo and --db are two memories; name one of them"
    assert run("--demo", "--db", "x.sqlite", "search", "x").stderr.splitlines()[-1] == both


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("redirected", ["stdin", "stdout", "stderr"])
def test_the_screen_is_drawn_only_on_a_terminal(environ: dict[str, str], tmp_path: Path, redirected: str) -> None:
    leader, follower = os.openpty()
    try:
        with (tmp_path / "file").open("w+b") as file:
            streams = {name: file if name == redirected else follower for name in ("stdin", "stdout", "stderr")}
            done = subprocess.run([sys.executable, "-m", "nlm_tui"], **streams, env=environ, check=False, timeout=60)
    finally:
        os.close(leader)
        os.close(follower)
    assert done.returncode == 2
    assert b"\x1b" not in (tmp_path / "file").read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_dumb_terminal_gets_one_line(environ: dict[str, str], term: str) -> None:
    leader, follower = os.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "nlm_tui"], env={**environ, "TERM": term}, stdin=follower, stdout=follower,
            stderr=follower, check=False, timeout=60,
        )  # fmt: skip
        output = os.read(leader, 1000).decode()
    finally:
        os.close(leader)
        os.close(follower)
    assert done.returncode == 2
    assert output == "nlm-tui: this terminal cannot show the search screen; use `nlm-tui search QUERY`\r\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(run: Run, shell: str) -> None:
    done = run("completion", shell)
    assert done.returncode == 0
    assert f"_NLM_TUI_COMPLETE={shell}_complete" in done.stdout


def test_completion_completes(run: Run) -> None:
    done = run(_NLM_TUI_COMPLETE="bash_complete", COMP_WORDS="nlm-tui s", COMP_CWORD="1")
    assert done.stdout.split() == ["plain,search", "plain,show", "plain,sources"]
    done = run(_NLM_TUI_COMPLETE="bash_complete", COMP_WORDS="nlm-tui search --mode s", COMP_CWORD="3")
    assert done.stdout.split() == ["plain,semantic"]


@pytest.mark.parametrize("command", [["search", "x"], ["show", "x"], ["index"]])
def test_a_file_that_is_no_store_is_left_alone(run: Run, tmp_path: Path, command: list[str]) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database " * 100)
    done = run("--db", path, *command)
    reason = f"nlm-tui: {path}: this file is no SQLite database; choose another with --db\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", reason)
    assert path.read_text() == "not a database " * 100


def test_a_store_of_a_newer_version_is_left_alone(run: Run, store: SqliteSessionStore, store_path: Path) -> None:
    store._connection.run("INSERT INTO schema_migrations (version, name) VALUES (987, 'later')")
    store.close()
    before = store_path.read_bytes()
    for command in (["search", "x"], ["show", "x"], ["index"]):
        done = run("--db", store_path, *command)
        assert (done.returncode, done.stdout) == (2, "")
        assert "written by a newer nlm-tui (schema 987" in done.stderr
    assert store_path.read_bytes() == before


def test_where_the_memory_is(run: Run, home: Path, tmp_path: Path) -> None:
    for name in ("option", "variable"):
        with SqliteSessionStore.open(tmp_path / name) as store:
            store.insert_sessions(a_session(label=f"from {name}"))
    variable = {"NLM_DB_PATH": str(tmp_path / "variable")}
    assert run("show", "cc_1", **variable).stdout.startswith("from variable\n")
    assert run("--db", tmp_path / "option", "show", "cc_1", **variable).stdout.startswith("from option\n")
    assert run("index", NLM_DB_PATH="").returncode == 0
    (made,) = home.rglob("memory.sqlite")
    assert made.stat().st_mode & 0o777 == 0o600


def test_a_tilde_in_the_variable_is_the_home_folder(run: Run, home: Path) -> None:
    assert run("index", NLM_DB_PATH="~/here.sqlite").returncode == 0
    assert (home / "here.sqlite").exists()


WITHOUT_A_MEMORY = [
    ["search", "x"],
    ["search", "x", "--json"],
    ["show", "x"],
    ["resume", "x"],
    ["forget", "--yes", "x"],
]


@pytest.mark.parametrize("command", WITHOUT_A_MEMORY)
def test_what_only_reads_makes_no_memory(run: Run, home: Path, tmp_path: Path, command: list[str]) -> None:
    path = tmp_path / "none" / "x.sqlite"
    said = f"nlm-tui: no memory at {path}; `nlm-tui index` makes one\n"
    for done in (run("--db", path, *command), run(*command, NLM_DB_PATH=str(path))):
        assert (done.returncode, done.stdout, done.stderr) == (2, "", said)
    assert not path.parent.exists()
    done = run(*command)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"nlm-tui: no memory at {home}")
    assert not list(home.rglob("memory.sqlite*"))


def test_expected_failures_are_logged(run: Run, home: Path, tmp_path: Path) -> None:
    assert run("search", "x", NLM_DB_PATH=str(tmp_path)).returncode == 2
    (log,) = home.rglob("nlm-tui.log")
    assert f"{tmp_path}: this is a folder" in log.read_text()


def test_all_mistakes_of_the_settings_are_told_at_once(run: Run, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('chunks = 0\nmouze = 1\n[keys]\nsearch.mod = "f9"\nsearch.mode = 3\n')
    done = run("keys", NLM_CONFIG=str(config))
    begins = [line.removeprefix(f"nlm-tui: {config}, ").partition(":")[0] for line in done.stderr.splitlines()]
    assert (done.returncode, begins) == (2, ["line 1", "line 2", "line 5", "line 4"])
    assert len(run("search", "x", NLM_CONFIG=str(config)).stderr.splitlines()) == 3


CRASH = """
import nlm_tui.cli, nlm_tui.output
def result_lines(*arguments, **options):
    raise ValueError(" ".join(("secret", "words")))
nlm_tui.output.result_lines = result_lines
nlm_tui.cli.main()
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
class TestOutputThatCannotBeWritten:
    """A reader that left, a stream that was never there, a full disk."""

    def shell(self, environ: dict[str, str], command: str, **variables: object) -> tuple[int, str, str]:
        given = {**environ, "python": sys.executable, **{name: str(value) for name, value in variables.items()}}
        done = subprocess.run(
            ["/bin/sh", "-c", command], env=given, capture_output=True, text=True, check=False, timeout=60
        )
        return done.returncode, done.stdout, done.stderr

    @pytest.mark.parametrize("command", ["search retry", "show cc_1", "index --json", "completion bash"])
    def test_a_reader_that_left(
        self, environ: dict[str, str], store: SqliteSessionStore, store_path: Path, command: str
    ) -> None:
        store.insert_sessions(a_session(label="retry"))
        store.close()
        reader, writer = os.pipe()
        os.close(reader)
        try:
            done = subprocess.run(
                [sys.executable, "-m", "nlm_tui", "--db", store_path, *command.split()],
                env=environ, stdout=writer, stderr=subprocess.PIPE, check=False, timeout=60,
            )  # fmt: skip
        finally:
            os.close(writer)
        assert (done.returncode, done.stderr) == (-signal.SIGPIPE, b"")

    @pytest.mark.parametrize("command", ["index", "index --events", "search --kind open", "show x", "", "index x"])
    @pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
    def test_streams_that_were_never_there(
        self, environ: dict[str, str], home: Path, demo: Path, command: str, closed: str
    ) -> None:
        program = f'"$python" -m nlm_tui --db "$demo" {command} {closed}'
        expected = {"search": 0, "show": 1, "index": 0, "": 2}[command.partition(" ")[0]] if command != "index x" else 2
        assert self.shell(environ, program, demo=demo)[0] == expected
        assert not list(home.rglob("nlm-tui.log"))

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    @pytest.mark.parametrize("unbuffered", ["", "1"])
    @pytest.mark.parametrize(
        "command",
        [
            "search --kind open",
            "search --kind open --json",
            "index",
            "completion zsh",
            "--help",
            "--version",
            "search --help",
        ],
    )
    def test_a_full_disk(self, environ: dict[str, str], demo: Path, command: str, unbuffered: str) -> None:
        environ = {**environ, "PYTHONUNBUFFERED": unbuffered}
        done = self.shell(environ, f'"$python" -m nlm_tui --db "$demo" {command} >/dev/full', demo=demo)
        assert done == (2, "", "nlm-tui: cannot write the output (No space left on device)\n")
        done = self.shell(environ, f'"$python" -m nlm_tui --db "$demo" {command} >/dev/full 2>/dev/full', demo=demo)
        assert done == (2, "", "")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    @pytest.mark.parametrize("command", ["bogus", "search", "show"])
    def test_misuse_on_a_full_disk(self, environ: dict[str, str], home: Path, demo: Path, command: str) -> None:
        done = self.shell(environ, f'"$python" -m nlm_tui --db "$demo" {command} 2>/dev/full', demo=demo)
        assert done == (2, "", "")
        assert not list(home.rglob("nlm-tui.log"))


def test_a_crash_shows_no_transcript(run: Run, home: Path) -> None:
    done = run("--demo", "search", "retry", code=CRASH)
    (log,) = home.rglob("nlm-tui.log")
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr == f"nlm-tui: internal error (ValueError); see {log}\n"
    logged = log.read_text()
    assert "ValueError" in logged
    assert "in result_lines" in logged
    assert "secret words" not in logged + done.stderr


def test_a_home_that_cannot_be_written_hides_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run("index", HOME=str(tmp_path / "file"))
    assert done.returncode == 2
    assert "cannot create the store" in done.stderr
    assert done.stderr.count("\n") == 1
