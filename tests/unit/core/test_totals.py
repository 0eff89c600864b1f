"""A recall says how many sessions it found, whichever leg found them."""

from nlm_tui.core import KeywordNeighbor, Page, SemanticNeighbor
from nlm_tui.core.scoring import Found


def keyword(*ids: str, total: int, rest: set[str]) -> Page[KeywordNeighbor]:
    return Page([KeywordNeighbor(name, 1.0) for name in ids], total, holding=rest.intersection)


def semantic(*ids: str) -> list[SemanticNeighbor]:
    return [SemanticNeighbor(name, 0.5) for name in ids]


def test_what_both_found_counts_once_beyond_the_page_too() -> None:
    assert Found(keyword("a", "b", total=4, rest={"c", "d"}), semantic("b", "c", "e")).total == 5


def test_a_complete_page_is_not_asked() -> None:
    assert Found(keyword("a", total=1, rest={"e"}), semantic("a", "e")).total == 2


def test_one_leg_alone_says_its_own_total() -> None:
    assert Found(keyword("a", total=7, rest=set()), None).total == 7
    assert Found(None, Page(semantic("a", "b"), 9)).total == 9
    assert Found(None, semantic("a", "b")).total == 2
    assert Found(None, None).total == 0
