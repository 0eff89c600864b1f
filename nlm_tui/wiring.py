"""The parts put together: store, readers, recall, from the settings."""

from __future__ import annotations

import secrets
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

from nlm_tui.core import ALL_CHUNKS, Embedder, EmbedderUnavailable, RecallService, model_of
from nlm_tui.core.editing import EditService
from nlm_tui.ingest.report import EmbeddingReport, ExtractionReport
from nlm_tui.settings import Settings
from nlm_tui.settings.values import place_of
from nlm_tui.storage import SqliteSessionStore

if TYPE_CHECKING:
    from nlm_tui.embedding import OllamaEmbedder
    from nlm_tui.ingest.changes import Selection
    from nlm_tui.ingest.extracting import Wanted
    from nlm_tui.ingest.indexer import Indexer
    from nlm_tui.ingest.listing import RuntimeSources
    from nlm_tui.ingest.policy import Policy
    from nlm_tui.ingest.ports import Reader
    from nlm_tui.ingest.report import EmbeddingProgress, ExtractionProgress
    from nlm_tui.ingest.watching import Watch


def readers(settings: Settings, store: SqliteSessionStore | None = None) -> tuple[Reader, ...]:
    """Return the readers of all runtimes; some look into the projects that `store` knows."""
    from nlm_tui.runtimes import default_readers  # noqa: PLC0415 - a search needs none

    def folders() -> list[Path]:
        return [] if store is None else [Path(folder) for folder in store.project_folders()]

    return default_readers(settings.environ, settings.home, settings.sources, folders)


def selected_readers(settings: Settings, store: SqliteSessionStore, selection: Selection) -> tuple[Reader, ...]:
    """Return the readers that find what is selected, also where it lies in none of the usual places."""
    from nlm_tui.runtimes import READERS  # noqa: PLC0415 - a search needs none
    from nlm_tui.runtimes.named import readers_of  # noqa: PLC0415 - the same

    known = readers(settings, store)
    found = (*known, *readers_of(selection.paths, known, READERS))
    return tuple(reader for reader in found if selection.includes(reader.runtime))


def indexer(settings: Settings, store: SqliteSessionStore, chosen: Sequence[Reader], *, lasts: bool = False) -> Indexer:
    """Return what brings `store` up to date with what the `chosen` readers find. One that `lasts` follows files."""
    from nlm_tui.ingest.indexer import Indexer  # noqa: PLC0415 - a search reads no transcripts

    return Indexer(chosen, store, policy=policy(settings), zone=None, lasts=lasts)


def policy(settings: Settings) -> Policy:
    """Return what the user does not want to be read or kept."""
    from nlm_tui.ingest.policy import Policy  # noqa: PLC0415 - a search reads nothing

    wanted = settings.sources
    return Policy(wanted.exclude, wanted.exclude_projects, keeps_tool_output=wanted.tool_output)


def listed_sources(settings: Settings) -> list[RuntimeSources]:
    """Return what there is to read of each runtime, and what the memory knows of it, if there is one."""
    from nlm_tui.ingest.listing import list_sources  # noqa: PLC0415 - a search lists nothing

    off = settings.sources.off
    named = {each.runtime: each.roots for each in settings.sources.named_roots}
    if not settings.store_path.exists():
        return list_sources(readers(settings), {}, policy(settings), named=named, off=off)
    with SqliteSessionStore.open(settings.store_path) as store:
        known = readers(settings, store)
        names = () if store.foreign else (*(reader.runtime for reader in known), *off)
        states = {name: store.source_states(name) for name in names}
        return list_sources(known, states, policy(settings), named=named, off=off)


def useless_roots(settings: Settings, selection: Selection) -> Iterator[str]:
    """Yield which folders in the settings give nothing to who reads all that lies in them, where they stand, and why.

    Of runtimes that are not selected nothing is said.
    """
    from nlm_tui.ingest.listing import useless_roots  # noqa: PLC0415 - a search reads nothing

    by_name = {} if selection.paths else {reader.runtime: reader for reader in readers(settings)}
    for named in settings.sources.named_roots:
        reader = by_name.get(named.runtime)
        if reader is not None and selection.includes(named.runtime):
            for root in useless_roots(reader, named.roots):
                place = place_of(named.key, settings.config_path)
                yield f"{place}: nothing is read from {root.path}: {root.problem}"


