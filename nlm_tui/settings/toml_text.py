"""Where things stand in a TOML file, and how its values are repeated in a message."""

from collections.abc import Iterator
from typing import Final, cast

SHOWN: Final = 60  # characters of a wrong value that are repeated
_NEWLINE = "\n"


def line_of(name: str, text: str) -> int:
    """Return the line on which the key or table `name` begins first, in TOML that is valid.

    `a.b` is b in the table a, `a[1].b` b in the second table of the list a.
    """
    import tomllib  # noqa: PLC0415 - most people have no such file

    lines = text.split(_NEWLINE)  # and nothing else ends a line of TOML
    start, table = 0, ""
    counts: dict[str, int] = {}  # of the tables in each list
    for end in range(1, len(lines) + 1):
        statement = _NEWLINE.join(lines[start:end])
        try:
            keys = tomllib.loads(statement)
        except ValueError:  # goes on in the next line
            continue
        if statement.lstrip().startswith("["):
            table = _table(next(dotted_names(keys)), counts, begins=statement.lstrip().startswith("[["))
            found = [table]
        else:
            found = [f"{table}.{key}" if table else key for key in dotted_names(keys)]
        if any(_holds(name, key) for key in found):
            return start + 1
        start = end
    return start + 1


def _table(name: str, counts: dict[str, int], *, begins: bool) -> str:
    """Return the name of a table with its place in a list, which it may begin."""
    for of_list, count in counts.items():
        if name.startswith(f"{of_list}."):
            return f"{of_list}[{count - 1}]{name.removeprefix(of_list)}"
    if not begins:
        return name
    counts[name] = counts.get(name, 0) + 1
    return f"{name}[{counts[name] - 1}]"


def _holds(name: str, key: str) -> bool:
    """Whether `name` is, or begins in, what `key` names; a list may be written as one value."""
    return key == name or key.startswith((f"{name}.", f"{name}[")) or name.startswith(f"{key}[")


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
            return "a list" if value else "an empty list"
        case _:
            text = str(value)
            return text if len(text) <= SHOWN else text[:SHOWN] + "..."
