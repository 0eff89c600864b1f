"""Pictures of recall by meaning. Look at each one that changes."""

import pytest

pytestmark = pytest.mark.parametrize("size", [(120, 36), (80, 24)], ids=lambda size: f"{size[0]}x{size[1]}")

CAPPED = "cc_6813e85c-7267-477e-8a44-f10bc9242e67"
KEYS = "cc_893b791b-672e-4a63-bc77-ee3a15210e2a"
CHECKOUT = "codex_a90ec9e9-559e-40b6-9216-926c3f6272d3"
WEBHOOKS = "cc_2ec514c1-f4d7-469e-b740-81a308bf5934"
BACKOFF = "cc_258c4940-dd5b-411d-9764-0d51643c7bae"
WORDS, OTHER_WORDS = "billing retries", "zweimal abgebucht"
NEAR = {
    WORDS: [BACKOFF, WEBHOOKS, CAPPED, CHECKOUT],
    OTHER_WORDS: [KEYS, CHECKOUT, WEBHOOKS],
    CAPPED: [BACKOFF, WEBHOOKS, KEYS],
}
PASSAGES = {
    KEYS: (
        "decisions",
        (
            "Idempotency keys live in Postgres and not in Redis, because the key must commit in the same "
            "transaction as the charge."
        ),
    ),
    WEBHOOKS: (
        "decisions",
        (
            "Incoming webhooks are inserted by provider event id first and handled only if the insert was new, because "
            "providers promise at-least-once and nothing better."
        ),
    ),
}


@pytest.fixture
def recalling(demo, with_meaning):
    return with_meaning(demo, NEAR, PASSAGES)


async def test_meaning_is_to_come(make_app, recalling, typed_for_picture, settled, svg, size) -> None:
    memory, embedder = recalling
    asked = embedder.hold(WORDS)
    app = make_app(memory, mode="hybrid")
    async with app.run_test(size=size) as pilot:
        await typed_for_picture(pilot, WORDS)
        await settled(pilot, asked.is_set)
        assert svg(app, "pending")
        embedder.let_go(WORDS)


async def test_merged(make_app, recalling, typed_for_picture, settled, svg, size) -> None:
    memory, embedder = recalling
    asked = embedder.hold(WORDS)
    app = make_app(memory, mode="hybrid")
    async with app.run_test(size=size) as pilot:
        screen = await typed_for_picture(pilot, WORDS)
        await settled(pilot, asked.is_set)
        await pilot.press("down")
        embedder.let_go(WORDS)
        await settled(pilot, lambda: not screen.searching.is_pending)
        await pilot.press("ctrl+l")
        await settled(pilot, lambda: screen.why.text)
        assert svg(app, "merged")


async def test_nothing_by_words_yet(make_app, recalling, typed_for_picture, settled, svg, size) -> None:
    memory, embedder = recalling
    asked = embedder.hold(OTHER_WORDS)
    app = make_app(memory, mode="hybrid")
    async with app.run_test(size=size) as pilot:
        await typed_for_picture(pilot, OTHER_WORDS)
        await settled(pilot, asked.is_set)
        assert svg(app, "nothing-yet")
        embedder.let_go(OTHER_WORDS)


async def test_by_meaning_only(make_app, recalling, typed_for_picture, settled, svg, size) -> None:
    app = make_app(recalling[0], mode="hybrid")
    async with app.run_test(size=size) as pilot:
        screen = await typed_for_picture(pilot, OTHER_WORDS)
        await settled(pilot, lambda: screen.session.detail.session_id == KEYS)
        await pilot.press("alt+n", "ctrl+l")
        await settled(pilot, lambda: screen.why.text)
        assert svg(app, "by-meaning")


async def test_meaning_is_unavailable(make_app, recalling, typed_for_picture, settled, svg, size) -> None:
    memory, embedder = recalling
    embedder.reason = "Ollama is not running at 127.0.0.1:11434: start it with `ollama serve`"
    app = make_app(memory, mode="semantic")
    async with app.run_test(size=size) as pilot:
        screen = await typed_for_picture(pilot, WORDS)
        await settled(pilot, lambda: screen.status.text)
        assert svg(app, "unavailable")


async def test_similar(make_app, recalling, typed_for_picture, settled, counted, svg, size) -> None:
    app = make_app(recalling[0])
    async with app.run_test(size=size) as pilot:
        screen = await typed_for_picture(pilot, "cap billing retries")
        assert screen.results.selected.id == CAPPED
        await pilot.press("ctrl+f")
        await settled(pilot, lambda: screen.answered == f"like:{CAPPED}")
        await counted(pilot)
        assert svg(app, "similar")
