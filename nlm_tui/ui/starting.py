"""What the app begins with: theme, motion, what is remembered."""

from dataclasses import dataclass

from nlm_tui.core import MODES, Mode
from nlm_tui.settings import Settings
from nlm_tui.settings.state_file import StateFile
from nlm_tui.ui.app import NlmApp
from nlm_tui.ui.context import Context
from nlm_tui.ui.themes import ansi_variant, chosen_theme

_SIXTEEN_COLOURS = "standard"


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """How the app begins. Where it does not remember, nothing is read or kept; it `goes_on` where it was left last.

    `mode` is how to recall whatever it was then; None where nobody says.
    """

    remembers: bool = True
    goes_on: bool = False
    mode: Mode | None = None


def app_of(context: Context, settings: Settings, begin: Beginning) -> NlmApp:
    """Return the app over `context`, which is given what the settings say and what is remembered."""
    screen = settings.screen
    context.state = StateFile(settings.state_path if begin.remembers else None)
    context.keeps_history = screen.history
    context.reduced_motion = settings.reduces_motion
    state = context.state.read()
    if begin.goes_on:
        context.start = state.last
        context.mode = begin.mode or _mode(state.last.mode) or context.mode
    app = NlmApp(context)
    theme, problem = chosen_theme(settings.environ, state.theme, screen.theme, app.available_themes)
    if app.console.color_system == _SIXTEEN_COLOURS:
        theme = ansi_variant(theme or app.theme, app.available_themes)
    app.begin_with(theme)
    context.notice = "   ".join(filter(None, (context.state.problem, problem)))
    return app


def _mode(name: str) -> Mode | None:
    return next((mode for mode in MODES if name == mode), None)
