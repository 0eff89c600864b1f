"""Where things are: the store, the log, the settings file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

APP: Final = "nlm-tui"
STORE_VARIABLE: Final = "NLM_DB_PATH"
CONFIG_VARIABLE: Final = "NLM_CONFIG"
STATE_VARIABLE: Final = "NLM_STATE_PATH"


def store_path(environ: Mapping[str, str], store: Path | None = None) -> Path:
    """Return the store to use: `store`, else NLM_DB_PATH, else the default."""
    return expanded(store or _named(environ, STORE_VARIABLE) or default_store_path())


def is_store_named(environ: Mapping[str, str], store: Path | None = None) -> bool:
    """Return whether somebody says where the store is."""
    return bool(store or _named(environ, STORE_VARIABLE))


def config_path(environ: Mapping[str, str]) -> Path:
    """Return the settings file, which need not exist: NLM_CONFIG, else the one in the platform's folder."""
    named = _named(environ, CONFIG_VARIABLE)
    if named:
        return expanded(named)
    import platformdirs  # noqa: PLC0415 - slow to load

    return platformdirs.user_config_path(APP, appauthor=False) / "config.toml"


def state_path(environ: Mapping[str, str]) -> Path:
    """Return the file of what the screen remembers: NLM_STATE_PATH, else the one in the platform's folder."""
    named = _named(environ, STATE_VARIABLE)
    if named:
        return expanded(named)
    import platformdirs  # noqa: PLC0415 - slow to load

    return platformdirs.user_state_path(APP, appauthor=False) / "state.json"


def default_store_path() -> Path:
    """Return where the store is when nobody says otherwise."""
    import platformdirs  # noqa: PLC0415 - needed only here

    return platformdirs.user_data_path(APP, appauthor=False) / "memory.sqlite"


def default_log_path() -> Path:
    """Return the file that errors are logged to."""
    import platformdirs  # noqa: PLC0415 - needed only here

    return platformdirs.user_log_path(APP, appauthor=False) / "nlm-tui.log"


def expanded(path: Path) -> Path:
    """Return `path` with the home folder for `~`; as it is where there is no such home."""
    try:
        return path.expanduser()
    except RuntimeError:
        return path


def _named(environ: Mapping[str, str], variable: str) -> Path | None:
    return Path(environ[variable]) if environ.get(variable) else None
