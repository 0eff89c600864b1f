"""The label of a session: what the work was and on what."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import inf
from typing import NamedTuple

from nlm_tui.core import one_line, strip_control
from nlm_tui.extraction.courtesy import without_courtesy
from nlm_tui.extraction.prose import cut, sentences
from nlm_tui.extraction.work import HEAD, IMAGE, Work, flowing, keywords, word_set

LONGEST_LABEL = 80
MOST_WORDS, FEWEST_WORDS = 10, 4
_LONGEST_WIDE = 34  # characters of a script without blanks
_WEAK_WORTH, _CLEAR_WORTH = 1.0, 2.0
_OFTEN = 4
_MOST_PARTS = 14
_LONG_SENTENCE = 110
_MOST_LINES = 200

_PICTURES = re.compile("[\u2400-\u2421]")  # stand where a control character was
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")


class Label(NamedTuple):
    """What could be said of a session in a line, and how much speaks for it; a title is beyond doubt."""

    text: str
    worth: float


class Request(NamedTuple):
    """A sentence of a prompt, or part of a long one, without courtesy: whole, and as a label."""

    full: str
    label: str
    worth: float


def label_of(title: str | None, work: Work, asked: Iterable[Request], commands: Sequence[str], fallback: str) -> Label:
    """Return the title, or the best of what the session says of its work; `fallback` where it says nothing.

    At most `LONGEST_LABEL` characters in one line; what is made here has 4 to 10 words where there are as many.
    """
    if titled := tidy((title or "").lstrip()[:HEAD]):
        return Label(cut(titled, LONGEST_LABEL), inf)
    found = [*_planned(work), *_committed(work), *(Label(request.label, request.worth) for request in asked)]
    if found:
        best = max(found, key=lambda label: label.worth)
        return best._replace(text=cut(best.text, LONGEST_LABEL))
    lines = (line for texts in (work.prompts, commands, work.courtesy) for line in _first_lines(texts))
    return Label(cut(next(lines, "") or fallback, LONGEST_LABEL), inf)


def completed(label: Label, work: Work, names: Sequence[str], project: str) -> str:
    """Return a label that says on what the work was, where it is short or says little, by what a session names."""
    if label.worth == inf or _WIDE.search(label.text):
        return label.text
    label = label._replace(text=_spelled(label.text, names))
    said = label.text.casefold()
    counts = {name: work.mentions(name) for name in names if name.casefold() != project.casefold()}
    words, strong = label.text.count(" ") + 1, label.worth > _WEAK_WORTH
    named = sorted((name for name in counts if counts[name] >= _OFTEN), key=lambda name: -counts[name])[:3]
    if strong and words >= FEWEST_WORDS:
        return label.text
    place = f" in {project}" if project and project.casefold() not in said else ""
    if not strong and len(named) > 1:
        listed = f"{', '.join(named[:-1])} and {named[-1]}"
        return _fitting(f"{listed}{place}", listed)
    if words >= FEWEST_WORDS:
        return label.text
    others = ", ".join([name for name in named if name.casefold() not in said][:2])
    return _fitting(f"{label.text}: {others}" if others else f"{label.text}{place}", label.text)


def _spelled(text: str, names: Iterable[str]) -> str:
    """Return a text with names in their own spelling."""
    for name in names:
        if len(name) > 3 and name.lower() in text:
            text = re.sub(rf"(?<![\w/.-]){re.escape(name.lower())}(?![\w/-])", lambda _, name=name: name, text)
    return text


def _fitting(text: str, shorter: str) -> str:
    return text if len(text) <= LONGEST_LABEL and text.count(" ") < MOST_WORDS else cut(shorter, LONGEST_LABEL)


def tidy(text: str) -> str:
    """Return a text in one line without what steers a terminal, or stands for it."""
    return one_line(_PICTURES.sub("", strip_control(text)))


def _first_lines(texts: Sequence[str]) -> Iterator[str]:
    """Yield the lines that say something; marks of images only where nothing else does."""
    for texts_or_marks in ([IMAGE.sub(" ", text) for text in texts], texts):
        for text in texts_or_marks:
            for line in text.split("\n", _MOST_LINES)[:_MOST_LINES]:
                cleaned = tidy(line[:HEAD])
                if any(map(str.isalnum, cleaned)) and not line.startswith("```"):
                    yield cleaned


def _planned(work: Work) -> Iterator[Label]:
    for plan in work.plans[-1:]:
        text = shortened(tidy(plan.title))
        yield Label(text, 2.5 + work.weight(text) - _too_short(text))


def _committed(work: Work) -> Iterator[Label]:
    single = sum(len(keywords(commit.subject)) > 2 for commit in work.commits) < 2
    for commit in work.commits:
        text = shortened(tidy(commit.subject))
        yield Label(text, (2.5 if single else -0.3) + work.weight(text) - _too_short(text))


def requests(work: Work) -> list[Request]:
    """Return what the first prompts say; the second one is heard where the first says little."""
    found: list[Request] = []
    for late, prompt in enumerate(work.prompts[:2]):
        found += _asked(work, prompt, _MOST_PARTS >> late, 2.0 * late)
        if any(request.worth > _CLEAR_WORTH for request in found):
            break
    return found


def _asked(work: Work, prompt: str, most: int, less: float) -> Iterator[Request]:
    lines = (tidy(line.text) for line in flowing(prompt) if not line.heading)
    for place, part in enumerate(islice((part for line in lines for part in _parts(line)), most)):
        if asked := without_courtesy(part):
            text = shortened(asked)
            if keywords(text):
                worth = _manner(part, asked) + work.weight(text) - 0.15 * place - less - _too_short(text)
                yield Request(asked, text, worth)


_INNER = re.compile(
    r",? (?:(?:and|so|but) )*(?=(?:could you|can you|i(?:'d| would) like|i want|i think we|we need|please) )"
    r"|, (?=(?:and|so|but|because|which|who|the \w+ (?:is|are)|there(?:'s| is| are)|i(?:'m| am| have|'ve)?|we"
    r"|it|you|if|then) )",
    re.IGNORECASE,
)


def _parts(line: str) -> Iterator[str]:
    """Yield the sentences of a line, those that go on and on in parts."""
    for sentence in sentences(line):
        yield from (_INNER.split(sentence) if len(sentence) > _LONG_SENTENCE else (sentence,))


_META = re.compile(
    r"\b(?:no code|(?:planning|research) only|(?:look|plan) first|nothing yet|list options|before you|you know"
    r"|you can read|ask (?:me|before)|go topic by topic|look around)\b",
    re.IGNORECASE,
)
_META_WORDS = word_set(
    "don't dont rambling ramble dictating dictate thank thanks sorry wait explain propose agree silly"
)
_TROUBLE = word_set(
    """
    fails failed failing fail failure error errors hang hangs crash crashes crashing wrong slow slower lost lose
    loses stops stopped red down broken broke breaks doesn't isn't can't won't cannot flaky leak leaks leaking
    missing mess bug duplicate duplicates mismatch differ differs different fell gone corrupt corrupted corruption
    """
)
_DEEDS = word_set(
    """
    add fix move make write build create implement refactor rewrite port migrate convert rename remove delete drop
    replace update upgrade bump set split merge speed clean optimise optimize design draft document deploy configure
    integrate get compare debug extract generate improve reduce simplify support switch plan prepare review translate
    train render parse
    """
)
_REFERRING = word_set("it this that these those they he she there which then do you we i one both of")
_PERSONAL = frozenset({"i", "me", "u"})
_ASKING = re.compile(
    r"\b(?:(?:can|could|would|will) (?:you|we|u)|like|want|need|wanted|please|pls|help|let's|lets)\b|^(?:why|how)\b",
    re.IGNORECASE,
)
_DESCRIBING = re.compile(
    r"(?:\S+ ){1,4}(?:is|are|was) (?:a|an|the|in|at|called|about|like|something|currently)\b", re.IGNORECASE
)
_FIRST_WORD = re.compile(r"[^\W_]*")


def _manner(sentence: str, asked: str) -> float:
    """Return how much the wording of a sentence speaks for its being what a prompt is about."""
    words, first = set(sentence.lower().split()), _FIRST_WORD.match(asked.lower())
    begins = first.group() if first else ""
    return (
        (1.2 if _ASKING.search(sentence, 0, 60) else 0.0)
        + (1.0 if begins in _DEEDS else 0.0)
        + (1.0 if words & _TROUBLE else 0.0)
        - (2.0 if words & _META_WORDS or _META.search(sentence) else 0.0)
        - (1.0 if _DESCRIBING.match(asked) else 0.0)
        - (0.7 if not _PERSONAL.isdisjoint(asked.lower().replace("'", " ").split()) else 0.0)
        - (2.0 if begins in _REFERRING else 0.0)
    )


def _too_short(text: str) -> float:
    return 0.0 if _WIDE.search(text) else 0.3 * max(0, FEWEST_WORDS - text.count(" ") - 1)


_PARENTHESES = re.compile(r"\s*\([^()]{0,200}\)")
_OF_OURS = re.compile(r"\b(of|in|on|to|for|from|with|and|as) (?:our|my|your)\b", re.IGNORECASE)
_OURS = re.compile(r"\b(?:our|my|your) (?!own\b)", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|a|an|our|my|some|los|las|el|la|le|les|der|die|das)\s+(?=\S+\s)", re.IGNORECASE)
TIMING = re.compile(r",? before (?:we|you|i)\b.*", re.IGNORECASE)
_STRONG = re.compile(
    r"(?:because|since|so|which|but|though|although|unless|if|weil|denn|porque|parce|pero|mais)$", re.IGNORECASE
)
_WEAK = re.compile(
    r"(?:and|or|that|where|when|while|as|after|before|for|with|in|from|by|to|on|into|without|until|like"
    r"|und|mit|für|bei|y|con|para|en|de|et|avec|pour|dans)$",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(r"(?:is|are|was|were|has|have|had|will|would|can|could|should)", re.IGNORECASE)
_QUESTION = re.compile(r"(?:why|how|what|which|where|when|who|whether)$", re.IGNORECASE)
_LOOSE = word_set(
    """
    a an the of in on at to for from by with without and or but nor so as if that this these those which who whose
    when where while because since is are was were be been being has have had do does did not than then into onto over
    under our my your its their his her it they we i you can could should would will may might must just only also
    very too about between per via like some any each every no more one two der die das den dem ein eine und
    oder mit von zu für el la los las un una y o de del en con por para que le les des du et ou avec pour dans il lo
    di e da o os as
    """
)


def shortened(text: str) -> str:
    """Return a sentence as a label: at most ten words, cut where a clause ends, no full stop, a capital first."""
    if _WIDE.search(text):
        return _wide(text)
    if "(" in text:
        text = _PARENTHESES.sub("", text)
    if _OURS.search(text):
        text = _OURS.sub("", _OF_OURS.sub(r"\1 the", text))
    words = _ARTICLE.sub("", TIMING.sub("", text)).strip(" ,;:.!?-\u2013\u2014").split()
    if len(words) > MOST_WORDS or len(" ".join(words)) > LONGEST_LABEL:
        words = _clause(words)
    while len(words) > 1 and (words[-1].casefold() in _LOOSE or not any(map(str.isalnum, words[-1]))):
        words.pop()
        if words:
            words[-1] = words[-1].rstrip(",;:\u2013\u2014")
    return capital(" ".join(words).rstrip(" ,;:.!?…-\u2013\u2014"))


def _clause(words: Sequence[str]) -> list[str]:
    """Return the beginning of a long sentence, up to where it may end."""
    most = min(MOST_WORDS, len(words) - 1)
    ends = range(most, FEWEST_WORDS - 1, -1)
    for end in range(most, 1, -1):
        if words[end - 1][-1] in ",;:\u2013\u2014" or _STRONG.match(words[end]):
            return list(words[:end])
    subject = next((end for end in range(FEWEST_WORDS, most) if _AUXILIARY.fullmatch(words[end])), 0)
    if subject and words[0].casefold() not in _DEEDS and not _QUESTION.match(words[0]):
        return list(words[:subject])
    return next((list(words[:end]) for end in ends if end > 5 and _WEAK.match(words[end])), list(words[:MOST_WORDS]))


def _wide(text: str) -> str:
    if len(text) <= _LONGEST_WIDE:
        return text.strip(" 、,。.")
    head = text[:_LONGEST_WIDE]
    end = max(head.rfind(mark) for mark in "、。,\uff0cでをにはがと")
    return head[: end if end > _LONGEST_WIDE // 2 else _LONGEST_WIDE].strip(" 、,。.")


def capital(text: str) -> str:
    """Return a text that begins with a capital, unless its first word is an identifier."""
    first = text.split(" ", 1)[0]
    plain = first.rstrip(",:;").isalpha() and first.islower()
    return text[:1].upper() + text[1:] if plain or re.fullmatch(r"[a-z]+(?:['\u2019-][a-z]+)+", first) else text
