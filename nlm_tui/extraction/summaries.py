"""The summary of a session: what was done and how it ended."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

from nlm_tui.extraction.labels import TIMING, Request, capital, tidy
from nlm_tui.extraction.prose import cut, plain, prose_lines, sentences
from nlm_tui.extraction.work import Work, flowing, keywords, word_set, words_of

LONGEST_SUMMARY = 300
_LONGEST_LEAD = 115
_FIRST_WIDE = "\u3000"
_MOST_SENTENCES = 3
_SHORT_LINE = 40
_FEW_WORDS = 2
_SOME_WORTH = 0.4
_MOST_COMMITS = 3
_MOST_COLONS = 2
_ENOUGH, _MOST_STATEMENTS = 4, 30


class _Statement(NamedTuple):
    """A sentence of an answer, where it stands, and how much speaks for it."""

    text: str
    place: tuple[int, int]
    worth: float


def summary_of(work: Work, asked: Iterable[Request], label: str, decisions: Sequence[str] = ()) -> str:
    """Return one to three sentences of at most `LONGEST_SUMMARY` characters: what was asked, done and found.

    `decisions` are said where the answers leave room.
    """
    lead = _lead(work, asked, label)
    chosen: list[_Statement] = []
    said = keywords(lead)
    room = LONGEST_SUMMARY - len(lead) - 1
    statements = [*_statements(work), *_decided(work, decisions)]
    for statement in sorted(statements, key=lambda one: -one.worth):
        words = keywords(statement.text)
        if len(statement.text) < room and len(words - said) > len(words) / 2:
            chosen.append(statement)
            said |= words
            room -= len(statement.text) + 1
            if len(chosen) == _MOST_SENTENCES - bool(lead):
                break
    if not lead and not chosen:
        return _first_sentence(work)
    parts = [lead, *(statement.text for statement in sorted(chosen, key=lambda one: one.place))]
    return " ".join(filter(None, parts))


def _first_sentence(work: Work) -> str:
    """Return how the last answer begins, be it but courtesy."""
    said = (tidy(sentence) for answer in work.answers[:1] for _, sentence in _said(answer))
    first = next((sentence for sentence in said if any(map(str.isalnum, sentence))), "")
    return _ended(capital(cut(first, LONGEST_SUMMARY - 1))) if first else ""


def _lead(work: Work, asked: Iterable[Request], label: str) -> str:
    """Return what was asked, or what was planned or committed where the label says what was asked."""
    known = keywords(label)
    telling = (request for request in asked if len(keywords(request.full)) > _FEW_WORDS)
    best = max(telling, key=lambda request: request.worth, default=None)
    texts = [plan.outline for plan in work.plans[-1:] if not work.commits]
    if best is not None and best.worth > _SOME_WORTH:
        texts.append(best.full)
    if work.commits:
        texts.append("; ".join(commit.subject for commit in work.commits[:_MOST_COMMITS]))
    for text in texts:
        lead = _clipped(TIMING.sub("", tidy(text.replace("`", ""))))
        if len(words := keywords(lead)) > 1 and len(words - known) > len(words) / 3:
            return _ended(capital(lead))
    return ""


_CLAUSE_END = re.compile(r"[,;:]\s|\s(?:because|since|so that|which|where|when|but|and|for instance|with)\s|[、。]")


_PARENTHESES = re.compile(r"\s*\([^()]{0,200}\)")


def _clipped(text: str) -> str:
    """Return the beginning of a long sentence, cut where a clause ends if there is one."""
    if len(text) <= _LONGEST_LEAD:
        return text
    text = _PARENTHESES.sub("", text)
    ends = [match.start() for match in _CLAUSE_END.finditer(text, _LONGEST_LEAD // 3, _LONGEST_LEAD)]
    return text[: ends[-1]] if ends else cut(text, _LONGEST_LEAD)


def _ended(text: str) -> str:
    """Return a sentence with a full stop."""
    text = text.rstrip(" ,;:\u2013\u2014-")
    return text if text.endswith((".", "!", "?", "…", "。")) else f"{text}{'。' if text[-1:] > _FIRST_WIDE else '.'}"


_ASIDE = re.compile(r"\s*(?:[(\[].*)?$", re.DOTALL)
_LONGEST_DECISION = 150


def _decided(work: Work, decisions: Sequence[str]) -> Iterator[_Statement]:
    """Yield the decisions that are one plain sentence, without what was given up and what else is told in brackets."""
    for place, decision in enumerate(decisions):
        text = _ASIDE.sub("", tidy(decision.replace("`", "")), count=1)
        if (
            len(text) <= _LONGEST_DECISION
            and len(sentences(text)) == 1
            and text.count(": ") < _MOST_COLONS
            and _states(text)
        ):
            yield _Statement(_ended(capital(text)), (-1, place), min(work.weight(text), 5.0) / 4)


_POINTER = re.compile(r"\s*\((?:see|table|list|log|above|below)\b[^()]{0,40}\)", re.IGNORECASE)
_RESULT = re.compile(
    r"\b(?:summary|result\w*|what (?:changed|was|i|we|you)|changes?|done|built|cause|fix|found|findings?|state"
    r"|outcome|conclusion|remedy"
    r"|answer|resumen|causa|arreglo|zusammenfassung|ergebnis|änderungen|résumé|résultat|変更点|まとめ|結果|总结)",
    re.IGNORECASE,
)
_IDEAS = re.compile(
    r"\b(?:next|ideas?|could|might|may|possible|posibles|later|future|some day|worth|optional|suggest\w*"
    r"|alternativ\w*|risks?|ways out"
    r"|options?|recommend\w*|how it could|improvements?|mejoras|nächste|später|ideen|pistes|suite|check against"
    r"|今後|次)",
    re.IGNORECASE,
)
_REMAINS = re.compile(
    r"\b(?:not (?:in|yet|done|included|measured|fixed|moved)|remain\w*|missing|left|open|still"
    r"|before (?:going live|release|merging)|follow-?up|todo|残り|offen|pendiente)",
    re.IGNORECASE,
)


def _statements(work: Work) -> list[_Statement]:
    """Return what the last answers state, older ones where the last say little."""
    found: list[_Statement] = []
    for age, answer in enumerate(work.answers):
        found += _stated(work, answer, age)
        if len(found) >= _ENOUGH:
            break
    return found


def _stated(work: Work, answer: str, age: int) -> Iterator[_Statement]:
    for place, (section, said) in enumerate(islice(chain(_said(answer), _rows(answer)), _MOST_STATEMENTS)):
        text = _POINTER.sub("", tidy(said.replace("`", "")))
        if _states(text):
            worth = _worth(work, text, section) - age - 0.04 * place
            yield _Statement(_ended(capital(_under(section, text))), (-age, place), worth)


def _under(section: str, text: str) -> str:
    """Return a statement under the heading that says that it is left over, unless it says so itself."""
    if _REMAINS.search(section) and ": " not in text and not _UNSOLVED.search(text):
        return section.rstrip(" :\uff1a") + f": {text}"
    return text


def _said(answer: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of an answer, each with the heading that it stands under; no ideas for later."""
    section = ""
    for line in flowing(answer):
        titled = line.heading or line.text.endswith((":", "\uff1a")) or (line.bold and len(line.text) < _SHORT_LINE)
        if titled and not line.bullet:
            section = line.text
        if (not titled or (line.bold and ": " in line.text)) and not _IDEAS.search(section):
            yield from ((section, sentence) for sentence in sentences(line.text))


