"""Content as a list of parts, the form of Gemini's interface, and what Gemini CLI and its forks put into it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from nlm_tui.runtimes.conversation import Conversation, image_mark
from nlm_tui.runtimes.injected import Injected
from nlm_tui.runtimes.jsonl import Record, as_dict, as_list, as_text

SNAPSHOT = "<state_snapshot>"
"""What the summary of a compressed history begins with."""

_INJECTED = Injected("session_context", "hook_context", "qwen:user-prompt-submit-context", "system-reminder")
_NOT_TYPED = (
    *("This is the Gemini CLI.", "This is the Qwen Code.", "System: Please continue."),
    *("Here is the user's editor context", "Here is a summary of changes in the user's editor"),
)
_FILES = "\n--- Content from referenced files ---"
_END_OF_FILES = "\n--- End of content ---"


@dataclass(slots=True)
class Parts:
    """What a content says: its visible texts, images, calls of tools, and answers of tools."""

    texts: list[str] = field(default_factory=list[str])
    images: list[str] = field(default_factory=list[str])
    calls: list[Record] = field(default_factory=list[Record])
    responses: list[Record] = field(default_factory=list[Record])


def parts_of(content: object) -> Parts:
    """Return what `content` says: a text, a part, or a list of both; thoughts and unknown parts are passed over."""
    found = Parts()
    for part in as_list(content) or [content]:
        if isinstance(part, str):
            found.texts.append(part)
            continue
        part = as_dict(part)  # noqa: PLW2901 - the same in another form
        if part.get("thought"):
            continue
        if text := as_text(part.get("text")):
            found.texts.append(text)
        if call := as_dict(part.get("functionCall")):
            found.calls.append(call)
        if response := as_dict(part.get("functionResponse")):
            found.responses.append(response)
        found.images += _images(part)
    return found


def typed(texts: Iterable[str]) -> str:
    """Return what a person typed of the texts of a prompt: without injected parts and the files it refers to."""
    text = "".join(_INJECTED.removed(text) for text in texts)
    if text.lstrip().startswith(_NOT_TYPED):
        return ""
    start = text.find(_FILES)
    if start >= 0:
        end = text.rfind(_END_OF_FILES, start)
        text = text[:start] + (text[end + len(_END_OF_FILES) :] if end >= 0 else "")
    return text.strip()


def say(text: str, images: list[str], talk: Conversation, at: str | None) -> None:
    """Add what a person typed: a prompt, or a slash command; the CLI takes `?` for one too, but no comment."""
    if text.startswith(("/", "?")) and not text.startswith(("//", "/*")):
        talk.command(text, at)
    elif text or images:
        talk.prompt(text, at, images)


def told(response: Record) -> tuple[str, list[str]]:
    """Return the text and the images of the response of a function."""
    told = as_dict(response.get("response"))
    texts = (as_text(told.get(key)) for key in ("output", "error", "content", "result"))
    images = [mark for part in as_list(response.get("parts")) for mark in _images(as_dict(part))]
    return next(filter(None, texts), ""), images


def _images(part: Record) -> Iterator[str]:
    for key in ("inlineData", "fileData"):
        if data := as_dict(part.get(key)):
            kind = as_text(data.get("mimeType"))
            mark = image_mark(kind, len(as_text(data.get("data"))))
            yield mark if kind.startswith("image/") or not kind else mark.replace("[image", "[file", 1)
