"""Markdown and code are shown by what they mean: no character is lost, none is invented, all is readable."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from reading import PaneApp, opened, shown, talk
from rich.style import Style
from test_pictures import hostile
from textual.theme import BUILTIN_THEMES

from nlm_tui.core import Matcher, display_safe
from nlm_tui.display.document import Kind, Line
from nlm_tui.display.markdown import Look, Piece
from nlm_tui.ui.highlighting import KnownLooks, code_looks
from nlm_tui.ui.layout import Marks, lay_out
from nlm_tui.ui.rendering import Looks, contrast, segments

SIZE = (60, 24)
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
PROSE = """# The *plan*
- use `redis_cache` for **all** of it
> as they said
| a | b |
```python
def retry(times):  # again
    return "later" if times else None
```
[bold]stays[/bold] `[/foo]`"""
READ = talk(("user", "How?"), ("assistant", PROSE), ("tool", "Bash  **make**"))


def style_of(detail, text: str) -> Style:
    """Return the style in which a text that is in view is painted."""
    strips = [detail.render_line(y) for y in range(detail.visible_lines)]
    return next(segment.style for strip in strips for segment in strip if segment.text.strip() == text)


async def highlighted(pilot, detail, settled) -> None:
    await settled(pilot, lambda: not detail._is_highlighting and not detail._blocks)


async def test_markdown_and_code_are_styled_and_stay_as_they_are(memory_of, settled) -> None:
    app = PaneApp(memory_of(READ))
    async with app.run_test(size=SIZE) as pilot:
        detail = await opened(app, pilot, settled)
        await highlighted(pilot, detail, settled)
        assert " - use `redis_cache` for **all** of it" in shown(detail)
        assert "│def retry(times):  # again" in shown(detail)
        assert style_of(detail, "all").bold
        assert style_of(detail, "def").bold
        assert style_of(detail, "# again").italic
        assert style_of(detail, "redis_cache") != style_of(detail, "for")
        assert style_of(detail, "**") == style_of(detail, "`")
        assert not style_of(detail, "Bash  **make**").bold


async def test_raw_is_the_text_as_it_stands(memory_of, settled) -> None:
    app = PaneApp(memory_of(READ))
    async with app.run_test(size=SIZE) as pilot:
        detail = await opened(app, pilot, settled)
        await highlighted(pilot, detail, settled)
        rendered = shown(detail)
        await pilot.press("v")
        assert [row.replace("│", " ") for row in rendered] == shown(detail)
        assert " def retry(times):  # again" in shown(detail)
        assert not style_of(detail, "- use `redis_cache` for **all** of it").bold
        await pilot.press("v")
        assert shown(detail) == rendered


async def test_a_block_of_code_can_be_asked_for(memory_of, settled) -> None:
    app = PaneApp(memory_of(READ))
    async with app.run_test(size=SIZE) as pilot:
        detail = await opened(app, pilot, settled)
        assert detail.code_block_at_view() == ('def retry(times):  # again\n    return "later" if times else None')
        assert detail.message_at_view().text == "How?"


@pytest.mark.parametrize("theme", sorted(BUILTIN_THEMES))
async def test_every_look_is_readable_in_every_theme(memory_of, settled, theme) -> None:
    app = PaneApp(memory_of(READ), theme)
    async with app.run_test(size=SIZE) as pilot:
        detail = await opened(app, pilot, settled)
        await highlighted(pilot, detail, settled)
        looks = detail.looks_of(Kind.TEXT)
        plain = readability(looks.base)
        for look in Look:
            assert readability(looks.parts[look]) >= min(4.5, plain), look


def readability(style: Style) -> float:
    """Return the contrast of a style; of the terminal's own colours nobody knows it."""
    colors = (style.color, style.bgcolor)
    if any(color is None or color.triplet is None for color in colors):
        return 21.0
    return contrast(*(color.triplet for color in colors))


