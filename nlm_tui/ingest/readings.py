"""The state of reading files that grow while somebody watches."""

from collections import OrderedDict

from nlm_tui.ingest.ports import GrowingReader, Reader, Reading, Source, Transcript

_MOST = 6  # each holds a conversation


class Readings:
    """Reads sources; where it `lasts`, of those that are read again only what was added since."""

    def __init__(self, *, lasts: bool) -> None:
        self._lasts = lasts
        self._open: OrderedDict[str, Reading] = OrderedDict()

    def read(self, reader: Reader, source: Source, *, again: bool) -> Transcript | None:
        """Return what is in a source, which the memory knows already where it is read `again`.

        Raises:
            TranscriptError: it is no transcript, or cannot be read as one.
            OSError: it cannot be opened.
        """
        if not (self._lasts and again and isinstance(reader, GrowingReader)):
            return reader.read(source)
        reading = self._open.pop(source.key, None)
        if reading is None or not reading.grow(source):
            reading = reader.open(source)
        transcript = reading.transcript()
        self._open[source.key] = reading
        if len(self._open) > _MOST:
            self._open.popitem(last=False)
        return transcript
