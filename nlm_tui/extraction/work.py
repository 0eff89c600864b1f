"""Where a session tells what its work was: prompts, plans, commits, and the answers at its end."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from nlm_tui.core import Message
from nlm_tui.extraction.courtesy import is_courtesy
from nlm_tui.extraction.prose import SPOKEN, Line, parse, prose_lines

HEAD = 4000  # characters of a message that are looked at; prompts can have megabytes
_COUNTED, _COUNTED_HEAD = 16_000, 1000  # characters in which words are counted, in all and of a message
_MOST_PROMPTS, _MOST_ANSWERS, _MOST_LINES = 4, 3, 50
_MOST_COUNT = 8
_SHORT = 3
_WIDE_WORD = re.compile(r"[\u30a0-\u30ff]{2,}|[\u4e00-\u9fff]{2,}|[\uac00-\ud7a3]{2,}")

IMAGE = re.compile(r"\[image\b[^\[\]\n]{0,80}\]", re.IGNORECASE)
_COMMIT = re.compile(
    r"git (?:-\S+ \S+ )*commit\b[^\"'<]{0,80}?(?:-[a-z]*m\s*|--message[= ]|-F -\s*)"
    r"(?:\"\$\(cat )?(?:<<-?\s*['\"]?(?P<end>\w+)['\"]? (?P<here>.+?)(?: (?P=end)\b|…?$)"
    r"|\"(?P<double>(?:[^\"\\]|\\.)+)|'(?P<single>[^']+))"
    r"(?:[\"']\s+-m\s*(?:\"(?P<more>(?:[^\"\\]|\\.)+)|'(?P<rest>[^']+)))?"
)
_TRAILER = re.compile(r"\s*(?:🤖|Co-Authored-By:|Signed-off-by:|Generated (?:with|by) ).*", re.IGNORECASE | re.DOTALL)
_TYPE = re.compile(
    r"(?:feat|fix|chore|refactor|docs?|test|tests|style|perf|build|ci|wip"
    r"|revert)(?:\((?P<scope>[^()]{1,40})\))?!?: *",
    re.IGNORECASE,
)
_PLAN_WORDS = re.compile(
    r"(?:,|:| [-\u2013\u2014]|\() *(?:(?:first|second|third|final|revised|new|\d\w*) (?:draft|version|plan|try)|draft"
    r"|revised|final"
    r"|v\d+|as before|updated)\)?$|^(?:(?:implementation|migration|revised|updated|final|project"
    r"|work) )?plan(?: for|: | to| of)? *"
    r"|^(?:draft|proposal): *",
    re.IGNORECASE,
)


def word_set(words: str) -> frozenset[str]:
    """Return the words of a list."""
    return frozenset(words.split())


_WORD = re.compile(r"[^\W_]{2,}")
_LONG_WORD = 6
_HOLLOW = word_set(
    """
    able about after again also always another anything around because been before being better both cannot could does
    doing done each either else even ever every everything fine first from gave getting give given goes going good
    have having here into just keep know last later left less like little look made make makes many maybe might more
    most much must need needs never next nobody none nothing once only other others over part people please possible
    quite rather really right said same seem seems shall should show simply since some somebody something soon still
    such sure take tell than thank thanks that their them then there these they thing things think this those though
    through time today together took under until upon used uses using very want wants well went were what whatever
    when where whether which while whole whose will with within without would your the and for are but not you all can
    had her was one our out has him his how its let may new now old see two way who did get put say she too use why
    yes yet any if in is it of on or so to up us we as at be by do go he me my no an am
    """
)


def keywords(text: str) -> set[str]:
    """Return the beginnings of the words of a text that carry meaning, in small letters."""
    words = {word[:-2] if len(word) > _LONG_WORD else word for word in words_of(text) - _HOLLOW}
    return words if text.isascii() else words.union(_WIDE_WORD.findall(text))


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text, in small letters."""
    return frozenset(_WORD.findall(text.lower()))


