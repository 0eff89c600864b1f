"""What the screen says about indexing."""

from collections.abc import AsyncIterator, Callable

from nlm_tui.display.words import counted
from nlm_tui.ingest.background import IndexingFailedError
from nlm_tui.ingest.report import IndexProgress, IndexReport

_REFRESH_SECONDS = 1.0  # between two looks at what indexing has added


class IndexNews:
    """The latest word of a run of indexing."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.changed = 0
        self.finished = False

    async def follow(
        self, run: AsyncIterator[IndexProgress | IndexReport], clock: Callable[[], float]
    ) -> AsyncIterator[bool]:
        """Take the news of a run, and say each time whether to look at what was added since the last look."""
        seen = looked = 0.0
        try:
            async for news in run:
                self.take(news)
                now = clock()
                due = self.changed > seen and now - looked >= _REFRESH_SECONDS
                if due:
                    seen, looked = self.changed, now
                yield due
        except IndexingFailedError as error:
            self.fail(str(error))
        yield self.changed > seen

    def take(self, news: IndexProgress | IndexReport) -> None:
        """Learn how far the run is, or what it did."""
        if isinstance(news, IndexProgress):
            self.changed = news.changed
            if news.total:
                self.text = f"indexing {news.done:,} of {news.total:,}"
            return
        self.finished = True
        self.changed = news.new + news.updated
        parts = [
            counted(news.new, "new session") if news.new else "",
            f"{news.updated:,} updated" if news.updated else "",
            f"{counted(len(news.skipped), 'file')} skipped (nlm-tui index lists them)" if news.skipped else "",
        ]
        self.text = "   ".join(part for part in parts if part)

    def fail(self, reason: str) -> None:
        """Learn that the run failed."""
        self.finished = True
        self.text = f"indexing failed: {reason}"
