"""Sentences of the search screen."""

from nlm_tui.core import Mode, RecallResult
from nlm_tui.display.words import home_path
from nlm_tui.ui.context import Context

HELP = """
# nlm

Type what you remember. Any of the words may match; more and rarer words rank higher.
The list shows where each session matched; the pane beside it shows the session itself.

Enter moves into the session, Escape comes back. Escape in the box clears it, Escape again brings the text back.
"""


def found_text(mode: Mode, result: RecallResult, seconds: float, *, brief: bool) -> str:
    """Return `hybrid   12 of 1,204   8 ms`, or in brief `12 of 1,204`."""
    if brief:
        return f"{len(result.results):,} of {result.total:,}"
    return f"{mode}   {len(result.results):,} of {result.total:,}   {seconds * 1000:.0f} ms"


def empty_text(text: str, context: Context, *, waiting: bool) -> str:
    """Return what stands in place of the hits when there are none."""
    if text.strip():
        return "No session matches.\n\nFewer or other words may: any of them is enough."
    if waiting:
        return "Reading your sessions for the first time ..."
    looked = "\n".join(f"  {home_path(str(folder), context.home)}" for folder in context.searched_folders)
    demo = "\n\nPress Enter to look around in a demo memory." if context.open_demo is not None else ""
    return f"No sessions yet.\n\nLooked for transcripts in\n{looked or '  no folder at all'}{demo}"


def status_text(mode: Mode, result: RecallResult | None, news: str) -> str:
    """Return why recall by meaning is off, where it was asked for, and the news of indexing."""
    off = ""
    if result is not None and result.mode_unavailable and mode != "keyword":
        instead = "by keyword only, " if mode == "hybrid" else ""
        off = f"{instead}meaning is off: {result.mode_unavailable}"
    return "   ".join(note for note in (off, news) if note)
