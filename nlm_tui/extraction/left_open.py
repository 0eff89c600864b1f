"""What a conversation leaves open: put off, waiting for somebody, undecided, or not done when it ended."""

import re
from collections.abc import Iterator, Sequence

from nlm_tui.core import Message
from nlm_tui.extraction.exchanges import Exchange
from nlm_tui.extraction.found import Found
from nlm_tui.extraction.prose import cut, parse, prose_lines, sentences
from nlm_tui.extraction.replies import POSTPONES, UNDECIDED, WAITS, Sentence, asks
from nlm_tui.extraction.words import content, overlap

LEAST_CONFIDENCE = 0.5
_LONGEST = 300
_CONTEXT = 130
_SAME = 0.34
_ANSWERED = 0.5
_CLOSING = 120  # characters from which on a last answer is a closing one
_TAIL = 6000

_CLOSES = re.compile(
    r"^\W*(?:(?:thanks?|thank you|perfect|super|great|lovely|cheers|ok|okay|nice|good)\b.*)$", re.IGNORECASE
)
_SELF = re.compile(
    r"^\W*(?:i(?:'ll| will)|we(?:'ll| will)|let me|i'm going to|gonna)\b.{0,40}\b(?:review|merge|push|look|read"
    r"|test|try|deploy|call it|go|be back|have a look|start|continue|write|do it)\b(?!.{0,60}\b(?:whether|if"
    r"|what|which|because|since)\b)",
    re.IGNORECASE,
)
_HEADS = re.compile(
    r"\b(?:missing|not (?:in|done|yet|covered|included|measured|known|tested|checked|moved|part)|open\b"
    r"|unresolved|remain\w*|left(?: open| to do)?\b|follow[- ]?ups?|outstanding|pending|todo|to do|still"
    r"|before (?:going live|release|merging|the release)|known (?:gaps|issues|limits|limitations)|waiting"
    r"|blocked|questions? for you|needs? your|your call|deferred|postponed|put off)\b",
    re.IGNORECASE,
)
_IDEAS = re.compile(
    r"\b(?:ideas?|could|might|worth|next|nice to have|possible|later improvements?|optional|suggest\w*"
    r"|how it could|if you|someday|one might)\b",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    r"\b(?:(?:is|are|was|were) (?:still )?not (?:yet )?(?:\w+ed|done|there|moved|in|covered|known|clear|part)\b"
    r"|(?:is|are) (?:still|yet) (?:to be|missing|open|pending|the placeholder|a placeholder|unknown|unclear"
    r"|waiting|undecided|needed)|still (?:to be|missing|open|pending|needs?|waits?|unknown|has to|have to"
    r"|stands? out|carries|placeholder)"
    r"|not (?:there|done|measured|tested|checked|known|written|decided|implemented|covered|verified|answered"
    r"|looked into) yet|(?:could|can) not (?:be )?(?:explain|reproduce|test|verif|measure|find)\w*"
    r"|couldn't (?:explain|reproduce|test|verify|measure|find)|waits? for (?:[A-Z][a-z]+(?:'s)?(?:\W*$"
    r"| (?:answer|reply|ok|decision|review|approval))|your\b|the (?:answer|budget|review|reply|decision"
    r"|approval|\w+ (?:answer|reply|decision)))|waiting for|remains? (?:open|unclear|unknown|unresolved|to be"
    r"|untested|unexplained)|untouched|unresolved|unexplained|undecided|put off|postponed|deferred"
    r"|hasn't (?:answered|been)|has not (?:answered|been)|have not (?:looked|been|tested|checked|measured)"
    r"|haven't (?:looked|been|tested|checked|measured|touched)|nobody has|depends on \w+'s (?:answer|reply"
    r"|decision)|needs? (?:an answer|a decision|clarification)|is (?:left|up) to)\b",
    re.IGNORECASE,
)
_SETTLES = re.compile(
    r"\b(?:done|answered|answers|replied|says?|said|decided|agreed|confirmed|approved|fixed|merged|came back"
    r"|is back|works now|resolved|settled|in place|has put|have put|already|turns out|now (?:is|has|uses|works)"
    r"|added|written|finished|moved|it's|they are)\b",
    re.IGNORECASE,
)


