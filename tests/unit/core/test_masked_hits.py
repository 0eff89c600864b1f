"""Hits show no secret, however a passage is cut, unless they are asked to."""

from dataclasses import astuple

import pytest
from support import a_session

from nlm_tui.core import RecallService, parse
from nlm_tui.core.matching import query_matcher
from nlm_tui.core.secrets import DOTS
from nlm_tui.storage import SqliteSessionStore

LETTERS = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
TOKEN = f"ghp_{LETTERS}"


@pytest.fixture
def leaky(store: SqliteSessionStore) -> SqliteSessionStore:
    """A store whose only session holds a token wherever text can be."""
    with store.batch():
        store.insert_sessions(
            a_session(
                label=f"Rotate {TOKEN}",
                summary=f"The deploy token was {TOKEN}",
                body=f"deploy with\n{TOKEN}\nnow",
                entities=(TOKEN,),
                decisions=(f"drop {TOKEN}",),
                open=(f"who knows {TOKEN}?",),
                project=f"/src/{TOKEN}",
                branch=TOKEN,
                model=TOKEN,
                note=f"note {TOKEN}",
            )
        )
    return store


@pytest.mark.parametrize("text", ["deploy", "rotate", "has:open", f"{TOKEN}", "nobody deploy"])
def test_no_text_of_a_hit_holds_a_secret(leaky: SqliteSessionStore, text: str) -> None:
    (hit,) = RecallService(leaky).search(parse(text)).results
    assert LETTERS not in repr(astuple(hit))
    assert hit.label == f"Rotate ghp_{DOTS}"
    assert hit.open == (f"who knows ghp_{DOTS}?",)


def test_the_newest_are_masked_too(leaky: SqliteSessionStore) -> None:
    (hit,) = RecallService(leaky).newest(5).results
    assert LETTERS not in repr(astuple(hit))


def test_on_demand_they_are_shown(leaky: SqliteSessionStore) -> None:
    (hit,) = RecallService(leaky, reveal=True).search(parse("deploy")).results
    assert hit.label == f"Rotate {TOKEN}"
    assert hit.decisions == (f"drop {TOKEN}",)


@pytest.mark.parametrize("before", range(40, 120, 7))
def test_a_passage_does_not_begin_or_end_inside_a_token(before: int) -> None:
    text = f"{'x' * 200}\n{TOKEN}\n{'yz ' * (before // 3)}needle{' yz' * (before // 3)}\n{TOKEN}\n{'x' * 200}"
    found = query_matcher("needle").best_passage(text)
    assert found is not None
    assert "needle" in found[1]
    assert LETTERS[6:] not in found[1] or TOKEN in found[1]


def test_a_match_in_a_long_run_is_in_its_passage() -> None:
    found = query_matcher("needle").best_passage(f"{'x/' * 200}needle/{'y/' * 200}")
    assert found is not None
    assert "needle" in found[1]
