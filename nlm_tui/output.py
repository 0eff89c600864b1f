"""Hits, sessions and the progress of indexing for the shell."""

from __future__ import annotations

import os
import shlex
import signal
import sys
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from threading import current_thread, main_thread
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

import click

from nlm_tui.core import (
    Mode,
    RecallHit,
    RecallResult,
    Session,
    display_safe,
    matcher,
    one_line,
    query_matcher,
)
from nlm_tui.display.document import session_lines
from nlm_tui.display.sources import LISTED, about_sources, recovered_lines, skipped_lines
from nlm_tui.display.words import age, counted, home_path

if TYPE_CHECKING:
    from click._termui_impl import ProgressBar

    from nlm_tui.ingest.listing import RuntimeSources
    from nlm_tui.ingest.report import EmbeddingReport, ExtractionReport, IndexReport, Unwanted

_FAILURE = 2  # the exit status
_ALL = "nlm-tui index --json"
_NAMED = 5  # sessions of one command that are named


def result_lines(result: RecallResult, reasons: Mapping[str, str], now: datetime, home: Path) -> Iterator[str]:
    """Yield the hits as text: label, facts, passage, its reason if given; then how many there are in all."""
    words = matcher(result.terms) if result.terms else query_matcher(result.query)
    for hit in result.results:
        yield _highlighted(hit.label, words.spans(hit.label), bold=True)
        yield "  " + "  ".join(part for part in _facts(hit, now, home) if part)
        if hit.snippet:
            yield "  " + _highlighted(hit.snippet, words.spans(hit.snippet))
        if hit.id in reasons:
            yield click.style(f"  {reasons[hit.id]}", dim=True)
        yield ""
    yield f"{len(result.results):,} of {counted(result.total, 'session')}"


def result_notes(result: RecallResult, asked: Mode | None) -> Iterator[str]:
    """Yield what to know of an answer: what of it is missing, was not understood, or was looked for instead.

    Where no mode was `asked` for, nobody misses one.
    """
    if result.mode_unavailable and asked:
        yield f"{asked} recall: {result.mode_unavailable}"
    yield from result.notes
    near: dict[str, list[str]] = defaultdict(list)
    for term in result.terms:
        if term.how == "approximate":
            near[term.typed].append(term.text)
    for typed, words in near.items():
        yield f"nothing matches {one_line(typed)}; showing {', '.join(map(one_line, words))}"
    for typed in dict.fromkeys(term.typed for term in result.terms if term.how == "piece"):
        yield f"nothing matches {one_line(typed)} as a whole; showing its parts"
    if result.common and any(term.typed not in result.common for term in result.terms):
        yield f"left out as too common: {', '.join(map(one_line, dict.fromkeys(result.common)))}"


def session_text(
    session: Session, *, now: datetime, home: Path, labels: Mapping[str, str], reveal: bool = False
) -> Iterator[str]:
    """Yield a session as text. `labels` holds those of other sessions; secrets are masked unless `reveal`."""
    for line in session_lines(session, home=home, now=now, zone=None, labels=labels, reveal=reveal, sources=True):
        bold = line.kind in {"title", "heading", "speaker", "prompt"}
        yield click.style(line.text, bold=True) if bold else line.text


def report_json(report: IndexReport, sessions: int) -> dict[str, Any]:
    """Return what a run of indexing did."""
    return {
        "sessions": sessions,
        "new": report.new,
        "updated": report.updated,
        "unchanged": report.unchanged,
        "gone": report.gone,
        "excluded": report.excluded,
        "bad_lines": report.bad_lines,
        "interrupted": report.interrupted,
        "skipped": [{"path": display_safe(skipped.path), "reason": skipped.reason} for skipped in report.skipped],
        "recovered": [
            {"path": display_safe(one.path), "bad_lines": one.bad_lines, "bad_line": one.bad_line}
            for one in report.recovered
        ],
        "unwanted": [
            {"project": one.project, "sessions": one.sessions, "command": _forgetting(one, len(one.ids))}
            for one in report.unwanted
        ],
        "seconds": round(report.seconds, 3),
    }


def report_lines(report: IndexReport, sessions: int) -> Iterator[str]:
    """Yield what a run of indexing did, as text."""
    ended = "interrupted; what was read is kept, the next run goes on from there. " if report.interrupted else ""
    yield (
        f"{ended}{counted(sessions, 'session')} in the memory: {report.new:,} new, {report.updated:,} updated, "
        f"{report.unchanged:,} unchanged, {report.seconds:.1f} s"
    )
    if report.gone:
        yield f"{counted(report.gone, 'transcript')} deleted since the last run; the memory keeps their sessions"
    if report.excluded:
        yield f"{counted(report.excluded, 'file')} not read: the settings exclude them"
    yield from _unwanted_lines(report.unwanted)
    yield from recovered_lines(report.recovered, _ALL)
    yield from skipped_lines(report.skipped, _ALL)


def _unwanted_lines(unwanted: Sequence[Unwanted]) -> Iterator[str]:
    """Yield of what the settings exclude what the memory still has, and how that leaves it."""
    total = sum(one.sessions for one in unwanted)
    if total:
        yield f"{counted(total, 'session')} in the memory that the settings exclude now; what takes them out:"
    for one in unwanted[:LISTED]:
        yield f"  {_forgetting(one, _NAMED)}  ({counted(one.sessions, 'session')})"
    if len(unwanted) > LISTED or any(len(one.ids) > _NAMED for one in unwanted):
        yield f"  {_ALL} has the whole commands"


