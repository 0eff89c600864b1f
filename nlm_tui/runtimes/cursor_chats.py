"""The chats of early Cursor and of Windsurf: tabs, all in one entry of the database of their workspace."""

from collections.abc import Iterator

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Source, Transcript
from nlm_tui.runtimes.conversation import Conversation, epoch_ns
from nlm_tui.runtimes.cursor_bubbles import take_bubble
from nlm_tui.runtimes.cursor_store import item, moment, salted, told_in
from nlm_tui.runtimes.databases import Database
from nlm_tui.runtimes.jsonl import Record, as_dict, as_list, as_text

CHAT = "chat:"

_CHATS = "workbench.panel.aichat.view.aichat.chatdata"


def chat_parts(source: Source, database: Database, folder: str) -> Iterator[Source]:
    """Yield the tabs in the database of a workspace, without the empty ones."""
    revision, chats = item(database, _CHATS)
    for tab in map(as_dict, as_list(chats.get("tabs"))):
        name, bubbles = as_text(tab.get("tabId")), as_list(tab.get("bubbles"))
        if name and bubbles:
            changed = epoch_ns(moment(tab.get("lastSendTime")))
            yield Source(source.path, len(bubbles), changed, salted(revision, folder), CHAT + name, source.file)


def read_chat(database: Database, source: Source, runtime: str) -> Transcript | None:
    """Read a tab; None if it is not there any more."""
    name = source.part.removeprefix(CHAT)
    for tab in map(as_dict, as_list(item(database, _CHATS)[1].get("tabs"))):
        if tab.get("tabId") == name:
            return _transcript(tab, name, told_in(source.salt), runtime)
    return None


def _transcript(tab: Record, name: str, folder: str, runtime: str) -> Transcript:
    talk = Conversation()
    talk.see_time(moment(tab.get("createdAt")))
    talk.see_time(moment(tab.get("lastSendTime")))
    model = ""
    for bubble in map(as_dict, as_list(tab.get("bubbles"))):
        take_bubble(talk, bubble)
        model = as_text(bubble.get("modelType")) or model
    native_id = storable(name)
    return talk.complete(
        Transcript(
            session_id=f"{runtime}_{one_line(native_id)}",
            runtime=runtime,
            native_id=native_id,
            kind=f"{runtime}-sqlite",
            messages=(),
            title=one_line(as_text(tab.get("chatTitle"))) or None,
            project=strip_control(folder) or None,
            model=one_line(model) or None,
        )
    )
