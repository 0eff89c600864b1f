"""A conversation as exchanges: what was offered, what the user said to it, and what came of it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nlm_tui.core import Message
from nlm_tui.extraction.offers import Offer, Option
from nlm_tui.extraction.prose import sentences
from nlm_tui.extraction.replies import Sentence, said_by_user

_SAID = re.compile(r"(?:the )?user (?:rejected .{0,40} and )?said:\s*(.+)", re.IGNORECASE | re.DOTALL)
_REFUSED = re.compile(r"\s*the user (?:doesn't want to|rejected|declined)", re.IGNORECASE)
_APPROVED = re.compile(r"\s*(?:the )?user has approved", re.IGNORECASE)
_ANSWERED = re.compile(r"\s*(?:the )?(?:user has answered|your questions have been answered)", re.IGNORECASE)
_PAIR = re.compile(r"\"([^\"\n]{3,400})\"\s*=\s*\"([^\"\n]{1,400})\"")
_PLAN = re.compile(r"\w*plan\w*\n", re.IGNORECASE)
_SHORT = 160
_HEAD = 3  # sentences of what follows
_EARLIER = 4


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a user said, sentence by sentence, to an offer, and the first sentences of what followed.

    `message` and `offered_in` are numbers of messages; `first` is the prompt that a session begins with; `earlier` are
    the offers before this one, the latest first.
    """

    message: int
    said: tuple[Sentence, ...]
    offer: Offer
    offered_in: int
    followed_by: tuple[str, ...]
    first: bool = False
    earlier: Sequence[Offer] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """A question that a tool asked with options, and what the user chose."""

    message: int
    question: str
    chosen: str
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class Approval:
    """A plan that the user approved."""

    message: int
    planned_in: int
    plan: str


def exchanges(messages: Sequence[Message]) -> Iterator[Exchange]:
    """Yield what users said, to what; what they said to a tool call as well."""
    spoken: list[int] = []  # what the agent said since the user spoke last
    first = True
    earlier: tuple[Offer, ...] = ()
    for number, message in enumerate(messages):
        if message.withdrawn or message.inherited:
            continue
        if message.role == "assistant" or (message.role == "tool" and _shows(message.text)):
            spoken.append(number)
        elif said := _users_words(message):
            offer, offered_in = _offered(messages, spoken)
            yield Exchange(number, said, offer, offered_in, _following(messages, number), first, earlier)
            spoken, first, earlier = [], False, (offer, *earlier[: _EARLIER - 1])


def _shows(text: str) -> bool:
    """Return whether a tool call shows the user something, over several lines."""
    head, newline, _ = text.partition("\n")
    return bool(newline) and head.isidentifier()


def _users_words(message: Message) -> tuple[Sentence, ...]:
    if message.role == "user":
        return tuple(said_by_user(message.text))
    if message.role == "tool" and _REFUSED.match(message.text) and (match := _SAID.search(message.text)):
        return tuple(said_by_user(match[1]))
    return ()


def _offered(messages: Sequence[Message], spoken: Sequence[int]) -> tuple[Offer, int]:
    if not spoken:
        return Offer(), -1
    last = spoken[-1]
    text = messages[last].text
    if messages[last].role == "tool":
        return Offer(text.partition("\n")[2], asked=True), last
    if len(text) < _SHORT and len(spoken) > 1:
        text = f"{messages[spoken[-2]].text}\n\n{text}"
    return Offer(text), last


def _following(messages: Sequence[Message], number: int) -> tuple[str, ...]:
    for message in messages[number + 1 : number + 12]:
        if message.role == "user":
            break
        if message.role == "assistant" and message.text.strip():
            line = next((raw for raw in message.text.split("\n") if raw.strip()), "")
            return tuple(sentences(line)[:_HEAD])
    return ()


def answers(messages: Sequence[Message]) -> Iterator[Answer]:
    """Yield what users chose when a tool asked them."""
    asked = ""
    for number, message in enumerate(messages):
        if message.role != "tool":
            continue
        if _shows(message.text):
            asked = message.text
        elif _ANSWERED.match(message.text):
            for match in _PAIR.finditer(message.text):
                yield Answer(number, match[1].strip(), match[2].strip(), _options(asked, match[1].strip()))


def _options(asked: str, question: str) -> tuple[Option, ...]:
    """Return the options of one of the questions that were asked."""
    _, found, rest = asked.partition(question)
    lines = rest.split("\n\n")[0].split("\n")[1:] if found else []
    parts = [line.removeprefix("- ").partition(": ") for line in lines if line.startswith("- ")]
    return tuple(Option(str(number), title, text) for number, (title, _, text) in enumerate(parts, 1))


def approvals(messages: Sequence[Message]) -> Iterator[Approval]:
    """Yield the plans that were approved."""
    plan, planned_in = "", -1
    for number, message in enumerate(messages):
        if message.role != "tool":
            continue
        if _PLAN.match(message.text):
            plan, planned_in = message.text.partition("\n")[2], number
        elif plan and _APPROVED.match(message.text):
            yield Approval(number, planned_in, plan)
            plan = ""
