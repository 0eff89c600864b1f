"""The parts put together: store, readers, recall, from the settings."""

from __future__ import annotations

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from nlm_tui.core import Embedder, RecallService
from nlm_tui.settings import Settings
from nlm_tui.storage import SqliteSessionStore

if TYPE_CHECKING:
    from nlm_tui.ingest.indexer import Indexer
    from nlm_tui.ingest.ports import Reader


def readers(settings: Settings) -> tuple[Reader, ...]:
    """Return the readers of all runtimes."""
    from nlm_tui.runtimes import default_readers  # noqa: PLC0415 - a search needs none

    return default_readers(settings.environ, settings.home)


def indexer(settings: Settings, store: SqliteSessionStore) -> Indexer:
    """Return what brings `store` up to date."""
    from nlm_tui.ingest.indexer import Indexer  # noqa: PLC0415 - a search reads no transcripts

    return Indexer(readers(settings), store)


def recall_service(settings: Settings, store: SqliteSessionStore) -> RecallService:
    """Return recall over `store`; without vectors in it there is nothing to ask an embedder for."""
    return RecallService(store, embedder(settings, store))


def embedder(settings: Settings, store: SqliteSessionStore) -> Embedder:
    """Return what embeds queries for `store`."""
    from nlm_tui.embedding import OllamaEmbedder, UnavailableEmbedder  # noqa: PLC0415 - keyword recall needs none

    if store.has_vectors():
        return OllamaEmbedder(settings.environ.get("OLLAMA_HOST"))
    reason = "vectors of other programs are not read yet" if store.foreign else "this memory holds no vectors yet"
    return UnavailableEmbedder(reason)


def demo_store(folder: Path) -> Path:
    """Fill a store in `folder` with the demo memory, its dates counted back from now, and return its path."""
    from nlm_tui.demo import demo_sessions  # noqa: PLC0415 - the demo alone needs it

    path = folder / "demo.sqlite"
    with SqliteSessionStore.open(path) as store, store.batch():
        for session in demo_sessions(datetime.now(UTC)):
            store.insert_session(session)
    return path


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that is deleted when the program ends."""
    return tempfile.TemporaryDirectory(prefix="nlm-tui-", ignore_cleanup_errors=True)
