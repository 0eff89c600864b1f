"""The messages of a session of Hermes, as its database and its older files have them, to a transcript."""

from datetime import datetime
from typing import NamedTuple

from nlm_tui.core import one_line, strip_control
from nlm_tui.ingest.ports import Transcript
from nlm_tui.runtimes.blocks import blocks
from nlm_tui.runtimes.conversation import Conversation, image_at
from nlm_tui.runtimes.hermes_texts import typed, without_summary
from nlm_tui.runtimes.jsonl import JsonLines, Record, as_dict, as_list, as_text, parse_json

RUNTIME = "hermes"

_STRUCTURED = "\x00json:"
_TEXTS = {"text", "input_text", "output_text"}
_IMAGES = {"image_url", "input_image"}


class Relation(NamedTuple):
    """The session that another one goes on from or is a subagent of, or the one that it branched off."""

    parent: str = ""
    fork: str = ""
    is_subagent: bool = False


class Talk:
    """The state of reading one session."""

    def __init__(self) -> None:
        self._bad = 0
        self._talk = Conversation()
        self._local: list[tuple[datetime, str]] = []  # the first and last time that has no zone

    @property
    def has_begun(self) -> bool:
        """Whether anything was said."""
        return bool(self._talk.messages)

    def see_time(self, value: object) -> str | None:
        """Let the session span a time, and return it in our form; one without a zone has none there."""
        local = _local_time(value)
        if local is None:
            return self._talk.see_time(value)
        times = (*self._local, (local, as_text(value)))
        self._local = [min(times), max(times)]
        return None

    def take(self, message: Record, *, is_copy: bool = False) -> None:
        """Take the next message, which may be copied from the session that this one branched off."""
        at = self.see_time(message.get("timestamp"))
        start = self._talk.total
        content = self._content(message.get("content"))
        text = "\n".join(filter(None, map(_text, content)))
        images = [_image(block) for block in content if block.get("type") in _IMAGES]
        role = message.get("role")
        if role == "user" and message.get("display_kind") != "hidden":
            self._take_user(text, images, at)
        elif role == "assistant":
            self._take_assistant(text, message.get("tool_calls"), at)
        elif role == "tool":
            self._talk.tool_result("\n".join((text, *images)).strip(), at)
        new = range(start, self._talk.total)
        if message.get("active") == 0 and not message.get("compacted"):
            self._talk.withdraw(new)
        if is_copy:
            self._talk.inherit(new)

    def transcript(
        self, native_id: str, kind: str, session: Record, relation: Relation, lines: JsonLines | None = None
    ) -> Transcript:
        """Return what was told, with what is known of the session as a whole."""
        for read in ("input_tokens", "cache_read_tokens", "cache_write_tokens"):
            self._talk.use_tokens(session.get(read), 0)
        self._talk.use_tokens(0, session.get("output_tokens"))
        parent, fork = one_line(relation.parent), one_line(relation.fork)
        return self._talk.complete(
            Transcript(
                session_id=f"{RUNTIME}_{one_line(native_id)}",
                runtime=RUNTIME,
                native_id=one_line(native_id),
                kind=kind,
                messages=(),
                title=one_line(as_text(session.get("title"))) or None,
                project=strip_control(as_text(session.get("cwd"))) or None,
                branch=strip_control(as_text(session.get("git_branch"))) or None,
                model=one_line(as_text(session.get("model"))) or None,
                parent_id=f"{RUNTIME}_{parent}" if parent else None,
                forked_from=f"{RUNTIME}_{fork}" if fork else None,
                is_subagent=relation.is_subagent,
                archived=bool(session.get("archived")),
                local_start=self._local[0][1] if self._local else None,
                local_end=self._local[-1][1] if self._local else None,
                bad_lines=self._bad + (lines.bad_lines if lines else 0),
                bad_line=lines.bad_line if lines else None,
                truncated_tail=lines.truncated_tail if lines else False,
            )
        )

    def _content(self, content: object) -> list[Record]:
        """Return the parts of a message; a column keeps them as JSON behind a mark, a text as it is."""
        if isinstance(content, str) and content.startswith(_STRUCTURED):
            content = parse_json(content.removeprefix(_STRUCTURED).encode())
            self._bad += content is None
        return blocks(content)

    def _take_user(self, text: str, images: list[str], at: str | None) -> None:
        text, summary = without_summary(text)
        said = typed(text)
        if said.command:
            self._talk.command(said.command, at)
        self._talk.prompt(said.text, at, images)
        if summary:
            self._talk.summary(summary, at)

    def _take_assistant(self, text: str, calls: object, at: str | None) -> None:
        text, summary = without_summary(text)
        self._talk.answer(text, at)
        if summary:
            self._talk.summary(summary, at)
        if isinstance(calls, str):
            calls = parse_json(calls.encode())
        for call in map(as_dict, as_list(calls)):
            function = as_dict(call.get("function")) or call
            arguments = function.get("arguments")
            given = parse_json(arguments.encode()) if isinstance(arguments, str) else None
            self._talk.tool_call(as_text(function.get("name")), given or arguments, at)


def _local_time(value: object) -> datetime | None:
    """Return a time that names no zone."""
    try:
        time = datetime.fromisoformat(as_text(value))
    except ValueError:
        return None
    return time if time.tzinfo is None else None


def _text(block: Record) -> str:
    return as_text(block.get("text")) if block.get("type") in _TEXTS else ""


def _image(block: Record) -> str:
    address = block.get("image_url")
    return image_at(as_text(address) or as_text(as_dict(address).get("url")))
