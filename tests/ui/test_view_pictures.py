"""Pictures of the views. Look at each one that changes."""

import pytest

SIZES = ((120, 36), (80, 24), (40, 12))


def ids(size) -> str:
    return f"{size[0]}x{size[1]}"


async def view(pilot, settled, key: str, *, text: str = "", keys: tuple[str, ...] = ("down",)) -> None:
    """Turn to a view, type, and move."""
    screen = pilot.app.screen
    await settled(pilot, lambda: screen.answered == "")
    await pilot.press(key)
    screen.box.value = text
    screen.box.cursor_position = len(text)
    await settled(pilot, lambda: screen.answered == text)
    await settled(pilot, lambda: screen.views.rows.listed.keys)
    await pilot.press(*keys)
    chosen = screen.views.current.chosen
    if chosen is not None and screen.panes.shows_session:
        await settled(pilot, lambda: screen.session.detail.session_id == screen.views.current.chosen.session_id)
    await pilot.pause()


@pytest.mark.parametrize("size", SIZES, ids=ids)
async def test_decisions(make_app, settled, svg, size) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await view(pilot, settled, "alt+2", text="retries", keys=("down", "down"))
        assert svg(app, "decisions")


@pytest.mark.parametrize("size", SIZES, ids=ids)
async def test_open_questions(make_app, settled, svg, size) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await view(pilot, settled, "alt+3")
        assert svg(app, "open")


@pytest.mark.parametrize("size", SIZES[:2], ids=ids)
async def test_topics(make_app, settled, svg, size) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await view(pilot, settled, "alt+4")
        assert svg(app, "topics")


@pytest.mark.parametrize("size", SIZES[:2], ids=ids)
async def test_facts(make_app, settled, svg, size) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await view(pilot, settled, "alt+5", keys=("tab", "j"))
        assert svg(app, "facts")


@pytest.mark.parametrize("size", SIZES, ids=ids)
async def test_timeline(make_app, settled, svg, size) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await view(pilot, settled, "alt+6", text="entity:pay", keys=("down", "down"))
        assert svg(app, "timeline")


async def test_groups(make_app, typed_for_picture, svg) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        await typed_for_picture(pilot, "retry")
        await pilot.press("alt+g", "alt+g", "down", "down")
        await pilot.pause()
        assert svg(app, "groups")
