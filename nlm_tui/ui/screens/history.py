"""The queries that were asked before."""

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from nlm_tui.core import one_line
from nlm_tui.settings import SavedQuery
from nlm_tui.ui.keymap import KeyMap
from nlm_tui.ui.remembering import Remembering

_SAVED, _USED = "* ", "  "


class HistoryScreen(ModalScreen[str | None]):
    """Offers saved queries, then used ones; what is typed narrows them down. None where none is taken."""

    DEFAULT_CSS = """
    HistoryScreen { align: center middle; }
    HistoryScreen > Vertical {
        width: 90; max-width: 100%; height: 20; max-height: 100%;
        border: round $primary; background: $surface; padding: 0 1;
    }
    HistoryScreen .title { text-style: bold; }
    HistoryScreen #note { color: $text-muted; }
    HistoryScreen Input { background: $surface; }
    HistoryScreen OptionList { height: 1fr; border: none; background: $surface; padding: 0; }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+g", "leave", "Cancel", id="history.cancel", tooltip="Take none"),
        Binding("up,ctrl+p", "move(-1)", "Up", id="history.up", tooltip="One query up"),
        Binding("down,ctrl+n", "move(1)", "Down", id="history.down", tooltip="One query down"),
        Binding("pageup", "page(-1)", "Page up", id="history.page_up", tooltip="One page up", show=False),
        Binding("pagedown", "page(1)", "Page down", id="history.page_down", tooltip="One page down", show=False),
        Binding(
            "ctrl+d",
            "remove",
            "Remove",
            id="history.remove",
            tooltip="Keep the query no longer",
            priority=True,  # else it deletes a letter in the box
        ),
        Binding("ctrl+z", "put_back", "Put back", id="history.undo", tooltip="Bring back what was last removed"),
    ]

    def __init__(self, remembering: Remembering, keys: KeyMap) -> None:
        super().__init__()
        self._remembering = remembering
        self._saved = list(remembering.saved)
        self._used = list(remembering.queries)
        self._removed: list[SavedQuery] = []
        self._offered: list[SavedQuery] = []
        self.box = Input(placeholder="words of the query, or its name", select_on_focus=False, compact=True)
        self.queries = OptionList(compact=True, markup=False)
        self._note = f"Enter takes it   {keys.label('history.remove')} removes it, {keys.label('history.undo')} undoes"

    @property
    def offered(self) -> list[SavedQuery]:
        """What is in the list; a query that was only used has no name."""
        return self._offered

    def compose(self) -> ComposeResult:
        with Vertical():
            yield Static("Queries", classes="title", markup=False)
            yield self.box
            yield self.queries
            yield Static(self._note, id="note", markup=False)

    def on_mount(self) -> None:
        self.queries.can_focus = False
        self.box.cursor_blink = False
        self.box.focus()
        self._show(0)

    @on(Input.Changed)
    def _changed(self) -> None:
        self._show(0)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        if self._marked is not None:
            self.dismiss(self._marked.text)

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._offered[event.option_index].text)

    @property
    def _marked(self) -> SavedQuery | None:
        place = self.queries.highlighted
        return self._offered[place] if place is not None else None

    def _show(self, marked: int) -> None:
        words = self.box.value.casefold().split()
        used = (SavedQuery("", text) for text in self._used)
        self._offered = [
            query
            for query in (*self._saved, *used)
            if all(word in f"{query.name} {query.text}".casefold() for word in words)
        ]
        self.queries.set_options([Option(_line(query)) for query in self._offered] or [_nothing(filtered=bool(words))])
        self.queries.highlighted = min(marked, len(self._offered) - 1) if self._offered else None

    def action_move(self, step: int) -> None:
        if step > 0:
            self.queries.action_cursor_down()
        else:
            self.queries.action_cursor_up()

    def action_page(self, step: int) -> None:
        if step > 0:
            self.queries.action_page_down()
        else:
            self.queries.action_page_up()

    def action_remove(self) -> None:
        marked, place = self._marked, self.queries.highlighted
        if marked is None or place is None:
            return
        self._removed.append(marked)
        if marked.name:
            self._saved.remove(marked)
            self._remembering.unsave(marked.name)
        else:
            self._used.remove(marked.text)
            self._remembering.forget(marked.text)
        self._show(place)

    def action_put_back(self) -> None:
        if not self._removed:
            return
        query = self._removed.pop()
        if query.name:
            self._saved.append(query)
            self._remembering.save(query.name, query.text)
        else:
            self._used.insert(0, query.text)
            self._remembering.put_back(query.text)
        self._show(self.queries.highlighted or 0)

    def action_leave(self) -> None:
        self.dismiss(None)


def _line(query: SavedQuery) -> Content:
    text = Content(one_line(query.text))
    if not query.name:
        return Content.assemble(_USED, text)
    return Content.assemble(_SAVED, Content(one_line(query.name)).stylize("bold"), "  ", text)


def _nothing(*, filtered: bool) -> Option:
    said = "no query holds these words" if filtered else "no query was used yet: opening or copying a hit keeps it"
    return Option(Content(said), disabled=True)
