"""Words that carry meaning, and how much of it two texts share."""

import re
from functools import lru_cache
from itertools import chain

from nlm_tui.core import stem

_WORD = re.compile(r"[A-Za-z0-9À-ɏ]+(?:['\u2019_.-][A-Za-z0-9À-ɏ]+)*|\d+")
_STOP_WORDS = """
a able about above across actually after again against ago all almost along already also although always am among an
and another any anything are around as ask at away back be because been before being below best better between both
but by can cannot case come could course day did different do does doing don done down each either else enough even
ever every everything exactly far few find fine first for from further get give given go goes going gone good got
had happen has have having he hello her here hi him his how however i if in into is it its itself just keep kind
know last later least left less let like little long look lot lovely made make makes many may maybe me mean means
might mind more most much must my myself need needs never new next nice no nobody none nor not nothing now of off oh
ok okay on once one ones only onto or other others our out over own part people per perhaps place please point
possible put quite rather really right said same say second see seem seems shall she should show simply since small
so some somebody something sometimes soon still such sure take tell than thank thanks that the their them themselves
then there therefore these they thing things think third this those though through thus time to today together too
took toward try two under until up upon us use used uses using very via want wants was way we well went were what
whatever when where whether which while who whole whom whose why will with within without won would yeah yes yet you
your it's that's i'm i'd i'll i've we're we'd we'll we've don't doesn't didn't can't won't isn't aren't wasn't
there's you're you'd you'll let's what's he's she's they're
"""
_STOP = frozenset(_STOP_WORDS.split())


@lru_cache(maxsize=16_384)
def _stems(word: str) -> tuple[str, ...]:
    """Return the stems of a word and of its parts; none of one that carries no meaning."""
    low = word.casefold().replace("\u2019", "'")
    if low in _STOP:
        return ()
    parts = (low,) if low.isalnum() else (low, *re.split(r"[_.-]", low))
    return tuple(
        stem(part.removesuffix("'s"))
        for part in parts
        if part and part not in _STOP and (len(part) > 2 or part.isdigit())
    )


@lru_cache(maxsize=4096)
def content(text: str) -> frozenset[str]:
    """Return the stems of the words of `text` that carry meaning; numbers count."""
    return frozenset(chain.from_iterable(map(_stems, _WORD.findall(text))))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of the smaller one that both have, 0 where one is empty."""
    smaller = min(len(one), len(other))
    return len(one & other) / smaller if smaller else 0.0


_COMMON_WORDS = """
the to and of is it in that this i you we for on not with be are do have as but if so can what my no was
"""
_ENGLISH = frozenset(_COMMON_WORDS.split())
_SOME = 8
_ENGLISH_FROM = 0.17  # of the words; prose has a quarter and more, lists of names less


def is_english(text: str) -> bool:
    """Return whether a text reads as English, or is too short to tell and plain ASCII."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    if len(words) < _SOME:
        return text.isascii()
    return sum(word in _ENGLISH for word in words) >= _ENGLISH_FROM * len(words)
