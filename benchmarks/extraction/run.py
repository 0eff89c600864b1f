"""How well decisions, open questions, topics, labels and summaries are extracted, on invented transcripts."""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from gold import Gold, read_all, write_transcript
from measuring import machine, table
from scoring import Scores, Share, Tally, score

from nlm_tui.core import Session
from nlm_tui.ingest.building import build_session
from nlm_tui.runtimes import ClaudeCodeReader

_AIMS = {"decisions": (0.85, 0.6), "open": (0.8, 0.5), "entities": (0.85, 0.7)}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=("dev", "test"), help="only this half; default: both")
    parser.add_argument("--faults", action="store_true", help="list what is wrong and missing")
    parser.add_argument("--only", metavar="NAME", help="only transcripts whose name holds this")
    parser.add_argument("--show", action="store_true", help="show what was extracted")
    options = parser.parse_args()
    print(machine(), "\n")
    for half in (options.half,) if options.half else ("dev", "test"):
        golds = [gold for gold in read_all(half) if not options.only or options.only in gold.name]
        scores, started = Scores(), time.process_time()
        for gold, session in extracted(golds):
            score(gold, session, scores)
            if options.show:
                _show(gold, session)
        print(f"{half}: {len(golds)} transcripts, {time.process_time() - started:.2f} s CPU\n")
        if options.faults:
            print(*scores.faults, "", sep="\n")
        _print(scores)


def extracted(golds: list[Gold]) -> Iterator[tuple[Gold, Session]]:
    """Yield each transcript with the session that is read from it."""
    with tempfile.TemporaryDirectory(prefix="nlm-gold-") as folder:
        projects = Path(folder) / "projects" / "gold"
        projects.mkdir(parents=True)
        paths = {write_transcript(gold, projects).name: gold for gold in golds}
        reader = ClaudeCodeReader([Path(folder)])
        for source in sorted(reader.discover(), key=lambda source: paths[source.path.name].name):
            transcript = reader.read(source)
            if transcript is None:
                raise ValueError(f"{paths[source.path.name].name}: no conversation in it")
            yield paths[source.path.name], build_session(transcript, source)


def _show(gold: Gold, session: Session) -> None:
    print(f"== {gold.name} ({gold.kind})\n   label    {session.label}\n   summary  {session.summary}")
    print("   topics  ", ", ".join(session.entities))
    for kind, texts in (("decision", session.decisions), ("open", session.open)):
        for text in texts:
            evidence = session.evidence.get((kind, text))
            print(f"   {kind:8} {text}", "" if evidence is None else f"[{evidence.message}: {evidence.quote[:60]}]")


def _print(scores: Scores) -> None:
    rows: list[tuple[object, ...]] = []
    for name, (precision, recall) in _AIMS.items():
        tally: Tally = getattr(scores, name)
        aim = f"P {precision:.2f} R {recall:.2f}"
        rows.append((name, tally.found, tally.right, tally.wanted, tally.precision, tally.recall, tally.f1, aim))
    head = ("what", "found", "right", "wanted", "precision", "recall", "F1", "aim")
    print(table(head, [tuple(_short(value) for value in row) for row in rows]), "\n")
    shares: dict[str, Share] = {
        "what was given up is named": scores.given_up,
        "the reason is named": scores.reasons,
        "evidence is the right message": scores.evidence,
        "label says what it should": scores.labels,
        "label has 4 to 10 words": scores.label_lengths,
        "summary says what it should": scores.summaries,
        "trivial: a label, nothing else": scores.plain,
    }
    print(
        table(("share", "of", "held"), [(name, share.of, _short(share.value)) for name, share in shares.items()]), "\n"
    )


def _short(value: object) -> object:
    return f"{value:.2f}" if isinstance(value, float) else value


if __name__ == "__main__":
    main()
