"""The log: bounded, and without a word of any transcript."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nlm_tui import logs


@pytest.fixture
def log(tmp_path: Path) -> Iterator[Path]:
    logs._logger.cache_clear()
    yield tmp_path / "logs" / "nlm-tui.log"
    for handler in logs._logger(tmp_path / "logs" / "nlm-tui.log").handlers:
        handler.close()
    logs._logger.cache_clear()


def test_a_failure_is_one_line(log: Path) -> None:
    logs.log_failure(log, "the disk is full")
    (line,) = log.read_text(encoding="utf-8").splitlines()
    assert line.endswith(" ERROR the disk is full")


def test_a_crash_says_where_and_not_with_what(log: Path) -> None:
    def read_transcript(text: str) -> int:
        return int(text)

    with pytest.raises(ValueError, match="secret") as failure:
        read_transcript("secret words")
    logs.log_crash(log, failure.value)
    logged = log.read_text(encoding="utf-8")
    assert "ValueError" in logged
    assert "in read_transcript" in logged
    assert "secret" not in logged.replace('read_transcript("secret words")', "")


def test_it_is_bounded(log: Path) -> None:
    for _ in range(30):
        logs.log_failure(log, "x" * 100_000)
    files = list(log.parent.iterdir())
    assert len(files) == 2
    assert sum(file.stat().st_size for file in files) < 1_200_000


def test_where_it_cannot_be_written_nothing_happens(
    tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    logs.log_failure(tmp_path / "file" / "nlm-tui.log", "lost")
    logs._logger.cache_clear()
    log.mkdir(parents=True)
    logs.log_failure(log, "lost \udcff")
    assert capsys.readouterr() == ("", "")
