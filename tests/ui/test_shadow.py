"""What the terminal shows already is not sent again, and no cell is left as it was."""

import re
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.style import Style
from textual._compositor import LayoutUpdate
from textual.driver import Driver
from textual.events import Resize
from virtual_terminal import VirtualTerminal

from nlm_tui.ui.shadow import Shadow, thrifty_driver

COLUMNS, LINES = 12, 5
STYLES = [
    Style.parse(words)
    for words in (
        "none",
        "red",
        "bold red",
        "italic",
        "underline blue",
        "reverse",
        "strike on blue",
        "on blue",
        "white on blue",
        "overline red",  # its codes are not read
        "#102030 on #405060",
    )
]
WORDS = ["", "a", "b", "ab", "abc", " ", "   ", "a b", "é│", "…", "0123456789ab", "too long for a line"]
NOT_ONE_CELL = [
    "漢",
    "漢字",
    "a漢b",
    "\U0001f600",
    "e\u0301",
    "\u0301",
    "\u200d",
    "👩\u200d💻",
    "↔\ufe0f",
    "↔",
    "🇩🇪",
    "ی",
    "\xad",
]
ELSE = [
    *("\x07", "\x1b[?25l", "\x1b[?25h", "\x1b[?2026h", "\x1b[?2026l"),  # these change no cell
    *(
        "\x1b[2J",
        "\x1b[K",
        "\x1b[1L",
        "\x1b[2P",
        "\x1b[3X",
        "\x1b[4;1H\x1b[K",
        "\x1b[1A",
        "\x1b[H",
        "\x1b[2;3f",
        "\x1bM",
    ),
    *("\n", "\r\n", "\t", "text", "\x1b[1mtext\x1b[0m", "\x1b[3;3Ha\nb", "\x1b[2;2Ha\tb", "\x1b[5;1Ha\n\x1b[2;2H", ""),
    *("\x1b[9;9Hbelow", "\x1b[2;40Hbeside", "\x1b[0;0Hx", "\x1b]22;text\x07", "\x1b]8;;x:y\x1b\\link\x1b]8;;\x1b\\"),
]


def segment(text: str, style: Style) -> str:
    """Return a text as Textual writes it: with all of its style, and an end of it."""
    return style.render(text, color_system=ColorSystem.TRUECOLOR)


def at(line: int, column: int, *segments: str) -> str:
    """Return what writes at a place."""
    return f"\x1b[{line};{column}H{''.join(segments)}"


def a_place(chance: Random) -> tuple[int, int]:
    return chance.randint(1, LINES), chance.randint(1, COLUMNS)


def a_run(chance: Random) -> str:
    """Return some segments at a place."""
    words = [chance.choice(WORDS if chance.random() < 0.85 else NOT_ONE_CELL) for _ in range(chance.randint(0, 4))]
    return at(*a_place(chance), *(segment(word, chance.choice(STYLES)) for word in words))


def a_frame(chance: Random, runs: list[str]) -> str:
    """Return what Textual writes where some of the screen is painted; it ends a line only where it goes on below."""
    chosen = chance.choices(runs, k=chance.randint(1, 5))
    joined = [run + ("" if run.startswith(f"\x1b[{LINES};") else chance.choice(["", "\n"])) for run in chosen]
    return "".join(joined) + at(*a_place(chance))


def a_repaint(chance: Random) -> str:
    """Return what Textual writes where all of the screen is painted."""
    lines = ["".join(chance.choices(WORDS, k=4))[:COLUMNS].ljust(COLUMNS) for _ in range(LINES)]
    painted = [at(number, 1, segment(line, chance.choice(STYLES))) for number, line in enumerate(lines, 1)]
    return "\n".join(painted) + at(*a_place(chance))


def what_is_written(seed: int) -> Iterator[str]:
    """Yield what a program writes: few different things, so that much is there already."""
    chance = Random(seed)
    runs = [a_run(chance) for _ in range(6)]
    for _ in range(40):
        if chance.random() < 0.1:
            yield a_repaint(chance)
        elif chance.random() < 0.1:
            yield chance.choice(ELSE)
        else:
            runs[chance.randrange(6)] = a_run(chance)
            yield a_frame(chance, runs)


@settings(max_examples=150)
@given(st.integers(0, 1 << 32))
def test_the_terminal_shows_the_same(seed) -> None:
    shadow = Shadow()
    plain, spared = (VirtualTerminal(COLUMNS, LINES) for _ in range(2))
    for text in ["\x1b[?7l", *what_is_written(seed)]:
        plain.feed(text)
        spared.feed(shadow.changes(text, COLUMNS, LINES))
        assert spared.picture == plain.picture, text
        assert spared.pen == plain.pen, text


FRAME = at(1, 2, segment("ab", STYLES[2]), segment("cd", STYLES[4])) + at(3, 1, "plain") + at(2, 7)
IN_FULL = "\x1b[1;2H\x1b[1;31mab\x1b[0;4;34mcd\x1b[3;1H\x1b[0mplain\x1b[2;7H"


