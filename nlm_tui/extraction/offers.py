"""What an answer offers: options to choose from, a proposal, a question."""

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from nlm_tui.extraction.prose import parse, plain, prose_lines, sentences
from nlm_tui.extraction.words import content

_LONGEST_TITLE = 90
_MOST_OPTIONS = 9
_HEAD = 20_000  # characters of an answer that are looked at, from its end
_END = 12  # sentences that an answer to it is near to
_TAIL_LINES, _TAIL_SENTENCES = 14, 4


class Option(NamedTuple):
    """One way out of several, under the key by which it is chosen: `1`, `b`."""

    key: str
    title: str
    text: str

    def __str__(self) -> str:
        """Return title and text as one."""
        return f"{self.title}: {self.text}" if self.text else self.title


class Offer:
    """What an answer puts up for decision, taken apart as far as it is asked for.

    `asked` says that it stands in a tool that waits for the user's answer.
    """

    def __init__(self, text: str = "", *, asked: bool = False) -> None:
        self._text = text[-_HEAD:]
        self._asked = asked

    @cached_property
    def _lines(self) -> list[str]:
        return list(prose_lines(self._text))

    @cached_property
    def options(self) -> tuple[Option, ...]:
        """What there is to choose from."""
        return tuple(_options(self._lines))

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """Its sentences."""
        return tuple(sentence for line in self._lines for sentence in _said(line))

    @cached_property
    def words(self) -> frozenset[str]:
        """The words that carry the meaning of its end."""
        return content(" ".join(self.statements[-_END:]))

    @cached_property
    def questions(self) -> tuple[str, ...]:
        """Its questions."""
        return tuple(sentence for sentence in self.statements if sentence.endswith("?"))

    @cached_property
    def proposals(self) -> tuple[str, ...]:
        """The sentences that propose something about the work."""
        proposed = (sentence for sentence in self.statements if PROPOSAL.search(sentence))
        return tuple(sentence for sentence in proposed if not _ROUTINE_OFFER.search(sentence))

    @cached_property
    def favourite(self) -> Option | None:
        """The option that is recommended."""
        return _favourite(self.options, self.statements)

    @cached_property
    def asks(self) -> bool:
        """Whether it ends with a question about the work, a proposal, or options."""
        if self._asked:
            return True
        tail = [sentence for line in self._lines[-_TAIL_LINES:] for sentence in _said(line)][-_TAIL_SENTENCES:]
        if any(sentence.endswith("?") or PROPOSAL.search(sentence) for sentence in tail):
            return bool(self.options) or not _ROUTINE_OFFER.search(tail[-1])
        return len(self.options) > 1

    def others(self, chosen: Sequence[Option]) -> list[Option]:
        """Return the options that are not chosen."""
        return [option for option in self.options if option not in chosen]


_NUMBERED = re.compile(
    r"\s*(?:[-*•]\s+)?(?:#{1,6}\s+)?\**(?:option |variant |approach |way )?\(?([1-9]|[a-eA-E])[.):]\)?\**\s+(.+)",
    re.IGNORECASE,
)
_OPTION_HEAD = re.compile(
    r"\s*#{2,6}\s+(?:option|variant|approach|way|plan)\s+([1-9a-e])\b[.):\s\u2013\u2014-]*(.*)", re.IGNORECASE
)
_ROW = re.compile(r"\s*\|\s*\**([1-9a-e])\**\s*\|\s*([^|]+)\|(.*)", re.IGNORECASE)
_BOLD_ITEM = re.compile(r"\s*(?:[-*•]\s+)?\*\*(.{2,90}?)\*\*[.:]?\s*[:\u2013\u2014-]?\s*(.*)")
_BULLET = re.compile(r"\s*[-*•]\s+(.+)")
_TITLE_END = re.compile(r"(?<=[\w)`])[.:;](?:\s|$)|\s[\u2013\u2014-]\s|,\s")


def _said(raw: str) -> Iterator[str]:
    line = parse(raw)
    if line is not None and not line.heading:
        yield from sentences(line.text)


def _options(lines: Sequence[str]) -> Iterator[Option]:
    """Yield the last list of options: numbered or lettered ones, rows of a table, or bullets with bold heads."""
    if 2 <= len(headed := _headed(lines)) <= _MOST_OPTIONS:
        yield from headed
        return
    if 2 <= len(keyed := _keyed(lines)) <= _MOST_OPTIONS:
        yield from keyed
        return
    block = _introduced(lines)
    for collect in (_bold, _bullets):
        found = collect(block)
        if 2 <= len(found) <= _MOST_OPTIONS:
            yield from found
            return


