"""What the memory holds: sessions and their messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Message(NamedTuple):
    """One message of a conversation.

    `role` is `user` (a person's prompt), `assistant`, `tool` (a call or its shortened output; readers tell the latter
    apart as `output`), `command` (a slash command), `summary` (of a compacted history) or `note` (ours). `at` is ISO
    8601 in UTC. `withdrawn` marks what a rewind or rollback took back, `inherited` what a copy or fork has from the
    session it came from.
    """

    role: str
    text: str
    at: str | None = None
    withdrawn: bool = False
    inherited: bool = False


class Turn(NamedTuple):
    """Where a message stands in a session's body: characters `start` to `end`."""

    role: str
    start: int
    end: int
    at: str | None = None
    withdrawn: bool = False
    inherited: bool = False


class ClosedQuestion(NamedTuple):
    """An open question that a user closed: by an `answer` that is a decision now, or, where it is empty, for good."""

    text: str
    answer: str = ""


class Evidence(NamedTuple):
    """Where a session says what one of its markers says: in a message, numbered from 0, and in what words."""

    message: int
    quote: str


class Extraction(NamedTuple):
    """By whom, and when, it was found what a session comes to: a model, as it is asked by a version of the prompt."""

    provider: str
    model: str
    prompt_version: int
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What else a transcript says of its session. Numbers are 0, and texts None, where it says nothing.

    Inherited is the history that a copy or fork has from the session `forked_from`; sidechains are subagents inside
    the transcript. `goes_on_from` is a session that this one goes on from, since its runtime began a new one.
    `local_time` says that it tells no time zone, and that of this machine was taken; `titled` that the label is a title
    of its runtime.
    """

    prompts: int = 0
    answers: int = 0
    tool_calls: int = 0
    tool_results: int = 0
    images: int = 0
    summaries: int = 0
    inherited_prompts: int = 0
    inherited_answers: int = 0
    sidechain_prompts: int = 0
    sidechain_answers: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    bad_lines: int = 0
    agent_type: str | None = None
    forked_from: str | None = None
    goes_on_from: str | None = None
    archived: bool = False
    local_time: bool = False
    titled: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation with a coding agent, the unit of the memory. Times are ISO 8601 in UTC.

    `closed`, `pinned`, `hidden` and `note` are what users made of it; `superseded_by` and `continues` are the ids of
    other sessions. `subagents` is how many sessions are those of its subagents. `evidence` tells where markers come
    from, by kind and text as they are here; those that a user added have none. `extraction` is None where rules
    found what it comes to.
    """

    id: str
    runtime: str
    started_at: str
    label: str
    summary: str = ""
    body: str = ""
    status: str = "closed"
    runtime_session_id: str | None = None
    ended_at: str | None = None
    duration_min: int | None = None
    project: str | None = None
    branch: str | None = None
    model: str | None = None
    parent_id: str | None = None
    entities: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    open: tuple[str, ...] = ()
    transcript_kind: str | None = None
    transcript_path: str | None = None
    transcript_offset: int | None = None
    transcript_length: int | None = None
    source_gone: bool = False
    details: Details = Details()
    turns: Sequence[Turn] = ()
    closed: tuple[ClosedQuestion, ...] = ()
    pinned: bool = False
    hidden: bool = False
    note: str = ""
    superseded_by: tuple[str, ...] = ()
    continues: tuple[str, ...] = ()
    subagents: int = 0
    evidence: Mapping[tuple[str, str], Evidence] = field(default_factory=dict[tuple[str, str], Evidence], hash=False)
    extraction: Extraction | None = None

    @property
    def messages(self) -> tuple[Message, ...]:
        """The conversation, message by message; a body without turns is one message of role `transcript`."""
        if not self.turns:
            return (Message("transcript", self.body),) if self.body else ()
        return tuple(Message(turn.role, self.body[turn.start : turn.end], *turn[3:]) for turn in self.turns)


def join_messages(messages: tuple[Message, ...]) -> tuple[str, tuple[Turn, ...]]:
    """Return the body that holds `messages`, blank lines between them, and where each of them stands."""
    parts: list[str] = []
    turns: list[Turn] = []
    position = 0
    for role, text, at, withdrawn, inherited in messages:
        end = position + len(text)
        parts.append(text)
        turns.append(Turn(role, position, end, at, withdrawn, inherited))
        position = end + len(MESSAGE_GAP)
    return MESSAGE_GAP.join(parts), tuple(turns)


MESSAGE_GAP = "\n\n"
