"""A view that browses: it asks for rows and keeps the user's place in them."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from textual.screen import Screen

from nlm_tui.core import SearchInterruptedError, StoreError
from nlm_tui.core.browsing import FactRow, MarkerRow, TimelineRow, TopicRow
from nlm_tui.ui.context import Context
from nlm_tui.ui.layout import Marks
from nlm_tui.ui.target import Target
from nlm_tui.ui.views.asking import Rows, rows_of
from nlm_tui.ui.views.look import Painter
from nlm_tui.ui.views.names import TITLES, ViewName
from nlm_tui.ui.views.saying import no_rows_text, rows_found_texts, rows_status_text
from nlm_tui.ui.views.view import Chosen, Host
from nlm_tui.ui.widgets.row_list import Page, RowList

_GROUP = "browse"


class RowsView:
    """Lists decisions, open questions, topics, facts or a timeline.

    One worker asks for all views of a screen; a new question stops it, so that an old answer never comes after a newer
    one. Where the memory fails, the last rows stay.
    """

    def __init__(self, node: Screen[None], host: Host, context: Context, name: ViewName, painter: Painter[Any]) -> None:
        self.name: ViewName = name
        self.page = Page(painter)
        self._node = node
        self._host = host
        self._context = context
        self._rows: Rows | None = None
        self._wanted = 1
        self._list: RowList | None = None
        self.title: Callable[[int], str] | None = None  # what the line above says, given its width

    def shown_in(self, rows: RowList) -> None:
        """Say which list shows the view."""
        self._list = rows

    @property
    def list(self) -> RowList:
        """The list that shows it."""
        if self._list is None:
            raise RuntimeError(f"the view {self.name} has no list")
        return self._list

    @property
    def rows(self) -> Rows | None:
        """The rows that are known."""
        return self._rows

    @property
    def answered(self) -> str | None:
        """The text whose answer it holds."""
        return self._rows.text if self._rows else None

    @property
    def total(self) -> int | None:
        """How many rows pass in all."""
        return self._rows.browsed.total if self._rows else None

    @property
    def doubtful(self) -> frozenset[str]:
        """The conditions that were not understood, or can match nothing."""
        return self._rows.doubtful if self._rows else frozenset()

    @property
    def chosen(self) -> Chosen | None:
        """The session of the selected row."""
        row = self.page.selected
        if row is None or isinstance(row, TopicRow):
            return None
        marker = row.text if isinstance(row, MarkerRow) else ""
        return Chosen(row.origin.session_id, Marks(self.page.words), marker)

    @property
    def target(self) -> Target:
        """What commands act on."""
        match self.page.selected:
            case TopicRow() as row:
                return Target(topic=row.name)
            case MarkerRow() as row:
                return Target(session_id=row.origin.session_id, label=row.origin.label, marker=row)
            case FactRow() as row:
                return Target(session_id=row.origin.session_id, label=row.origin.label, fact=row)
            case TimelineRow() as row:
                return Target(session_id=row.origin.session_id, label=row.origin.label)
            case _:
                return Target()

    @property
    def found(self) -> tuple[str, ...]:
        """How much was found, in ever fewer cells."""
        return rows_found_texts(self._rows)

    @property
    def status(self) -> str:
        """What to know about the answer."""
        return rows_status_text(self._rows, TITLES[self.name])

    @property
    def has_sessions(self) -> bool:
        """Whether there may be a session to show beside the list; topics have none."""
        return self.name != "topics"

    @property
    def has_header(self) -> bool:
        """Whether a line stands above the rows."""
        return self.title is not None

    def header(self, width: int) -> str:
        """Return that line."""
        return self.title(width) if self.title is not None else ""

    def enter(self) -> None:
        """Show the rows that are known where the user left them, and ask for what the box says."""
        self.list.turn_to(self.page)
        if self.answered == self._host.text:
            self._host.show_rows()
            self.look_again()
        else:
            self._host.show_state()
            self.start()

    def start(self) -> None:
        """Ask for what the box says now."""
        self._wanted = self._screenful
        self._ask(rests=bool(self._host.text.strip()))

    def look_again(self) -> None:
        """Ask again, since the memory has changed."""
        if self._rows is not None and self._is_answered(self._rows):
            self._wanted = max(self._wanted, self._rows.reached)
        self._ask()

    def grow(self) -> None:
        """Ask for a screenful more, where there is more and it is not asked for yet."""
        rows = self._rows
        if rows is not None and self._is_answered(rows) and not rows.complete and self._wanted <= rows.reached:
            self._wanted = rows.reached + self._screenful
            self._ask(more_of=rows)

    def fill(self) -> None:
        """Ask for more rows where the list has room for more than it holds."""
        if len(self.page.rows) < self._screenful:
            self.grow()

    def reach(self, key: str) -> None:
        """Select a row that is among those that pass, however far down."""
        keys = self.page.listed.keys
        if key in keys:
            self.list.select(keys.index(key))
        elif self._rows is not None and self._is_answered(self._rows):
            self.page.listed.preferred = key
            self._wanted = self._rows.browsed.total
            self._ask(more_of=self._rows)

    def call(self, key: str) -> None:
        """Go to the row of this key if the selected one is gone by the next answer: it is called so now."""
        self.page.listed.instead = key

    def turn(self) -> None:
        """Turn the order of the rows around."""
        self.page.turned = not self.page.turned
        self.page.listed.preferred = self.list.selected_key
        if self._rows is not None:
            self._take(self._rows, keep=True)
        self._host.show_rows()

    def stop(self) -> None:
        """Ask no more until the next start."""
        self._node.workers.cancel_group(self._node, _GROUP)  # pyright: ignore[reportUnknownMemberType]

    @property
    def _screenful(self) -> int:
        """How many rows to ask for at first, and whenever the selection nears the end: a screen and a half."""
        return max(self.list.visible_lines, 1) * 3 // 2 + 1

    def _is_answered(self, rows: Rows) -> bool:
        return rows.text == self._host.text

    def _ask(self, *, rests: bool = False, more_of: Rows | None = None) -> None:
        self._node.run_worker(partial(self._load, rests=rests, more_of=more_of), group=_GROUP, exclusive=True)

    async def _load(self, *, rests: bool, more_of: Rows | None) -> None:
        context = self._context
        if rests:
            await asyncio.sleep(context.debounce.delay)
        started = context.clock()
        try:
            rows = await self._asked(self._wanted, more_of)
            if rows is not None and self._lies_below(rows):
                rows = await self._asked(rows.browsed.total, rows)
        except asyncio.CancelledError:
            context.memory.interrupt_browsing()
            raise
        except SearchInterruptedError:
            return
        except StoreError as error:
            self._host.show_failure(str(error))
            return
        if not self._node.is_attached:
            return  # the program was left meanwhile
        if rows is None:
            self.page.take((), self.page.words, "This memory lists only sessions.", keep=False)
            self.list.bring_into_view()
            self._host.show_rows()
            return
        seconds = context.clock() - started
        context.debounce.took(seconds)
        keep = self._rows is not None and self._rows.text == rows.text
        chosen = self.list.selected_key
        self._take(replace(rows, seconds=seconds), keep=keep)
        self._host.show_rows(selected=more_of is None or self.list.selected_key != chosen)

    async def _asked(self, wanted: int, more_of: Rows | None) -> Rows | None:
        return await asyncio.to_thread(rows_of, self._context, self.name, self._host.text, wanted, more_of)

    def _lies_below(self, rows: Rows) -> bool:
        """Return whether the row that took the place of the selected one is none of these, and more are to come."""
        listed = self.page.listed
        if listed.instead is None or rows.complete:
            return False
        return not {listed.wanted(keep=True), listed.instead} & set(map(self.page.painter.key, rows.browsed.rows))

    def _take(self, rows: Rows, *, keep: bool) -> None:
        self._rows = rows
        message = no_rows_text(rows, TITLES[self.name], self._context.keys, waiting=self._host.waits_for_index)
        self.page.take(rows.browsed.rows, rows.browsed.words, message, keep=keep)
        self.list.bring_into_view()