def find_open(
    messages: Sequence[Message], talk: Sequence[Exchange], decisions: Sequence[Found], unanswered: Sequence[str]
) -> list[Found]:
    """Return what was still open when a conversation ended, in order; without `talk` only questions at its end."""
    live = [(number, one) for number, one in enumerate(messages) if not (one.withdrawn or one.inherited)]
    found = [*_asked_last(live, unanswered)]
    if talk:
        found += _said_open(talk, decisions)
        found += _closing(live)
        found += _tasks(live)
    found.sort(key=lambda one: one.message)
    return _merged([one for one in found if one.confidence >= LEAST_CONFIDENCE])


def _said_open(talk: Sequence[Exchange], decisions: Sequence[Found]) -> list[Found]:
    """Return what users put off and never settled."""
    decided = {(one.message, one.quote) for one in decisions}
    found: list[Found] = []
    asked = ""
    for exchange in talk:
        found += (one for one in _put_off(exchange, asked) if (one.message, one.quote) not in decided)
        asked = next((one.text for one in reversed(exchange.said) if asks(one.text)), "")
    return [one for one in found if not _settled(one, talk, decisions)]


def _merged(found: Sequence[Found]) -> list[Found]:
    """Return each thing once: said by the user, and by the agent where it says more."""
    kept: list[Found] = []
    for one in found:
        same = next(
            (before for before in kept if before.likeness(one) >= _SAME or len(before.about & one.about) > 2), None
        )
        if same is None:
            kept.append(one)
        elif len(same.text) + len(one.text) + 3 <= _LONGEST and one.about - same.about:
            same.text = f"{same.text} [{one.text}]"
            same.about |= one.about
    return kept


def _put_off(exchange: Exchange, asked: str) -> Iterator[Found]:
    """Yield what a user puts off; neighbours in one line are one thing. `asked` is the user's question before it."""
    said = exchange.said
    place = 0
    while place < len(said):
        confidence = _confidence(exchange, said[place])
        if confidence < LEAST_CONFIDENCE:
            place += 1
            continue
        end = place + 1
        while end < len(said) and not said[end].leads and _confidence(exchange, said[end]) >= LEAST_CONFIDENCE:
            end += 1
        yield Found(_explained(exchange, place, end, asked), exchange.message, said[place].text, confidence)
        place = end


def _confidence(exchange: Exchange, sentence: Sentence) -> float:
    text = sentence.text
    if _CLOSES.match(text) and not (WAITS.search(text) or UNDECIDED.search(text)):
        return 0.0
    waits, postpones, undecided = (
        bool(WAITS.search(text)),
        bool(POSTPONES.search(text)),
        bool(UNDECIDED.search(text)),
    )
    value = 0.55 * max(waits, undecided, postpones) + 0.1 * (waits + postpones + undecided > 1)
    if asks(text):
        value -= 0.3
    if exchange.first:
        value -= 0.3
    if _SELF.match(text):
        value -= 0.3
    if not content(text):
        value -= 0.2
    return value


def _explained(exchange: Exchange, place: int, end: int, asked: str) -> str:
    """Return sentences with what makes them understood alone: what comes before them, is answered, or came of it."""
    said = [sentence.text for sentence in exchange.said]
    own = " ".join(said[place:end])
    before = (
        said[place - 1]
        if place and not exchange.said[place].leads and (_POINTS.search(own) or len(content(own)) < 6)
        else ""
    )
    text = cut(f"{before} {own}".strip(" ."), _LONGEST - 60)
    for context in _contexts(exchange, text, asked, first=place < 2):
        room = _LONGEST - len(text) - 3
        if room >= 40 and not content(context) <= content(text):
            text = f"{text} ({cut(context.rstrip(' .'), min(_CONTEXT, room))})"
    return text[:1].upper() + text[1:]


