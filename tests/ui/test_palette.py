"""The palette holds every command, with its key, and says why one cannot be run."""

import re

from textual.widgets import Input

from nlm_tui.ui.commands import COMMANDS
from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.palette import offers


async def test_every_command_is_offered_with_its_key(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        found = {offer.title: offer for offer in offers(screen, KeyMap())}
        assert {command.title for command in COMMANDS} | {"Quit", "Suspend"} <= set(found)
        assert found["Mode"].key == "Ctrl+T"
        assert found["Theme"].key == ""
        assert list(found)[-1] in {command.title for command in COMMANDS if command.id.startswith(("detail", "search"))}
        assert not {"Screenshot", "Maximize", "Keys"} & set(found)


async def test_what_cannot_be_done_now_says_why(make_app, typed) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "")
        found = {offer.title: offer for offer in offers(screen, KeyMap())}
        assert found["Save the query"].help == "not now: the box is empty"


async def test_a_command_is_found_by_a_few_letters_and_run(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        await pilot.press("alt+x")
        await settled(pilot, lambda: app.screen is not screen)
        await pilot.press(*"why")
        commands = app.screen.query_one("CommandList")
        await settled(pilot, lambda: commands.option_count and commands.get_option_at_index(0).hit.text == "Why")
        await pilot.press("enter")
        await settled(pilot, lambda: app.screen is screen and screen.why.explains)


async def test_a_colon_opens_it_outside_the_box(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        await pilot.press("colon")
        assert screen.box.value == "billing:"
        await typed(pilot, "billing")
        await pilot.press("enter", "colon")
        await settled(pilot, lambda: app.screen is not screen and app.screen.query("CommandList"))


async def test_a_theme_is_found_by_its_name(make_app, typed, settled) -> None:
    app = make_app()
    async with app.run_test(size=(120, 36)) as pilot:
        screen = await typed(pilot, "billing")
        await pilot.press("alt+x")
        await settled(pilot, lambda: app.screen is not screen)
        await pilot.press(*"nord")
        commands = app.screen.query_one("CommandList")
        await settled(pilot, lambda: commands.option_count and commands.get_option_at_index(0).hit.text == "Theme nord")
        await pilot.press("enter")
        await settled(pilot, lambda: app.theme == "nord" and app.context.state.state.theme == "nord")


def test_titles_and_help_are_plain_text() -> None:
    assert not [command.id for command in COMMANDS if re.search(r"[\[\]]", command.title + command.help)]


async def test_its_cursor_rests_where_motion_is_reduced(make_app, typed, settled) -> None:
    for reduced in (True, False):
        app = make_app(reduced_motion=reduced)
        async with app.run_test(size=(120, 36)) as pilot:
            screen = await typed(pilot, "billing")
            await pilot.press("alt+x")
            await settled(pilot, lambda app=app, screen=screen: app.screen is not screen and app.screen.query(Input))
            await settled(pilot, lambda app=app, wanted=not reduced: app.screen.query_one(Input).cursor_blink is wanted)
