"""What is told of indexing while it goes on, a line an event: from the process that does it to who asked for it."""

from dataclasses import asdict

import orjson

from nlm_tui.ingest.report import (
    EmbeddingProgress,
    EmbeddingReport,
    ExtractionProgress,
    ExtractionReport,
    IndexProgress,
    IndexReport,
    Recovered,
    Skipped,
    Unwanted,
)

Event = IndexProgress | IndexReport | EmbeddingProgress | EmbeddingReport | ExtractionProgress | ExtractionReport


class IndexingFailedError(Exception):
    """Indexing ended without a report; the text says why."""


def encode_event(event: Event) -> bytes:
    """Return an event as one line."""
    return orjson.dumps({_KINDS[type(event)]: asdict(event)}, option=orjson.OPT_APPEND_NEWLINE)


def decode_event(line: bytes) -> Event:
    """Return the event that `encode_event` wrote.

    Raises:
        IndexingFailedError: the line is no event.
    """
    try:
        ((kind, fields),) = orjson.loads(line).items()
        if kind == "report":
            fields["skipped"] = [Skipped(**skipped) for skipped in fields["skipped"]]
            fields["recovered"] = [Recovered(**recovered) for recovered in fields["recovered"]]
            fields["unwanted"] = [
                Unwanted(one["sessions"], one["project"], tuple(one["ids"])) for one in fields["unwanted"]
            ]
        return _TYPES[kind](**fields)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise IndexingFailedError("the indexing process wrote something unexpected") from error


_TYPES: dict[str, type[Event]] = {
    "progress": IndexProgress,
    "report": IndexReport,
    "embedding": EmbeddingProgress,
    "embedded": EmbeddingReport,
    "extraction": ExtractionProgress,
    "extracted": ExtractionReport,
}
_KINDS = {kind: name for name, kind in _TYPES.items()}
