"""Pictures of the query language on the screen. Look at each one that changes."""

import pytest

pytestmark = pytest.mark.parametrize("size", [(120, 36), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")


async def test_chips(make_app, typed_for_picture, svg, size) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await typed_for_picture(pilot, "retry")
        await typed_for_picture(pilot, 'retry agent:claude has:decision has:foo -kafka "dead letter" ')
        assert svg(app, "chips")


async def test_completion_list(make_app, typed_for_picture, settled, svg, size) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        screen = await typed_for_picture(pilot, "retry agent:claude project:")
        await pilot.press("tab")
        await settled(pilot, lambda: screen.completions.display)
        await pilot.press("down")
        assert svg(app, "completions")


async def test_approximate_hits(make_app, typed_for_picture, svg, size) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        await typed_for_picture(pilot, "kafak ")
        assert svg(app, "approximate")


async def test_why(make_app, typed_for_picture, settled, svg, size) -> None:
    app = make_app()
    async with app.run_test(size=size) as pilot:
        screen = await typed_for_picture(pilot, "billing retries ")
        await pilot.press("ctrl+l")
        await settled(pilot, lambda: screen.why.text)
        assert svg(app, "why")
