"""Stored text can only be shown, in every theme, and a crash tells nothing of it."""

import re

import pytest
from test_pictures import hostile
from textual.color import Color
from textual.theme import BUILTIN_THEMES
from textual.worker import WorkerFailed

from nlm_tui.ui.app import NlmApp

CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
CHROMATIC = sorted(name for name in BUILTIN_THEMES if not name.startswith("ansi"))


def painted(app: NlmApp) -> list[str]:
    return [
        widget.render_line(y).text
        for widget in app.screen.query("*")
        if widget.size and not widget.children
        for y in range(widget.size.height)
    ]


async def test_no_control_character_is_painted(make_app, memory_of, typed) -> None:
    app = make_app(memory_of(hostile()))
    async with app.run_test(size=(120, 60)) as pilot:
        screen = await typed(pilot, "hostile")
        screen.status.text = screen.found.text = hostile().label
        lines = painted(app)
        assert sum("hostile" in line for line in lines) > 3
        assert not [line for line in lines if CONTROL.search(line)]


async def test_markup_is_shown_and_never_obeyed(make_app, memory_of, typed) -> None:
    app = make_app(memory_of(hostile()))
    async with app.run_test(size=(200, 60)) as pilot:
        await typed(pilot, "hostile")
        shown = " ".join(" ".join(painted(app)).split())
        assert "[bold]not bold[/bold] [/foo] [@click=app.quit]x[/] [unclosed" in shown


async def test_a_hostile_query_is_only_text(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        for text in ('redis OR (kafka) NEAR "x"', '"', "*", "a AND", "[/foo]", "[@click=app.quit]x[/]", "\x1b[31m"):
            screen = await typed(pilot, text)
            assert screen.status.text == ""


@pytest.mark.parametrize("theme", sorted(set(BUILTIN_THEMES) - set(CHROMATIC)))
async def test_themes_of_the_terminal_start(make_app, typed, theme) -> None:
    app = make_app(theme=theme)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing retries")
        assert screen.results.hits


@pytest.mark.parametrize("theme", CHROMATIC)
async def test_matches_are_as_readable_as_the_text_around_them(make_app, typed, theme) -> None:
    app = make_app(theme=theme)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing retries")
        for y in (0, 3):  # the selected row, and one that is not
            strip = screen.results.render_line(y)
            matches = [segment.style for segment in strip if segment.style and segment.style.underline]
            plain = [segment.style for segment in strip if segment.style and not segment.style.underline]
            assert matches, strip.text
            for style in matches:
                assert style.bold
                assert (style.color, style.bgcolor) == (plain[0].color, plain[0].bgcolor)
            assert contrast(matches[0]) >= 4.5


def contrast(style) -> float:
    front, back = (Color.from_rich_color(color) for color in (style.color, style.bgcolor))
    lighter, darker = sorted((luminance(front), luminance(back)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(color: Color) -> float:
    parts = [part / 255 for part in color.rgb]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


async def test_a_crash_report_holds_no_transcript_text(make_app, settled, monkeypatch, capsys) -> None:
    app = make_app()

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("hunter" + str(2))

    with pytest.raises(WorkerFailed):
        async with app.run_test(size=(80, 24)) as pilot:
            await settled(pilot, lambda: app.screen.answered == "")
            monkeypatch.setattr(app.screen.session.detail, "show", fail)
            app.screen.box.value = "billing"
            await settled(pilot, lambda: app.return_code)
    assert app.return_code == 1
    output = capsys.readouterr()
    report = output.out + output.err
    assert "RuntimeError" in report
    assert "hunter2" not in report
