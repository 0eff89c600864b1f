"""Names that no table knows, by how they are written: `QuoteService`, `cuteSV`, `STM32G4`, Pocketshelf, `dbmate`."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from nlm_tui.core import Message
from nlm_tui.extraction.ordinary import CODE_ENDINGS, COMMON, FIRST_NAMES, INITIALS, SPEECH, TO_PEOPLE
from nlm_tui.extraction.vocabulary import VOCABULARY

_MOST_TEXT = 8_000  # characters at either end of what was said in which names are looked for
_ABBREVIATIONS = ("e.g", "i.e", "etc", "vs", "ca", "cf", "approx", "incl", "resp", "..")

_CAPITAL = re.compile(
    r"[A-Z][\w+#]{0,60}(?:[.-][A-Za-z0-9][\w+#]{0,40}){0,4}(?: [A-Z][a-z]{2,30}(?![\w/(]|[.][a-z])){0,2}"
)
_FILE = re.compile(r"\.(?!js$|io$|ai$|NET$)[a-z][a-z0-9]{0,7}$")
_TICKET = re.compile(r"[A-Z]{1,10}[-_]?\d+(?:-\d+)*$")
_SMALL_START = re.compile(
    r"(?:(?:[-*] |\d[.)] )?(?P<bold>\*\*))?(?P<name>[a-z][a-z\d]{2,30}(?:-[a-z\d]{1,30}){0,3})"
    r"(?(bold)\*\*|(?![\w./:(\\]))"
)
_COMPONENT = re.compile(
    rb"-(?:db|api|web|cli|app|ios|android|service|worker|server|gateway|sdk|ui|js|rs|py|go|bot|infra|operator|exporter"
    rb"|plugin|backend|frontend|proxy|daemon|lib|core) "
)
_NO_COMPONENT = frozenset(
    b"in on per cross multi self non client single sub micro web public rest pre post mid inter third http the a one"
    b" two server back front full end all same no each new old mini test private internal external other native mobile"
    b" command side desktop legacy peer first down stand".split()
)
_INSTALL = re.compile(
    r"\b(?:pip3? install|(?:uv|poetry|pdm|bun|yarn|bundle|cargo|flutter pub) add|p?npm (?:i|install|add)"
    r"|(?:conda|mamba|cargo|go|gem|brew|apt|apt-get|nuget) install|go get|composer require|dotnet add package)"
    r"\s([^|;&<>\n]{1,300})"
)
_PACKAGE = re.compile(r"(?:^|\s)['\"]?(?!-)((?:@[\w.-]{1,40}/)?[A-Za-z][\w./-]{1,80})")


class _Seen(NamedTuple):
    """How often names were seen inside sentences, at their beginnings and as code; and which ones people bear."""

    inside: Counter[str]
    begins: Counter[str]
    code: Counter[str]
    people: set[str]


@dataclass(slots=True)
class Talk:
    """What was said in a session, without fenced code, and where a name weighs more."""

    text: str
    words: bytes
    english: bool
    weighty: str
    _spoken: Counter[str] = field(default_factory=Counter[str])

    def times(self, word: str) -> int:
        """Return how often a word or a run of words occurs, in any case."""
        if word not in self._spoken:
            self._spoken[word] = self.words.count(b" %b " % " ".join(word.lower().split(".")).encode())
        return self._spoken[word]

    def beyond(self, word: str, mentions: int) -> bool:
        """Whether a word occurs more often than in the `mentions` of it as a name: in small letters, that is."""
        return self.times(word) > mentions


def outside_fences(prose: str) -> str:
    """Return beginning and end of `prose`, without fenced code."""
    text = prose if len(prose) <= 2 * _MOST_TEXT else f"{prose[:_MOST_TEXT]}\n\n{prose[-_MOST_TEXT:]}"
    return "\n".join(text.split("```")[::2])


def written_names(talk: Talk, share_of_sessions: Callable[[str], float]) -> Counter[str]:
    """Return names that stand out by their capitals, with their mentions.

    A name with but one capital is left out that more than one session in ten of the store holds: it is a word.
    """
    seen = _sightings(talk.text)
    striking = (name for name in seen.begins if not name[1:].islower())
    names = [name for name in {*seen.inside, *striking} if _is_name(name, seen, talk)]
    names = [name for name in names if not name[1:].islower() or share_of_sessions(name) <= _COMMON_SHARE]
    return Counter({name: seen.inside[name] + seen.begins[name] + seen.code[name] for name in names})


_COMMON_SHARE = 0.1


def _sightings(text: str) -> _Seen:
    inside: list[str] = []
    begins: list[str] = []
    code: list[str] = []
    people: set[str] = set()
    for match in _CAPITAL.finditer(text):
        start, end = match.span()
        before = text[start - 1] if start else "\n"
        after = text[end : end + 1]
        if before in _NO_NAME_AFTER or after in _NO_NAME_BEFORE or (after == ":" and text.startswith("::", end)):
            continue
        name = match[0]
        if before.isalnum():
            start = _mixed_start(text, start, name)
            if not start:
                continue
            name, before = text[start:end], text[start - 1]
        if before == "`":
            code.append(name)
        elif before == " " and _goes_on(text, start):
            inside += _parts(name)
            if _is_person(text, start, end):
                people.update(_parts(name))
        else:
            begins += _parts(name)
    return _Seen(Counter(inside), Counter(begins), Counter(code), people)


_NO_NAME_AFTER = frozenset("./\\_@#$<-'=")
_NO_NAME_BEFORE = frozenset("_/\\(=")


def _mixed_start(text: str, start: int, tail: str) -> int:
    """Return where a word begins that has small letters first and ends in capitals, such as `cuteSV`; 0 for others."""
    head = start
    while head > 0 and start - head < 8 and "a" <= text[head - 1] <= "z":
        head -= 1
    whole = head == 0 or text[head - 1] in ' \n*|(,"'
    return head if whole and head < start and len(tail) > 1 and tail.isupper() and tail.isalnum() else 0


def _goes_on(text: str, start: int) -> bool:
    """Whether a sentence goes on at `start`, with what it began before."""
    last = text[start - 2] if start > 1 else "\n"
    return last.isalnum() or last in ",;)`\"'/&+"


def _parts(run: str) -> list[str]:
    """Return the names in a run of capitalised words: cut where a word is no part of a name."""
    if " " not in run:
        return [run]
    parts: list[list[str]] = [[]]
    for word in run.split(" "):
        if word.casefold() in COMMON:
            parts.append([])
        else:
            parts[-1].append(word)
    return [" ".join(part) for part in parts if part]


def _is_person(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - 14) : start - 1].rpartition(" ")[2].strip("(,\n").lower()
    after = text[end + 1 : end + 16].partition(" ")[0].strip(".,\n").lower()
    return before in TO_PEOPLE or (after in SPEECH and text[end : end + 1] == " ")


def _is_name(name: str, seen: _Seen, talk: Talk) -> bool:
    plain = name.casefold()
    if len(name) < 3 or plain in COMMON or name in seen.people or name.partition(" ")[0] in FIRST_NAMES:
        return False
    if _FILE.search(name):
        return False
    mentions = seen.inside[name] + seen.begins[name]
    much = mentions + (name in talk.weighty)
    if name.isupper() or (name[:-1].isupper() and name[-1] == "s"):
        return (
            _are_initials(name.rstrip("s"), much)
            and seen.inside[name] > 0
            and not talk.beyond(name, mentions + seen.code[name])
        )
    if " " in name or (name[0].isupper() and name[1:].islower()):
        proper = talk.english and seen.inside[name] > 0 and much >= 3
        return proper and not talk.beyond(name, mentions + seen.code[name])
    return much >= 2 and mentions > seen.code[name] and not _is_code(name)


def _are_initials(name: str, much: int) -> bool:
    if name in INITIALS or _TICKET.match(name) or len(name) < 4:
        return False
    return much >= (3 if name.isalpha() else 2)


def _is_code(name: str) -> bool:
    return name.endswith(CODE_ENDINGS) or "_" in name or ("-" in name and not any(map(str.isdigit, name)))


def small_names(talk: Talk, messages: Sequence[Message], done: bytes) -> Counter[str]:
    """Return names in small letters: where a sentence begins with one, of components, and of packages.

    `done` are the words of tool calls and their output: a tool that is talked about is used as well.
    """
    said = outside_fences("\n\n".join(message.text for message in messages if message.role == "assistant"))
    starts = set(_small_starts(said))
    found: set[str] = set()
    if talk.english and len(starts) <= _MANY_SMALL_STARTS:  # somebody who writes everything small names nothing so
        found.update(word for word in starts if word not in COMMON and _is_tool(word.encode(), talk.words, done))
    found.update(name for name in packages(messages) if name not in COMMON)
    found.update(_components(talk.words))
    if b"@" in talk.words:
        found.update(map(bytes.decode, _SCOPED.findall(talk.words)))
    return Counter({name: times for name in found if (times := talk.times(name)) > (name not in talk.weighty)})


def _small_starts(said: str) -> Iterator[str]:
    """Yield words in small letters that sentences and items of lists begin with."""
    pieces = said.replace("\n", ". ").replace("? ", ". ").split(". ")
    for number, piece in enumerate(pieces):
        if piece[:1] in _SMALL_HEADS and not pieces[number - 1].endswith(_ABBREVIATIONS):
            match = _SMALL_START.match(piece)
            if match:
                yield match["name"]


_SMALL_HEADS = frozenset("abcdefghijklmnopqrstuvwxyz-*")


def _is_tool(word: bytes, said: bytes, done: bytes) -> bool:
    """Whether a word is used in commands, and talked about without an article and in one form."""
    if b" %b " % word not in done or b" the %b " % word in said or b" a %b " % word in said:
        return False
    stems = (word.removesuffix(ending) for ending in (b"s", b"ed", b"d", b"ing") if word.endswith(ending))
    return not any(b" %b " % stem in said or b" %b " % stem in done for stem in stems)


_SCOPED = re.compile(rb" (@[a-z0-9][a-z0-9-]{1,30}/[a-z0-9][a-z0-9-]{1,40})(?= )")
_MANY_SMALL_STARTS = 12


def _components(words: bytes) -> Iterator[str]:
    for match in _COMPONENT.finditer(words):
        head = words[max(0, match.start() - 40) : match.start()].rpartition(b" ")[2]
        if head not in _NO_COMPONENT and head not in VOCABULARY and head.replace(b"-", b"").isalnum():
            yield words[match.start() - len(head) : match.end() - 1].decode()


def packages(messages: Iterable[Message]) -> set[str]:
    """Return the names of packages that commands of `messages` install."""
    found: set[str] = set()
    for message in messages:
        if message.role == "tool" and (
            " install " in message.text or " add " in message.text or " get " in message.text
        ):
            for match in _INSTALL.finditer(message.text[:4000]):
                found.update(_PACKAGE.findall(match[1]))
    return {name.rpartition("/")[2] if name[0] != "@" else name for name in found}