def _option(key: str, rest: str) -> Option:
    text = plain(rest.replace("**", ""))
    cut = _TITLE_END.search(text)
    if text[:1] and cut is not None and 2 < cut.start() <= _LONGEST_TITLE:
        return Option(key.lower(), text[: cut.start()].strip(" .:*"), text[cut.end() :].strip(" .*"))
    return Option(key.lower(), text[:200].strip(" .*"), "")


def _keyed(lines: Sequence[str]) -> list[Option]:
    """Return the last run of entries whose keys count up from the first; none of a list of what is done or could be."""
    runs: list[list[Option]] = []
    heading = ""
    for raw in lines:
        if _HEADING.match(raw):
            heading = raw
        match = _ROW.match(raw) or _NUMBERED.match(raw)
        if match is None or _REPORTS.search(heading):
            continue
        key = match[1].lower()
        if key in {"1", "a"}:
            runs.append([])
        if runs and ord(key) == ord(runs[-1][0].key if runs[-1] else key) + len(runs[-1]):
            runs[-1].append(_option(key, match[2]))
    long = [run for run in runs if len(run) > 1]
    return long[-1] if long else []


_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*[^*]+\*\*\W*$)")
_REPORTS = re.compile(
    r"next|ideas?|later|happened|changed|what (?:i|you|was|is)|found|done|timeline|summary|could be|worth|verif"
    r"|cause|steps?\b|before|after|files|result",
    re.IGNORECASE,
)


def _headed(lines: Sequence[str]) -> list[Option]:
    found: list[Option] = []
    for number, raw in enumerate(lines):
        if match := _OPTION_HEAD.match(raw):
            more = next((plain(line) for line in lines[number + 1 : number + 4] if line.strip()), "")
            found.append(Option(match[1].lower(), plain(match[2]), (sentences(more) or [""])[0]))
    return found


def _bold(lines: Sequence[str]) -> list[Option]:
    found: list[Option] = []
    for raw in lines:
        if match := _BOLD_ITEM.match(raw):
            title = plain(match[1]).strip(" .:")
            key = match and re.match(r"(?:option )?([a-e]|\d)[.):]?\s+(.*)", title, re.IGNORECASE)
            text = (sentences(plain(match[2])) or [""])[0]
            found.append(Option(key[1].lower(), key[2], text) if key else Option(str(len(found) + 1), title, text))
    return found


def _bullets(lines: Sequence[str]) -> list[Option]:
    items = [match[1] for raw in lines if (match := _BULLET.match(raw))]
    return [_option(str(number), item) for number, item in enumerate(items, 1)]


_INTRODUCTION = re.compile(
    r"\b(?:two|three|four|2|3|4|several|some) (?:\w+ )?(?:ways|options|choices|variants|possibilities"
    r"|approaches|paths|routes|candidates"
    r"|alternatives|places)\b|\boptions?\b|\bways (?:out|to)\b|\bwhich (?:one|of)\b|\byou could\b|\bshould\b.{0,80}\?"
    r"|\bwhat (?:should|shall|do)\b.{0,80}\?|\bremedies\b|\b(?:either|choice)\b",
    re.IGNORECASE,
)


def _introduced(lines: Sequence[str]) -> Sequence[str]:
    """Return the last block of bullets or bold heads that a line introduces, or a question follows."""
    blocks: list[list[str]] = []
    introduced = False
    before = ""
    for raw in lines:
        if not raw.strip():
            continue
        if _ITEM.match(raw) or (blocks and blocks[-1] and raw.startswith((" ", "\t"))):
            if not blocks or not blocks[-1]:
                introduced = _INTRODUCTION.search(before) is not None or before.rstrip("* ").endswith("?")
                blocks.append([])
            blocks[-1].append(raw)
            continue
        if blocks and blocks[-1]:
            if not introduced and not (raw.rstrip().endswith("?") and _INTRODUCTION.search(raw)):
                blocks.pop()
            blocks.append([])
        before = raw
    if blocks and blocks[-1] and not introduced:
        blocks.pop()
    full = [block for block in blocks if len(block) > 1]
    return full[-1] if full else []


_ITEM = re.compile(r"\s*(?:[-*•]\s+|\*\*)")


