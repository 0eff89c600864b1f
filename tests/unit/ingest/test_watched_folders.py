"""What is written below watched folders is told; what cannot be told is looked at."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import pytest
from indexing_fakes import FakeReader, write

from nlm_tui.ingest.watching import Mounts, Watch

MOUNTS = """\
22 1 0:21 / / rw,relatime shared:1 - ext4 /dev/root rw
30 22 0:27 / /home/dana/far\\040away rw - nfs4 server:/ rw
31 22 0:28 / /home/dana/sshfs rw - fuse.sshfs dana@host:/ rw
32 30 0:29 / /home/dana/far\\040away/near rw - xfs /dev/sdb1 rw
odd
"""


@dataclass
class Watched:
    """A watch over readers of two folders, one of them remote."""

    near: FakeReader
    far: FakeReader
    stop: Event = field(default_factory=Event)

    def changes(self) -> Iterator[frozenset[str]]:
        is_remote = self.far.folder.__eq__
        watch = Watch([self.near, self.far], is_remote=is_remote, look_seconds=0.05, stop=self.stop)
        return watch.changes()


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    readers = []
    for name in ("near", "far"):
        (tmp_path / name).mkdir()
        readers.append(FakeReader(tmp_path / name, name))
    watched = Watched(*readers)
    yield watched
    watched.stop.set()


def until(changes: Iterator[frozenset[str]], *wanted: str) -> frozenset[str]:
    """Return the first changes that name one of `wanted`."""
    return next(touched for touched in changes if touched & set(wanted))


def test_all_is_named_first_then_what_is_written(watched: Watched) -> None:
    changes = watched.changes()
    assert next(changes) == {"near", "far"}
    write(watched.near.folder, "a", "Fix it")
    assert until(changes, "near", "far") == {"near"}
    write(watched.far.folder, "a", "Fix it")
    assert until(changes, "near", "far") == {"far"}
    write(watched.far.folder, "a", "Fix it twice")
    assert until(changes, "near", "far") == {"far"}


def test_a_folder_that_comes_later_is_watched_too(watched: Watched) -> None:
    watched.near.folder = watched.near.folder / "later"
    changes = watched.changes()
    assert next(changes) == {"near", "far"}
    watched.near.folder.mkdir()
    assert "near" in until(changes, "near")
    write(watched.near.folder, "a", "Fix it")
    assert "near" in until(changes, "near")


def test_where_the_system_cannot_watch_all_is_looked_at(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> Iterator[object]:
        raise OSError(28, "OS file watch limit reached")
        yield

    monkeypatch.setattr("watchfiles.watch", fails)
    changes = watched.changes()
    next(changes)
    write(watched.near.folder, "a", "Fix it")
    assert until(changes, "near") == {"near"}


def test_a_watch_that_is_stopped_ends(watched: Watched) -> None:
    changes = watched.changes()
    next(changes)
    watched.stop.set()
    assert len(list(changes)) <= 1


@pytest.mark.skipif(os.name != "posix", reason="paths of POSIX")
@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/home/dana/.claude", False),
        ("/home/dana/far away/.claude", True),
        ("/home/dana/far away/near/.claude", False),
        ("/home/dana/sshfs", True),
        ("/home/dana/sshfs2", False),
        ("/", False),
    ],
)
def test_mounts_of_other_machines_are_known(tmp_path: Path, path: str, expected: bool) -> None:  # noqa: FBT001
    (tmp_path / "mountinfo").write_text(MOUNTS)
    assert Mounts(tmp_path / "mountinfo").is_remote(Path(path)) is expected


def test_without_a_list_of_mounts_all_are_near(tmp_path: Path) -> None:
    assert not Mounts(tmp_path / "none").is_remote(tmp_path)
