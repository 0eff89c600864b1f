"""Who said what in the records of Claude Code."""

import re
from dataclasses import replace

from nlm_tui.ingest.ports import Transcript
from nlm_tui.runtimes.blocks import blocks, images, texts
from nlm_tui.runtimes.claude.answers import NO_ANSWER, Answer, usage_of
from nlm_tui.runtimes.claude.tree import Tree
from nlm_tui.runtimes.conversation import Conversation
from nlm_tui.runtimes.injected import Injected
from nlm_tui.runtimes.jsonl import Record, as_dict, as_text

_INJECTED = Injected(
    *("system-reminder", "local-command-stdout", "local-command-stderr", "local-command-caveat", "bash-input"),
    *("bash-stdout", "bash-stderr", "ide_opened_file", "ide_selection", "ide_diagnostics", "new-diagnostics"),
    *("session-start-hook", "user-prompt-submit-hook", "user-memory-input", "task-notification"),
    *("agent-notification", "bash-notification", "teammate-message", "cross-session-message", "tick", "goal"),
    last=("system-reminder", "ide_opened_file", "ide_selection"),
)
_NOT_TYPED = (
    *("[Request interrupted by user", "Caveat: The messages below", "Stop hook feedback:"),
    *("Base directory for this skill:", "[SUGGESTION MODE:"),
)
_SUMMARY = "This session is being continued from a previous conversation"
_NO_PERSON = {"task-notification", "coordinator", "peer", "auto-continuation"}
_COMMAND_TAGS = ("<command-name>", "<command-message>", "<command-args>")
_COMMAND_NAME = re.compile(r"<command-name>(.*?)</command-name>", re.DOTALL)
_COMMAND_ARGS = re.compile(r"<command-args>(.*?)</command-args>", re.DOTALL)


class Talk:
    """The state of reading what one side of a file says: the session, or its sidechains."""

    def __init__(self) -> None:
        self.said = Conversation()
        self.model: object = None
        self.tree = Tree()
        self._inherited_prompts = 0
        self._inherited_answers = 0
        self._answer = NO_ANSWER
        self._prompted: dict[str, bool] = {}  # since the last answer: the text, and whether it was queued

    def take(self, record: Record, at: str | None, *, inherited: bool) -> None:
        """Take a record of which somebody may have said something; `inherited` is one that another file has too."""
        uuid = as_text(record.get("uuid"))
        said = self.said
        start, prompts, answers = said.total, said.prompts, said.answers
        is_new = not uuid or self.tree.add(uuid, record, start)
        kind = record.get("type")
        if kind == "assistant":
            self._take_assistant(record, at, is_new=is_new, inherited=inherited)
        elif kind == "user" and is_new:
            self._take_user(record, at, uuid)
        elif kind == "attachment" and is_new:
            self._take_attachment(as_dict(record.get("attachment")), at)
        if inherited and said.total > start:
            said.inherit(range(start, said.total))
            self._inherited_prompts += said.prompts - prompts
            self._inherited_answers += said.answers - answers

    def complete(self, transcript: Transcript) -> Transcript:
        """Return `transcript` with what was said so far. What is abandoned now may be taken up again later."""
        kept = self.said.messages
        self.said.messages = dict(kept)
        self.said.withdraw(self.tree.abandoned(self.said.total))
        complete = self.said.complete(
            replace(transcript, inherited_prompts=self._inherited_prompts, inherited_answers=self._inherited_answers)
        )
        self.said.messages = kept
        return complete

    def _take_assistant(self, record: Record, at: str | None, *, is_new: bool, inherited: bool) -> None:
        message = as_dict(record.get("message"))
        model = message.get("model")
        if model == "<synthetic>" or record.get("isApiErrorMessage") is True:
            return
        key = message.get("id")
        if not key or key != self._answer.key:
            if not is_new:
                return
            self._answer = Answer(key)
        if self._prompted:
            self._prompted.clear()
        self.model = model or self.model
        self._answer.take(message.get("content"), self.said, at)
        if not inherited:
            self._answer.use(usage_of(message), self.said)

    def _take_user(self, record: Record, at: str | None, uuid: str) -> None:
        content = as_dict(record.get("message")).get("content")
        if record.get("isCompactSummary") is True:
            self._answer = NO_ANSWER
            self.said.summary("\n".join(texts(content)), at)
        elif _is_of_person(record) and self._say(content, at, queued=False):
            self.tree.prompts.append(uuid)

    def _take_attachment(self, attachment: Record, at: str | None) -> None:
        """Take a prompt that was typed while a tool ran."""
        if attachment.get("type") == "queued_command" and _is_of_person(attachment):
            self._say(attachment.get("prompt"), at, queued=True)

    def _say(self, content: object, at: str | None, *, queued: bool) -> bool:
        """Take what stands in a user record; True if a person typed it.

        A queued prompt may come as an attachment, as a user record or as both: what came the other way since the last
        answer is not taken twice.
        """
        typed: list[str] = []
        shown: list[str] = []
        for block in blocks(content):
            kind = block.get("type")
            if kind == "text":
                typed.append(self._typed(as_text(block.get("text")), at))
            elif kind == "tool_result":
                output = block.get("content")
                self.said.tool_result("\n".join(texts(output)), at, images(output))
            elif kind == "image":
                shown += images(block)
        text = "\n".join(filter(None, typed))
        if not (text or shown):
            return False
        if self._prompted.pop(text, queued) != queued or not self.said.prompt(text, at, shown):
            return False
        self._answer = NO_ANSWER
        self._prompted[text] = queued
        return True

    def _typed(self, text: str, at: str | None) -> str:
        """Return what a person typed of `text`, without what was put around it; a slash command is taken apart."""
        if "<" in text:
            text = _INJECTED.removed(text).strip()
        if text.startswith(_SUMMARY):
            self.said.summary(text, at)
            return ""
        if not text.startswith(_COMMAND_TAGS):
            return "" if text.startswith(_NOT_TYPED) else text
        if name := _COMMAND_NAME.search(text):
            args = _COMMAND_ARGS.search(text)
            self._answer = NO_ANSWER
            self.said.command(f"/{name[1].strip().removeprefix('/')} {args[1] if args else ''}", at)
        return ""


def _is_of_person(record: Record) -> bool:
    if record.get("isMeta") is True:
        return False
    origin = record.get("origin")
    return origin is None or as_text(as_dict(origin).get("kind")) not in _NO_PERSON