def watch(readers: Sequence[Reader], stop: Event) -> Watch:
    """Return what tells which of the readers' runtimes write something, until `stop` is set."""
    from nlm_tui.ingest.watching import Watch  # noqa: PLC0415 - to search watches nothing

    return Watch(readers, stop=stop)


class Turn:
    """A turn at reading into a memory: of several processes one has it, and the others wait for theirs."""

    def __init__(self, settings: Settings, on_wait: Callable[[], None]) -> None:
        from filelock import FileLock  # noqa: PLC0415 - a search needs no turn

        self._lock = FileLock(f"{settings.store_path}.lock")
        self._on_wait = on_wait

    def __enter__(self) -> None:
        from filelock import Timeout  # noqa: PLC0415 - a search needs no turn

        try:
            self._lock.acquire(timeout=0)
        except Timeout:
            self._on_wait()
            self._lock.acquire(poll_interval=0.2)

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def recall_service(
    settings: Settings,
    store: SqliteSessionStore,
    bundled: Embedder | None = None,
    *,
    embeds: bool = False,
    reveal: bool = False,
) -> RecallService:
    """Return recall over `store`; `bundled` embeds with the bundled model, None does so in this process.

    Where it `embeds`, labels and summaries in the store are made findable by meaning first: it should be a small one.
    Secrets in hits are masked unless `reveal`.
    """
    if embeds:
        bundled = _embed_labels(settings, store)
    chosen = embedders(settings, store, bundled)
    return RecallService(store, chosen, **_recall_options(settings), reveal=reveal)


def lasting_recall_service(settings: Settings, store: SqliteSessionStore, bundled: Embedder) -> RecallService:
    """Return recall over `store` for many questions: a model that takes long to load is loaded in the background."""
    chosen = embedders(settings, store, bundled)
    for embedder in chosen:
        if prepare := getattr(embedder, "prepare", None):
            Thread(target=prepare, daemon=True).start()
    return RecallService(store, chosen, **_recall_options(settings))


def _recall_options(settings: Settings) -> dict[str, Any]:
    return {"weight": settings.recall.semantic_weight, "lists_subagents": settings.sources.subagents}


def edit_service(store: SqliteSessionStore) -> EditService:
    """Return what changes the memory."""
    return EditService(store.corrections, now=lambda: datetime.now(UTC), new_suffix=lambda: secrets.token_hex(4))


def embedders(settings: Settings, store: SqliteSessionStore, bundled: Embedder | None = None) -> Sequence[Embedder]:
    """Return what embeds queries for `store`, the best first."""
    from nlm_tui.embedding import BundledEmbedder, StoredEmbedder, UnavailableEmbedder  # noqa: PLC0415 - slow to load

    if settings.recall.embedder == "off":
        return [UnavailableEmbedder('the settings say embedder = "off"')]
    if store.foreign:
        return [_foreign_embedder(settings, store)]
    most = settings.recall.chunks or ALL_CHUNKS
    vectors, ollama, bundled = store.vectors, _ollama(settings), bundled or BundledEmbedder()
    wanted = settings.recall.embedder == "ollama"

    def ollama_misses() -> str | None:
        if vectors.is_ready(ollama.model, most):
            return None
        return f"the vectors of {ollama.model.name} are not complete yet, indexing makes them" if wanted else ""

    def bundled_misses() -> str | None:
        if vectors.is_begun(model_of(bundled)):
            return None
        return "no session has vectors yet, indexing makes them"

    stored = [StoredEmbedder(bundled, bundled_misses)]
    if settings.recall.embedder == "bundled":
        return stored
    return [StoredEmbedder(ollama, ollama_misses, is_optional=not wanted), *stored]


def build_vectors(
    settings: Settings, store: SqliteSessionStore, on_progress: Callable[[EmbeddingProgress], None]
) -> EmbeddingReport:
    """Embed what has no vectors in `store` yet: with the bundled model, then with Ollama where it is wanted and there.

    It takes minutes: where another process is at it, that is left to it.

    Raises:
        StoreError: the store cannot be written.
    """
    with _only_one(settings, "vectors") as is_only:
        return _built_vectors(settings, store, on_progress) if is_only else EmbeddingReport(elsewhere=True)