def _contexts(exchange: Exchange, text: str, asked: str, *, first: bool) -> Iterator[str]:
    """Yield what helps to understand a text, the best first: what it answers, what came of it, what was asked."""
    words = content(text)
    offered = [*exchange.offer.questions[-2:], *exchange.offer.statements[-8:]]
    near = [
        one for one in sorted(offered, key=lambda one: (-len(content(one) & words), len(one))) if content(one) & words
    ]
    after = [one for one in exchange.followed_by[:2] if content(one) & words]
    pointing = [asked] if asked and _POINTS.search(text) else []
    if near and len(content(near[0]) & words) > 1:
        yield near[0]
    yield from after[:1]
    yield from pointing
    if near:
        yield near[0]
    elif first and exchange.offer.questions:
        yield exchange.offer.questions[-1]


_POINTS = re.compile(r"\b(?:it|that|this|these|those|them|one|he|she|they|there|then)\b", re.IGNORECASE)


def _settled(one: Found, talk: Sequence[Exchange], decisions: Sequence[Found]) -> bool:
    """Return whether what was put off was dealt with afterwards."""
    words = content(one.quote)
    if any(
        later.message > one.message and overlap(words, later.about) >= _ANSWERED
        for later in decisions
        if len(words & later.about) > 1
    ):
        return True
    for exchange in talk:
        if exchange.message > one.message:
            for sentence in exchange.said:
                shared = content(sentence.text) & words
                if (
                    len(shared) > 1
                    and _SETTLES.search(sentence.text)
                    and not (WAITS.search(sentence.text) or asks(sentence.text))
                ):
                    return True
    return False


def _closing(live: Sequence[tuple[int, Message]]) -> Iterator[Found]:
    """Yield what the last answer of substance says is not done."""
    long = [(number, one) for number, one in live if one.role == "assistant" and len(one.text) >= _CLOSING]
    for number, message in long[-1:]:
        section = ""
        for raw in prose_lines(message.text[-_TAIL:]):
            line = parse(raw)
            if line is None:
                continue
            if line.heading or (line.bold and len(line.text) < 60 and not line.bullet):
                section = line.text
            elif _IDEAS.search(section):
                continue
            elif line.bullet and section and _HEADS.search(section):
                if line.ticked is not True:
                    yield Found(cut(line.text, _LONGEST), number, line.text, 0.7)
            else:
                for sentence in sentences(line.text):
                    if _NOT_DONE.search(sentence) and not asks(sentence) and len(content(sentence)) > 1:
                        yield Found(cut(sentence.rstrip(" ."), _LONGEST), number, sentence, 0.55)


def _tasks(live: Sequence[tuple[int, Message]]) -> Iterator[Found]:
    """Yield the tasks of the last list that has done ones, too, where nothing says that they were done afterwards."""
    lists = [
        (place, number, one) for place, (number, one) in enumerate(live) if one.role == "tool" and "\n- [" in one.text
    ]
    for place, number, message in lists[-1:]:
        lines = message.text.split("\n")
        if place < len(live) // 2 or not any(line.startswith("- [x] ") for line in lines):
            continue
        closing = content(" ".join(one.text for _, one in live[place + 1 :] if one.role == "assistant"))
        for task in (line.removeprefix("- [ ] ") for line in lines if line.startswith("- [ ] ")):
            if any(_NOT_DONE.search(one.text) for _, one in live[place + 1 :]) or not content(task) <= closing:
                yield Found(cut(task, _LONGEST), number, task, 0.55)


def _asked_last(live: Sequence[tuple[int, Message]], unanswered: Sequence[str]) -> Iterator[Found]:
    spoken = [(number, one) for number, one in live if one.role in {"user", "assistant"} and one.text.strip()]
    for question in unanswered:
        yield Found(cut(question, _LONGEST), spoken[-1][0], question, 0.8)
