"""Hits and reports as text for the shell."""

from datetime import UTC, datetime
from pathlib import Path

import click
import pytest

from nlm_tui.core import RecallHit, RecallResult
from nlm_tui.ingest.report import IndexReport, Recovered, Skipped, Unwanted
from nlm_tui.output import report_json, report_lines, result_lines

NOW = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)


def a_hit(**given: object) -> RecallHit:
    empty: dict[str, object] = dict.fromkeys(RecallHit.__dataclass_fields__)
    texts = {"id": "cc_1", "runtime": "codex", "label": "Redis cache", "summary": "", "snippet": "keep Redis"}
    more = {"started_at": "2026-05-30T12:00:00Z", "status": "closed", "match_score": 1.0, "source_gone": False}
    lists = dict.fromkeys(("entities", "decisions", "open", "matched_in"), ())
    return RecallHit(**(empty | texts | more | lists | given))


def lines(*hits: RecallHit, query: str = "redis", total: int = 1) -> list[str]:
    result = RecallResult(query=query, mode="keyword", limit=20, total=total, results=hits)
    return list(result_lines(result, {}, now=NOW, home=Path("/home/sam")))


def test_a_hit_is_three_lines() -> None:
    hit = a_hit(project="/home/sam/src/pay", decisions=("a", "b"), open=("c",), matched_in=("label", "decisions"))
    assert [click.unstyle(line) for line in lines(hit, total=1204)] == [
        "Redis cache",
        "  cc_1  codex  2d  ~/src/pay  decisions 2  open 1  in label, decisions",
        "  keep Redis",
        "",
        "1 of 1,204 sessions",
    ]


def test_what_is_unknown_is_left_out() -> None:
    assert [click.unstyle(line) for line in lines(a_hit(snippet=""))][:2] == ["Redis cache", "  cc_1  codex  2d"]
    assert click.unstyle(lines(a_hit(snippet_field="conversation"))[1]).endswith("  in conversation")
    assert click.unstyle(lines(a_hit(status="superseded"))[1]).endswith("  superseded")


def test_matches_are_bold_and_underlined() -> None:
    label, _, snippet, *_ = lines(a_hit(label="The Rédis cache"))
    marked = click.style("Rédis", bold=True, underline=True)
    assert label == click.style("The ", bold=True) + marked + click.style(" cache", bold=True)
    assert snippet == "  keep " + click.style("Redis", bold=True, underline=True)


def test_no_hit() -> None:
    assert lines(total=0) == ["0 of 0 sessions"]


def test_a_report_says_what_happened() -> None:
    report = IndexReport(new=1200, updated=1, unchanged=2, seconds=3.14)
    assert list(report_lines(report, 1203)) == [
        "1,203 sessions in the memory: 1,200 new, 1 updated, 2 unchanged, 3.1 s"
    ]
    report = IndexReport(
        gone=1,
        excluded=3,
        interrupted=True,
        skipped=[Skipped("/a\x1b[2J", "is no\ntranscript")],
        recovered=[Recovered("/b\n", 2, 7), Recovered("/c#1", 1)],
        unwanted=[Unwanted(2, "/srv/the client"), Unwanted(7, ids=tuple("abcdefg"))],
    )
    first, *others = report_lines(report, 1)
    assert first.startswith("interrupted; what was read is kept")
    assert others == [
        "1 transcript deleted since the last run; the memory keeps their sessions",
        "3 files not read: the settings exclude them",
        "9 sessions in the memory that the settings exclude now; what takes them out:",
        "  nlm-tui forget --project '/srv/the client'  (2 sessions)",
        "  nlm-tui forget a b c d e ...  (7 sessions)",
        "  nlm-tui index --json has the whole commands",
        "2 files read but for what is damaged in them:",
        "  /b: 2 unreadable records, the first in line 7",
        "  /c#1: 1 unreadable record",
        "1 file skipped:",
        "  /a: is no transcript",
    ]


@pytest.mark.parametrize(("count", "last"), [(20, "  /19: bad"), (21, "  and 1 more: nlm-tui index --json lists all")])
def test_a_long_list_of_skipped_files_is_cut(count: int, last: str) -> None:
    report = IndexReport(skipped=[Skipped(f"/{number}", "bad") for number in range(count)])
    assert list(report_lines(report, 0))[-1] == last
    assert len(report_json(report, 0)["skipped"]) == count


def test_a_report_as_json() -> None:
    found = {"skipped": [Skipped("/a", "bad")], "recovered": [Recovered("/b", 2, 7)]}
    found["unwanted"] = [Unwanted(2, "/srv"), Unwanted(7, ids=tuple("abcdefg"))]
    report = IndexReport(new=1, updated=2, unchanged=3, gone=4, excluded=5, bad_lines=2, seconds=0.12345, **found)
    assert report_json(report, 9) == {
        "sessions": 9,
        "new": 1,
        "updated": 2,
        "unchanged": 3,
        "gone": 4,
        "excluded": 5,
        "bad_lines": 2,
        "interrupted": False,
        "skipped": [{"path": "/a", "reason": "bad"}],
        "recovered": [{"path": "/b", "bad_lines": 2, "bad_line": 7}],
        "unwanted": [
            {"project": "/srv", "sessions": 2, "command": "nlm-tui forget --project /srv"},
            {"project": None, "sessions": 7, "command": "nlm-tui forget a b c d e f g"},
        ],
        "seconds": 0.123,
    }
