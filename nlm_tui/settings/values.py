"""What the settings file and the environment say, checked against the table of keys."""

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar, cast

from nlm_tui.settings.keybindings import OWN_KEYS, KeyBinding, key_bindings
from nlm_tui.settings.keys import KEYS, Key, SettingsError
from nlm_tui.settings.toml_text import SHOWN, line_of, shown

T = TypeVar("T")
LARGEST_BYTES: Final = 65_536  # a file of this size is something else
_NEWLINE = "\n"
_BY_NAME: Final[Mapping[str, Key[object]]] = {key.name: key for key in KEYS}


class Values:
    """The value of each key: from the environment, else from the file, else its default."""

    def __init__(self, given: Mapping[str, object], key_bindings: Sequence[KeyBinding] = ()) -> None:
        self._given = given
        self.key_bindings = tuple(key_bindings)

    def __getitem__(self, key: Key[T]) -> T:
        return cast("T", self._given[key.name]) if key.name in self._given else key.default


def read_values(path: Path, environ: Mapping[str, str]) -> Values:
    """Return the settings of the file at `path`, which need not exist, and of `environ`, which wins.

    Raises:
        SettingsError: some of them are not as they must be; all are named.
    """
    problems: list[str] = []
    given, own_keys = _from_file(path, problems)
    values = Values(given | dict(_from_environment(environ, problems)), own_keys)
    if problems:
        raise SettingsError(*problems, own_keys=own_keys)
    return values


def _from_environment(environ: Mapping[str, str], problems: list[str]) -> Iterator[tuple[str, object]]:
    for key in KEYS:
        text = environ.get(key.variable, "").strip()
        if not text:
            continue
        try:
            yield key.name, key.check(key.from_text(text))
        except ValueError:
            problems.append(f"{key.variable} {_wrong(key, text)}")


def _from_file(path: Path, problems: list[str]) -> tuple[dict[str, object], list[KeyBinding]]:
    text = _text_of(path)
    found: dict[str, object] = {}
    own_keys: list[KeyBinding] = []
    for name, value in _parsed(path, text).items():
        if name == OWN_KEYS:
            own_keys += key_bindings(value, path, text, problems)
            continue
        if name not in _BY_NAME:
            known = [*_BY_NAME, OWN_KEYS]
            problem = f"there is no setting {shown(name)}{_near(name, known)}; settings: {', '.join(known)}"
            problems.append(f"{path}, line {line_of(name, text)}: {problem}")
            continue
        key = _BY_NAME[name]
        try:
            found[name] = key.check(value)
        except ValueError:
            problems.append(f"{path}, line {line_of(name, text)}: {name} {_wrong(key, value)}")
    return found, own_keys


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


def _wrong(key: Key[object], value: object) -> str:
    near = _near(value, key.choices) if isinstance(value, str) else ""
    return f"is {shown(value)}, but may be {key.allowed}{near}"


def _near(text: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    near = get_close_matches(text.casefold()[:SHOWN], list(known), n=1)
    return f'; did you mean "{near[0]}"?' if near else ""
