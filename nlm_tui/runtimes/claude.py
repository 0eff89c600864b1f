"""Claude Code: one JSON-lines file per session below `projects`, more of them for its subagents."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.runtimes.conversation import Conversation, image_mark
from nlm_tui.runtimes.jsonl import READ_BUFFER, JsonLines, Record, as_dict, as_list, as_source, as_text, entries

_KIND = "claude-code-jsonl"
_SUBAGENTS = "subagents"
_TYPES = {
    *("user", "assistant", "system", "summary", "attachment", "progress", "queue-operation", "file-history-snapshot"),
    *("file-history-delta", "permission-mode", "mode", "last-prompt", "tag", "agent-name", "custom-title", "ai-title"),
    *("pr-link", "frame-link", "worktree-state", "relocated", "continued-in", "bridge-session"),
}
_INJECTED = (
    *("system-reminder", "local-command-stdout", "local-command-stderr", "local-command-caveat", "bash-input"),
    *("bash-stdout", "bash-stderr", "ide_opened_file", "ide_selection", "session-start-hook"),
    *("user-prompt-submit-hook", "task-notification", "teammate-message", "tick", "goal"),
)
_INJECTED_LAST = ("system-reminder", "ide_opened_file", "ide_selection")
_INJECTED_FIRST = re.compile(rf"\s*<({'|'.join(_INJECTED)})(?:\s[^>]*)?>.*?(?:</\1>|\Z)", re.DOTALL)
_NOT_TYPED = ("[Request interrupted by user", "Caveat: The messages below")
_COMMAND_NAME = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
_COMMAND_ARGS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)
_NO_CONTENT = "(no content)"


class ClaudeCodeReader:
    """Reads the sessions of Claude Code."""

    runtime: str = "claude-code"

    def __init__(self, config_dirs: Sequence[Path]) -> None:
        self.roots: Sequence[Path] = tuple(folder / "projects" for folder in config_dirs)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path) -> "ClaudeCodeReader":
        """Look where Claude Code itself would keep its sessions."""
        if named := [part.strip() for part in environ.get("CLAUDE_CONFIG_DIR", "").split(",") if part.strip()]:
            return cls([Path(part) for part in dict.fromkeys(named)])
        folders = [home / ".claude"]
        other = Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "claude"
        if other.is_dir() and other.resolve() != folders[0].resolve():
            folders.append(other)
        return cls(folders)

    def discover(self) -> Iterator[Source]:
        """Yield the session files of every project, and those of their subagents."""
        for root in self.roots:
            for project in entries(root):
                for entry in entries(project.path):
                    if entry.name.endswith(".jsonl"):
                        yield from as_source(entry)
                    elif entry.is_dir(follow_symlinks=False):
                        yield from _subagents(Path(entry.path, _SUBAGENTS))

    def read(self, source: Source) -> Transcript | None:
        """Read a session file; None if it holds bookkeeping only."""
        session = _Session(source.path.stem, self._parent(source.path))
        with source.path.open("rb", buffering=READ_BUFFER) as file:
            lines = JsonLines(file)
            for record in lines:
                session.take(record)
        if not session.recognised and (lines.bad_lines or session.recognised is not None):
            raise TranscriptError("no Claude Code record in it")
        return session.transcript(lines) if session.talk.messages else None

    def _parent(self, path: Path) -> str:
        """Return the session that a file below `<session>/subagents` belongs to."""
        for root in self.roots:
            if path.is_relative_to(root):
                _, *below = path.relative_to(root).parts
                return below[0] if below[1:2] == [_SUBAGENTS] else ""
        return ""


class _Session:
    """The state of reading one file."""

    def __init__(self, stem: str, parent: str) -> None:
        self.recognised: bool | None = None  # None before the first record
        self.talk = Conversation()
        self._stem = storable(stem)
        self._is_subagent = stem.startswith("agent-")
        self._parent = storable(parent)
        self._project: object = None
        self._branch: object = None
        self._model: object = None
        self._titles: dict[str, str] = {}
        self._summaries: list[tuple[str, str]] = []
        self._branches = _Branches()
        self._answer = _NO_ANSWER
        self._prompted: dict[str, bool] = {}  # since the last answer: the text, and whether it was queued

    def take(self, record: Record) -> None:
        """Take the next record of the file; what is not known is passed over."""
        kind = record.get("type")
        at = self.talk.see_time(record.get("timestamp"))
        if not self.recognised:
            self.recognised = as_text(kind) in _TYPES or "sessionId" in record
        if record.get("isSidechain") is True and not self._is_subagent:
            return
        if not self._project:
            self._project = record.get("cwd")
        uuid = as_text(record.get("uuid"))
        is_new = not uuid or self._branches.add(uuid, record, self.talk.total)
        if kind == "assistant":
            self._take_assistant(record, at, is_new=is_new)
        elif not is_new:
            return
        elif kind == "user":
            self._take_user(record, at, uuid)
        elif kind == "attachment":
            self._take_attachment(as_dict(record.get("attachment")), at)
        else:
            self._take_title(as_text(kind), record)

    def transcript(self, lines: JsonLines) -> Transcript:
        """Return what the file held, once all records are taken."""
        self.talk.withdraw(self._branches.abandoned(self.talk.total))
        parent = one_line(self._parent) if self._is_subagent else ""
        session_id = f"cc_sub_{parent}_{self._stem.removeprefix('agent-')}" if parent else f"cc_{self._stem}"
        return self.talk.complete(
            Transcript(
                session_id=session_id,
                runtime=ClaudeCodeReader.runtime,
                native_id=self._stem,
                kind=_KIND,
                messages=(),
                title=self._title(),
                project=strip_control(as_text(self._project)) or None,
                branch=strip_control(as_text(self._branch)) or None,
                model=one_line(as_text(self._model)) or None,
                parent_id=f"cc_{parent}" if parent else None,
                bad_lines=lines.bad_lines,
                truncated_tail=lines.truncated_tail,
            )
        )

    def _title(self) -> str | None:
        own = [text for leaf, text in self._summaries if leaf in self._branches]
        titles = (self._titles.get("custom-title"), self._titles.get("ai-title"), own[-1] if own else None)
        return next(filter(None, titles), None)

    def _take_title(self, kind: str, record: Record) -> None:
        if kind == "summary":
            if summary := one_line(as_text(record.get("summary"))):
                self._summaries.append((as_text(record.get("leafUuid")), summary))
        elif kind == "custom-title":
            self._titles[kind] = one_line(as_text(record.get("customTitle")))
        elif kind == "ai-title":
            self._titles[kind] = one_line(as_text(record.get("aiTitle")))

    def _take_assistant(self, record: Record, at: str | None, *, is_new: bool) -> None:
        message = as_dict(record.get("message"))
        model = message.get("model")
        if model == "<synthetic>" or record.get("isApiErrorMessage") is True:
            return
        key = message.get("id")
        if not key or key != self._answer.key:
            if not is_new:
                return
            self._answer = _Answer(key)
        if self._prompted:
            self._prompted.clear()
        self._model = model or self._model
        self._branch = record.get("gitBranch") or self._branch
        self._answer.take(message.get("content"), self.talk, at)

    def _take_user(self, record: Record, at: str | None, uuid: str) -> None:
        self._branch = record.get("gitBranch") or self._branch
        if not self._parent:
            self._parent = as_text(record.get("sessionId"))
        content = as_dict(record.get("message")).get("content")
        if record.get("isCompactSummary") is True:
            self._answer = _NO_ANSWER
            self.talk.summary(_plain(content)[0], at)
        elif record.get("isMeta") is not True and self._said(content, at, queued=False):
            self._branches.prompts.append(uuid)

    def _take_attachment(self, attachment: Record, at: str | None) -> None:
        """Take a prompt that was typed while a tool ran."""
        if attachment.get("type") == "queued_command":
            self._said(attachment.get("prompt"), at, queued=True)

    def _said(self, content: object, at: str | None, *, queued: bool) -> bool:
        """Take what stands in a user record; True if a person typed it.

        A queued prompt may come as an attachment, as a user record or as both: what came the other way since the last
        answer is not taken twice.
        """
        texts: list[str] = []
        images: list[str] = []
        for block in _blocks(content):
            kind = block.get("type")
            if kind == "text":
                texts.append(self._typed_text(as_text(block.get("text")), at))
            elif kind == "tool_result":
                text, images_shown = _plain(block.get("content"))
                self.talk.tool_result(text, at, images_shown)
            elif kind == "image":
                images.append(_image(block))
        text = "\n".join(filter(None, texts))
        if not (text or images):
            return False
        if self._prompted.pop(text, queued) != queued or not self.talk.prompt(text, at, images):
            return False
        self._answer = _NO_ANSWER
        self._prompted[text] = queued
        return True

    def _typed_text(self, text: str, at: str | None) -> str:
        """Return what a person typed of `text`, without what was put around it; a slash command is taken apart."""
        text = _without_injected(text) if "<" in text else text
        if not text.startswith(("<command-name>", "<command-message>", "<command-args>")):
            return "" if text.startswith(_NOT_TYPED) else text
        if name := _COMMAND_NAME.search(text):
            args = _COMMAND_ARGS.search(text)
            self._answer = _NO_ANSWER
            self.talk.command(f"/{name[1].strip().removeprefix('/')} {args[1] if args else ''}", at)
        return ""


class _Answer:
    """One API message, which comes as several records: a block each, or the same block with more and more text."""

    __slots__ = ("_blocks", "_calls", "_number", "_text", "key")

    def __init__(self, key: object) -> None:
        self.key = key
        self._blocks: list[str] = []
        self._calls: list[str] = []
        self._number = -1
        self._text = ""

    def take(self, content: object, talk: Conversation, at: str | None) -> None:
        """Add the blocks of one record to the conversation."""
        blocks = _blocks(content)
        for block in blocks:
            if block.get("type") == "text":
                self._merge(as_text(block.get("text")))
        if self._blocks:
            self._say(talk, at)
        for block in blocks:
            kind = as_text(block.get("type"))
            if kind.endswith("tool_use"):
                call = as_text(block.get("id"))
                if not call or call not in self._calls:
                    self._calls.append(call)
                    talk.tool_call(as_text(block.get("name")), block.get("input"), at)
            elif kind.endswith("tool_result"):
                talk.tool_result("", at)
            elif kind == "image":
                talk.images += 1

    def _merge(self, text: str) -> None:
        if not text or text.isspace() or text == _NO_CONTENT:
            return
        for index, known in enumerate(self._blocks):
            if text.startswith(known):
                self._blocks[index] = text
                return
        self._blocks.append(text)

    def _say(self, talk: Conversation, at: str | None) -> None:
        text = "\n\n".join(self._blocks)
        if self._number >= 0:
            if text != self._text:
                talk.rewrite(self._number, text)
        elif talk.answer(text, at):
            self._number = talk.total - 1
        self._text = text


_NO_ANSWER = _Answer(None)


class _Branches:
    """The tree of a file's records: which messages stand on a branch that a rewind abandoned.

    Parallel tool calls branch too, so a branch counts as abandoned only where somebody typed a prompt on it. A parent
    that is not in the file, or comes later, is taken to be the record before.
    """

    def __init__(self) -> None:
        self.prompts: list[str] = []
        self._parents: dict[str, str] = {}
        self._starts: list[int] = []
        self._last = ""
        self._forked = False

    def __contains__(self, uuid: str) -> bool:
        """Whether a record has this id."""
        return uuid in self._parents

    def add(self, uuid: str, record: Record, start: int) -> bool:
        """Add a record whose messages begin at `start`; False if it is known."""
        if uuid in self._parents:
            return False
        parent = self._last
        if record.get("parentUuid") != parent:
            named = (as_text(record.get("parentUuid")), as_text(record.get("logicalParentUuid")))
            parent = next((uuid for uuid in named if uuid in self._parents), parent)
            self._forked |= parent != self._last
        self._parents[uuid] = parent
        self._starts.append(start)
        self._last = uuid
        return True

    def abandoned(self, total: int) -> Iterator[int]:
        """Yield the numbers of abandoned messages, of `total`."""
        if not self._forked:
            return
        active: set[str] = set()
        node = self._last
        while node:
            active.add(node)
            node = self._parents[node]
        roots: dict[str, str] = {}
        for node, parent in self._parents.items():
            if node not in active:
                roots[node] = roots.get(parent, node)
        withdrawn = {roots[prompt] for prompt in self.prompts if prompt in roots}
        ends = [*self._starts[1:], total]
        for node, start, end in zip(self._parents, self._starts, ends, strict=True):
            if roots.get(node) in withdrawn:
                yield from range(start, end)


def _subagents(folder: Path) -> Iterator[Source]:
    for entry in entries(folder):
        if entry.is_dir(follow_symlinks=False):
            yield from _subagents(Path(entry.path))
        elif entry.name.startswith("agent-") and entry.name.endswith(".jsonl"):
            yield from as_source(entry)


def _blocks(content: object) -> list[Record]:
    """Return content as blocks: it may be a text, a block, or a list of both and of what nobody knows yet."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    blocks = as_list(content) or [content]
    return [{"type": "text", "text": block} if isinstance(block, str) else as_dict(block) for block in blocks]


def _plain(content: object) -> tuple[str, list[str]]:
    """Return the text of content, and what stands for its images."""
    if isinstance(content, str):
        return content, []
    blocks = _blocks(content)
    texts = [as_text(block.get("text")) for block in blocks if block.get("type") == "text"]
    return "\n".join(texts), [_image(block) for block in blocks if block.get("type") == "image"]


def _image(block: Record) -> str:
    source = as_dict(block.get("source"))
    return image_mark(as_text(source.get("media_type")), len(as_text(source.get("data"))))


def _without_injected(text: str) -> str:
    """Return `text` without the blocks that Claude Code or an editor put before or behind it."""
    start = 0
    while (block := _INJECTED_FIRST.match(text, start)) and block.end() > start:
        start = block.end()
    end = len(text)
    while end > start:
        if text[end - 1].isspace():
            end -= 1
            continue
        if text[end - 1] != ">":
            break
        tag = next((tag for tag in _INJECTED_LAST if text.endswith(f"</{tag}>", start, end)), None)
        opening = text.rfind(f"<{tag}", start, end) if tag else -1
        if opening < 0:
            break
        end = opening
    return text[start:end].lstrip()
