"""The log: one small file for what went wrong, without a word of any transcript."""

import logging
from functools import lru_cache
from pathlib import Path

_LARGEST_BYTES = 500_000


def log_failure(path: Path, message: str) -> None:
    """Log an expected failure."""
    _logger(path).error("%s", message)


def log_crash(path: Path, error: BaseException) -> None:
    """Log where an unexpected error arose. Its own text stays out: it may quote a transcript."""
    import traceback  # noqa: PLC0415 - only a crash needs it

    frames = "".join(traceback.format_tb(error.__traceback__))
    _logger(path).error("%s\n%s", type(error).__name__, frames)


@lru_cache(maxsize=1)
def _logger(path: Path) -> logging.Logger:
    """Return a logger to `path` and one older file beside it; where that is not possible, to nowhere."""
    from logging.handlers import RotatingFileHandler  # noqa: PLC0415 - most runs log nothing

    logger = logging.Logger("nlm_tui", logging.INFO)  # noqa: LOG001 - one that no other settings reach
    handler: logging.Handler
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=_LARGEST_BYTES, backupCount=1, encoding="utf-8", delay=True)
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    handler.handleError = lambda record: None  # noqa: ARG005 - a full disk must not print over the screen
    logger.addHandler(handler)
    return logger
