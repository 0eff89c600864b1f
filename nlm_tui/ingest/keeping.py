"""Whether what was read anew takes the place of what the memory has: not where it says less of the same."""

import os
from collections.abc import Collection, Sequence

from nlm_tui.core import Message, Session
from nlm_tui.ingest.ports import Source, SourceState

_SHORTER = "shorter than what was read from {}; the memory keeps that"
_ITSELF = _SHORTER.format("it")
_LEFT_OUT = "note"  # the role of what stands for messages that were too many


def reason_to_keep(
    held: Session, new: Session, source: Source, known: SourceState | None, there: Collection[str]
) -> str | None:
    """Return why the memory keeps `held`, and not the `new` reading of the same session; None where it does not.

    `known` is what was known of its `source` before, `there` are the paths of files that are there as they were read.
    """
    path = held.transcript_path or ""
    if path == new.transcript_path or _leads_to(path, source):
        was_cut = known is not None and _may_be_cut(source, known, new)
        return _ITSELF if was_cut and _says_less(new.messages, held.messages) else None
    if path in there and not held.source_gone:
        return f"a copy of {path}" if _is_within(new.messages, held.messages) else None
    return _SHORTER.format(path) if path and _says_less(new.messages, held.messages) else None


def _may_be_cut(source: Source, known: SourceState, new: Session) -> bool:
    """Return whether a file lost something: what an agent adds to is as long as before, and no more damaged."""
    if known.reason == _ITSELF:
        return True
    has_changed = (source.size, source.mtime_ns) != (known.size, known.mtime_ns)
    return has_changed and (source.size <= known.size or new.details.bad_lines > known.bad_lines)


def _leads_to(path: str, source: Source) -> bool:
    """Return whether `path` is that of a link to a source."""
    return bool(path) and source.file is not None and os.path.realpath(path) == str(source.path)


def _says_less(new: Sequence[Message], held: Sequence[Message]) -> bool:
    """Return whether all of `new` was said in `held` in this order, and more; its last message may be cut short."""
    told = [(message.role, message.text) for message in held]
    *first, last = [(message.role, message.text) for message in new]
    if [*first, last] == told:
        return False
    whole = next((place for place, (role, _) in enumerate(told) if role == _LEFT_OUT), 0)
    if whole and [*first, last][:whole] == told[:whole]:
        return _length(new) < _length(held)  # what comes then may be what is left out there
    left = iter(told)
    return all(said in left for said in first) and any(
        role == last[0] and text.startswith(last[1]) for role, text in left
    )


def _is_within(new: Sequence[Message], held: Sequence[Message]) -> bool:
    """Return whether all of `new` was said in `held` in this order, and what was taken back is the same."""
    left = iter([(message.role, message.text, message.withdrawn) for message in held])
    return all((message.role, message.text, message.withdrawn) in left for message in new)


def _length(messages: Sequence[Message]) -> int:
    return sum(len(message.text) for message in messages)