PROPOSAL = re.compile(
    r"\b(?:I'd|I would|I'll|I will|I recommend|I suggest|I propose|my (?:proposal|suggestion|recommendation"
    r"|vote|preference)"
    r"|I lean|I tend|I favou?r|personally|let's|let us|how about|what about|what if|(?:should|shall|may|can"
    r"|could) (?:I|we)"
    r"|want me to|would you like|do you want|we could|you could|one could|would be possible|is possible"
    r"|alternativ\w+|either\b|or none|your call|up to you|tell me|which (?:one|of)|the usual (?:remed\w+|choice"
    r"|way|cure)|is the right (?:cure|way))\b",
    re.IGNORECASE,
)
_ROUTINE_OFFER = re.compile(
    r"(?:\b(?:shall|should|may|can|want me to|would you like me to|do you want me to"
    r"|ready to)\b[^?]{0,12}\b(?:commit|push|continue|proceed|go on|run"
    r"|do anything else|anything else|help|start|show|look|dig|check|open a pull|merge|deploy|write (?:it"
    r"|that) (?:up|down))\b[^?]*\?)"
    r"|\banything else\b|\blet me know\b|\bhow would you like to proceed\b|\bI(?:'ll| will) (?:look|read|check"
    r"|start|pull|take|see|go|measure|fetch|run|have)\b",
    re.IGNORECASE,
)
_FAVOURS = re.compile(
    r"\b(?:I'd|I would|I recommend|I suggest|I propose|I lean|I tend|I favou?r|my (?:vote|choice|preference"
    r"|recommendation)|personally|usual choice)\b",
    re.IGNORECASE,
)
_ORDINALS = {"first": 0, "former": 0, "second": 1, "latter": -1, "third": 2, "fourth": 3, "last": -1}


def _favourite(options: Sequence[Option], said: Sequence[str]) -> Option | None:
    for sentence in reversed(said):
        if options and _FAVOURS.search(sentence):
            named = referred(sentence, options)
            if len(named) == 1:
                return named[0]
    return None


_UNIT = (
    r"(?![%'\u2019]|\s?(?:am|pm|days?|hours?|weeks?|months?|years?|minutes?|seconds?|times|x|ms|s|mb|gb|kb"
    r"|k|px)\b|\.\d)"
)
_KEY = re.compile(
    r"(?:\b(?:[Oo]ption|[Vv]ariant|[Nn]umber|[Nn]o\.|[Nn]r\.?|[Pp]lan|[Ww]ay|[Cc]hoice|[Pp]roposal|[Aa]pproach"
    r"|[Ss]uggestion|[Ii]dea)\s+\**\(?([a-eA-E]|[1-9])"
    r"|\b(?:[Tt]ake|[Ff]or|[Ww]ith|[Tt]o|[Tt]owards?|[Pp]refer|[Ff]ind|[Rr]ecommend|[Dd]o|[Cc]hoose|[Pp]ick|so"
    r"|[Yy]es|[Yy]eah|ok|[Oo]kay|[Ss]ure|then)[\s,]+\**\(?([A-E]|[b-e]|[1-9])"
    r"|^\W*([a-eA-E]|[1-9])(?!['\u2019]?\w|\s+(?:lot|bit|few|good|big|small|new|nice|real|single|quick|little)\b))\b"
    + _UNIT,
)
_MORE_KEYS = re.compile(r"(?:,|and|\+|&|then)\s+([b-eA-E]|[1-9])\b" + _UNIT)
_ORDINAL = re.compile(
    r"(?:^\W*(?:(?:yes|yeah|ok|okay|sure|right|so|i'd say|then|definitely|probably|hmm)\W+)*|\bthe )"
    r"(first|second|third|fourth|last|former|latter)\b(?! (?:time|thing|day|week|month|year|quarter|line|case"
    r"|step|test|commit|half|part|run|round|point|question))",
    re.IGNORECASE,
)


def referred(sentence: str, options: Sequence[Option]) -> list[Option]:
    """Return the options that a sentence names by key, by place, or by all of their title."""
    found: list[Option] = []
    keys = [(match[1] or match[2] or match[3]).lower() for match in _KEY.finditer(sentence)]
    if keys:
        keys += [match[1].lower() for match in _MORE_KEYS.finditer(sentence)]
    found += [option for option in options if option.key in keys and not _refused(sentence, option.key)]
    for match in _ORDINAL.finditer(sentence):
        place = _ORDINALS[match[1].lower()]
        if -len(options) <= place < len(options):
            found.append(options[place])
    if not found:
        low = sentence.casefold()
        found = [option for option in options if len(option.title) > 3 and option.title.casefold() in low]
    return list(dict.fromkeys(found))


def _refused(sentence: str, key: str) -> bool:
    return (
        re.search(
            rf"\b(?:not|skip|no|without|except|leave out) {key}\b|\b{key}:? (?:no|not)\b", sentence, re.IGNORECASE
        )
        is not None
    )
