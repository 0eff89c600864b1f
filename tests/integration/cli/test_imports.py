"""What a command does not need, it does not load: shells complete while somebody waits."""

import pytest
from support import Run

HEAVY = ("textual", "rich", "ollama", "httpx", "pydantic", "numpy", "sqlite_vec", "asyncio")
REPORT = f"import atexit, sys; atexit.register(lambda: print('loaded:', *sorted(sys.modules.keys() & {set(HEAVY)}))); "


def loaded(run: Run, code: str, *arguments: str) -> str:
    done = run(*arguments, code=REPORT + code)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()[-1]


@pytest.mark.parametrize(
    "module", ["cli", "output", "wiring", "storage", "embedding", "ingest.indexer", "demo", "logs"]
)
def test_importing_loads_nothing_heavy(run: Run, module: str) -> None:
    assert loaded(run, f"import nlm_tui.{module}") == "loaded:"


@pytest.mark.parametrize(
    "arguments",
    [
        "--version",
        "--help",
        "search --help",
        "completion zsh",
        "--demo search retry",
        "--demo search retry --json",
        "--demo search --kind open",
    ],
)
def test_commands_load_nothing_heavy(run: Run, arguments: str) -> None:
    assert loaded(run, "from nlm_tui.cli import main; main()", *arguments.split()) == "loaded:"


def test_the_core_loads_nothing_but_python(run: Run) -> None:
    code = (
        "import sys; before = set(sys.modules); import nlm_tui.core; "
        "print({name.partition('.')[0] for name in set(sys.modules) - before} - sys.stdlib_module_names)"
    )
    assert run(code=code).stdout == "{'nlm_tui'}\n"


def test_the_core_loads_nothing_else_of_ours(run: Run) -> None:
    code = "import sys, nlm_tui.core; print(*sorted(name for name in sys.modules if name.startswith('nlm_tui.')))"
    assert all(name.startswith("nlm_tui.core") for name in run(code=code).stdout.split())
