"""What the settings file and the environment say, checked against the table of keys."""

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nlm_tui.settings.keybindings import OWN_KEYS, KeyBinding, key_bindings
from nlm_tui.settings.keys import KEYS, SettingsError
from nlm_tui.settings.sources import GENERIC, SOURCES, SourceSettings, source_settings
from nlm_tui.settings.tables import SettingsFile, Values, wrong_value
from nlm_tui.settings.toml_text import line_of

LARGEST_BYTES: Final = 65_536  # a file of this size is something else
_NEWLINE = "\n"


@dataclass(frozen=True, slots=True)
class Given:
    """What the settings file and the environment say; a variable wins over the file.

    `source_problems` say what is wrong in what is said of sources: the rest of that holds.
    """

    values: Values
    key_bindings: tuple[KeyBinding, ...]
    sources: SourceSettings
    source_problems: tuple[str, ...] = ()


def read_settings(path: Path, environ: Mapping[str, str], *, reads: bool = True) -> Given:
    """Return the settings of the file at `path`, which need not exist, and of `environ`.

    Raises:
        SettingsError: some of them are not as they must be; all are named. What is wrong in what is said of sources is
            no reason for who `reads` none.
    """
    text = _text_of(path)
    file = SettingsFile(path, text, [])
    tables = _parsed(path, text)
    values = file.checked(tables, KEYS, others=(OWN_KEYS, SOURCES, GENERIC))
    own_keys = tuple(key_bindings(tables.get(OWN_KEYS, {}), path, text, file.problems))
    sources = source_settings(tables, of_sources := SettingsFile(path, text, []))
    of_variables: list[str] = []
    values |= dict(_from_environment(environ, of_variables))
    if file.problems or of_variables or (reads and of_sources.problems):
        raise SettingsError(*file.problems, *of_sources.problems, *of_variables, own_keys=own_keys)
    return Given(values, own_keys, sources, tuple(of_sources.problems))


def place_of(name: str, path: Path) -> str:
    """Return where in the settings file at `path` the key or table `name` stands."""
    try:
        return f"{path}, line {line_of(name, _text_of(path))}"
    except SettingsError:  # it was replaced since it was read
        return str(path)


def _from_environment(environ: Mapping[str, str], problems: list[str]) -> Iterator[tuple[str, object]]:
    for key in KEYS:
        text = environ.get(key.variable, "").strip()
        if not text:
            continue
        try:
            yield key.name, key.check(key.from_text(text))
        except ValueError:
            problems.append(f"{key.variable} {wrong_value(key, text)}")


def _text_of(path: Path) -> str:
    try:
        _require_regular(path)
        with path.open("rb") as file:
            content = file.read(LARGEST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, ValueError) as error:
        reason = "it is a folder" if path.is_dir() else getattr(error, "strerror", None) or str(error)
        raise SettingsError(f"{path}: the settings cannot be read: {reason}") from error
    if len(content) > LARGEST_BYTES:
        raise SettingsError(f"{path}: this is no settings file: it has more than {LARGEST_BYTES:,} bytes")
    try:
        return content.decode("utf-8-sig")  # some editors begin UTF-8 with a mark
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{path}, line {line}: the settings must be UTF-8 text") from error


def _require_regular(path: Path) -> None:
    """Refuse what is no file: to open a named pipe would wait for somebody to write into it.

    Raises:
        OSError: it is another thing, or cannot be looked at.
    """
    if not stat.S_ISREG(path.stat().st_mode) and str(path) != os.devnull:
        raise OSError(errno.EINVAL, "it is no regular file")


def _parsed(path: Path, text: str) -> dict[str, object]:
    if not text:
        return {}
    import tomllib  # noqa: PLC0415 - most people have no such file

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        problem, _, place = str(error).rpartition(" (at ")
        line = place.partition(",")[0] if place.startswith("line ") else f"line {text.rstrip().count(_NEWLINE) + 1}"
        hint = ' (text stands in quotes, as in embedder = "auto")' if problem == "Invalid value" else ""
        raise SettingsError(f"{path}, {line}: this is no TOML: {problem}{hint}") from error
    except (ValueError, RecursionError) as error:
        problem = "a number is too long" if isinstance(error, ValueError) else "it is nested too deeply"
        raise SettingsError(f"{path}: this TOML cannot be read: {problem}") from error
