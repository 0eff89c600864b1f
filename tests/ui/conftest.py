"""A screen that is the same on every machine: fixed clock, zone, theme and memory; no rest between keys."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import pytest
from fake_meaning import FakeEmbedder, Near, NearStore, WithPassages
from pytest_textual_snapshot import SVGImageExtension
from sailing import BOATS, FERRIES, NEAR, PASSAGES
from syrupy.assertion import SnapshotAssertion
from textual.app import App
from textual.pilot import Pilot

from nlm_tui.core import RecallService, Session
from nlm_tui.core.browsing import BrowseService
from nlm_tui.core.editing import EditService
from nlm_tui.demo import fill
from nlm_tui.storage import SqliteSessionStore
from nlm_tui.ui.app import NlmApp
from nlm_tui.ui.context import Context, Memory
from nlm_tui.ui.debounce import Debounce
from nlm_tui.ui.screens.search import SearchScreen

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


@pytest.fixture
def memory_of(tmp_path: Path) -> Callable[..., Memory]:
    """Return a function that makes a memory of the given sessions, on a real store."""
    opened: list[SqliteSessionStore] = []

    def make(
        *sessions: Session, name: str = "memory", also: Callable[[SqliteSessionStore], None] = lambda _: None
    ) -> Memory:
        path = tmp_path / f"{name}.sqlite"
        with SqliteSessionStore.open(path) as store, store.batch():
            for session in sessions:
                store.insert_sessions(session)
            also(store)
        searched, read, browsed = (SqliteSessionStore.open(path) for _ in range(3))
        opened.extend((searched, read, browsed))
        return Memory(
            recall=RecallService(searched, now=lambda: NOW, zone=UTC),
            sessions=read,
            interrupt=searched.interrupt,
            close=lambda: [store.close() for store in (searched, read, browsed)] and None,
            values=read.filter_values,
            browsing=BrowseService(browsed.browsing, now=lambda: NOW, zone=UTC),
            interrupt_browsing=browsed.interrupt,
            state=read.state,
            changes=read.changes,
            forget=browsed.forget,
            editing=EditService(
                browsed.corrections, now=lambda: NOW, new_suffix=map("{:08x}".format, count()).__next__
            ),
        )

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def with_meaning() -> Callable[..., tuple[Memory, FakeEmbedder]]:
    """Return a function that adds to a memory what is near to what, and gives the embedder that knows it too."""

    def add(memory: Memory, near: Near, passages: dict[str, tuple[str, str]] | None = None):
        embedder = FakeEmbedder(near)
        service = RecallService(NearStore(memory.sessions, embedder), embedder, now=lambda: NOW, zone=UTC)
        recall = WithPassages(service, passages or {})
        changed = replace(memory, recall=recall, meaning=recall, interrupt_meaning=embedder.interrupt)
        return changed, embedder

    return add


@pytest.fixture
def demo(memory_of: Callable[..., Memory]) -> Memory:
    """The demo memory, as of NOW."""
    return memory_of(name="demo", also=lambda store: fill(store, NOW))


@pytest.fixture
def make_app(demo: Memory) -> Callable[..., NlmApp]:
    """Return a function that makes an app over the demo memory, or over another."""

    def make(memory: Memory | None = None, *, theme: str = "textual-dark", **given: object) -> NlmApp:
        defaults: dict[str, object] = {
            "mode": "keyword",
            "home": Path("/home/sam"),
            "now": lambda: NOW,
            "zone": UTC,
            "clock": lambda: 0.0,
            "debounce": Debounce(longest=0.0),
            "meaning_debounce": Debounce(longest=0.0),
            "reduced_motion": True,
        }
        return NlmApp(Context(memory=memory or demo, **(defaults | given)), theme=theme)

    return make


@pytest.fixture
def sailing(memory_of, with_meaning):
    """A memory of ferries and boats, and its embedder."""
    return with_meaning(memory_of(*FERRIES, *BOATS), NEAR, PASSAGES)


@pytest.fixture
def app_of(make_app, sailing):
    """Return a function that makes an app over that memory."""

    def make(**given: object) -> NlmApp:
        return make_app(**({"memory": sailing[0], "mode": "hybrid"} | given))

    return make


@pytest.fixture
def settled() -> Callable[..., Awaitable[None]]:
    """Return a coroutine that waits until the screen is in a state, and fails where it never is."""

    async def wait(pilot: Pilot, done: Callable[[], object], seconds: float = 20.0) -> None:
        deadline = time.monotonic() + seconds
        while not done():
            if time.monotonic() > deadline:
                raise AssertionError("the screen did not reach the expected state")
            await pilot.pause(0.01)
        await pilot.pause()

    return wait


def is_counted(screen: SearchScreen, text: str) -> bool:
    """Return whether the hits over time are those of `text`: they come last."""
    if screen.view_name != "sessions" or screen.app_context.memory.browsing is None:
        return True
    return screen.views.sessions.counted == text


@pytest.fixture
def counted(settled: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Return a coroutine that waits for the answer to what is in the box, and for its hits over time."""

    async def wait(pilot: Pilot) -> None:
        screen = pilot.app.screen
        await settled(pilot, lambda: screen.answered == screen.box.value and is_counted(screen, screen.box.value))

    return wait


@pytest.fixture
def typed(settled: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[SearchScreen]]:
    """Return a coroutine that puts text in the box at once and waits for its answer."""

    async def enter(pilot: Pilot, text: str) -> SearchScreen:
        screen = pilot.app.screen
        await settled(pilot, lambda: screen.answered == screen.box.value)
        screen.box.value = text
        screen.box.cursor_position = len(text)
        await settled(pilot, lambda: screen.answered == text)
        return screen

    return enter


@pytest.fixture
def typed_for_picture(typed, counted) -> Callable[..., Awaitable[SearchScreen]]:
    """Return a coroutine that does what `typed` does, and waits for the hits over time."""

    async def enter(pilot: Pilot, text: str) -> SearchScreen:
        screen = await typed(pilot, text)
        await counted(pilot)
        return screen

    return enter


@pytest.fixture
def svg(snapshot: SnapshotAssertion) -> Callable[[App, str], bool]:
    """Return a function that compares the screen now with the stored picture of a name."""
    stored = snapshot.use_extension(SVGImageExtension)

    def matches(app: App, name: str) -> bool:
        return stored(name=name) == app.export_screenshot(title=app.title, simplify=True)

    return matches
