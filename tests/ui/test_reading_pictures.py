"""Pictures of the session pane. Look at each one that changes."""

from dataclasses import replace

from reading import PaneApp, opened, talk
from test_rendering import PROSE, highlighted

from nlm_tui.core.model import ClosedQuestion

SIZE = (80, 28)
TALK = talk(
    ("user", "How do we **retry**? See `billing/retry.py`."),
    ("tool", "Read  billing/retry.py\n  def retry(times): ..."),
    ("tool", "Bash  pytest -q\n  3 passed"),
    ("assistant", PROSE),
    ("user", "Thanks."),
    label="Retry budget for the billing worker",
    summary="Endless retries are replaced by a `budget`.",
    decisions=("three retries, then the dead-letter queue",),
    open=("who reads that queue at night?",),
    project="/home/sam/src/pay",
    branch="main",
)


async def test_markdown_and_code(memory_of, settled, svg) -> None:
    app = PaneApp(memory_of(TALK))
    async with app.run_test(size=SIZE) as pilot:
        detail = await opened(app, pilot, settled)
        await pilot.press("right_square_bracket")
        await highlighted(pilot, detail, settled)
        assert svg(app, "rendered")


async def test_finding_among_folded_tool_calls(memory_of, settled, svg) -> None:
    app = PaneApp(memory_of(TALK))
    async with app.run_test(size=SIZE) as pilot:
        detail = await opened(app, pilot, settled)
        await pilot.press("z", "slash", *"retr")
        await settled(pilot, lambda: detail.found_text == "retr" and " of " in detail.stop_words)
        await highlighted(pilot, detail, settled)
        assert svg(app, "finding")


async def test_what_users_made_of_it(memory_of, settled, svg) -> None:
    changed = replace(
        TALK,
        status="superseded",
        superseded_by=("cc_2",),
        continues=("cc_0",),
        pinned=True,
        note="Ask Kim before Monday.",
        closed=(ClosedQuestion("how often?", "three times"),),
    )
    memory = memory_of(TALK, replace(TALK, id="cc_2", label="A budget for each invoice"))

    class Edited:
        def get_by_id(self, session_id: str):
            return changed if session_id == "cc_1" else memory.sessions.get_by_id(session_id)

    app = PaneApp(replace(memory, sessions=Edited()))
    async with app.run_test(size=SIZE) as pilot:
        detail = await opened(app, pilot, settled)
        detail.point_at("three retries, then the dead-letter queue")
        await pilot.pause()
        assert svg(app, "edited")
