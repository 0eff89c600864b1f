"""The log: one small file for what went wrong, without a word of any transcript."""

import logging
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path

_LOGGER = logging.getLogger("nlm_tui")
_LARGEST_BYTES = 500_000


def set_up(path: Path) -> None:
    """Log to `path` and one older file beside it; where that is not possible, nowhere."""
    _LOGGER.propagate = False
    _LOGGER.setLevel(logging.INFO)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(path, maxBytes=_LARGEST_BYTES, backupCount=1, encoding="utf-8", delay=True)
    except OSError:
        _LOGGER.addHandler(logging.NullHandler())
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logging.raiseExceptions = False  # a full disk must not print over the screen
    _LOGGER.addHandler(handler)


def log_failure(message: str) -> None:
    """Log an expected failure."""
    _LOGGER.error("%s", message)


def log_crash(error: BaseException) -> None:
    """Log where an unexpected error arose. Its own text stays out: it may quote a transcript."""
    frames = "".join(traceback.format_tb(error.__traceback__))
    _LOGGER.error("%s\n%s", type(error).__name__, frames)
