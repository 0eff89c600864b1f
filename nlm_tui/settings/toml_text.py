"""Where things stand in a TOML file, and how its values are repeated in a message."""

from collections.abc import Iterator
from typing import Final, cast

SHOWN: Final = 60  # characters of a wrong value that are repeated
_NEWLINE = "\n"


def line_of(name: str, text: str) -> int:
    """Return the line on which the key or table `name` begins first, in TOML that is valid; `a.b` is b in table a."""
    import tomllib  # noqa: PLC0415 - most people have no such file

    lines = text.split(_NEWLINE)  # and nothing else ends a line of TOML
    start, table = 0, ""
    for end in range(1, len(lines) + 1):
        statement = _NEWLINE.join(lines[start:end])
        try:
            keys = tomllib.loads(statement)
        except ValueError:  # goes on in the next line
            continue
        if statement.lstrip().startswith("["):
            table = next(dotted_names(keys))
            found = [table]
        else:
            found = [f"{table}.{key}" if table else key for key in dotted_names(keys)]
        if any(key == name or key.startswith(f"{name}.") for key in found):
            return start + 1
        start = end
    return start + 1


def dotted_names(value: dict[str, object]) -> Iterator[str]:
    """Yield the name of each value in a table and in the tables within it."""
    for name, _ in dotted(value):
        yield name


def dotted(value: dict[str, object]) -> Iterator[tuple[str, object]]:
    """Yield each value in a table and in the tables within it, with its name; an empty table is one."""
    for name, inner in value.items():
        if isinstance(inner, dict) and inner:
            for rest, found in dotted(cast("dict[str, object]", inner)):
                yield f"{name}.{rest}", found
        else:
            yield name, inner


def shown(value: object) -> str:
    """Return `value` on one line, as the settings file would have it."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            short = value if len(value) <= SHOWN else value[:SHOWN] + "..."
            return '"' + "".join(c if c.isprintable() else ascii(c)[1:-1] for c in short) + '"'
        case dict():
            return "a table"
        case list():
            return "a list"
        case _:
            text = str(value)
            return text if len(text) <= SHOWN else text[:SHOWN] + "..."
