"""Write the table of keys of the README from the table of commands, between the comments that hold its place."""

from pathlib import Path

from nlm_tui.ui.help_text import sections
from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.scopes import bindings, main_scopes, scopes

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- keys: written by screenshots/keys.py -->", "<!-- end of keys -->"


def main() -> None:
    """Write the table."""
    README.write_text(with_table(README.read_text(encoding="utf-8")), encoding="utf-8")


def with_table(text: str) -> str:
    """Return `text` with the table of keys in its place.

    Raises:
        ValueError: it has no place.
    """
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise ValueError(f"the table of keys stands between {BEGIN} and {END}, once")
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n\n{key_table()}\n\n{END}{rest.split(END)[1]}"


def key_table() -> str:
    """Return the keys of the search screen, by the part of it in which they act; dialogs name theirs themselves."""
    keymap = KeyMap()
    labels = {name: keymap.labels(name) for name in bindings()}
    by_entry = {(" ".join(labels[name]), held.tooltip): labels[name] for name, held in bindings().items()}
    rows = ["| key | does |", "|---|---|"]
    dialogs = {f"In {scope.name}" for scope in scopes()} - {f"In {scope.name}" for scope in main_scopes()}
    for section in sections(keymap, None)[1:]:
        if section.title in dialogs:
            continue
        rows.append(f"| **{section.title}** | |")
        rows += [f"| {_keys(by_entry[entry])} | {_cell(entry[1])} |" for entry in section.entries]
        rows += [f"| | {_cell(sentence)} |" for sentence in section.sentences]
    return "\n".join(rows)


def _keys(labels: list[str]) -> str:
    return " ".join(f"`{_cell(label)}`" for label in labels)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    main()
