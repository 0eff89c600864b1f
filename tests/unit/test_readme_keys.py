"""The README's table of keys is the one that the table of commands makes."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
KEYS = runpy.run_path(str(ROOT / "screenshots" / "keys.py"))


def test_the_table_is_current() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert KEYS["with_table"](text) == text, "run `python screenshots/keys.py`"


def test_it_goes_between_its_comments() -> None:
    begin, end = KEYS["BEGIN"], KEYS["END"]
    written = KEYS["with_table"](f"before\n{begin}\nold\n{end}\nafter\n")
    assert written.startswith(f"before\n{begin}\n\n| key | does |")
    assert written.endswith(f"\n\n{end}\nafter\n")
    assert "old\n" not in written
    assert KEYS["with_table"](written) == written
    for row in written.splitlines()[3:-3]:
        assert row.replace("\\|", "").count("|") == 3, row


@pytest.mark.parametrize("text", ["", "<!-- end of keys -->"])
def test_without_its_comments_it_has_no_place(text: str) -> None:
    with pytest.raises(ValueError, match="the table of keys stands between"):
        KEYS["with_table"](text)
