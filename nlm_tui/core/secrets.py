"""The one boundary between a stored secret and whoever looks over the user's shoulder.

Text is shown, copied and exported with keys, tokens, private keys and passwords masked. What is masked has a form of
its own, or stands where a secret is named and looks random: paths, hashes, identifiers and placeholders stay.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

from nlm_tui.core.secret_kinds import token_at

DOTS: Final = "\N{BULLET}" * 8
"""What stands in the place of a secret, however long it is."""

_Span = tuple[int, int]

_LEAST = 20  # characters of a word that may be a token
_WORD_SIGNS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
_WORDS = bytes(ord("a") if code in _WORD_SIGNS else ord(" ") for code in range(256))
_LONG_WORD = b"a" * _LEAST

_PEM_MARK = re.compile(r"-----(BEGIN|END) [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----")
# Between the lines of a key, as it stands in a file, a JSON text, a numbered listing, a quotation or a patch.
_BREAK = r"(?:[ \t\r]*+(?:\n|(?:\\r)?\\n)[ \t]*+(?:[>|+#\"'*-]{1,2}|[0-9]{1,6}[\N{RIGHTWARDS ARROW}\t:|])?+[ \t]*+)"
_KEY = "[A-Za-z0-9+/=]"
_PEM_GROUP = re.compile(
    rf"(?:(?<![A-Za-z0-9+/=\\])|(?<=\\[nrt])){_KEY}{{16,}}+"
    rf"(?:{_BREAK}{_KEY}++|[ ]++(?:{_KEY}{{16,}}+|{_KEY}++(?=[ ]?\Z)))*+"
)
_PEM_HEAD = re.compile(rf"(?:{_BREAK}|[ ]+|[A-Z][A-Za-z-]{{3,16}}: [^\n\\]{{0,80}})*+")
_PEM_BLANK = re.compile(rf"(?:{_BREAK}|[ \t]+)*+")

# A password goes on to the last @ before the host; with a slash in it, where neither an @ nor a port is before that.
_IN_URL = r"\s\"'<>`\N{BULLET}"
_URL_PASSWORD = re.compile(
    rf"://[^:/@\[{_IN_URL}]{{0,128}}:(?![0-9]{{1,5}}[/?#])"
    rf"([^/{_IN_URL}]{{1,256}}|[^/@{_IN_URL}][^@{_IN_URL}]{{1,255}}+(?:@[^/@{_IN_URL}]{{0,64}}){{0,8}})@[\w\[$]"
)
_URL_REFERENCE = re.compile(r"%(?![0-9a-f]{2})|%\w*%(?=@|$)", re.IGNORECASE)
_PASSWORD_NAMES = frozenset(("password", "pass", "pw", "pwd", "port"))
_HEADER = re.compile(
    r"uthorization(?:\\?[\"'])?[ \t]{0,4}[:=,][ \t]{0,4}(?:\\?[\"'])?"
    r"(?:(?:basic|bearer|token|apikey|negotiate|digest)[ ]+)?([\w.~+/=-]{6,4096})",
    re.ASCII | re.IGNORECASE,
)
_BEARER = re.compile(r"earer ([\w.~+/=-]{16,4096})", re.ASCII | re.IGNORECASE)
_ASSIGNED = re.compile(
    r"(?P<name>asswords?|asswd|assphrase|_pass|_pwd|ecret_?(?:access_?)?(?:key)?|ccountkey|ccesskey|(?<=[?&;])sig)"
    r"(?:\\?[\"'])?\]?[ \t]{0,8}(?:=>|:=|[=:]|(?<=asswd)[ ]|(?<=assword)[ ])[ \t]{0,8}"
    r"(?:(?P<quote>\\?[\"'`])(?P<quoted>[^\s\"'`\\\N{BULLET}]{6,512})(?P=quote)"
    r"|(?P<bare>[^\s\"'`,;&|<>()\[\]{}\\\N{BULLET}]{8,512}+)(?![(\[]))",
    re.IGNORECASE,
)
# Where one of the patterns above may begin. Each is sought by itself: that is many times faster than by one pattern.
_ASSIGNED_AT: Final = (b"assw", b"assphrase", b"_pass", b"_pwd", b"ecret", b"ccountkey=", b"ccesskey=", b"sig=")

_KEYS = ("api", "access", "secret", "private", "signing", "encryption", "master", "account", "subscription")
_TOKENS = ("access", "auth", "refresh", "bearer", "api", "bot", "session", "id", "secret", "security")
_SECRETS = ("client", "api", "app", "shared", "webhook", "jwt")
_NAMES = tuple(
    f"{kind}{joint}{noun}"
    for noun, kinds in (("key", _KEYS), ("token", _TOKENS), ("secret", _SECRETS))
    for kind in kinds
    for joint in ("", "_", "-")
)
_WEAK_NAMES = (
    *("token", "secret", "credential", "credentials", "x-amz-signature"),
    *("password", "passwd", "passphrase", "_pwd", "_pass"),
)
_NAME_ENDS = frozenset(name[-3:] for name in (*_NAMES, *_WEAK_NAMES))
_NO_SECRETS = ("page_token", "pagetoken", "next_token", "nexttoken", "page-token", "sync_token", "synctoken")
_ASSIGNS = frozenset(":=>")
_VALUE = re.compile(r"[\w.~+/=%!@#^*-]{1,512}+(?![(\[])", re.ASCII)
_BEFORE = 96

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_PLACEHOLDER = re.compile(
    r"(?i)x{5}|\*{3}|\.{3}|your|example|placeholder|redacted|dummy|change.?me|insert|replace|(?:^|[_-])(?:here|goes)\b"
)
_REFERENCE = re.compile(
    r"[$%<{]|(?:process|os|import\.meta)\.env|env[:.(]|file:|vault:|secrets?\.|op://|[.~]{0,2}/|https?:"
)
_SEGMENT = re.compile(r"[A-Za-z0-9]+")
_TURN = re.compile(r"(?<=[A-Za-z])(?=[0-9])|(?<=[0-9])(?=[A-Za-z])")
_CASE_TURN = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z]{2})(?=[a-z])")
_ALGORITHM = re.compile(r"(?i)(?:sha|md|utf|b?crypt|scrypt|pbkdf|argon|aes|rsa|base|ed|hmac|v)[0-9]+")
_SIGN = re.compile(r"[!@#^*+=~&]")


def mask(text: str) -> str:
    """Return `text` with every secret in it replaced by dots, of which the beginning may tell its kind.

    Masking again changes nothing. `text` is clean already: control characters would tear secrets apart.
    """
    plain = _plain(text)
    for find in (_private_keys, _tokens, _url_passwords, _credentials, _assigned):
        hidden = _hidden(text, find(text, plain))
        if hidden is not text:
            text, plain = hidden, _plain(hidden)
    return text


def _plain(text: str) -> bytes:
    """Return `text` in small letters, a byte for each character: much is found in it much faster."""
    return text.encode("latin-1", "replace").lower()


def _hidden(text: str, spans: Iterable[_Span]) -> str:
    """Return `text` with dots in place of `spans`, which are sorted and do not overlap."""
    parts: list[str] = []
    place = 0
    for start, end in spans:
        parts += (text[place:start], DOTS)
        place = end
    return "".join((*parts, text[place:])) if place else text


def _private_keys(text: str, plain: bytes) -> Iterator[_Span]:
    """Find the lines of private keys, also of those that are cut off above or below."""
    if b"private key" not in plain:
        return
    marks = [(found.start(), found.end(), found[1]) for found in _PEM_MARK.finditer(text)]
    edges = [(0, 0, ""), *marks, (len(text), len(text), "")]
    for (_, start, above), (end, _, below) in pairwise(edges):
        groups = [found.span() for found in _PEM_GROUP.finditer(text, start, end)] if above or below else []
        if above == "BEGIN" and below == "END":
            yield from groups
        elif above == "BEGIN":
            head = _PEM_HEAD.match(text, start, end)
            yield from (span for span in groups[:1] if head and span[0] <= head.end())
        elif below == "END":
            yield from (span for span in groups[-1:] if _PEM_BLANK.fullmatch(text, span[1], end))


def _long_words(text: str, plain: bytes) -> Iterator[_Span]:
    """Yield where words of letters, digits, `_` and `-` stand that are long enough for a token."""
    marked = plain.translate(_WORDS)
    start = marked.find(_LONG_WORD)
    while start >= 0:
        end = marked.find(b" ", start + _LEAST)
        end = len(text) if end < 0 else end
        yield start, end
        start = marked.find(_LONG_WORD, end)


def _tokens(text: str, plain: bytes) -> Iterator[_Span]:
    """Find the tokens of known forms, and long values of what has the name of a secret."""
    done = 0
    for word, end in _long_words(text, plain):
        start = _first_letter(text, word, end)
        if start < done:
            continue
        span = token_at(text, start)
        is_secret = span is not None and _is_filled(text[span[0] : span[1]])
        if span is None:
            span = _named_value(text, word)
            is_secret = span is not None
        if span is not None:
            done = span[1]
            if is_secret:
                yield span


def _first_letter(text: str, start: int, end: int) -> int:
    """Return where a word begins, without dashes and without the rest of an escape: of a line break, of `%3D`."""
    before = text[start - 1] if start else ""
    if before == "\\" and text[start] in "nrt":
        start += 1
    elif before == "%":
        start += 2
    while start < end and text[start] in "-_":
        start += 1
    return start


def _named_value(text: str, start: int) -> _Span | None:
    """Return the span of the value at `start` if it is assigned to the name of a secret and looks random."""
    if not start or text[start - 1] not in "\"'`=: \t":
        return None
    before = text[max(start - _BEFORE, 0) : start].rstrip("\"'`\\ \t")
    if before[-1:] not in _ASSIGNS:
        return None
    name = before.rstrip(":=> \t").rstrip("\"'\\]").lower()
    if name[-3:] not in _NAME_ENDS:
        return None
    strong = name.endswith(_NAMES)
    if name.endswith(_NO_SECRETS) or not (strong or name.endswith(_WEAK_NAMES)):
        return None
    found = _VALUE.match(text, start)
    if found is None or _REFERENCE.match(found[0]):
        return None
    is_secret = strong if _UUID.fullmatch(found[0]) else _looks_random(found[0])
    return found.span() if is_secret else None


def _url_passwords(text: str, plain: bytes) -> Iterator[_Span]:
    for found in _found_at(text, plain, _URL_PASSWORD, (b"://",)):
        password = found[1]
        refers = (_URL_REFERENCE if password.startswith("%") else _REFERENCE).match(password)
        if not refers and password.partition("/")[0].lower() not in _PASSWORD_NAMES:
            yield found.span(1)


def _credentials(text: str, plain: bytes) -> Iterator[_Span]:
    """Find what follows `Authorization:` and `Bearer`."""
    spans = [found.span(1) for found in _found_at(text, plain, _HEADER, (b"uthorization",))]
    spans += [found.span(1) for found in _found_at(text, plain, _BEARER, (b"earer ",))]
    done = 0
    for start, end in sorted(spans):
        if start >= done and _looks_random(text[start:end]):
            yield start, end
            done = end


def _assigned(text: str, plain: bytes) -> Iterator[_Span]:
    """Find the values of passwords, and of keys that hold signs."""
    done = 0
    for found in sorted(_found_at(text, plain, _ASSIGNED, _ASSIGNED_AT), key=_place):
        span = found.span("quoted" if found["quoted"] else "bare")
        value = found["quoted"] or found["bare"]
        named = found["name"].lower()
        looks = _looks_random if named.startswith(("ecret", "sig")) else _looks_like_a_password
        if span[0] >= done and not _REFERENCE.match(value) and looks(value):
            yield span
            done = span[1]


def _found_at(text: str, plain: bytes, pattern: re.Pattern[str], anchors: Iterable[bytes]) -> Iterator[re.Match[str]]:
    """Yield the matches of `pattern` that begin where one of `anchors` stands."""
    for anchor in anchors:
        at = plain.find(anchor)
        while at >= 0:
            found = pattern.match(text, at)
            if found is not None:
                yield found
            at = plain.find(anchor, found.end() if found else at + len(anchor))


def _place(found: re.Match[str]) -> int:
    return found.start()


def _is_filled(value: str) -> bool:
    """Return whether a value is none that a reader is to replace by another."""
    return len(set(value)) >= 8 and _PLACEHOLDER.search(value) is None


def _looks_random(value: str) -> bool:
    """Return whether nobody would have typed `value`: letters and digits, or capitals, in no order."""
    if not _is_filled(value):
        return False
    segments = _SEGMENT.findall(value)
    if any(len(_TURN.findall(segment)) >= 3 for segment in segments):
        return True
    turns = sum(len(_CASE_TURN.findall(segment)) for segment in segments)
    return turns >= 2 and any(character.isdigit() for character in value) and len(segments) <= 2 + len(value) // 16


def _looks_like_a_password(value: str) -> bool:
    if _looks_random(value):
        return True
    if len(set(value)) < 5 or _PLACEHOLDER.search(value):
        return False
    has_both = any(map(str.isdigit, value)) and any(map(str.isalpha, value))
    if has_both and _SIGN.search(value):
        return True
    return has_both and any(
        len(segment) >= 8 and _TURN.search(segment) and not _ALGORITHM.match(segment)
        for segment in _SEGMENT.findall(value)
    )
