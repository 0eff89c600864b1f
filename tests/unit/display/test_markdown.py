"""What Markdown means, as parts of lines whose text stays as it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.display.markdown import Fence, Look, closes, fence, prose_pieces


def looks(text: str) -> list[tuple[str, str]]:
    return [(text[start:end], look) for start, end, look in prose_pieces(text)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("plain words, snake_case_name, 2 * 3 * 4, *.py and *.md", []),
        ("## What to do", [("## What to do", "subheading"), ("##", "sign")]),
        ("#no heading", []),
        ("  - a point", [("-", "strong")]),
        ("12. a point", [("12.", "strong")]),
        ("> said", [("> ", "sign")]),
        ("run `a_b_c` now", [("`", "sign"), ("a_b_c", "code"), ("`", "sign")]),
        ("``a ` b``", [("``", "sign"), ("a ` b", "code"), ("``", "sign")]),
        ("**bold** text", [("bold", "strong"), ("**", "sign"), ("**", "sign")]),
        ("an *odd* case", [("odd", "emphasis"), ("*", "sign"), ("*", "sign")]),
        ("`**not bold**`", [("`", "sign"), ("**not bold**", "code"), ("`", "sign")]),
        ("| a | b |", []),
        ("[bold]no markup[/bold]", []),
        ("**open", []),
        ("`" * 50, []),
    ],
)
def test_parts(text: str, parts: list[tuple[str, str]]) -> None:
    assert looks(text) == parts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("```", Fence("```", "")),
        ("  ````python title=x", Fence("````", "python")),
        ("~~~ SQL", Fence("~~~", "sql")),
        ("```{.rust}", Fence("```", "rust")),
        ("```a``` b", None),
        ("text ```", None),
        ("``", None),
    ],
)
def test_fences(text: str, expected: Fence | None) -> None:
    assert fence(text) == expected


@pytest.mark.parametrize(
    ("text", "opened", "ends"),
    [
        ("```", "```", True),
        ("````", "```", True),
        ("```", "````", False),
        ("~~~", "```", False),
        ("```py", "```", False),
    ],
)
def test_what_ends_a_block(text: str, opened: str, ends: object) -> None:
    assert closes(text, Fence(opened, "")) is ends


@given(st.text(alphabet="*_`# ->1.ab|[]\\~", max_size=60))
def test_parts_lie_within_their_line(text: str) -> None:
    for start, end, look in prose_pieces(text):
        assert 0 <= start < end <= len(text)
        assert look in Look


def test_a_long_line_is_data() -> None:
    assert prose_pieces("**a** " * 1000) == []
