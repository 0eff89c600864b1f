"""What is read and from where: the tables `sources` and `generic` of the settings file."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Final, Literal, NamedTuple, cast, get_args

from nlm_tui.settings.elements import WrongElementError, words
from nlm_tui.settings.keys import TRUE_OR_FALSE, Key, truth
from nlm_tui.settings.places import expanded
from nlm_tui.settings.tables import SettingsFile
from nlm_tui.settings.toml_text import shown

SOURCES: Final = "sources"
GENERIC: Final = "generic"
RUNTIMES: Final = (
    *("claude-code", "codex", "gemini-cli", "opencode", "pi", "copilot-cli", "cursor", "aider", "qwen-code", "goose"),
    *("amp", "hermes", "windsurf", "droid"),
)
"""The runtimes whose transcripts can be read without being described."""

GenericFormat = Literal["jsonl", "markdown"]

_FORMATS: Final[tuple[GenericFormat, ...]] = get_args(GenericFormat)
_NAME_FORM = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_A_NAME = 'small letters, digits and dashes, as in "my-agent", but not the name of a runtime that is known'
_A_FIELD = 'the name of a field, as in "message.text", or a list of names'
_ROLE_VALUES = 'a value, as in "user", or a list of values'
_BEGINNINGS = 'how the line begins, as in "## User", or a list of beginnings'
_FOLDERS = 'a list of folders from the root or `~`, as in ["~/logs"]'
_PATTERNS = 'a list of paths and names, as in ["~/private", "client-*"]'


@dataclass(frozen=True, slots=True)
class RuntimeSettings:
    """How one runtime is read; without `roots`, where it keeps its transcripts itself."""

    enabled: bool = True
    roots: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class JsonlFields:
    """Where the records of a runtime have what counts: of several fields, the first that is there.

    A field within another is named with dots. `session` is what tells sessions in one file apart; without it, a file
    is one session.
    """

    role: tuple[str, ...] = ("role",)
    text: tuple[str, ...] = ("content", "text")
    time: tuple[str, ...] = ("timestamp",)
    session: tuple[str, ...] = ()
    title: tuple[str, ...] = ()
    cwd: tuple[str, ...] = ("cwd",)
    user_roles: tuple[str, ...] = ("user", "human")
    assistant_roles: tuple[str, ...] = ("assistant", "ai", "agent", "model")


@dataclass(frozen=True, slots=True)
class MarkdownTurns:
    """How the lines begin that begin a turn."""

    user: tuple[str, ...] = ("## User",)
    assistant: tuple[str, ...] = ("## Assistant",)


@dataclass(frozen=True, slots=True)
class GenericSettings:
    """A runtime that the user describes: its name, the folders of its transcripts, their names and what is in them."""

    name: str
    roots: tuple[Path, ...]
    files: str
    form: JsonlFields | MarkdownTurns


class NamedRoots(NamedTuple):
    """Folders that the user named for a runtime, and the key of the settings file that does so."""

    runtime: str
    roots: tuple[Path, ...]
    key: str


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """What is read. `exclude` and `exclude_projects` are patterns of paths, as `Policy` takes them."""

    tool_output: bool = True
    subagents: bool = False
    exclude: tuple[str, ...] = ()
    exclude_projects: tuple[str, ...] = ()
    runtimes: Mapping[str, RuntimeSettings] = field(default_factory=dict[str, RuntimeSettings])
    generic: tuple[GenericSettings, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The runtimes that are read."""
        return (*(name for name in RUNTIMES if self.of(name).enabled), *(described.name for described in self.generic))

    @property
    def off(self) -> tuple[str, ...]:
        """The runtimes that are not to be read."""
        return tuple(name for name in RUNTIMES if not self.of(name).enabled)

    @property
    def named_roots(self) -> tuple[NamedRoots, ...]:
        """The folders that are named, by runtime."""
        known = (NamedRoots(name, self.of(name).roots, f"{SOURCES}.{name}.{_ROOTS.name}") for name in RUNTIMES)
        described = enumerate(self.generic)
        return (
            *(each for each in known if each.roots),
            *(NamedRoots(one.name, one.roots, f"{GENERIC}[{number}].{_ROOTS.name}") for number, one in described),
        )

    def of(self, runtime: str) -> RuntimeSettings:
        """Return how `runtime` is read."""
        return self.runtimes.get(runtime, RuntimeSettings())


def source_settings(tables: Mapping[str, object], file: SettingsFile) -> SourceSettings:
    """Return what the tables `sources` and `generic` among `tables` say; what is wrong is noted in `file`."""
    table = file.table(tables.get(SOURCES, {}), SOURCES)
    values = file.checked(table, (_TOOL_OUTPUT, _SUBAGENTS, _EXCLUDE, _EXCLUDE_PROJECTS), SOURCES, others=RUNTIMES)
    return SourceSettings(
        values[_TOOL_OUTPUT],
        values[_SUBAGENTS],
        values[_EXCLUDE],
        values[_EXCLUDE_PROJECTS],
        {name: _runtime(table[name], f"{SOURCES}.{name}", file) for name in RUNTIMES if name in table},
        tuple(_generic(tables.get(GENERIC, []), file)),
    )


def _runtime(value: object, place: str, file: SettingsFile) -> RuntimeSettings:
    values = file.checked(file.table(value, place), (_ENABLED, _ROOTS), place)
    return RuntimeSettings(values[_ENABLED], values[_ROOTS])