def extract(
    settings: Settings, store: SqliteSessionStore, wanted: Wanted, on_progress: Callable[[ExtractionProgress], None]
) -> ExtractionReport:
    """Have the model of the settings look at the sessions that are wanted.

    It takes hours: where another process is at it, that is left to it.

    Raises:
        StoreError: the store cannot be written.
    """
    from nlm_tui.ingest.extracting import extract_due  # noqa: PLC0415 - a search needs none
    from nlm_tui.ollama.chat import OllamaChat  # noqa: PLC0415 - the same

    model = OllamaChat(settings.environ.get("OLLAMA_HOST"), settings.extraction.extractor_model)
    with _only_one(settings, "extraction") as is_only:
        return extract_due(store, model, wanted, on_progress) if is_only else ExtractionReport(elsewhere=True)


def redo_by_rules(store: SqliteSessionStore, session_id: str | None) -> int:
    """Have rules find anew what a model found, in all sessions or one; return in how many it did.

    Raises:
        StoreError: the store cannot be written.
    """
    from nlm_tui.ingest import extracting  # noqa: PLC0415 - a search needs none

    return extracting.redo_by_rules(store, session_id)


@contextmanager
def _only_one(settings: Settings, work: str) -> Generator[bool]:
    """Yield whether no other process is at some work on the memory; as long as this one is, none other will."""
    from filelock import FileLock, Timeout  # noqa: PLC0415 - a search needs none

    lock = FileLock(f"{settings.store_path}.{work}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def _built_vectors(
    settings: Settings, store: SqliteSessionStore, on_progress: Callable[[EmbeddingProgress], None]
) -> EmbeddingReport:
    from nlm_tui.embedding import ProcessEmbedder, build_sets  # noqa: PLC0415 - a search needs none

    choice = settings.recall.embedder
    with closing(ProcessEmbedder(low_priority=True)) as bundled:
        chosen: list[Embedder] = [] if choice == "off" else [bundled]
        problems: list[str] = []
        if choice in {"auto", "ollama"}:
            ollama = _ollama(settings)
            try:
                ollama.check()
                chosen.append(ollama)
            except EmbedderUnavailable as error:
                problems += [str(error)] if choice == "ollama" else []
        report = build_sets(store, chosen, on_progress, most=settings.recall.chunks or ALL_CHUNKS)
    report.problems += problems
    return report


def _embed_labels(settings: Settings, store: SqliteSessionStore) -> Embedder | None:
    from nlm_tui.embedding import bundled_embedder, embed_missing  # noqa: PLC0415 - slow to load

    if settings.recall.embedder == "off":
        return None
    bundled = bundled_embedder()
    with suppress(EmbedderUnavailable):
        embed_missing(store, bundled, most=1)
    return bundled


def _ollama(settings: Settings) -> OllamaEmbedder:
    from nlm_tui.embedding import OllamaEmbedder  # noqa: PLC0415 - keyword recall needs none

    return OllamaEmbedder(settings.environ.get("OLLAMA_HOST"), settings.recall.ollama_model)


def _foreign_embedder(settings: Settings, store: SqliteSessionStore) -> Embedder:
    """Return the model that made the vectors of another program's store, if it can be asked here."""
    from nlm_tui.embedding import OllamaEmbedder, UnavailableEmbedder  # noqa: PLC0415 - keyword recall needs none
    from nlm_tui.embedding.named import NamedEmbedder  # noqa: PLC0415 - the same

    model = store.embedding_model
    if model is None:
        return UnavailableEmbedder("this memory belongs to another program and holds no vectors")
    made_by = f"{model.provider}/{model.name}"
    if settings.recall.embedder == "bundled":
        return UnavailableEmbedder(
            f'this memory\'s vectors were made by {made_by}; the settings say embedder = "bundled"'
        )
    if model.provider == "ollama":
        return NamedEmbedder(OllamaEmbedder(settings.environ.get("OLLAMA_HOST"), model.name), model)
    return UnavailableEmbedder(f"this memory's vectors were made by {made_by}, which is not reachable here")


def demo_store(folder: Path) -> Path:
    """Fill a store in `folder` with the demo memory, its dates counted back from now, and return its path."""
    from nlm_tui.demo import fill  # noqa: PLC0415 - the demo alone needs it

    path = folder / "demo.sqlite"
    with SqliteSessionStore.open(path) as store:
        fill(store, datetime.now(UTC))
    return path


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that is deleted when the program ends."""
    return tempfile.TemporaryDirectory(prefix="nlm-tui-", ignore_cleanup_errors=True)