def _forgetting(unwanted: Unwanted, most: int) -> str:
    """Return the command that takes sessions out of the memory; of their ids at most so many are named."""
    if unwanted.project is not None:
        return f"nlm-tui forget --project {shlex.quote(display_safe(unwanted.project))}"
    ids = " ".join(shlex.quote(one_line(session_id)) for session_id in unwanted.ids[:most])
    return f"nlm-tui forget {ids}{' ...' if len(unwanted.ids) > most else ''}"


def change_lines(report: IndexReport) -> Iterator[str]:
    """Yield what one of many runs of indexing did."""
    parts = [f"{report.new:,} new", f"{report.updated:,} updated", f"{report.gone:,} deleted"]
    yield ", ".join(part for part in parts if not part.startswith("0 "))


def source_lines(sources: Sequence[RuntimeSources], now: datetime, home: Path) -> Iterator[str]:
    """Yield what there is to read of each runtime."""
    for title, lines in about_sources(sources, now, home, "nlm-tui sources --json"):
        yield click.style(title, bold=True)
        yield from (f"  {line}" for line in lines)


def embedding_json(report: EmbeddingReport) -> dict[str, Any]:
    """Return what a run of embedding did."""
    return {**asdict(report), "seconds": round(report.seconds, 3)}


def embedding_lines(report: EmbeddingReport) -> Iterator[str]:
    """Yield what a run of embedding did, as text; nothing where there was nothing to do."""
    if report.interrupted:
        yield "by meaning: interrupted; what is done is kept, the next run goes on from there"
    elif report.elsewhere:
        yield "by meaning: another nlm-tui is at it"
    elif report.embedded:
        yield f"{counted(report.embedded, 'session')} made findable by meaning, {report.seconds:.1f} s"
    yield from (f"by meaning: {one_line(problem)}" for problem in report.problems)


def extraction_json(report: ExtractionReport) -> dict[str, Any]:
    """Return what a run of a language model did."""
    return {**asdict(report), "seconds": round(report.seconds, 3)}


def extraction_lines(report: ExtractionReport, model: str) -> Iterator[str]:
    """Yield what a run of a language model did, as text; nothing where there was nothing to do."""
    if report.elsewhere:
        yield "by model: another nlm-tui is at it"
    if report.extracted:
        yield f"{counted(report.extracted, 'session')} looked at by {one_line(model)}, {report.seconds:.1f} s"
    if report.interrupted:
        yield "by model: interrupted; what is done is kept, the next run goes on from there"
    if report.waiting:
        yield f"by model: {counted(report.waiting, 'session')} failed, tried again later; they keep what they had"
    yield from (f"by model: {one_line(problem)}" for problem in report.problems)


def print_lines(lines: Iterable[str | bytes], *, nl: bool = True) -> None:
    """Print lines. A reader that leaves ends the program as it ends any Unix tool, which Python prevents."""
    if os.name == "posix" and current_thread() is main_thread():
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        for line in lines:
            click.echo(line, nl=nl)
    except OSError as error:
        give_up(error)


def is_of_printing(error: OSError) -> bool:
    """Return whether an error arose where click printed something by itself, such as its help."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and trace.tb_frame.f_globals.get("__name__") == click.echo.__module__


def give_up(error: OSError) -> NoReturn:
    """End with a word on why the output cannot be written, if that can be."""
    if sys.stdout:
        _discard(sys.stdout)
    complain(f"cannot write the output ({error.strerror})")
    raise SystemExit(_FAILURE) from error


def complain(problem: str) -> None:
    """Print one line where errors go, if that is possible."""
    try:
        click.echo(f"nlm-tui: {one_line(problem)}", err=True)
    except OSError:
        _discard(sys.stderr)


def complain_all(problems: Iterable[str]) -> None:
    """Print lines where errors go."""
    for problem in problems:
        complain(problem)


@contextmanager
def progress_bar(label: str, *, shown: bool) -> Generator[Callable[[int, int], None]]:
    """Yield a callback for what is done and what there is in all: it draws on a terminal, and nothing elsewhere."""
    if not (shown and sys.stderr and sys.stderr.isatty()):
        yield lambda _done, _total: None
        return
    with ExitStack() as stack:
        bar: ProgressBar[int] | None = None

        def draw(done: int, total: int) -> None:
            nonlocal bar
            if bar is None or bar.length != total:  # the first, or one for something else
                stack.close()
                shape = click.progressbar(length=total, label=label, show_eta=True, show_pos=True, file=sys.stderr)
                bar = stack.enter_context(shape)
            bar.update(done - bar.pos)

        yield draw


def _discard(stream: TextIO) -> None:
    """Send what `stream` still holds nowhere: Python tries to write it once more when it ends."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _facts(hit: RecallHit, now: datetime, home: Path) -> Iterator[str]:
    yield click.style(one_line(hit.id), dim=True)
    yield hit.runtime
    yield age(hit.started_at, now)
    yield home_path(hit.project, home)
    yield f"decisions {len(hit.decisions)}" if hit.decisions else ""
    yield f"open {len(hit.open)}" if hit.open else ""
    where = ", ".join(hit.matched_in) or hit.snippet_field
    yield f"in {where}" if where else ""
    yield "approximate" if hit.approximate else ""
    yield "superseded" if hit.status == "superseded" else ""


def _highlighted(text: str, spans: list[tuple[int, int]], *, bold: bool = False) -> str:
    parts: list[str] = []
    place = 0
    for start, end in spans:
        parts.append(click.style(text[place:start], bold=bold) if bold else text[place:start])
        parts.append(click.style(text[start:end], bold=True, underline=True))
        place = end
    parts.append(click.style(text[place:], bold=bold) if bold else text[place:])
    return "".join(parts)
