"""From a parsed transcript to a session: its label, its summary, what it decided, left open and is about."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, tzinfo

from nlm_tui.core import Details, Message, Session, join_messages, one_line, storable, strip_control
from nlm_tui.ingest.entities import VOCABULARY, find_entities, lowered_words
from nlm_tui.ingest.markers import CUE_WORDS, SPOKEN, find_markers
from nlm_tui.ingest.ports import Source, Transcript
from nlm_tui.ingest.prose import Line, cut, parse, prose_lines, sentences

LONGEST_LABEL = 80
LONGEST_SUMMARY = 300
_LONGEST_OPENING = 120
_HEAD_LINES, _HEAD_CHARACTERS = 200, 8000  # what a label or a summary is taken from; prompts can have megabytes
_MOST_QUESTIONS = 3

_COUNTS = tuple(
    field.name for field in fields(Details) if isinstance(field.default, int) and field.default is not False
)
_WORDS = VOCABULARY | CUE_WORDS


def build_session(
    transcript: Transcript, source: Source, zone: tzinfo | None = UTC, *, outputs: bool = True
) -> Session:
    """Return the session that a transcript tells of. Pure: the same input gives the same session.

    Times without a zone are those of `zone`, None being that of this machine. Without `outputs` what tools put out is
    left out.
    """
    messages = tuple(_kept(transcript.messages, outputs=outputs))
    body, turns = join_messages(messages)
    started_at = transcript.started_at or _with_zone(transcript.local_start, zone)
    ended_at = transcript.ended_at or _with_zone(transcript.local_end, zone)
    told = Session(
        id=one_line(transcript.session_id),  # as it is shown, so that it can be typed
        runtime=transcript.runtime,
        runtime_session_id=storable(transcript.native_id),
        started_at=started_at or _file_time(source.mtime_ns),
        ended_at=ended_at,
        duration_min=_minutes(started_at, ended_at),
        label="",
        body=storable(body),
        turns=turns,
        project=_storable(transcript.project),
        branch=_storable(transcript.branch),
        model=_storable(transcript.model),
        parent_id=_id(transcript.parent_id) if transcript.is_subagent else None,
        details=_details(transcript),
        transcript_kind=transcript.kind,
        transcript_path=storable(str(source.path)),
        transcript_length=source.size,
    )
    return _with_meaning(told, transcript, messages)


def _with_meaning(told: Session, transcript: Transcript, messages: Sequence[Message]) -> Session:
    """Return a session with what its messages come to: label, summary, topics, decisions and open questions.

    A copy is named as what it copies; all else comes from what it adds.
    """
    spoken = [message for message in messages if message.role in SPOKEN]
    spoken = [message for message in spoken if not message.withdrawn] or spoken
    label = _label(transcript, spoken)
    spoken = [message for message in spoken if not message.inherited] or spoken
    prose = "\n".join(message.text for message in spoken)
    words = lowered_words(prose)
    known = _WORDS.intersection(words.split())
    own = [message for message in messages if not message.inherited]
    markers = find_markers(own, prose, known, unanswered(own))
    headline = "\n".join((label, *markers.decisions))
    return replace(
        told,
        label=label,
        summary=_summary(spoken, label),
        entities=find_entities(transcript.project, prose, words, known, headline),
        decisions=markers.decisions,
        open=markers.open,
    )


def _kept(messages: Iterable[Message], *, outputs: bool) -> Iterator[Message]:
    for message in messages:
        if message.role != "output":
            yield message
        elif outputs:
            yield message._replace(role="tool")


def _details(transcript: Transcript) -> Details:
    told = {name: getattr(transcript, name) for name in _COUNTS}
    return Details(
        **told,
        agent_type=None if transcript.agent_type is None else one_line(transcript.agent_type),
        forked_from=_id(transcript.forked_from),
        goes_on_from=None if transcript.is_subagent else _id(transcript.parent_id),
        archived=transcript.archived,
        local_time=not transcript.started_at and transcript.local_start is not None,
    )


def _id(text: str | None) -> str | None:
    return None if text is None else one_line(text)


def _with_zone(local: str | None, zone: tzinfo | None) -> str | None:
    """Return a time that names no zone as one in UTC, None for what is no time."""
    if local is None:
        return None
    try:
        moment = datetime.fromisoformat(local).replace(tzinfo=zone).astimezone(UTC)  # without a zone: the machine's
    except (ValueError, OverflowError):
        return None
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _storable(text: str | None) -> str | None:
    return None if text is None else storable(text)


def _file_time(mtime_ns: int) -> str:
    moment = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=mtime_ns // 1000)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _minutes(started_at: str | None, ended_at: str | None) -> int | None:
    if started_at is None or ended_at is None:
        return None
    try:
        minutes = (datetime.fromisoformat(ended_at) - datetime.fromisoformat(started_at)) / timedelta(minutes=1)
    except (ValueError, TypeError):
        return None
    return int(minutes + 0.5) if minutes >= 1 else 0


_IMAGE = re.compile(r"\[image\b[^\[\]\n]{0,80}\]", re.IGNORECASE)
_PICTURES = re.compile("[\u2400-\u2421]")  # stand where a control character was


def _label(transcript: Transcript, spoken: Sequence[Message]) -> str:
    prompts = [message.text for message in spoken if message.role == "user"]
    commands = (message.text for message in transcript.messages if message.role == "command")
    label = (
        _tidy((transcript.title or "").lstrip()[:_HEAD_CHARACTERS])
        or _first_line(_IMAGE.sub(" ", line) for line in _head_lines(prompts))
        or _first_line(_head_lines(prompts))
        or _first_line(_head_lines(commands))
        or one_line(transcript.native_id)
        or storable(transcript.session_id)
    )
    return cut(label, LONGEST_LABEL)


def _head_lines(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        for line in text.lstrip().split("\n", _HEAD_LINES)[:_HEAD_LINES]:
            yield line.lstrip()[:_HEAD_CHARACTERS]


def _tidy(text: str) -> str:
    return one_line(_PICTURES.sub("", strip_control(text)))


def _first_line(lines: Iterable[str]) -> str:
    """Return the first line that says something, fences of code passed over."""
    cleaned = (_tidy(line) for line in lines if not line.startswith("```"))
    return next((line for line in cleaned if any(map(str.isalnum, line))), "")


_OPENER = re.compile(
    r"(?:perfect|great|excellent|done|all done|sure|certainly|absolutely|of course|you're (?:absolutely )?right|thanks?"
    r"|thank you|good (?:question|catch|point|idea)|ok|okay|got it)\b[^.!?:]{0,40}[.!?]",
    re.IGNORECASE,
)


def _summary(spoken: Sequence[Message], label: str) -> str:
    """Return what was asked first and answered last, as far as the label does not say it."""
    prompts = (message.text for message in spoken if message.role == "user")
    answers = (message.text for message in reversed(spoken) if message.role == "assistant")
    opening = _gist(next(prompts, ""), label, _LONGEST_OPENING)
    closing = _gist(next(answers, ""), label, LONGEST_SUMMARY - len(opening) - 1)
    return f"{opening} {closing}".strip()


def _gist(text: str, label: str, limit: int) -> str:
    """Return the first sentences of `text` that say something new; courtesy only where there is nothing else."""
    gist, courtesy = "", ""
    for sentence in _statements(text, label):
        ended = sentence if not sentence[-1].isalnum() else f"{sentence}."
        if _OPENER.fullmatch(sentence):
            courtesy = courtesy or ended
        elif len(gist) + 1 + len(ended) <= limit:
            gist = f"{gist} {ended}".lstrip()
        else:
            return gist if 2 * len(gist) >= limit else cut(f"{gist} {ended}".lstrip(), limit)
    return gist or courtesy


def _statements(text: str, label: str) -> Iterator[str]:
    for raw in prose_lines(text[:_HEAD_CHARACTERS]):
        line = parse(_IMAGE.sub(" ", raw))
        if line is not None and not line.heading and line.text.casefold() != label.casefold():
            for sentence in sentences(line.text):
                if any(map(str.isalnum, sentence)) and sentence[-1] != ":":
                    yield sentence


def unanswered(messages: Sequence[Message]) -> list[str]:
    """Return the questions that a conversation ends with."""
    spoken = (message for message in reversed(messages) if message.role in SPOKEN and not message.withdrawn)
    last = next((message for message in spoken if message.text.strip()), None)
    if last is None or not ("?" in last.text or "\uff1f" in last.text):
        return []
    lines = (line for raw in reversed(list(prose_lines(last.text))) if (line := parse(raw)))
    if last.role == "assistant":
        return _closing_questions(lines)
    asked = (sentence for line in lines for sentence in reversed(sentences(line.text)) if _asks(sentence))
    return [sentence for sentence in (next(asked, ""),) if sentence]


def _closing_questions(lines: Iterable[Line]) -> list[str]:
    """Return the questions that end an answer and ask for more than consent. Its `lines` come last one first."""
    questions: list[str] = []
    for line in lines:
        asked = [sentence for sentence in sentences(line.text) if _asks(sentence)]
        if line.bullet and asked:
            questions.append(asked[0])
        elif asked and not questions and _asks(line.text):
            questions.append(asked[-1])
            break
        elif questions or not _SIGN_OFF.match(line.text):
            break
    return [question for question in reversed(questions) if not _CONSENT.search(question)][:_MOST_QUESTIONS]


def _asks(sentence: str) -> bool:
    return sentence.endswith(("?", "\uff1f"))


_SIGN_OFF = re.compile(
    r"(?:please )?(?:let me know|tell me|once you|happy to|just say|confirm|advise)\b", re.IGNORECASE
)
_CONSENT = re.compile(
    r"\b(?:want|like|prefer|need|rather) me to\b|\blet me know\b|\bproceed\b|\bgo ahead\b|\bshall we\b"
    r"|\b(?:should|shall|may|can|could) i\b|^\W*(?:(?:so|and|also|or|now|otherwise|finally)\b,? ?)*(?:"
    r"would you (?:like|mind)|(?:can|could) you|do you (?:want|need|wish) (?:to|any|help|some|more)"
    r"|(?:want|need) (?:to|any|help|more)|any(?:thing)?\b|is there any|sounds?\b|looks?\b|ready\b|ok(?:ay)?\b"
    r"|(?:is|are|does|do) (?:this|that|it|these|those|everything)\b.{0,40}$"
    r"|which (?:one|option|approach|way|would|do|of these)\b.{0,40}$"
    r"|what (?:do you think|would you like|else|next|about you)|what's next|how (?:would you|does (?:this|that)|can)"
    r"|where (?:would|should|do) (?:you|we)|soll(?:en)? (?:ich|wir)|möchte(?:st|n)?|willst|wollen sie|kann ich"
    r"|brauchst|voulez|souhaite|veux-tu|dois-je|puis-je|quieres|te gustaría|deseas?|puedo|debo|需要我|要我|您想|你想"
    r")|ましょうか|要我.*吗",
    re.IGNORECASE,
)
