"""The one boundary between stored text and a terminal.

Transcripts hold whatever a program once printed: colours, window titles, clipboard writes, bidi overrides. Text that
passed `display_safe` can only be shown, never obeyed.
"""

import re

_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, SOS, PM, APC
    r"|\x1b[ -/]*[0-~]"  # two-character escapes
)
_CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)
_BLANKS = re.compile(r"\s+")


def strip_control(text: str) -> str:
    """Return `text` without terminal sequences and lone surrogates; tabs and newlines stay."""
    if _CONTROL.search(text) is None:
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("\u2028", "\n").replace("\u2029", "\n")
    return _CONTROL.sub(_visible, _SEQUENCE.sub("", text))


def display_safe(text: str, tab_size: int = 4) -> str:
    """Return `text` as a terminal may show it: no control character but the newline."""
    text = strip_control(text)
    return text.expandtabs(tab_size) if "\t" in text else text


def one_line(text: str) -> str:
    """Return `text` for a single line of a terminal: cleaned, every run of white space one blank."""
    return _BLANKS.sub(" ", strip_control(text)).strip()


def json_safe(text: str) -> str:
    """Return JSON text that parses to the same, with what could steer a terminal as escapes of JSON."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def storable(text: str) -> str:
    """Return `text` as SQLite and UTF-8 can keep it, character for character: NUL and surrogates replaced."""
    if "\x00" in text:
        text = text.replace("\x00", "\ufffd")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= character <= "\udfff" else character for character in text)
    return text


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code == 0:
        return ""
    return chr(0x2400 + code) if code < 0x20 else "\N{REPLACEMENT CHARACTER}"
