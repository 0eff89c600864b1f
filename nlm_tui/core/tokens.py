"""Tokens of query text, and which fields of a session hold them."""

import re
import unicodedata
from collections.abc import Collection

from nlm_tui.core.model import Session

# Combining marks that `\w` leaves out: Latin, Cyrillic, Hebrew and Arabic marks, and the scripts of South Asia.
_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0eff"
_TELLING_LETTERS = 3
_TOKEN = re.compile(rf"[^\W_][\w{_MARKS}.\-]*")


def tokenize(text: str) -> list[str]:
    """Return the tokens of `text` in order: a letter or digit, then letters, digits, `_`, `.`, `-`; lower-cased.

    A trailing `.` or `-` is not part of a token. Total: no input raises.
    """
    text = text.lower()
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)  # after lowering, which may leave a letter and its accent apart
    return [token.rstrip(".-") for token in _TOKEN.findall(text)]


def token_set(text: str) -> frozenset[str]:
    """Return the distinct tokens of `text`."""
    return frozenset(tokenize(text))


def unfinished_token(text: str) -> str:
    """Return the token that is still being typed: the last one of `text`, unless a blank follows it; else ''.

    Beside other words it counts from three letters on: one or two begin words in nearly every session.
    """
    tokens = tokenize(text) if text and not text[-1].isspace() else []
    if not tokens or (len(tokens) > 1 and not is_telling(tokens[-1])):
        return ""
    return tokens[-1]


def is_telling(beginning: str) -> bool:
    """Return whether a beginning of a word narrows a search: three letters do, and fewer in a script of many."""
    return len(beginning) >= _TELLING_LETTERS or not beginning.isascii()


def keyword_match_fields(session: Session, query_tokens: Collection[str], unfinished: str = "") -> tuple[str, ...]:
    """Return which of label, decisions, open and summary, in this order, share a token with the query.

    A token that begins with `unfinished`, when there is such a one, counts too.
    """
    wanted = frozenset(query_tokens)
    if not wanted:
        return ()

    def holds(text: str) -> bool:
        tokens = tokenize(text)
        return not wanted.isdisjoint(tokens) or (
            unfinished != "" and any(token.startswith(unfinished) for token in tokens)
        )

    fields = (
        ("label", (session.label,)),
        ("decisions", session.decisions),
        ("open", session.open),
        ("summary", (session.summary,)),
    )
    return tuple(name for name, texts in fields if any(map(holds, texts)))
