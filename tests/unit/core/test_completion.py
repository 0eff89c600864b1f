"""What Tab completes."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nlm_tui.core.completion import Completion, closed_values, completed, completion_at, name_candidates
from nlm_tui.core.query import FILTER_NAMES, Filter, pieces

NAMES = ("agent:", "-in:", "entity:", '""', '"a b"', "ag", "memo:", "x y")
HOSTILE = st.lists(st.sampled_from([*'"“-\\:：,， \n\x00\ud800ab5!é', *NAMES]), max_size=12).map("".join)
TEXTS = st.text(max_size=30) | HOSTILE


def at_bar(marked: str) -> tuple[str, int]:
    """Return a text and the place of the bar that stood in it."""
    return marked.replace("|", "", 1), marked.index("|")


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("ag|", Completion("name", "ag", 0, 2)),
        ("AG|", Completion("name", "AG", 0, 2)),
        ("redis -b|", Completion("name", "b", 7, 8)),
        ("redis i| x", Completion("name", "i", 6, 7)),
        ("ag|ent x", Completion("name", "ag", 0, 5)),
        ("agent|", Completion("name", "agent", 0, 5)),
        ('"a b" -x si|', Completion("name", "si", 9, 11)),
        ("agent:|", Completion("value", "", 6, 6, "agent")),
        ("Agent:cl|", Completion("value", "cl", 6, 8, "agent")),
        ("-agent：cl|", Completion("value", "cl", 7, 9, "agent")),
        ("x agent:cl|aude y", Completion("value", "cl", 8, 14, "agent")),
        ("agent:|claude", Completion("value", "", 6, 12, "agent")),
        ("agent:claude,|", Completion("value", "", 13, 13, "agent")),
        ("agent:claude,co|", Completion("value", "co", 13, 15, "agent")),
        ("agent:cl|,codex", Completion("value", "cl", 6, 8, "agent")),
        ("agent:,|", Completion("value", "", 7, 7, "agent")),
        ('entity:"GitHub Ac|', Completion("value", "GitHub Ac", 7, 17, "entity")),
        ('entity:Redis，"GitHub in|', Completion("value", "GitHub in", 13, 23, "entity")),
        ('entity:"GitHub| redis', Completion("value", "GitHub", 7, 14, "entity")),
        ('entity:"Git|Hub redis', Completion("value", "Git", 7, 14, "entity")),
        ('entity:"GitHub Ac|tions",Redis', Completion("value", "GitHub Ac", 7, 23, "entity")),
        ('entity:"GitHub Actions"|', Completion("value", "GitHub Actions", 7, 23, "entity")),
        ('entity:"GitHub Actions",|', Completion("value", "", 24, 24, "entity")),
        ('entity:"5"" di|', Completion("value", '5" di', 7, 14, "entity")),
        ('entity:"|', Completion("value", "", 7, 8, "entity")),
        ('entity:|"a b"', Completion("value", "", 7, 12, "entity")),
        ('agent:"x bar agent:c|', Completion("value", "c", 19, 20, "agent")),
        ('agent:"x bar agent:"c|', Completion("value", "c", 19, 21, "agent")),
    ],
)
def test_what_can_be_completed(marked: str, expected: Completion) -> None:
    assert completion_at(*at_bar(marked)) == expected


@pytest.mark.parametrize(
    "marked",
    [
        "|",
        "|ag",
        "ag |",
        "ag | x",
        "redis|",
        "x|",
        "ag|enda",
        "ag|-x",
        "-|",
        "--ag|",
        "\\ag|",
        "(ag|",
        "über-ag|",
        "ag|:x",
        "ag|ent:",
        "ag|ent:claude",
        "agent|:claude",
        "-|agent:claude",
        "agent:claude |",
        "|agent:claude",
        "memo:ag|",
        "\\agent:cl|",
        "\\agent:|",
        '"foo ag|enda"',
        '"foo ag| x"',
        '-"foo ag| x"',
        '"foo"|',
        'agent:"a"b|',
        'agent:a"b|',
        "agent: cl|x",
    ],
)
def test_what_cannot_be_completed(marked: str) -> None:
    assert completion_at(*at_bar(marked)) is None


@pytest.mark.parametrize(("cursor", "beginning"), [(-5, None), (99, "agen")])
def test_a_cursor_beside_the_text_is_at_its_end(cursor: int, beginning: str | None) -> None:
    found = completion_at("agen", cursor)
    assert (found.beginning if found is not None else None) == beginning


def test_names_to_offer() -> None:
    assert name_candidates("") == tuple(f"{name}:" for name in FILTER_NAMES)
    assert name_candidates("B") == ("before:", "branch:")
    assert name_candidates("in") == ("in:",)
    assert name_candidates("x") == ()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("has", ("decision", "open")),
        ("in", ("label", "decision", "open", "summary")),
        ("status", ("active", "closed", "superseded")),
        ("is", ("pinned", "hidden", "noted")),
        ("since", ("today", "yesterday", "7d", "30d")),
        ("before", ("today", "yesterday", "7d", "30d")),
        ("agent", None),
        ("model", None),
        ("memo", None),
    ],
)
def test_values_to_offer(name: str, values: tuple[str, ...] | None) -> None:
    assert closed_values(name) == values


@pytest.mark.parametrize(
    ("marked", "chosen", "expected"),
    [
        ("ag|", "agent:", "agent:|"),
        ("x -ag| y", "agent:", "x -agent:| y"),
        ("ag|ent x", "agent", "agent:| x"),
        ("agent:cl|", "claude", "agent:claude |"),
        ("agent:cl| x", "claude", "agent:claude |x"),
        ("agent:cl|aude\tx", "codex", "agent:codex\t|x"),
        ("agent:cl|,codex", "claude", "agent:claude|,codex"),
        ("agent:cl|，codex", "claude", "agent:claude|，codex"),
        ("agent:a,|", "b", "agent:a,b |"),
        ("entity:|", "GitHub Actions", 'entity:"GitHub Actions" |'),
        ('entity:"git|', "Redis", "entity:Redis |"),
        ('entity:"GitHub Ac|tions",Redis', "GitHub App", 'entity:"GitHub App"|,Redis'),
        ("entity:|", "a,b", 'entity:"a,b" |'),
        ("entity:|", '5" disk', 'entity:"5"" disk" |'),
    ],
)
def test_what_is_chosen_is_put_in(marked: str, chosen: str, expected: str) -> None:
    text, cursor = at_bar(marked)
    completion = completion_at(text, cursor)
    assert completion is not None
    new_text, new_cursor = completed(text, completion, chosen)
    assert f"{new_text[:new_cursor]}|{new_text[new_cursor:]}" == expected


@given(TEXTS, st.integers(-3, 40), st.text(max_size=8))
@example('agent:"a""', 9, "x")
def test_no_text_and_no_cursor_raises(text: str, cursor: int, chosen: str) -> None:
    completion = completion_at(text, cursor)
    if completion is None:
        return
    assert 0 <= completion.start <= min(cursor, len(text)) <= completion.end <= len(text)
    new_text, new_cursor = completed(text, completion, chosen)
    assert 0 <= new_cursor <= len(new_text)


@given(
    st.sampled_from(("", "redis ", '"a b" ', "-x ")),
    st.sampled_from(FILTER_NAMES),
    st.sampled_from(("", "a", '"a', '"a b', "x,", 'x,"a b', "x，a")),
    st.text(min_size=1, max_size=8),
)
def test_a_chosen_value_is_the_one_that_is_asked_for(before: str, name: str, beginning: str, chosen: str) -> None:
    text = f"{before}{name}:{beginning}"
    completion = completion_at(text, len(text))
    assert completion is not None
    last = pieces(completed(text, completion, chosen)[0])[-1].value
    assert isinstance(last, Filter)
    assert (last.name, last.values[-1]) == (name, chosen)


def test_a_long_text_takes_no_longer_for_each_letter() -> None:
    for unit in ('agent:"a ', "agent:a ", 'agent:"x agent:","', "a", "-", 'agent:x" '):
        text = unit * (100_000 // len(unit))
        assert completion_at(text + " ag", 200_000) is not None
