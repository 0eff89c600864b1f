"""Which editor and pager, and how a file is opened at a line."""

from pathlib import Path

import pytest

from nlm_tui.ui.editors import NotOpenedError, at_line, editor, line_with, pager

PATH = Path("/t/talk.jsonl")


def nothing(_: str) -> None:
    return None


def test_the_environment_names_them() -> None:
    assert editor({"VISUAL": "code --wait", "EDITOR": "vi"}, nothing) == ("code", "--wait")
    assert editor({"VISUAL": " ", "EDITOR": "'/opt/my editor' -x"}, nothing) == ("/opt/my editor", "-x")
    assert pager({"PAGER": "less -FRX"}, nothing) == ("less", "-FRX")


def test_else_what_is_there() -> None:
    assert editor({}, lambda name: name if name == "vi" else None) == ("vi",)
    assert pager({}, lambda name: name) == ("less",)
    with pytest.raises(NotOpenedError, match="VISUAL and EDITOR name no program, and there is none of nano, vim, vi"):
        editor({}, nothing)
    with pytest.raises(NotOpenedError, match="EDITOR cannot be read: No closing quotation"):
        editor({"EDITOR": "vi 'x"}, nothing)


@pytest.mark.parametrize(
    ("words", "line", "command"),
    [
        (("vim", "-f"), 7, ("vim", "-f", "+7", "/t/talk.jsonl")),
        (("/usr/bin/nano",), 7, ("/usr/bin/nano", "+7", "/t/talk.jsonl")),
        (("hx",), 7, ("hx", "+7", "/t/talk.jsonl")),
        (("code", "--wait"), 7, ("code", "--wait", "-g", "/t/talk.jsonl:7")),
        (("Code.exe",), 7, ("Code.exe", "-g", "/t/talk.jsonl:7")),
        (("zed",), 7, ("zed", "/t/talk.jsonl:7")),
        (("my-editor",), 7, ("my-editor", "/t/talk.jsonl")),
        (("vim",), 1, ("vim", "/t/talk.jsonl")),
    ],
)
def test_a_line_is_gone_to_where_the_way_is_known(words: tuple[str, ...], line: int, command: tuple[str, ...]) -> None:
    assert at_line(words, PATH, line) == command


def test_the_line_of_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("1\n2\nhere\nhere\n")
    assert line_with(path, "here") == 3
    assert line_with(path, "1") == 1
    assert line_with(path, "nowhere") == 1
    assert line_with(path, "") == 1
    path.write_text("x\n" * 2_000_000 + "end")
    assert line_with(path, "end") == 2_000_001
    path.write_text("")
    assert line_with(path, "x") == 1


def test_what_no_editor_shows(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"SQLite format 3\0")
    with pytest.raises(NotOpenedError, match="is no text that an editor could show"):
        line_with(path, "x")
    for gone in (tmp_path / "gone", tmp_path):
        with pytest.raises(NotOpenedError, match="cannot be read: "):
            line_with(gone, "x")
