"""What the screen says about indexing."""

from collections.abc import AsyncIterator, Callable

from nlm_tui.display.words import counted, duration
from nlm_tui.ingest.events import Event, IndexingFailedError
from nlm_tui.ingest.report import (
    EmbeddingProgress,
    EmbeddingReport,
    ExtractionProgress,
    ExtractionReport,
    IndexProgress,
    IndexReport,
)

_REFRESH_SECONDS = 1.0  # between two looks at what indexing has added
_EMBEDDING_SECONDS = 10.0  # the same for vectors: they change the order of hits, and come for minutes
_MINUTE = 60
_SHOWN_PROBLEMS = 1  # the shell lists all


class IndexNews:
    """The latest word of indexing: of a first run over all, then of what is written meanwhile."""

    def __init__(self, text: str = "") -> None:
        self._read = text
        self._embedded = self._extracted = ""
        self._is_embedded = False
        self._reported = self._being_read = self._vectors = self._looked_at = 0
        self.finished = False

    @property
    def text(self) -> str:
        """What to say."""
        return "   ".join(filter(None, (self._read, self._embedded, self._extracted)))

    @property
    def embeds(self) -> bool:
        """Whether sessions are being made findable by meaning."""
        return bool(self._embedded) and not self._is_embedded

    async def follow(self, run: AsyncIterator[Event], clock: Callable[[], float]) -> AsyncIterator[bool]:
        """Take the news of a run, and say each time whether to look at what was added since the last look."""
        sessions = vectors = 0  # when it was looked last
        looked = 0.0
        try:
            async for news in run:
                self.take(news)
                now = clock()
                ends = isinstance(news, IndexReport | ExtractionReport)  # nothing may follow
                pause = 0.0 if ends else _REFRESH_SECONDS
                is_read = self._sessions > sessions and now - looked >= pause
                due = is_read or (self._vectors > vectors and now - looked >= _EMBEDDING_SECONDS)
                if due:
                    sessions, vectors, looked = self._sessions, self._vectors, now
                yield due
        except IndexingFailedError as error:
            self.fail(str(error))
        yield self._sessions > sessions or self._vectors > vectors

    @property
    def _sessions(self) -> int:
        """How often a session was read, found gone or looked at by a model, in all runs."""
        return self._reported + self._being_read + self._looked_at

    def take(self, news: Event) -> None:
        """Learn how far the run is, or what it did."""
        match news:
            case IndexProgress():
                self._being_read = news.changed
                if not self.finished:
                    self._embedded = ""
                    self._read = f"indexing {news.done:,} of {news.total:,}" if news.total else self._read
            case IndexReport():
                self._reported += news.new + news.updated + news.gone
                self._being_read = 0
                if not self.finished:
                    self._read = _report(news)
                elif news.new:
                    self._read = counted(news.new, "new session")
                self.finished = True
            case EmbeddingProgress():
                self._is_embedded = False
                self._vectors += news.done > 0
                left = _time_left(news.seconds_left)
                self._embedded = f"by meaning: {news.done:,} of {news.total:,} passages{left}"
            case EmbeddingReport():
                self.finished = self._is_embedded = True
                self._embedded = "   ".join(f"by meaning: {problem}" for problem in news.problems)
            case ExtractionProgress():
                self._looked_at += news.done > 0
                left = _time_left(news.seconds_left)
                self._extracted = f"by model: {news.done:,} of {counted(news.total, 'session')}{left}"
            case ExtractionReport():
                self._extracted = "   ".join(f"by model: {problem}" for problem in news.problems[:_SHOWN_PROBLEMS])

    def fail(self, reason: str) -> None:
        """Learn that the run failed."""
        self.finished = True
        self._read, self._embedded, self._extracted = f"indexing failed: {reason}", "", ""


def _report(report: IndexReport) -> str:
    parts = [
        counted(report.new, "new session") if report.new else "",
        f"{report.updated:,} updated" if report.updated else "",
        f"{counted(len(report.skipped), 'file')} skipped (nlm-tui index lists them)" if report.skipped else "",
    ]
    return "   ".join(part for part in parts if part)


def _time_left(seconds: float | None) -> str:
    """Return `, 3 min left`, in minutes, so that it changes rarely; nothing where that is not known."""
    if seconds is None:
        return ""
    if seconds < _MINUTE:
        return ", less than a minute left"
    return f", {duration(round(seconds / _MINUTE))} left"
