"""`nlm-tui index`, `extract` and `sources`: what agents stored, read into the memory, looked at by a model, listed."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import click

from nlm_tui import forgetting, output
from nlm_tui.core import StoreError, one_line
from nlm_tui.settings import Settings, default_store_path
from nlm_tui.settings.values import place_of

if TYPE_CHECKING:
    from nlm_tui.ingest.changes import Selection
    from nlm_tui.storage import SqliteSessionStore

_NOTHING, _INTERRUPTED = 1, 130
_NO_MODEL = 'the settings say extractor = "rules"; set extractor = "ollama", or NLM_EXTRACTOR=ollama'
_UNITS = {"h": 3600, "d": 86_400, "w": 7 * 86_400, "m": 30 * 86_400, "y": 365 * 86_400}
_AGO = re.compile(rf"(\d{{1,6}})([{''.join(_UNITS)}])")


class Options(Protocol):
    """What was said before the command."""

    settings: Settings
    demo: bool

    def require_store(self) -> None:
        """End with a complaint where there is no store."""


class _Ago(click.ParamType["float"]):
    """A time before now, such as `30d`; in seconds."""

    name = "TIME"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        found = _AGO.fullmatch(str(value).strip().lower())
        if found is None:
            self.fail(
                f"{value!r} is no time: write hours, days, weeks, months or years, as in 12h, 30d, 6m", param, ctx
            )
        return float(int(found[1]) * _UNITS[found[2]])


@click.command()
@click.option("--embed/--no-embed", default=True, help="Make sessions findable by meaning too; default: yes.")
@click.option(
    "--extract/--no-extract", default=True, help="Ask the model of the settings, if there is one; default: yes."
)
@click.option("--runtime", "runtimes", multiple=True, metavar="NAME", help="Only this agent's; may be repeated.")
@click.option("--since", type=_Ago(), help="Only what was written to since: 12h, 30d, 6m ...")
@click.option(
    "--source",
    "sources",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    help="Only this file or folder, wherever it is; may be repeated.",
)
@click.option("--watch", is_flag=True, help="Go on with what agents write, until Ctrl+C.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--only-embed", is_flag=True, hidden=True, help="Read no transcripts.")
@click.option("--events", is_flag=True, hidden=True, help="Print progress and reports as JSON lines.")
@click.pass_obj
def index(  # noqa: PLR0913 - the options of the command
    options: Options,
    runtimes: Sequence[str],
    since: float | None,
    sources: Sequence[Path],
    *,
    embed: bool,
    extract: bool,
    watch: bool,
    as_json: bool,
    only_embed: bool,
    events: bool,
) -> None:
    """Read the transcripts that are new or changed into the memory, and make them findable by meaning.

    With extractor = "ollama" in the settings a model then looks at what sessions come to, which takes long. All of it
    goes on where it was stopped. Exit status 0 also when files were skipped; they are listed.
    """
    from nlm_tui import indexing, wiring  # noqa: PLC0415 - help and completion need none
    from nlm_tui.ingest.extracting import Wanted  # noqa: PLC0415
    from nlm_tui.storage import SqliteSessionStore  # noqa: PLC0415

    if options.demo:
        raise click.UsageError("nothing is indexed into the demo; leave out --demo")
    settings = options.settings
    selection = _selection(settings, runtimes, since, sources)
    with SqliteSessionStore.open(settings.store_path) as store:
        _require_own(store, settings)
        if not (events or only_embed):
            output.complain_all(map(one_line, wiring.useless_roots(settings, selection)))
        asks = extract and settings.extraction.asks_model and not only_embed
        wanted = Wanted(rested=watch) if asks else None
        parts = indexing.Parts(read=not only_embed, embed=embed, extract=wanted, selection=selection)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # it stops in between, and tells what was done
        if events and watch:
            indexing.watch_with_events(settings, store, parts)
        elif events:
            indexing.run_with_events(settings, store, parts)
        elif watch:
            indexing.watch(settings, store, parts, as_json=as_json)
        elif not indexing.run(settings, store, parts, as_json=as_json):
            raise SystemExit(_INTERRUPTED)


@click.command()
@click.option(
    "--redo", is_flag=True, help="Also those that it has looked at; by rules, where the settings name no model for it."
)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the next N.")
@click.option("--session", "session_id", metavar="ID", type=forgetting.SessionId(), help="Only this one, at once.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def extract(options: Options, limit: int | None, session_id: str | None, *, redo: bool, as_json: bool) -> None:
    """Have a local language model find what sessions come to: label, summary, topics, decisions, open questions, facts.

    Newest first; Ctrl+C ends it, and the next run goes on from there, without --redo too. What fails keeps what it had,
    and is tried again later. Exit status 1 when the model cannot be asked, or fails with all.
    """
    from nlm_tui import indexing  # noqa: PLC0415 - help and completion need none
    from nlm_tui.ingest.extracting import Wanted  # noqa: PLC0415
    from nlm_tui.storage import SqliteSessionStore  # noqa: PLC0415

    settings = options.settings
    if options.demo:
        raise click.UsageError("the demo needs no model; leave out --demo")
    if not (redo or settings.extraction.asks_model):
        raise click.UsageError(_NO_MODEL)
    options.require_store()
    with SqliteSessionStore.open(settings.store_path) as store:
        _require_own(store, settings)
        if session_id is not None:
            named = forgetting.named_sessions(store, [session_id])
            if not named:
                raise SystemExit(_NOTHING)
            session_id = named[0].id
        signal.signal(signal.SIGINT, signal.default_int_handler)  # it stops in between, and tells what was done
        if not settings.extraction.asks_model:
            indexing.redo_by_rules(settings, store, session_id, as_json=as_json)
            return
        wanted = Wanted(session_id=session_id, limit=limit, redo=redo)
        report = indexing.extract(settings, store, wanted, as_json=as_json)
    if report.interrupted:
        raise SystemExit(_INTERRUPTED)
    if report.problems and not report.extracted:
        raise SystemExit(_NOTHING)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON, all skipped files included.")
@click.pass_obj
def sources(options: Options, *, as_json: bool) -> None:
    """List the agents whose transcripts are read: where they are looked for, what was found, what was skipped and why.

    Nothing is read; `nlm-tui index` does that.
    """
    from nlm_tui import wiring  # noqa: PLC0415 - help and completion need none
    from nlm_tui.display import records  # noqa: PLC0415

    listed = wiring.listed_sources(options.settings)
    if as_json:
        output.print_lines([records.as_json(records.sources_json(listed))])
    else:
        output.print_lines(output.source_lines(listed, datetime.now(UTC), options.settings.home))


def _require_own(store: SqliteSessionStore, settings: Settings) -> None:
    """Pass where the store is ours and can be written.

    Raises:
        StoreError: it is not, or cannot.
    """
    if store.foreign:
        reason = "this store belongs to another program and is only read; your own is"
        raise StoreError(f"{settings.store_path}: {reason} {default_store_path()}: name that one with --db")
    store.require_writable()


def _selection(settings: Settings, runtimes: Sequence[str], since: float | None, sources: Sequence[Path]) -> Selection:
    from nlm_tui import wiring  # noqa: PLC0415 - help and completion need none
    from nlm_tui.ingest.changes import Selection  # noqa: PLC0415

    known = [reader.runtime for reader in wiring.readers(settings)] if runtimes else []
    for runtime in runtimes:
        if runtime in settings.sources.off:
            place = place_of(f"sources.{runtime}.enabled", settings.config_path)
            raise click.BadParameter(f"{runtime} is off in the settings ({place})", param_hint="--runtime")
        if runtime not in known:
            raise click.BadParameter(f"{runtime} is none of {', '.join(known)}", param_hint="--runtime")
    return Selection(
        runtimes=frozenset(runtimes) or None,
        since_ns=0 if since is None else int((time.time() - since) * 1e9),
        paths=tuple(path.absolute() for path in sources),
    )
