"""Where things are: the store, the log, the home folder; from the environment that is passed in."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

APP = "nlm-tui"
STORE_VARIABLE = "NLM_DB_PATH"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the program needs to know about this machine and user."""

    store_path: Path
    log_path: Path
    home: Path
    environ: Mapping[str, str]

    @classmethod
    def resolve(cls, environ: Mapping[str, str], store: Path | None = None) -> "Settings":
        """Return the settings: the store from `store`, else from NLM_DB_PATH, else in the platform's data folder."""
        chosen = store or (Path(environ[STORE_VARIABLE]) if environ.get(STORE_VARIABLE) else None)
        return cls(
            store_path=(chosen or default_store_path()).expanduser(),
            log_path=default_log_path(),
            home=Path.home(),
            environ=environ,
        )


def default_store_path() -> Path:
    """Return where the store is when nobody says otherwise."""
    import platformdirs  # noqa: PLC0415 - needed only here

    return platformdirs.user_data_path(APP, appauthor=False) / "memory.sqlite"


def default_log_path() -> Path:
    """Return the file that errors are logged to."""
    import platformdirs  # noqa: PLC0415 - needed only here

    return platformdirs.user_log_path(APP, appauthor=False) / "nlm-tui.log"