@pytest.mark.parametrize("theme", sorted(BUILTIN_THEMES))
async def test_no_control_character_is_painted_in_any_theme(memory_of, settled, theme) -> None:
    app = PaneApp(memory_of(hostile()), theme)
    async with app.run_test(size=SIZE) as pilot:
        detail = await opened(app, pilot, settled, hostile().id)
        for keys in ((), ("v",), ("z",), ("n",)):
            await pilot.press(*keys)
            assert not [row for row in shown(detail) if CONTROL.search(row)]


LOOKS = Looks(Style(), {look: Style(bold=True) for look in Look})
PIECES = st.lists(st.builds(Piece, st.integers(0, 40), st.integers(0, 40), st.sampled_from(list(Look))), max_size=5)
SPANS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), max_size=4)


@given(st.text(max_size=40), st.integers(0, 40), st.integers(0, 40), PIECES, SPANS)
def test_painting_loses_and_invents_nothing(text, start, end, pieces, spans) -> None:
    start, end = min(start, len(text)), min(end, len(text))
    marks = [(span, Style(underline=True)) for span in spans]
    assert "".join(segment.text for segment in segments(text, (start, end), pieces, marks, LOOKS)) == text[start:end]


MARKDOWN = st.text(alphabet="ab `*_#-~>\n検é\x1b[31m\t", max_size=120)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(MARKDOWN, st.integers(1, 30))
def test_rows_hold_all_text_but_blanks_where_they_break(text, width) -> None:
    lines = [Line(part) for part in display_safe(text).split("\n")]
    document = lay_out("x", lines, Marks(Matcher()), width)
    for number, line in enumerate(lines):
        rows = [row for row in document.rows if row.line == number]
        assert "".join("".join(line.text[row.start : row.end] for row in rows).split()) == "".join(line.text.split())


@given(
    st.lists(st.text(alphabet="ab \"'#/*{}\\x3d=:検\t", max_size=30), max_size=8),
    st.sampled_from(["python", "c", "diff", "json", "html", "?"]),
)
def test_looks_of_code_lie_within_its_lines(lines, language) -> None:
    looks = code_looks(lines, language)
    assert len(looks) in {0, len(lines)}
    for line, pieces in zip(lines, looks, strict=False):
        ends = [place for piece in pieces for place in piece[:2]]
        assert ends == sorted(ends)
        assert all(0 <= start < end <= len(line) for start, end, _ in pieces)


def test_code_is_looked_at_within_bounds() -> None:
    assert code_looks(["x = 1"] * 20_000, "python") == ()
    assert code_looks(["x" * 5_000], "python") == ()
    assert code_looks(["x = 1"], "no-such-language") == ()
    assert code_looks(["x = 1"], "") == ()
    assert code_looks(['"""one', 'two"""'], "python") == [[Piece(0, 6, Look.STRING)], [Piece(0, 6, Look.STRING)]]
    assert code_looks(["+new", "-old"], "diff") == [[Piece(0, 4, Look.STRING)], [Piece(0, 4, Look.COMMENT)]]


def test_only_looks_of_late_are_kept() -> None:
    known = KnownLooks()
    for first in range(0, 100_000, 1_000):
        known.put(first, [[]] * 1_000)
        assert known.get(0) is not None or first >= 20_000
        known.get(0)
    assert known.get(0) is not None
    assert known.get(1_000) is None
    assert known.get(99_000) is not None
    known.put(0, ())
    known.clear()
    assert known.get(0) is None


async def test_of_a_superseded_decision_the_text_alone_is_struck(memory_of, settled) -> None:
    session = talk(("user", "hello"), decisions=("Retry for ever",), status="superseded")
    app = PaneApp(memory_of(session))
    async with app.run_test(size=(60, 20)) as pilot:
        detail = await opened(app, pilot, settled)
        strips = [detail.render_line(y) for y in range(detail.visible_lines)]
        struck = [segment.text for strip in strips for segment in strip if segment.style and segment.style.strike]
        assert struck == ["* Retry for ever"]
