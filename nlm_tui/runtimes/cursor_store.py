"""What the editors made from VS Code share: their folder, key-value databases, and workspaces with a folder each."""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from nlm_tui.ingest.ports import Source
from nlm_tui.runtimes.databases import Database, bounded, database_source, parsed
from nlm_tui.runtimes.jsonl import Record, as_dict, as_text, entries, parse_json

STATE = "state.vscdb"

_ITEM = f"SELECT rowid, {bounded('value')} FROM ItemTable WHERE key = ?"
_DRIVE = re.compile(r"/[A-Za-z]:")
_LONGEST_WORKSPACE = 1024 * 1024  # bytes; the file holds one address


def config_folder(name: str, environ: Mapping[str, str], home: Path, platform: str = sys.platform) -> Path:
    """Return the folder in which an editor keeps what it remembers, by platform."""
    if platform == "darwin":
        return home / "Library" / "Application Support" / name
    if platform == "win32":
        return Path(environ.get("APPDATA") or home / "AppData" / "Roaming") / name
    return Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / name


def global_state(home: Path) -> Path:
    """Return the database of all workspaces below an editor's folder."""
    return home / "User" / "globalStorage" / STATE


def workspaces(home: Path) -> Path:
    """Return the folder below an editor's folder that has a folder per workspace."""
    return home / "User" / "workspaceStorage"


def workspace_states(home: Path) -> Iterator[Source]:
    """Yield the databases of single workspaces."""
    for entry in entries(workspaces(home)):
        yield from database_source(Path(entry.path, STATE))


def workspace_folder(state: Path) -> str:
    """Return the folder that is open in the workspace with this database, '' where nothing says so."""
    try:
        with state.with_name("workspace.json").open("rb") as file:
            workspace = as_dict(parse_json(file.read(_LONGEST_WORKSPACE)))
    except OSError:
        return ""
    if folder := as_text(workspace.get("folder")):
        return path_of(folder)
    several = workspace.get("workspace")
    listed = as_text(several) or as_text(as_dict(several).get("configPath"))
    return re.sub(r"[\\/][^\\/]*$", "", path_of(listed))  # they are listed in a file of their folder


def path_of(address: str) -> str:
    """Return the path in a URI, as the machine that has it writes it; '' if there is none."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    path = unquote(parts.path)
    if parts.scheme == "file" and parts.netloc:
        return f"//{parts.netloc}{path}".replace("/", "\\")
    return path[1:].replace("/", "\\") if _DRIVE.match(path) else path


def item(database: Database, key: str) -> tuple[int, Record]:
    """Return the revision and the content of an entry; 0 and nothing where there is none."""
    if "value" not in database.columns("ItemTable"):
        return 0, {}
    for revision, value in database.rows(_ITEM, (key,)):
        return revision, as_dict(loosely_parsed(value))
    return 0, {}


def loosely_parsed(value: object) -> object:
    """Return what a column that holds JSON says, with control characters inside of texts or not; None for no JSON."""
    found = parsed(value)
    if found is not None or not isinstance(value, str | bytes):
        return found
    try:
        return json.loads(value if isinstance(value, str) else value.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None


def moment(value: object) -> object:
    """Return a time as others take it: milliseconds may be a text."""
    return int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20 else value


def salted(revision: object, told: str) -> str:
    """Return a salt: which revision of a source it is, and what is told of it elsewhere."""
    return f"{revision}\n{told}"


def told_in(salt: str) -> str:
    """Return what `salted` was given of elsewhere."""
    return salt.partition("\n")[2]
