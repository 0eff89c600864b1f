"""Sessions and lists as files for elsewhere: Markdown, HTML, JSON."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from textwrap import indent
from typing import Final, Literal, get_args

from nlm_tui.core import Session, one_line
from nlm_tui.core.secrets import mask
from nlm_tui.display.export.as_html import list_html, session_html
from nlm_tui.display.export.as_markdown import list_markdown, session_markdown
from nlm_tui.display.export.pages import Place, Row, entry, session_page
from nlm_tui.display.records import as_json, rows_json, session_json

__all__ = ["FORMATS", "Format", "Place", "Row", "exported_list", "exported_session", "file_name", "write_new"]

Format = Literal["markdown", "html", "json"]

FORMATS: Final[tuple[Format, ...]] = get_args(Format)

_ENDINGS: Final[dict[Format, str]] = {"markdown": ".md", "html": ".html", "json": ".json"}
_LONGEST_NAME = 60  # characters
_NAMES = 1000  # that are tried
_NO_NAME = re.compile(r"[\W_]+")
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)\Z")


def exported_session(  # noqa: PLR0913 - the last two are options, by name
    session: Session,
    form: Format,
    place: Place,
    labels: Mapping[str, str],
    *,
    problem: str | None = None,
    reveal: bool = False,
) -> str:
    """Return a session as a file of that format. `labels` holds those of other sessions by their ids.

    `problem` says why its source could not be read again.
    """
    if form == "json":
        return as_json(session_json(session, problem=problem, reveal=reveal)) + "\n"
    page = session_page(session, place, labels, reveal=reveal)
    return _text(session_markdown(page) if form == "markdown" else session_html(page))


def exported_list(title: str, rows: Iterable[Row], form: Format, place: Place) -> Iterator[str]:
    """Yield rows of a list as a file of that format, part by part, so that there may be any number of them."""
    title = mask(one_line(title))
    if form == "json":
        yield from _json_list(title, rows)
        return
    entries = (entry(row, place) for row in rows)
    for line in list_markdown(title, entries) if form == "markdown" else list_html(title, entries):
        yield f"{line}\n"


def _json_list(title: str, rows: Iterable[Row]) -> Iterator[str]:
    yield f'{{\n  "title": {as_json(title)},\n  "rows": ['
    comma = ""
    for row in rows_json(rows):
        yield f"{comma}\n{indent(as_json(row), '    ')}"
        comma = ","
    yield "\n  ]\n}\n"


def file_name(label: str, form: Format) -> str:
    """Return a name for a file that is exported: of letters and digits, for every system."""
    plain = unicodedata.normalize("NFKC", mask(one_line(label))).lower()
    stem = _NO_NAME.sub("-", plain).strip("-")[:_LONGEST_NAME].strip("-")
    if not stem or _RESERVED.match(stem):
        stem = f"session-{stem}".strip("-")
    return stem + _ENDINGS[form]


def write_new(path: Path, parts: Iterable[str]) -> Path:
    """Write a file that was not there; where one is, under the next free name. Return its path.

    Where `parts` come to no good end, none of them is kept.

    Raises:
        OSError: it cannot be written.
    """
    for number in range(1, _NAMES):
        free = path if number == 1 else path.with_name(f"{path.stem}-{number}{path.suffix}")
        try:
            file = free.open("x", encoding="utf-8", errors="replace", newline="\n")
        except FileExistsError:
            continue
        try:
            with file:
                file.writelines(parts)
        except BaseException:
            free.unlink(missing_ok=True)
            raise
        return free
    raise FileExistsError(17, "all names like it are taken", str(path))


def _text(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"
