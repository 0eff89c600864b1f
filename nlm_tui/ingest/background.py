"""Indexing in a process of its own, so that it never takes a moment from the one that draws the screen."""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from nlm_tui.ingest.events import Event, IndexingFailedError, decode_event


async def index_in_background(
    store: Path, environ: Mapping[str, str], *, read: bool = True, watch: bool = False
) -> AsyncIterator[Event]:
    """Run `nlm-tui index` on `store` and yield its progress, then its report; then the same of embedding.

    Without `read` what the store holds is only embedded. With `watch` it goes on for what is written meanwhile, until
    the iterator is closed, which ends the process.

    Raises:
        IndexingFailedError: the process failed.
    """
    options = ("--events", *(() if read else ("--only-embed",)), *(("--watch",) if watch else ()))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "nlm_tui", "--db", str(store), "index", *options),
        stdin=asyncio.subprocess.PIPE,  # its end tells the process that nobody listens any more
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(environ),
        limit=1 << 24,  # a report lists all skipped files on one line
    )
    try:
        if process.stdout is None or process.stderr is None:
            raise IndexingFailedError("the indexing process has no output")
        async for line in process.stdout:
            yield decode_event(line)
        errors = (await process.stderr.read()).decode("utf-8", "replace").strip()
        if await process.wait() != 0:
            raise IndexingFailedError(errors.rpartition("\n")[2] or f"exit status {process.returncode}")
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
