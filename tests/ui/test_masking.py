"""No secret is painted, in whatever view, dialog or notice, until it is asked for."""

import pytest
from support import a_session

from nlm_tui.core import Message, join_messages
from nlm_tui.core.secrets import DOTS
from nlm_tui.ui.views.names import VIEW_NAMES

LETTERS = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TOKEN = f"ghp_{LETTERS}"


@pytest.fixture
def leaky(memory_of):
    """A memory whose sessions hold a token wherever text can be."""
    body, turns = join_messages((Message("user", f"Use {TOKEN}"), Message("tool", f"curl -H {TOKEN}")))
    fields = {
        "summary": f"It was {TOKEN}", "body": body, "turns": turns, "decisions": (f"drop {TOKEN}",),
        "open": (f"who knows {TOKEN}?",), "entities": (f"key {TOKEN}",), "note": TOKEN, "branch": TOKEN,
    }  # fmt: skip
    newer = a_session("cc_2", label=f"Rotate {TOKEN}", started_at="2026-05-15T08:00:00Z", **fields)
    return memory_of(newer, a_session("cc_1", label=f"Leak {TOKEN}", superseded_by=("cc_2",), **fields))


def painted(app) -> str:
    """Return all that is on the screen."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


@pytest.mark.parametrize("number", range(1, len(VIEW_NAMES) + 1))
async def test_no_view_shows_a_secret(make_app, leaky, settled, number: int) -> None:
    app = make_app(leaky)
    async with app.run_test(size=(160, 50)) as pilot:
        await settled(pilot, lambda: app.screen.answered == "")
        await pilot.press(f"alt+{number}")
        await settled(pilot, lambda: app.screen.views.current.total is not None)
        assert app.screen.view_name == VIEW_NAMES[number - 1]
        await settled(pilot, lambda: DOTS in painted(app) or app.screen.view_name == "facts")
        assert LETTERS[:8] not in painted(app)


@pytest.mark.parametrize("key", ["alt+e", "ctrl+y", "alt+o", "alt+w", "alt+r"])
async def test_no_question_shows_a_secret(make_app, leaky, settled, key: str) -> None:
    app = make_app(leaky)
    async with app.run_test(size=(160, 50), notifications=True) as pilot:
        screen = app.screen
        await settled(pilot, lambda: screen.answered == "" and screen.target.session_id)
        await pilot.press("alt+2")
        await settled(pilot, lambda: screen.target.marker)
        await pilot.press(key)
        await settled(pilot, lambda: app.screen is not screen or app._notifications)
        assert LETTERS[:8] not in painted(app)


async def test_no_completion_shows_a_secret(make_app, memory_of, typed, settled) -> None:
    app = make_app(memory_of(a_session(entities=(f"key {TOKEN}", "keys"))))
    async with app.run_test(size=(160, 50)) as pilot:
        screen = await typed(pilot, "entity:key")
        await pilot.press("tab")
        await settled(pilot, lambda: screen.completions.is_open)
        assert LETTERS[:8] not in painted(app)
        await pilot.press("down", "up", *(["down"] if screen.completions.marked.text == "keys" else []), "enter")
        await settled(pilot, lambda: TOKEN in screen.box.value and screen.chips.pieces)
        assert LETTERS[:8] not in "\n".join(painted(app).splitlines()[1:])  # in the box stands what is searched for


async def test_a_masked_token_is_still_found(make_app, leaky, typed) -> None:
    app = make_app(leaky)
    async with app.run_test(size=(160, 50)) as pilot:
        screen = await typed(pilot, f'"{TOKEN}"')
        assert len(screen.results.hits) == 2
        assert LETTERS not in repr(screen.results.hits)