def _rows(answer: str) -> Iterator[tuple[str, str]]:
    """Yield the rows of a table that tells what was before and after, or causes, as statements."""
    head: list[str] = []
    for raw in prose_lines(answer):
        cells = (
            [plain(cell.strip(" ✅❌*")) for cell in raw.strip().strip("|").split("|")] if raw.startswith("|") else []
        )
        if not cells:
            head = []
        elif not head:
            head = cells
        elif len(cells) > 2 and len(cells) == len(head) and all(cells[:2]) and _TELLING.search(" ".join(head)):
            joint = " → " if _BEFORE.search(" ".join(head)) else ", "
            yield ("", f"{cells[0]}: {joint.join(filter(None, cells[1:3]))}")


_BEFORE = re.compile(r"\b(?:before|vorher|antes|avant)\b|変更前", re.IGNORECASE)
_TELLING = re.compile(rf"{_BEFORE.pattern}|\b(?:cause|reason|fix|causa|ursache|grund|原因)\b", re.IGNORECASE)
_CAUSE = word_set("cause causes caused because reason culprit due root therefore bug causa ursache grund")
_OUTCOME = word_set(
    """
    pass passes passed green fixed gone works work now longer instead only moved split replaced added removed written
    live lives merged built uses reports result kept keeps
    """
)
_UNSOLVED = re.compile(
    r"\b(?:not yet|could not|couldn't|unknown|unexplained|can come back|still|waits? for|waiting|put off"
    r"|unclear|nothing is chosen"
    r"|(?:is|are) missing|not (?:moved|there|measured|fixed|done|looked))\b",
    re.IGNORECASE,
)
_LEANING = word_set("it this that these those they he she both one i for and but so")
_MODAL = re.compile(
    r"\b(?:might|could be|would|one could|you'd|i'd|it'd|that'd|should|if you|possibly|perhaps)\b", re.IGNORECASE
)
_FILE_FIRST = re.compile(r"[\w/-]*[./][\w./-]+(?: and [\w/-]*[./][\w./-]+)?:")


def _worth(work: Work, text: str, section: str) -> float:
    words = words_of(text)
    return (
        min(work.weight(text), 5.0) / 2
        + (1.5 if section and _RESULT.search(section) else 0.0)
        + (1.0 if words & _CAUSE else 0.0)
        + (0.5 if words & _OUTCOME else 0.0)
        + (0.8 if _UNSOLVED.search(text) or (section and _REMAINS.search(section)) else 0.0)
        - (1.0 if text.split(" ", 1)[0].casefold() in _LEANING else 0.0)
        - (1.5 if _MODAL.search(text) else 0.0)
        - (1.0 if len(words) <= _FEW_WORDS and text.isascii() else 0.0)
        - (0.7 if _FILE_FIRST.match(text) else 0.0)
    )


_EMPTY_TALK = re.compile(
    r"\(|(?:perfect|great|excellent|all right|sure|certainly|absolutely|of course|you're (?:absolutely )?right"
    r"|thanks?|good (?:question|catch|point|idea)|got it|understood"
    r"|let me|i'll|i will|i'd|i would|i could|i can|we could|shall|should|want me|would you|do you|feel free"
    r"|happy to|if you|please"
    r"|have a|you can|you could|one could|could|might|enjoy|then|here(?:'s| is| are)"
    r"|my (?:proposal|recommendation)|committed as|let's)\b",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[|{}<>]|\*\*|->|=>|https?://")


def _states(text: str) -> bool:
    """Tell whether a sentence states something that stands alone."""
    return (
        len(text) < LONGEST_SUMMARY
        and any(map(str.isalnum, text))
        and not text.endswith(("?", "\uff1f", ":", "…"))
        and _EMPTY_TALK.match(text) is None
        and _MARKS.search(text) is None
    )
