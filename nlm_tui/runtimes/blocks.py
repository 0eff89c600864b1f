"""Content as blocks, the form that Anthropic's interface gave to many runtimes."""

from nlm_tui.runtimes.conversation import image_mark
from nlm_tui.runtimes.jsonl import Record, as_dict, as_list, as_text


def blocks(content: object) -> list[Record]:
    """Return content as blocks: it may be a text, a block, or a list of both and of what nobody knows yet."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [
        {"type": "text", "text": block} if isinstance(block, str) else as_dict(block)
        for block in as_list(content) or [content]
    ]


def texts(content: object) -> list[str]:
    """Return the texts of content."""
    return [as_text(block.get("text")) for block in blocks(content) if block.get("type") == "text"]


def images(content: object) -> list[str]:
    """Return what stands for the images of content."""
    return [_image(block) for block in blocks(content) if block.get("type") == "image"]


def _image(block: Record) -> str:
    source = as_dict(block.get("source")) or block
    kind = as_text(source.get("media_type")) or as_text(source.get("mediaType")) or as_text(source.get("mimeType"))
    return image_mark(kind, len(as_text(source.get("data"))))
