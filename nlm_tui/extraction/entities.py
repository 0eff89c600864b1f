"""The named things a session is about: its project, technologies that everybody knows, and other names it keeps."""

from collections import Counter
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from nlm_tui.core import Message
from nlm_tui.extraction.names import Talk, outside_fences, small_names, written_names
from nlm_tui.extraction.projects import project_topic
from nlm_tui.extraction.vocabulary import CASED, FOREIGN, NAMES, RUNS, VOCABULARY

MAX_ENTITIES = 12
_ENOUGH = 2  # one mention in passing does not make a topic
_MOST_MENTIONS = 8  # beyond which a name is no more of a topic
_FAR_ENOUGH = 400_000  # characters in which words of two meanings are looked at
_BEGINNING, _END = 1500, 2500  # characters of the first prompt and of the closing answer
_HEADLINE_WORTH, _BEGINNING_WORTH, _END_WORTH = 4, 3, 1  # in mentions
_USED_WORTH, _MOST_USED = 0.5, 4  # a mention in calls and output, and how many count
_PLANNED = ("ExitPlanMode", "AskUserQuestion", "User has a")
_BYTES_WITH_THE = 400  # that hold one "the" at least where English is spoken

# Letters, digits and what joins them to one name, identifier or path; everything else parts words.
_JOINERS = b"+#-_/@"
_LOWERED = bytes(
    code if (character := bytes([code])).isalnum() or character in _JOINERS else 0x20 for code in range(256)
).lower()


def lowered_words(text: str) -> bytes:
    """Return the ASCII words of `text` in lower case, blanks around each; identifiers and paths stay in one piece."""
    return b" %b " % text.encode("utf-8", "replace").translate(_LOWERED)


class Words(NamedTuple):
    """A text, its `lowered_words`, and each of these once."""

    text: str
    lowered: bytes
    single: AbstractSet[bytes]


def words_of(text: str) -> Words:
    """Return a text and its words."""
    lowered = lowered_words(text)
    return Words(text, lowered, frozenset(lowered.split()))


def _nowhere(_word: str) -> float:
    return 0.0


def find_entities(
    project: str | None,
    messages: Sequence[Message],
    prose: Words,
    headline: str,
    share_of_sessions: Callable[[str], float] = _nowhere,
) -> tuple[str, ...]:
    """Return the project's name, then what else is named, what matters most first; `MAX_ENTITIES` at most.

    `prose` is what people and agent say in `messages`, `headline` holds label and decisions. `share_of_sessions` tells
    which share, 0 to 1, of all sessions holds a word, in any case (0 in a store too small to tell): words with a
    capital that are common there are no names, unless everybody knows them.
    """
    english = prose.lowered.count(b" the ") * _BYTES_WITH_THE >= len(prose.lowered)
    beginning, end = _beginning_and_end(messages)
    planned, used = map(words_of, _planned_and_used(messages))
    text = outside_fences(prose.text)
    talk = Talk(text, lowered_words(text), english, f"{headline}\n{beginning}")
    others = written_names(talk, share_of_sessions) + small_names(talk, messages, used.lowered)
    others = Counter({name: times for name, times in others.items() if not _everybody_knows(name)})
    counts = others + _technologies(prose, english=english) + _technologies(planned, english=english)
    worth: dict[str, float] = {name: min(times, _MOST_MENTIONS) for name, times in counts.items()}
    for name, times in _technologies(used, english=english).items():
        worth[name] = worth.get(name, 0) + min(times, _MOST_USED) * _USED_WORTH
    for place, more in ((headline, _HEADLINE_WORTH), (beginning, _BEGINNING_WORTH), (end, _END_WORTH)):
        for name in {*_technologies(words_of(place), english=english), *(name for name in others if name in place)}:
            worth[name] = worth.get(name, 0) + more
    home = project_topic(project)
    ranked = _ranked({name: much for name, much in worth.items() if much >= _ENOUGH})
    if home is not None:
        ranked = [home, *(name for name in ranked if name.casefold() != home.casefold())]
    return tuple(ranked[:MAX_ENTITIES])


def _beginning_and_end(messages: Sequence[Message]) -> tuple[str, str]:
    """Return what the first prompt and the last answer begin with."""
    beginning = next((message.text for message in messages if message.role == "user"), "")
    end = next((message.text for message in reversed(messages) if message.role == "assistant"), "")
    return beginning[:_BEGINNING], end[:_END]


def _planned_and_used(messages: Sequence[Message]) -> tuple[str, str]:
    """Return what plans and questions to the user say, and what all other calls of tools and their output do."""
    calls = [message.text for message in messages if message.role in {"tool", "output"}]
    return (
        "\n".join(text for text in calls if text.startswith(_PLANNED)),
        "\n".join(text for text in calls if not text.startswith(_PLANNED)),
    )


def _everybody_knows(name: str) -> bool:
    return VOCABULARY.issuperset(lowered_words(name).split())


def _ranked(worth: dict[str, float]) -> list[str]:
    """Return names by their worth, each in one spelling."""
    spellings: dict[str, str] = {}
    for name in sorted(worth, key=lambda name: (-worth[name], name)):
        spellings.setdefault(name.casefold().replace(" ", "").replace("-", ""), name)
    return list(spellings.values())


def _technologies(words: Words, *, english: bool) -> Counter[str]:
    known = VOCABULARY & words.single
    counts: Counter[str] = Counter()
    singles = {word: words.lowered.count(b" %b " % word) for word in known if word in NAMES or word in CASED}
    for first in known & RUNS.keys():
        for run, name in RUNS[first]:
            parts = run.split()
            if known.issuperset(parts) and (times := words.lowered.count(b" %b " % run)):
                counts[name] += times
                for part in parts:
                    singles[part] = singles.get(part, 0) - times
    for word, times in singles.items():
        if times > 0:
            plain = word in NAMES and (english or word not in FOREIGN)
            name = NAMES[word] if plain else CASED[word]
            if found := times if plain else _count_exact(words.text, name, english=english):
                counts[name] += found
    return counts


def _count_exact(text: str, name: str, *, english: bool) -> int:
    """Count `name` as written, before no further capital; in English after a lower-case word or a comma."""
    times = 0
    sought = f" {name}"
    position = text.find(sought, 1, _FAR_ENOUGH)
    while position > 0:
        before, after = text[position - 1], text[position + len(sought) : position + len(sought) + 2]
        inside = before.islower() or before in ",;(" or not english
        ends = not after[:1].isalnum() and after[:1] not in {"_", "-", "/"}
        title = after[:1] == " " and after[1:].isupper()
        times += inside and ends and not title
        position = text.find(sought, position + 1, _FAR_ENOUGH)
    return times
