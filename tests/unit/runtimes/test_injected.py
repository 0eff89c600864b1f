import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.runtimes.injected import Injected

INJECTED = Injected("hook", "note")


@pytest.mark.parametrize(
    ("text", "typed"),
    [
        ("plain", "plain"),
        ("a < b", "a < b"),
        ("<hook>x</hook>ask", "ask"),
        ("\n <hook>x</hook> <note a='1'>y\nz</note>ask", "ask"),
        ("ask<hook>x</hook>", "ask"),
        ("ask<hook>x</hook>\n<note>y</note>\n", "ask"),
        ("<hook>x", ""),
        ("<hook>x</hook>", ""),
        ("what does <hook>x</hook> do", "what does <hook>x</hook> do"),
        ("ask x</hook>", "ask x</hook>"),
        ("<hooked>x</hooked>", "<hooked>x</hooked>"),
    ],
)
def test_what_is_left(text, typed):
    assert INJECTED.removed(text) == typed


@given(
    st.lists(st.sampled_from(["<hook>", "</hook>", "<note x>", "</note>", " ", "\n", "word", "<", ">"])).map("".join)
)
def test_what_is_left_was_there(text):
    assert INJECTED.removed(text) in text


def test_very_many_blocks_take_no_longer_than_their_text():
    block = "<hook>x</hook>\n"
    assert INJECTED.removed(block * 100_000 + "ask" + block * 100_000).strip() == "ask"
