"""Asking: how the memory is searched, and what about the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nlm_tui.core import one_line
from nlm_tui.core.secrets import mask
from nlm_tui.ui.commands.command import Command
from nlm_tui.ui.editing import corrected, likeness
from nlm_tui.ui.views.trail import Place

if TYPE_CHECKING:
    from nlm_tui.ui.screens.search import SearchScreen


def _correct(screen: SearchScreen) -> None:
    if (result := screen.searching.result) and (changed := corrected(screen.box.value, result)):
        screen.box.put(*changed)


def _similar(screen: SearchScreen) -> None:
    target = screen.target
    if target.session_id is None:
        return
    if (condition := likeness(target.session_id)) is None:
        screen.status.text = "the id of this session cannot be searched for"
        return
    screen.chips.show_as(condition, f"like: {mask(one_line(target.label))}")
    screen.box.focus()
    screen.results.let_go()
    screen.views.jump(Place("sessions", condition, None))


def _needs_session(screen: SearchScreen) -> str:
    if screen.target.topic is None:
        return ""
    return f"no topic has similar sessions: {screen.key_of('view.sessions')} lists sessions"


def _only_hits(screen: SearchScreen) -> str:
    if screen.view_name != "sessions":
        return f"only hits have a rank to explain: {screen.key_of('view.sessions')} lists them"
    return "" if screen.results.selected or screen.why.explains else "no hit is selected"


def _no_condition(screen: SearchScreen) -> str:
    return "" if screen.chips.pieces else "the box holds no condition"


def _no_correction(screen: SearchScreen) -> str:
    result = screen.searching.result
    return "" if result and corrected(screen.box.value, result) else "no other word was looked for than what was typed"


def _not_indexed(screen: SearchScreen) -> str:
    return "" if screen.app_context.indexing else "no transcripts are read into this memory"


def _explain(screen: SearchScreen) -> None:
    screen.why.toggle(screen.results.selected, screen.searching.result)


def _index(screen: SearchScreen) -> None:
    screen.background.index()


COMMANDS: Final = (
    Command(
        id="search.mode",
        keys="ctrl+t",
        title="Mode",
        help="Keyword, semantic or hybrid recall",
        run=lambda screen: screen.searching.cycle_mode(),
        shown=True,
    ),
    Command(
        id="results.why",
        keys="ctrl+l",
        title="Why",
        help="Why the selected hit stands where it does",
        run=_explain,
        why_not=_only_hits,
        shown=True,
    ),
    Command(
        id="search.similar",
        keys="ctrl+f",
        title="Find similar sessions",
        help="The sessions that are nearest to the selected one in meaning",
        run=_similar,
        why_not=_needs_session,
    ),
    Command(
        id="search.take_off",
        keys="ctrl+o",
        title="Take off last filter",
        help="Search without the last condition in the box",
        run=lambda screen: screen.chips.take_off_last(),
        why_not=_no_condition,
    ),
    Command(
        id="search.correct",
        keys="ctrl+g",
        title="Use the corrected word",
        help="Put in the word that was looked for instead of a misspelled one",
        run=_correct,
        why_not=_no_correction,
    ),
    Command(
        id="index.run",
        keys="f5,alt+i",
        title="Look for new sessions",
        help="Read the transcripts that are new or changed",
        run=_index,
        why_not=_not_indexed,
    ),
)