def _generic(value: object, file: SettingsFile) -> Iterator[GenericSettings]:
    """Yield the runtimes that are described; each has a name and roots of its own."""
    if not isinstance(value, list):
        file.wrong(GENERIC, f'{GENERIC} is {shown(value)}, but must be tables, each begun by "[[{GENERIC}]]"')
        return
    names: set[str] = set()
    for number, table in enumerate(cast("list[object]", value)):
        place = f"{GENERIC}[{number}]"
        if not isinstance(table, dict):
            file.wrong(place, f'{GENERIC} holds {shown(table)}, but may hold tables, each begun by "[[{GENERIC}]]"')
            continue
        described = _described(cast("dict[str, object]", table), place, file)
        if described.name and described.name in names:
            file.wrong(f"{place}.{_NAME.name}", f"another {GENERIC} has the name {shown(described.name)}")
        names.add(described.name)
        yield described


def _described(table: Mapping[str, object], place: str, file: SettingsFile) -> GenericSettings:
    is_markdown = table.get(_FORMAT.name) == "markdown"
    own = _MARKDOWN_KEYS if is_markdown else _JSONL_KEYS
    values = file.checked(table, (_NAME, _ROOTS, _FORMAT, _FILES, *own), place)
    for key in (_NAME, _ROOTS):
        if key.name not in table:
            file.wrong(place, f"{GENERIC} has no {key.name}, which may be {key.allowed}")
    given = {key.name: values[key] for key in own}
    for user, assistant in _OPPOSED:
        if user in given:
            _tell_apart(given, (user, assistant), table, place, file)
    form = MarkdownTurns(**given) if is_markdown else JsonlFields(**given)
    files = values[_FILES] or ("*.md" if is_markdown else "*.jsonl")
    return GenericSettings(values[_NAME], values[_ROOTS], files, form)


def _tell_apart(
    given: dict[str, tuple[str, ...]],
    keys: tuple[str, str],
    table: Mapping[str, object],
    place: str,
    file: SettingsFile,
) -> None:
    """Take what both of two keys have from the one that is not in `table`; where both are, that is noted."""
    user, assistant = keys
    both = {_compared(word) for word in given[user]} & {_compared(word) for word in given[assistant]}
    unsaid = [key for key in keys if key not in table]
    if both and not unsaid:
        word = next(word for word in given[user] if _compared(word) in both)
        file.wrong(f"{place}.{assistant}", f"{user} and {assistant} both have {shown(word)}, which can mean only one")
    for key in unsaid:
        given[key] = tuple(word for word in given[key] if _compared(word) not in both)


def _compared(word: str) -> str:
    return word.strip().casefold()


def _name(value: object) -> str:
    if isinstance(value, str) and _NAME_FORM.fullmatch(value) and value not in RUNTIMES:
        return value
    raise ValueError


def _format(value: object) -> GenericFormat:
    for choice in _FORMATS:
        if value == choice:
            return choice
    raise ValueError


def _words_of(value: object) -> tuple[str, ...]:
    """Return a text, or a list of some, as texts."""
    found = (_text(value),) if isinstance(value, str) else words(value)
    if not found:
        raise ValueError
    return found


def _text(value: object) -> str:
    if isinstance(value, str) and value.strip() and "\0" not in value:
        return value
    raise ValueError


def _file_name(value: object) -> str:
    name = _text(value)
    if "/" in name or "\\" in name:
        raise ValueError
    return name


def _folders(value: object) -> tuple[Path, ...]:
    found = words(value)
    if not found:
        raise ValueError
    folders = tuple(expanded(Path(word)) for word in found)
    for number, folder in enumerate(folders, 1):
        if not folder.is_absolute():
            raise WrongElementError(number, found[number - 1], "which is no path from the root or a home folder")
    return folders


def _patterns(value: object) -> tuple[str, ...]:
    return tuple(str(expanded(Path(word))) if word.startswith("~") else word for word in words(value))


def _keys(form: type[JsonlFields | MarkdownTurns], allowed: str) -> list[Key[tuple[str, ...]]]:
    return [
        Key(
            name=each.name,
            default=cast("tuple[str, ...]", each.default),
            check=_words_of,
            allowed=_ROLE_VALUES if each.name.endswith("_roles") else allowed,
            description="what is read for it",
        )
        for each in fields(form)
    ]


_TOOL_OUTPUT: Final = Key(
    "tool_output",
    default=True,
    check=truth,
    allowed=TRUE_OR_FALSE,
    description="whether the beginning of what tools put out is kept",
)
_SUBAGENTS: Final = Key(
    "subagents",
    default=False,
    check=truth,
    allowed=TRUE_OR_FALSE,
    description="whether lists show the sessions of subagents",
)
_EXCLUDE: Final = Key("exclude", (), _patterns, _PATTERNS, "transcripts that are not read")
_EXCLUDE_PROJECTS: Final = Key("exclude_projects", (), _patterns, _PATTERNS, "projects whose sessions are not kept")
_ENABLED: Final = Key("enabled", default=True, check=truth, allowed=TRUE_OR_FALSE, description="whether it is read")
_ROOTS: Final = Key("roots", (), _folders, _FOLDERS, "where the transcripts are")
_NAME: Final = Key("name", "", _name, _A_NAME, "what the runtime is called")
_FORMAT: Final[Key[GenericFormat]] = Key(
    "format", "jsonl", _format, '"jsonl" or "markdown"', "what the files hold", choices=_FORMATS
)
_FILES: Final = Key("files", "", _file_name, 'a pattern of file names, as in "*.jsonl"', "which files are transcripts")
_JSONL_KEYS: Final = _keys(JsonlFields, _A_FIELD)
_MARKDOWN_KEYS: Final = _keys(MarkdownTurns, _BEGINNINGS)
_OPPOSED: Final = (("user", "assistant"), ("user_roles", "assistant_roles"))  # pairs of keys
