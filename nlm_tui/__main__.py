"""The command, also as `python -m nlm_tui`. Ctrl+C ends it quietly from the first moment, also while it loads."""

import signal
from types import FrameType
from typing import Final, NoReturn

INTERRUPTED: Final = 130


def _leave(number: int, frame: FrameType | None) -> None:
    del number, frame
    raise SystemExit(INTERRUPTED)


def main() -> NoReturn:
    """Run the command line."""
    signal.signal(signal.SIGINT, _leave)
    from nlm_tui.cli import main as run  # noqa: PLC0415 - it takes a while

    run()


if __name__ == "__main__":
    main()
