"""What commands act on: the selected row, whatever the view."""

from dataclasses import dataclass

from nlm_tui.core.browsing import FactRow, MarkerRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The selected session, and what of it is selected, where the view lists more than sessions.

    A topic has no session of its own. `label` is as stored, not cleaned.
    """

    session_id: str | None = None
    label: str = ""
    marker: MarkerRow | None = None
    topic: str | None = None
    fact: FactRow | None = None
