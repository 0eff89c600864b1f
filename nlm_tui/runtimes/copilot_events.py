"""The log of a Copilot session: one event a line, appended to whenever the session goes on."""

import dataclasses
from collections.abc import Mapping

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Transcript
from nlm_tui.runtimes.conversation import Conversation
from nlm_tui.runtimes.copilot_texts import RUNTIME, id_of, image_marks, result_of, trusted_folder
from nlm_tui.runtimes.jsonl import JsonLines, Record, as_dict, as_list, as_text

_NOT_TYPED = ("skill", "agent", "system", "autopilot", "schedule", "hook", "extension", "jit-", "instruction")


class EventLog:
    """The state of reading one log."""

    def __init__(self, name: str) -> None:
        self.recognised: bool | None = None  # None before the first record
        self._name = name
        self._talk = Conversation()
        self._id = ""
        self._folder = ""
        self._trusted = ""
        self._branch = ""
        self._title = ""
        self._chosen_model = ""
        self._answering_model = ""
        self._calls: set[str] = set()
        self._unbilled = 0  # tokens written since the last account of them
        self._aside_prompts = 0
        self._aside_answers = 0

    def take(self, event: Record) -> None:
        """Take the next event; what is not known is passed over."""
        at = self._talk.see_time(event.get("timestamp"))
        kind, data = as_text(event.get("type")), as_dict(event.get("data"))
        self.recognised = self.recognised or bool(kind and "data" in event)
        if event.get("agentId") or data.get("parentToolCallId"):
            self._take_subagent(kind, data)
        elif kind.startswith("session."):
            self._take_session(kind.removeprefix("session."), data, at)
        elif kind == "user.message":
            if _is_typed(data):
                self._talk.prompt(as_text(data.get("content")), at, image_marks(data.get("attachments")))
        elif kind == "assistant.message":
            self._take_answer(data, at)
        elif kind == "tool.execution_start":
            self._take_call(data, as_text(data.get("toolName")), at)
        elif kind == "tool.execution_complete":
            text, images = result_of(data)
            self._talk.tool_result(text, at, images)

    def transcript(self, lines: JsonLines, facts: Mapping[str, str]) -> Transcript:
        """Return what the log held, once all events are taken; `facts` are those beside it."""
        for name in ("created_at", "updated_at"):
            self._talk.see_time(facts.get(name))
        self._talk.use_tokens(0, self._unbilled)
        title = facts.get("name") or self._title or facts.get("summary") or ""
        native_id = one_line(self._id) or storable(self._name)
        complete = self._talk.complete(
            Transcript(
                session_id=id_of(native_id),
                runtime=RUNTIME,
                native_id=native_id,
                kind="copilot-jsonl",
                messages=(),
                title=one_line(title) or None,
                project=strip_control(self._folder or facts.get("cwd") or self._trusted) or None,
                branch=strip_control(self._branch or facts.get("branch") or "") or None,
                model=one_line(self._answering_model or self._chosen_model) or None,
                bad_lines=lines.bad_lines,
                bad_line=lines.bad_line,
                truncated_tail=lines.truncated_tail,
            )
        )
        return dataclasses.replace(
            complete, sidechain_prompts=self._aside_prompts, sidechain_answers=self._aside_answers
        )

    def _take_session(self, kind: str, data: Record, at: str | None) -> None:
        if kind in {"start", "resume", "context_changed"}:
            context = as_dict(data.get("context")) or data
            self._id = self._id or as_text(data.get("sessionId"))
            self._folder = self._folder or as_text(context.get("cwd"))
            self._branch = as_text(context.get("branch")) or self._branch
            self._chosen_model = as_text(data.get("selectedModel")) or self._chosen_model
            self._talk.see_time(data.get("startTime"))
        elif kind == "model_change":
            self._chosen_model = as_text(data.get("newModel")) or self._chosen_model
        elif kind == "title_changed":
            self._title = as_text(data.get("title")) or self._title
        elif kind == "info":
            self._trusted = self._trusted or trusted_folder(as_text(data.get("message")))
        elif kind == "compaction_complete":
            if data.get("success") is not False:
                self._talk.summary(as_text(data.get("summaryContent")), at)
        elif kind == "shutdown":
            self._take_account(as_dict(data.get("modelMetrics")))

    def _take_account(self, metrics: Record) -> None:
        """Take what the models read and wrote since the session began or went on."""
        for metric in map(as_dict, metrics.values()):
            usage = as_dict(metric.get("usage"))
            self._talk.use_tokens(usage.get("inputTokens"), usage.get("outputTokens"))
        if metrics:
            self._unbilled = 0

    def _take_answer(self, data: Record, at: str | None) -> None:
        self._answering_model = as_text(data.get("model")) or self._chosen_model or self._answering_model
        self._talk.answer(as_text(data.get("content")), at)
        written = data.get("outputTokens")
        if isinstance(written, int) and written > 0:
            self._unbilled += written
        for request in map(as_dict, as_list(data.get("toolRequests"))):
            self._take_call(request, as_text(request.get("name")), at)

    def _take_call(self, call: Record, name: str, at: str | None) -> None:
        """Take a call, which is told when it is asked for and again when it starts."""
        key = as_text(call.get("toolCallId"))
        if not key or key not in self._calls:
            self._calls.add(key)
            self._talk.tool_call(name, call.get("arguments"), at)

    def _take_subagent(self, kind: str, data: Record) -> None:
        """Count what was said aside; what came of it is the result of a tool."""
        said = bool(as_text(data.get("content")).strip())
        self._aside_prompts += said and kind == "user.message"
        self._aside_answers += said and kind == "assistant.message"


def _is_typed(data: Record) -> bool:
    """Return whether a person wrote a prompt: others name where they come from."""
    return data.get("isAutopilotContinuation") is not True and not as_text(data.get("source")).startswith(_NOT_TYPED)
