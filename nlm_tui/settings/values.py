"""What the settings file and the environment say, checked against the table of keys."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, TypeVar, cast

from nlm_tui.settings.keys import KEYS, Key, SettingsError

T = TypeVar("T")
LARGEST_BYTES: Final = 65_536  # a file of this size is something else
_NEWLINE = "\n"
_SHOWN = 60  # characters of a wrong value that are repeated
_BY_NAME: Final[Mapping[str, Key[object]]] = {key.name: key for key in KEYS}


class Values:
    """The value of each key: from the environment, else from the file, else its default."""

    def __init__(self, given: Mapping[str, object]) -> None:
        self._given = given

    def __getitem__(self, key: Key[T]) -> T:
        return cast("T", self._given[key.name]) if key.name in self._given else key.default


def read_values(path: Path, environ: Mapping[str, str]) -> Values:
    """Return the settings of the file at `path`, which need not exist, and of `environ`, which wins.

    Raises:
        SettingsError: one of them is not as it must be.
    """
    return Values(_from_file(path) | dict(_from_environment(environ)))


def _from_environment(environ: Mapping[str, str]) -> Iterator[tuple[str, object]]:
    for key in KEYS:
        text = environ.get(key.variable, "").strip()
        if not text:
            continue
        try:
            yield key.name, key.check(key.from_text(text))
        except ValueError:
            raise SettingsError(f"{key.variable} {_wrong(key, text)}") from None


def _from_file(path: Path) -> dict[str, object]:
    text = _text_of(path)
    found: dict[str, object] = {}
    for name, value in _parsed(path, text).items():
        if name not in _BY_NAME:
            problem = f"there is no setting {shown(name)}{_near(name, _BY_NAME)}; settings: {', '.join(_BY_NAME)}"
            raise SettingsError(f"{path}, line {_line_of(name, text)}: {problem}")
        key = _BY_NAME[name]
        try:
            found[name] = key.check(value)
        except ValueError:
            raise SettingsError(f"{path}, line {_line_of(name, text)}: {name} {_wrong(key, value)}") from None
    return found


def _text_of(path: Path) -> str:
    try:
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


def _line_of(name: str, text: str) -> int:
    """Return the line on which the top-level key or table `name` begins first, in TOML that is valid."""
    import tomllib  # noqa: PLC0415

    lines = text.split(_NEWLINE)  # and nothing else ends a line of TOML
    start, in_table = 0, False
    for end in range(1, len(lines) + 1):
        statement = _NEWLINE.join(lines[start:end])
        try:
            keys = tomllib.loads(statement)
        except ValueError:  # goes on in the next line
            continue
        is_table = statement.lstrip().startswith("[")
        in_table = in_table or is_table
        if name in keys and (is_table or not in_table):
            return start + 1
        start = end
    return start + 1


def _wrong(key: Key[object], value: object) -> str:
    near = _near(value, key.choices) if isinstance(value, str) else ""
    return f"is {shown(value)}, but may be {key.allowed}{near}"


def _near(text: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    near = get_close_matches(text.casefold()[:_SHOWN], list(known), n=1)
    return f'; did you mean "{near[0]}"?' if near else ""


def shown(value: object) -> str:
    """Return `value` on one line, as the settings file would have it."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            short = value if len(value) <= _SHOWN else value[:_SHOWN] + "..."
            return '"' + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in short) + '"'
        case dict():
            return "a table"
        case list():
            return "a list"
        case _:
            text = str(value)
            return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
