"""What the screen says about indexing."""

from nlm_tui.display.words import counted
from nlm_tui.ingest.report import IndexProgress, IndexReport


class IndexNews:
    """The latest word of a run of indexing."""

    def __init__(self, text: str = "") -> None:
        self.text = text
        self.changed = 0
        self.finished = False

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
