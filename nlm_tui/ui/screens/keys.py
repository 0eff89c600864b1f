"""The keys of the search screen. Free in the box are ctrl with j, r, s and y only: it takes the others itself."""

from textual.binding import Binding, BindingType

SEARCH_KEYS: list[BindingType] = [
    Binding("ctrl+t", "cycle_mode", "Mode", id="search.mode", tooltip="Keyword, semantic or hybrid recall"),
    Binding("ctrl+n", "step(1)", "Next match", id="match.next", tooltip="To the next match in the session"),
    Binding("ctrl+b", "step(-1)", "Match before", id="match.previous", tooltip="To the match before"),
    Binding("ctrl+l", "why", "Why", id="results.why", tooltip="Why the selected hit stands where it does"),
    Binding(
        "ctrl+f",
        "similar",
        "Similar",
        id="search.similar",
        tooltip="The sessions that are similar to the selected one",
        show=False,
    ),
    Binding("ctrl+o", "take_off", "Take off", id="search.take_off", tooltip="Take off the last condition", show=False),
    Binding(
        "ctrl+g",
        "correct",
        "Correct",
        id="search.correct",
        tooltip="Put in the word that was looked for instead of a misspelled one",
        show=False,
    ),
    Binding("f5", "index", "Index", id="index.run", tooltip="Look for new sessions again", show=False),
    Binding("escape", "back", "Back", id="search.back", tooltip="One step back; clears the box, or restores it"),
    Binding("up", "move(-1)", "Up", id="results.up", tooltip="One hit up", show=False),
    Binding("down", "move(1)", "Down", id="results.down", tooltip="One hit down", show=False),
    Binding("pageup", "move_page(-1)", "Page up", id="results.page_up", tooltip="One page of hits up", show=False),
    Binding("pagedown", "move_page(1)", "Page down", id="results.page_down", tooltip="One page down", show=False),
    Binding(
        "ctrl+up",
        "scroll_detail(-1)",
        "Scroll up",
        id="detail.scroll_up",
        tooltip="Scroll the session up",
        show=False,
    ),
    Binding(
        "ctrl+down",
        "scroll_detail(1)",
        "Scroll down",
        id="detail.scroll_down",
        tooltip="Scroll the session down",
        show=False,
    ),
]