@pytest.fixture
def sent():
    """Return a function that returns what is sent, on a terminal that shows `FRAME`."""
    shadow = Shadow()
    shadow.changes("\x1b[?7l", COLUMNS, LINES)
    assert shadow.changes(FRAME, COLUMNS, LINES) == IN_FULL

    def send(text: str, columns: int = COLUMNS, lines: int = LINES) -> str:
        return shadow.changes(text, columns, lines)

    assert send(FRAME) == "\x1b[2;7H"
    return send


def test_only_what_differs_is_sent(sent) -> None:
    assert sent(at(3, 1, "plane") + at(1, 1)) == "\x1b[3;4Hne\x1b[1;1H"
    assert sent(at(1, 2, segment("ab", STYLES[2]), segment("cx", STYLES[4])) + at(1, 1)) == (
        "\x1b[1;5H\x1b[4;34mx\x1b[1;1H\x1b[0m"
    )


def test_few_cells_between_are_sent_again_many_are_left_out(sent) -> None:
    assert sent(at(3, 1, "Plaix") + at(1, 1)) == "\x1b[3;1HPlaix\x1b[1;1H"
    sent(at(4, 1, "0123456789") + at(1, 1))
    assert sent(at(4, 1, "x12345678x") + at(1, 1)) == "\x1b[4;1Hx\x1b[8Cx\x1b[1;1H"


def test_a_style_between_would_have_to_be_said(sent) -> None:
    sent(at(4, 1, "a", segment("b", STYLES[2]), "c") + at(1, 1))
    assert sent(at(4, 1, "x", segment("b", STYLES[2]), "x") + at(1, 1)) == "\x1b[4;1Hx\x1b[1Cx\x1b[1;1H"


def test_of_a_blank_only_what_is_seen_counts(sent) -> None:
    sent(at(4, 1, segment("  ", Style.parse("red on blue"))) + at(1, 1))
    assert sent(at(4, 1, segment("  ", Style.parse("bold white on blue"))) + at(1, 1)) == "\x1b[1;1H"
    for seen in ("on red", "underline on blue", "strike on blue", "reverse red on blue"):
        assert " " in sent(at(4, 1, segment("  ", Style.parse(seen))) + at(1, 1)), seen
    two = at(
        4, 1, segment("a", Style.parse("red")), segment(" ", Style.parse("blue")), segment("b", Style.parse("red"))
    )
    assert sent(two + at(1, 1)) == "\x1b[4;1H\x1b[31ma b\x1b[1;1H\x1b[0m"


@pytest.mark.parametrize("text", ["\x07", "\x1b[?25l", "\x1b[?25h", "\x1b[?2026h", "\x1b[?2026l"])
def test_what_changes_no_cell_forgets_nothing(sent, text: str) -> None:
    assert sent(text) == text
    assert sent(FRAME) == "\x1b[2;7H"


@pytest.mark.parametrize(
    "text",
    [
        *("\x1b[?1049h", "\x1b[?1049l", "\x1b[2J", "\x1b[K", "\x1b[1L", "\x1bc", "\x1b[3;1H\x1b[K\x1b[1;1H"),
        *(
            "\x1b[?7l",
            "\n",
            "a",
            "a\x1b[1;1H",
            "\r",
            "\x1b[1;1Ha\nb\x1b[1;1H",
            "\x1b[5;1Ha\n\x1b[1;1H",
            "\x1b[6;1Ha\x1b[1;1H",
            "\x1b[1;13Ha\x1b[1;1H",
        ),
        *("\x1b]0;title\x07", "\x1b[1;1Ha\x9b1;1Hb\x1b[1;1H", "\x1b[1;1Ha\u2028\x1b[1;1H\x85"),
    ],
)
def test_what_is_not_known_forgets_all(sent, text: str) -> None:
    assert sent(text) == text
    assert sent(FRAME) == IN_FULL


def test_another_size_forgets_all(sent) -> None:
    assert sent(FRAME, COLUMNS + 1) == IN_FULL
    assert sent(FRAME, COLUMNS + 1, LINES - 1) == IN_FULL
    assert sent(FRAME, COLUMNS + 1, LINES - 1) == "\x1b[2;7H"


def test_of_a_full_repaint_too_only_what_changed_is_sent_until_it_is_to_be_all() -> None:
    shadow = Shadow()
    shadow.changes("\x1b[?7l", COLUMNS, LINES)
    lines = [at(line, 1, f"line {line}") for line in range(1, LINES + 1)]
    whole = "\n".join(lines) + at(1, 1)
    for expected in (whole.replace("\n", ""), "\x1b[1;1H"):
        assert shadow.changes(whole, COLUMNS, LINES) == expected
    shadow.forget()
    assert shadow.changes(whole, COLUMNS, LINES) == whole.replace("\n", "")


def test_where_lines_wrap_nothing_is_remembered(sent) -> None:
    sent("\x1b[?7h")
    for _ in range(2):
        assert "plain" in sent(FRAME)


