"""Amp: one JSON file per thread, written anew with every change. Newer versions keep threads on a server first."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Source, Transcript, TranscriptError
from nlm_tui.runtimes.blocks import blocks, images, texts
from nlm_tui.runtimes.conversation import Conversation
from nlm_tui.runtimes.cursor_store import path_of
from nlm_tui.runtimes.injected import Injected
from nlm_tui.runtimes.jsonl import Record, as_dict, as_list, as_source, as_text, entries, read_document

_THREAD = "T-"  # what the ids of threads begin with
_INJECTED = Injected("system-reminder", "attached_files", "user-state")
_UNFINISHED = ("in-progress", "queued", "blocked-on-user")  # runs of a tool


class AmpReader:
    """Reads the threads of Amp that are kept here."""

    runtime: str = "amp"

    def __init__(self, homes: Sequence[Path]) -> None:
        self.roots: Sequence[Path] = tuple(home / "threads" for home in homes)

    @classmethod
    def from_environment(cls, environ: Mapping[str, str], home: Path) -> "AmpReader":
        """Look where Amp itself would keep its threads, which a relative path does not change."""
        data = Path(environ.get("XDG_DATA_HOME", ""))
        return cls([(data if data.is_absolute() else home / ".local" / "share") / "amp"])

    def discover(self) -> Iterator[Source]:
        """Yield the files of threads."""
        for root in self.roots:
            for entry in entries(root):
                if entry.name.startswith(_THREAD) and entry.name.endswith(".json"):
                    yield from as_source(entry)

    def read(self, source: Source) -> Transcript | None:
        """Read a thread; None if nothing was said in it."""
        document = read_document(source.path)
        native_id = one_line(as_text(document.get("id"))) or storable(source.path.stem)
        if document and not ("messages" in document and native_id.startswith(_THREAD)):
            raise TranscriptError("no thread of Amp in it")
        return _Thread(document).transcript(native_id)


class _Thread:
    """What a thread tells."""

    def __init__(self, document: Record) -> None:
        self._document = document
        self._model: object = None
        self._talk = Conversation()
        self._talk.see_time(document.get("created"))
        for trace in map(as_dict, as_list(as_dict(document.get("meta")).get("traces"))):
            self._talk.see_time(trace.get("endTime"))
        for message in as_list(document.get("messages")):
            self._take(as_dict(message))

    def transcript(self, native_id: str) -> Transcript | None:
        """Return what was said in the thread, None if nothing was."""
        if not self._talk.messages:
            return None
        document = self._document
        trees = as_list(as_dict(as_dict(document.get("env")).get("initial")).get("trees"))
        folders = (path_of(as_text(as_dict(tree).get("uri"))) for tree in trees)
        return self._talk.complete(
            Transcript(
                session_id=f"amp_{native_id}",
                runtime=AmpReader.runtime,
                native_id=native_id,
                kind="amp-json",
                messages=(),
                title=one_line(as_text(document.get("title"))) or None,
                project=strip_control(next(filter(None, folders), "")) or None,
                model=one_line(as_text(self._model)) or None,
            )
        )

    def _take(self, message: Record) -> None:
        role, content, usage = message.get("role"), message.get("content"), as_dict(message.get("usage"))
        told = (as_dict(message.get("meta")).get("sentAt"), message.get("timestamp"), usage.get("timestamp"))
        at = next(filter(None, map(self._talk.see_time, told)), None)
        if role == "user":
            self._take_prompt([block for block in blocks(content) if block.get("hidden") is not True], at)
        elif role == "assistant":
            self._model = usage.get("model") or self._model
            self._talk.answer("\n\n".join(texts(content)), at)
            self._use_tokens(usage)
        for block in blocks(content):
            self._take_block(block, at)

    def _take_prompt(self, visible: list[Record], at: str | None) -> None:
        typed = (_INJECTED.removed(text).strip() for text in texts(visible))
        text, marks = "\n".join(filter(None, typed)), images(visible)
        if text or marks:
            self._talk.prompt(text, at, marks)

    def _take_block(self, block: Record, at: str | None) -> None:
        kind = block.get("type")
        if kind == "tool_use":
            self._talk.tool_call(as_text(block.get("name")), block.get("input"), at)
        elif kind == "tool_result":
            run = as_dict(block.get("run"))
            if run.get("status") not in _UNFINISHED:
                self._talk.tool_result(_output(run), at, images(run.get("result")))
        elif kind == "summary":
            summary = block.get("summary")
            self._talk.summary(as_text(summary) or as_text(as_dict(summary).get("summary")), at)

    def _use_tokens(self, usage: Record) -> None:
        self._talk.use_tokens(usage.get("inputTokens"), usage.get("outputTokens"))
        self._talk.use_tokens(usage.get("cacheReadInputTokens"), 0)
        self._talk.use_tokens(usage.get("cacheCreationInputTokens"), 0)


def _output(run: Record) -> str:
    """Return what a tool said: its result, which every tool gives a form of its own, or its error."""
    result = run.get("result")
    named = as_dict(result)
    for told in (named.get("output"), named.get("content"), named.get("diff"), result):
        if text := "\n".join(filter(None, texts(told))):
            return text
    error = run.get("error")
    return as_text(error) or as_text(as_dict(error).get("message"))
