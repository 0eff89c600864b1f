"""What the forms of a Copilot session share: its id, prompts with context around them, the facts in its folder."""

import re
from collections.abc import Iterator
from pathlib import Path

from nlm_tui.core import one_line
from nlm_tui.runtimes.conversation import image_at, image_mark
from nlm_tui.runtimes.jsonl import Record, as_dict, as_list, as_text, parse_json

RUNTIME = "copilot-cli"

_LONGEST_FACTS = 64 * 1024  # bytes; the file has a dozen short lines
_KEY = re.compile(r"([A-Za-z_][\w-]*):(?: +|$)(.*)")
_CONTEXT = "current_datetime|reminder|system_reminder|system-reminder|tagged_files|system_notification"
_BEFORE = re.compile(rf"\s*<({_CONTEXT})>.*?</\1>\s*", re.DOTALL)
_BEHIND = re.compile(rf"\s*<({_CONTEXT})>(?:(?!<\1>).)*</\1>\s*\Z", re.DOTALL)
_TRUSTED = re.compile(r"Folder (.+) has been added to trusted folders")
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_IMAGE_NAME = re.compile(r"\.(?:png|jpe?g|gif|webp|bmp|heic)$", re.IGNORECASE)


def id_of(native_id: str) -> str:
    """Return the id of a session that Copilot calls `native_id`."""
    return f"copilot_{one_line(native_id)}"


def name_in(file_name: str) -> str:
    """Return the name of the session that a file is called after, such as `session_<uuid>_<time>.json`."""
    found = _UUID.search(file_name)
    return found[0] if found else Path(file_name).stem


def trusted_folder(notice: str) -> str:
    """Return the folder that a notice says to be trusted, '' if it says none."""
    found = _TRUSTED.search(notice)
    return found[1] if found else ""


def trimmed(text: str) -> str:
    """Return what a person typed of a prompt that the model got with context before and behind it."""
    while found := _BEFORE.match(text):
        text = text[found.end() :]
    while text.rstrip().endswith(">") and (found := _BEHIND.search(text)):
        text = text[: found.start()]
    return text


def image_marks(attachments: object) -> list[str]:
    """Return what stands for the images among attachments: files, or what they hold."""
    marks: list[str] = []
    for attachment in map(as_dict, as_list(attachments)):
        kind, path = as_text(attachment.get("mimeType")), as_text(attachment.get("path"))
        if kind.startswith("image/") or attachment.get("type") == "image":
            marks.append(image_mark(kind, len(as_text(attachment.get("data")))))
        elif _IMAGE_NAME.search(path):
            marks.append(image_at(path.replace("\\", "/")))
    return marks


def workspace_facts(path: Path) -> dict[str, str]:
    """Return the texts in a `workspace.yaml`, by name; none where it cannot be read.

    Copilot writes one level of keys and scalars, so this is all of YAML that is understood: plain, quoted and folded
    scalars, each on one line or going on in indented ones. Anything else is passed over.
    """
    try:
        with path.open("rb") as file:
            text = file.read(_LONGEST_FACTS).decode("utf-8", "replace")
    except OSError:
        return {}
    return {key: _scalar(first, rest) for key, first, rest in _lines_by_key(text)}


def _lines_by_key(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yield every key with the text behind it and the indented lines below."""
    key, first, rest = "", "", list[str]()
    for line in text.split("\n"):
        line = line.rstrip()  # noqa: PLW2901 - the line without its end
        if found := _KEY.match(line):
            if key:
                yield key, first, rest
            key, first, rest = found[1], found[2], []
        elif line.startswith((" ", "\t")):
            rest.append(line.strip())
    if key:
        yield key, first, rest


def _scalar(first: str, rest: list[str]) -> str:
    if first[:1] in {"|", ">"}:
        return ("\n" if first[0] == "|" else " ").join(rest)
    whole = " ".join((first, *rest)).strip()
    if len(whole) > 1 and whole[0] == whole[-1] == "'":
        return whole[1:-1].replace("''", "'")
    if len(whole) > 1 and whole[0] == whole[-1] == '"':
        return as_text(parse_json(whole.encode())) or whole[1:-1]
    return "" if whole in {"null", "~"} else whole


def result_of(data: Record) -> tuple[str, list[str]]:
    """Return the text and the images of what a tool gave back."""
    result = as_dict(data.get("result"))
    failure = as_text(as_dict(data.get("error")).get("message")) or as_text(data.get("error"))
    text = as_text(result.get("content")) or as_text(result.get("log")) or as_text(data.get("result")) or failure
    return text, image_marks(result.get("contents"))