@dataclass(frozen=True, slots=True)
class Commit:
    """What a commit says: its first line, and the beginning of the rest."""

    subject: str
    body: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The title of a plan, and title and headings in one."""

    title: str
    outline: str


@dataclass(frozen=True, slots=True)
class Work:
    """What tells of the work: prompts of substance, first ones first; answers, last ones first; plans and commits.

    `courtesy` is what was said first where nothing is of substance.
    """

    prompts: tuple[str, ...]
    courtesy: tuple[str, ...]
    answers: tuple[str, ...]
    plans: tuple[Plan, ...]
    commits: tuple[Commit, ...]
    _spoken: str
    _counts: dict[str, int] = field(default_factory=dict[str, int])

    def weight(self, text: str) -> float:
        """Return how much of a session is about the words of a text: each word counts up to 1."""
        return sum(min(self._count(word), _MOST_COUNT) for word in keywords(text)) / _MOST_COUNT

    def mentions(self, name: str) -> int:
        """Return how often a name occurs in what was said."""
        return self._spoken.count(name.lower())

    def _count(self, word: str) -> int:
        if word not in self._counts:
            short = len(word) <= _SHORT and word.isascii()
            self._counts[word] = self._spoken.count(f" {word} " if short else word)
        return self._counts[word]


def work_of(messages: Sequence[Message]) -> Work:
    """Return what tells of the work of a session, taken back where there is nothing else."""
    standing = [message for message in messages if not message.withdrawn] or messages
    spoken = [message for message in standing if message.role in SPOKEN]
    prompts = [message.text.lstrip()[:HEAD] for message in spoken if message.role == "user"]
    answers = [message.text.lstrip()[:HEAD] for message in reversed(spoken) if message.role == "assistant"]
    heads = "\n".join(message.text[:_COUNTED_HEAD] for message in spoken)[:_COUNTED]
    return Work(
        tuple(prompt for prompt in prompts if not is_courtesy(prompt))[:_MOST_PROMPTS],
        tuple(prompts[:1]),
        tuple(answers[:_MOST_ANSWERS]),
        tuple(_plans(standing)),
        tuple(_commits(standing)),
        heads.lower(),
    )


def flowing(text: str) -> Iterator[Line]:
    """Yield the lines of prose in a text, those that were only wrapped put together."""
    held: Line | None = None
    for raw in list(prose_lines(text))[:_MOST_LINES]:
        line = parse(IMAGE.sub(" ", raw) if "[" in raw else raw)
        wrapped = held is not None and line is not None and not line.bullet and line.text[0].islower()
        if held is not None and line is not None and wrapped and len(held.text) > 55 and held.text[-1] not in ".!?:;":
            held = held._replace(text=f"{held.text} {line.text}")
            continue
        if held is not None:
            yield held
        held = line
    if held is not None:
        yield held


def _plans(messages: Iterable[Message]) -> Iterator[Plan]:
    for message in messages:
        if message.role == "tool" and message.text.startswith("ExitPlanMode\n"):
            lines = map(parse, message.text[:HEAD].split("\n")[1:])
            heads = [line.text.replace("`", "") for line in lines if line is not None and line.heading]
            if heads and (title := _PLAN_WORDS.sub("", heads[0]).strip(" :")):
                parts = [_NUMBER.sub("", _PARENTHESES.sub("", head)).strip() for head in heads[1:]]
                yield Plan(title, f"Plan for {title}: {', '.join(filter(None, parts))}")


_NUMBER = re.compile(r"^(?:(?:phase|step|part|schritt|étape|paso) )?(?:\d{1,2}|[a-z])[.):]\s+", re.IGNORECASE)
_PARENTHESES = re.compile(r"\s*\([^()]{0,100}\)")


def _commits(messages: Iterable[Message]) -> Iterator[Commit]:
    for message in messages:
        if message.role == "tool" and "git" in message.text[:HEAD] and "commit" in message.text[:HEAD]:
            for match in _COMMIT.finditer(message.text[:HEAD]):
                said = _TRAILER.sub("", match["here"] or match["double"] or match["single"] or "")
                if commit := _commit(said.replace('\\"', '"').strip(), match["more"] or match["rest"] or ""):
                    yield commit


def _commit(said: str, more: str) -> Commit | None:
    kind = _TYPE.match(said)
    subject = said[kind.end() :] if kind else said
    if kind and kind["scope"]:
        subject = f"{kind['scope']}: {subject}"
    end = _subject_end(subject)
    subject, body = subject[:end].strip(" ."), (subject[end:].strip() or more)
    return Commit(subject, body) if keywords(subject) and " " in subject else None


_NEXT_SENTENCE = re.compile(r"(?P<last>[a-z0-9\])]+)[.!]?\s+(?=(?:- )?[A-Z`][\w`]* [a-z])|\s+- (?=\S)")
_GOES_ON = word_set("a an the of in on at to for from by with and or not no is are as than into")


def _subject_end(subject: str) -> int:
    """Return where the first line of a commit ends, whose lines stand in one."""
    if len(subject) > 72:
        for match in _NEXT_SENTENCE.finditer(subject, 15, 110):
            if (match["last"] or "").casefold() not in _GOES_ON:
                return match.end()
    return len(subject)
