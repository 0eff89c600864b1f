"""The counter of the first line: what does not fit is left out, never cut."""

import re

import pytest
from support import a_session

from nlm_tui.ui.messages import counts


@pytest.fixture
def many(memory_of):
    return memory_of(
        *(
            a_session(f"cc_{number:04}", label=f"Ferry {number}", entities=(f"ferry {number}",))
            for number in range(1_204)
        )
    )


def first_line(app) -> str:
    return app.screen._compositor.render_strips()[0].text


@pytest.mark.parametrize("view", ["alt+1", "alt+4"])
async def test_no_number_is_cut_at_any_width(make_app, many, typed, settled, view) -> None:
    app = make_app(many)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "ferry")
        await pilot.press(view)
        await settled(pilot, lambda: screen.answered == "ferry" and screen.views.current.total is not None)
        for width in (120, 100, 80, 64, 63, 50, 40, 34, 30, 26, 23, 20, 15, 10, 7, 3, 1):
            await pilot.resize_terminal(width, 12)
            await settled(pilot, lambda width=width: screen.size.width == width)
            await pilot.pause()
            shown = first_line(app).partition(">")[2]
            listed = len(screen.views.current.list.listed.keys)
            whole = "|".join(map(re.escape, counts(listed, screen.views.current.total)))
            assert not re.search(r"\d", re.sub(rf"{whole}|\d+ ms", "", shown)), shown
            assert screen.box.size.width >= min(12, width - 7)


@pytest.mark.parametrize(("width", "form"), [(120, "keyword   "), (80, "keyword   "), (40, "")])
async def test_the_longest_form_that_fits_is_shown(make_app, many, typed, width, form) -> None:
    app = make_app(many)
    async with app.run_test(size=(width, 24)) as pilot:
        screen = await typed(pilot, "")
        await pilot.pause()
        assert screen.found.text.startswith(f"{form}{len(screen.results.hits)}")
        assert "1,204" in screen.found.text