@pytest.mark.parametrize("text", NOT_ONE_CELL)
def test_around_what_is_not_one_cell_nothing_is_known(sent, text: str) -> None:
    whole = "".join(at(line, 1, "0123456789ab") for line in (2, 3, 4)) + at(1, 1)
    sent(whole)
    for _ in range(2):
        assert sent(at(3, 5, text) + at(1, 1)) == at(3, 5, text) + at(1, 1)
    assert sent(whole) == at(3, 4, "3456789ab") + at(1, 1)
    sent(at(3, 1, text) + at(1, 1))
    assert sent(whole) == at(2, 12, "b") + at(3, 1, "0123456789ab") + at(1, 1)
    sent(at(1, 1, text) + at(1, 1))
    assert sent(whole) == at(1, 1)


def test_what_joins_a_blank_has_its_style(sent) -> None:
    blank, accent = segment(" ", Style.parse("red")), segment("\u0301", Style.parse("red"))
    assert sent(at(4, 1, blank, accent) + at(1, 1)) == "\x1b[4;1H\x1b[31m \u0301\x1b[1;1H\x1b[0m"


def test_a_line_that_is_too_long_is_not_remembered(sent) -> None:
    text = at(4, 5, "too long for it") + at(1, 1)
    assert sent(text) == sent(text) == text


def test_where_it_ends_the_next_text_goes_on(sent) -> None:
    first, second = at(3, 1, "plain"), "x" + segment("y", STYLES[2])
    assert sent(first) == first
    assert sent(second) == "x\x1b[0;1;31my\x1b[0m"


def test_a_style_that_goes_on_ends_where_it_did(sent) -> None:
    assert sent(at(4, 1, "\x1b[1mab")) == "\x1b[4;1H\x1b[1mab"
    assert sent("cd\x1b[0m" + at(5, 1, segment("e", STYLES[1]))) == "cd\x1b[5;1H\x1b[0;31me\x1b[0m"


class Base(Driver):
    """A driver that keeps what it is given to send."""

    def __init__(self, app: "FakeApp", **_: object) -> None:
        self._app = app
        self.sent: list[str] = []

    def write(self, data: str) -> None:
        self.sent.append(data)

    def start_application_mode(self) -> None: ...

    def disable_input(self) -> None: ...

    def stop_application_mode(self) -> None: ...


class FakeApp:
    size = (COLUMNS, LINES)


def test_the_driver_sends_it() -> None:
    app = FakeApp()
    driver = thrifty_driver(Base)(app)
    for text in ("\x1b[?7l", FRAME, FRAME):
        driver.write(text)
    app.size = (COLUMNS + 1, LINES)
    driver.write(FRAME)
    assert driver.sent == ["\x1b[?7l", IN_FULL, "\x1b[2;7H", IN_FULL]


def test_a_driver_that_is_told_to_forget_sends_all() -> None:
    driver = thrifty_driver(Base)(FakeApp())
    for text in ("\x1b[?7l", FRAME):
        driver.write(text)
    driver.forget()
    driver.write(FRAME)
    assert driver.sent == ["\x1b[?7l", IN_FULL, IN_FULL]


def test_two_drivers_have_two_terminals() -> None:
    make = thrifty_driver(Base)
    first, second = make(FakeApp()), make(FakeApp())
    for driver in (first, second):
        driver.write("\x1b[?7l")
        driver.write(FRAME)
    assert second.sent == first.sent


def test_a_style_more_does_not_let_the_memory_grow_for_ever(monkeypatch) -> None:
    monkeypatch.setattr("nlm_tui.ui.shadow._MOST_STYLES", 9)
    shadow = Shadow()
    shadow.changes("\x1b[?7l", COLUMNS, LINES)
    for red in range(30):
        text = at(1, 1, segment("a", Style.parse(f"rgb({red},0,0)"))) + at(1, 1)
        assert re.search(rf"38;2;{red};0;0", shadow.changes(text, COLUMNS, LINES))
        assert len(shadow._screen.styles) <= 9


async def test_what_something_else_wrote_is_painted_over(make_app, typed, settled, monkeypatch) -> None:
    app = make_app()
    async with app.run_test(size=(80, 24)) as pilot:
        await typed(pilot, "retry")
        forgot: list[bool] = []
        monkeypatch.setattr(app, "paint_again", lambda: forgot.append(True))
        await pilot.press("alt+x", *"repaint", "enter")
        await settled(pilot, lambda: forgot)


async def test_a_window_that_is_its_old_size_again_is_painted_anew(make_app, typed, settled, monkeypatch) -> None:
    app = make_app()
    async with app.run_test() as pilot:
        await typed(pilot, "retry")
        painted = []
        monkeypatch.setattr(app, "_display", lambda _, update: painted.append(type(update)))
        app.post_message(Resize(app.size, app.size))
        await settled(pilot, lambda: LayoutUpdate in painted)
