"""The bubbles of a chat in an editor: what was said, thought, looked at and run."""

from collections.abc import Iterator

from nlm_tui.runtimes.conversation import Conversation, image_at, image_mark
from nlm_tui.runtimes.cursor_store import loosely_parsed, moment
from nlm_tui.runtimes.jsonl import Record, as_dict, as_list, as_text

_USER, _AGENT = 1, 2
_SHOWN = ("output", "contents", "content", "result", "text", "stdout", "stderr", "diff", "message", "error")
_DEEPEST = 20  # levels of a rich text or of a result


def take_bubble(talk: Conversation, bubble: Record) -> None:
    """Add what stands in a bubble to a conversation."""
    at = talk.see_time(moment(bubble.get("createdAt")))
    kind = bubble.get("type")
    text = as_text(bubble.get("text")) or as_text(bubble.get("rawText"))
    if kind in (_USER, "user"):
        text = text or rich_text(bubble.get("richText")) or rich_text(bubble.get("initText"))
        if not (bubble.get("isSimulatedMsg") is True or bubble.get("isPlanExecution") is True):
            talk.prompt(text, at, _images(bubble))
        return
    if kind not in (_AGENT, "ai"):
        return
    if bubble.get("isThought") is not True:
        talk.answer(text, at)
    usage = as_dict(bubble.get("tokenCount"))
    talk.use_tokens(usage.get("inputTokens"), usage.get("outputTokens"))
    _take_tool(talk, as_dict(bubble.get("toolFormerData")), at)


def rich_text(value: object) -> str:
    """Return the text in what an editor of formatted text wrote as JSON."""
    root = as_dict(loosely_parsed(value) if isinstance(value, str) else value).get("root")
    return "\n".join("".join(_leaves(block, 0)) for block in as_list(as_dict(root).get("children")))


def _leaves(node: object, depth: int) -> Iterator[str]:
    named = as_dict(node)
    if depth < _DEEPEST:
        yield "\n" if named.get("type") == "linebreak" else as_text(named.get("text"))
        for child in as_list(named.get("children")):
            yield from _leaves(child, depth + 1)


def _images(bubble: Record) -> list[str]:
    """Return what stands for the images of a prompt, which are listed in one place or the other."""
    listed = as_list(bubble.get("images")) or as_list(as_dict(bubble.get("context")).get("selectedImages"))
    return [_image(image) for image in listed]


def _image(image: object) -> str:
    if isinstance(image, str):
        return image_at(image)
    named = as_dict(image)
    data = as_text(named.get("data"))
    if data and not data.startswith("data:"):
        return image_mark(as_text(named.get("mimeType")), len(data))
    address = data or as_text(named.get("path")) or as_text(named.get("url"))
    return image_at(address.replace("\\", "/"))


def _take_tool(talk: Conversation, tool: Record, at: str | None) -> None:
    """Add a call, and what came of it if it is known."""
    name = as_text(tool.get("name"))
    if not (name or tool.get("toolCallId")):
        return
    given = as_text(tool.get("rawArgs")) or tool.get("params")
    arguments = loosely_parsed(given) if isinstance(given, str) else given
    talk.tool_call(name or "tool", arguments if arguments is not None else given, at)
    result, failure = tool.get("result"), tool.get("error")
    if result or failure:
        talk.tool_result(shown(result) or shown(failure), at)


def shown(result: object, depth: int = 0) -> str:
    """Return the text of a tool's result: JSON, in a text or not, in one of many forms."""
    if isinstance(result, str):
        inner = loosely_parsed(result) if result[:1] in {"{", "["} else None
        if inner is not None:
            return shown(inner, depth + 1)
        return "" if result.startswith("data:") else result
    if depth > _DEEPEST:
        return ""
    named = as_dict(result)
    parts = [named[key] for key in _SHOWN if key in named]
    texts = filter(None, (shown(part, depth + 1) for part in parts or as_list(result)))
    return next(texts, "") if parts else "\n".join(texts)
