"""Everything can be read in every theme, with 16 colours and without any."""

from collections.abc import Iterator

import pytest
from textual.color import Color
from textual.theme import BUILTIN_THEMES

from nlm_tui.settings import State
from nlm_tui.ui.questions import Choice
from nlm_tui.ui.screens.asking import Choose
from nlm_tui.ui.themes import MUTED, TEXT, contrast

RGB = sorted(name for name, theme in BUILTIN_THEMES.items() if not theme.ansi)
ANSI = sorted(name for name, theme in BUILTIN_THEMES.items() if theme.ansi)
QUERY = "billing retries agent:claude sinse:7d has:foo"


FRAMES = "".join(map(chr, range(0x2500, 0x25A0))) + " "


def painted(app) -> Iterator[tuple[str, object]]:
    """Yield each text on the screen with its style; what lies behind a question is not dimmed."""
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            if segment.text.strip(FRAMES) and segment.style:
                yield segment.text, segment.style


def colours(style) -> tuple[Color, Color]:
    front, behind = Color.from_rich_color(style.color), Color.from_rich_color(style.bgcolor)
    return (behind, front) if style.reverse else (front, behind)


def is_muted(front: Color, behind: Color) -> bool:
    """Return whether this is the colour of text that matters less."""
    muted = behind + behind.get_contrast_text(0.6)
    return all(abs(one - other) <= 3 for one, other in zip(front.rgb, muted.rgb, strict=True))


def faint(app, where: str) -> list[str]:
    """Return what can hardly be read."""
    found = []
    for text, style in painted(app):
        front, behind = colours(style)
        ratio = contrast(front, behind)
        if ratio < (MUTED if is_muted(front, behind) else TEXT):
            found.append(f"{app.theme}, {where}: {text.strip()[:30]!r} {front.hex} on {behind.hex}: {ratio:.1f}")
    return found


async def scenes(app, pilot, typed, settled) -> Iterator[str]:
    """Show one thing after the other, and yield what each is."""
    screen = await typed(pilot, QUERY)
    await pilot.press("down", "ctrl+l", "alt+n")
    await pilot.pause()
    yield "hits"
    for number in (2, 4):
        await pilot.press(f"alt+{number}")
        await settled(pilot, lambda: screen.answered == screen.box.value)
        yield f"view {number}"
    await pilot.press("alt+1")
    await typed(pilot, "billing retries")
    await pilot.press("down", "enter")
    await pilot.press("n", "n")
    yield "session"
    await pilot.press("question_mark")
    await pilot.pause()
    yield "help"
    await pilot.press("q", "escape", "ctrl+r")
    await settled(pilot, lambda: app.screen is not screen)
    yield "queries"
    await pilot.press("escape")
    choices = (Choice(1, "One", "o", "help of it"), Choice(2, "Two", "t", unavailable="why it cannot be"))
    app.push_screen(Choose("A question", choices, about="What it is about"))
    await settled(pilot, lambda: app.screen is not screen)
    yield "a choice"
    await pilot.press("escape")
    await pilot.press("alt+x")
    await settled(pilot, lambda: app.screen is not screen and len(app.screen.query("CommandList")))
    await pilot.press("t", "h")
    await pilot.pause(0.3)
    yield "commands"
    await pilot.press("escape", "escape")
    await settled(pilot, lambda: app.screen is screen)
    screen.box.put("agent:", 6)
    await pilot.press("tab")
    await settled(pilot, lambda: screen.completions.is_open)
    yield "completions"


@pytest.mark.parametrize(
    ("themes", "variables"),
    [(RGB[::2], {}), (RGB[1::2], {}), (["gruvbox", "nord", "solarized-light"], {"NO_COLOR": "1"})],
    ids=["one-half", "other-half", "greys"],
)
async def test_every_theme_can_be_read(make_app, typed, settled, monkeypatch, themes, variables) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    app = make_app()
    app.context.state.change(lambda _: State(history=("billing", "retries")).named("week", "since:7d"))
    wrong: list[str] = []
    async with app.run_test(size=(120, 40)) as pilot:
        async for scene in scenes(app, pilot, typed, settled):
            for theme in themes:
                app.theme = theme
                await pilot.pause()
                wrong += faint(app, scene)
    assert not wrong, "\n" + "\n".join(dict.fromkeys(wrong))


# The first 16 colours as xterm has them; each is read on what a terminal has behind it.
XTERM = (
    "#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
    "#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
)  # fmt: skip
LIGHT, DARK = Color.parse("#ffffff"), Color.parse("#000000")


def ansi_colour(colour, default: Color) -> Color:
    """Return how xterm shows one of its own colours; another one is none of the terminal's."""
    if colour is None or colour.is_default:
        return default
    assert colour.number is not None, f"{colour.name} is none of the 16"
    assert colour.number < 16, f"{colour.name} is none of the 16"
    return Color.parse(XTERM[colour.number])


@pytest.mark.parametrize("theme", ANSI)
async def test_the_terminals_own_colours_can_be_read(make_app, typed, settled, theme) -> None:
    app = make_app(theme=theme)
    app.context.state.change(lambda _: State(history=("billing", "retries")).named("week", "since:7d"))
    text, ground = (LIGHT, DARK) if app.current_theme.dark else (DARK, LIGHT)
    wrong: list[str] = []
    async with app.run_test(size=(120, 40)) as pilot:
        async for scene in scenes(app, pilot, typed, settled):
            for shown, style in painted(app):
                front, behind = ansi_colour(style.color, text), ansi_colour(style.bgcolor, ground)
                if contrast(front, behind) < TEXT:
                    wrong.append(f"{scene}: {shown.strip()[:30]!r} {style.color} on {style.bgcolor}")
    assert not wrong, "\n" + "\n".join(dict.fromkeys(wrong))


@pytest.mark.parametrize("theme", ["textual-dark", "solarized-light", *ANSI])
async def test_nothing_is_told_by_colour_alone(make_app, typed, settled, monkeypatch, theme) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = make_app(theme=theme)
    async with app.run_test(size=(120, 40)) as pilot:
        screen = await typed(pilot, QUERY)
        await pilot.press("down")
        await settled(pilot, lambda: screen.session.detail.session_id == screen.results.selected.id)
        greys = {colour.rgb for _, style in painted(app) for colour in colours_if_any(style)}
        assert all(red == green == blue for red, green, blue in greys)
        selected = screen.results.selected
        lines = [strip.text for strip in app.screen._compositor.render_strips()]
        (row,) = [line for line in lines if line.startswith("> ")][:1]
        assert selected.label[:10] in row
        marks = {text for text, style in painted(app) if style.underline}
        assert {"billing"} <= {mark.strip().casefold() for mark in marks}
        chips = next(line for line in lines if "agent:claude" in line and " x" in line)
        assert "has:foo ?" in chips


def colours_if_any(style) -> list[Color]:
    """Return the colours that a style names itself."""
    named = (colour for colour in (style.color, style.bgcolor) if colour is not None and not colour.is_default)
    return [Color.from_rich_color(colour) for colour in named]
