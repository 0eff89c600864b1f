"""What the user does not want to be read or kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.ingest.policy import Policy

SEGMENTS = st.text(st.characters(exclude_characters="/\\*?\0", exclude_categories=["Cs"]), min_size=1, max_size=8)
PATHS = st.lists(SEGMENTS, min_size=1, max_size=5).map(lambda names: "/" + "/".join(names))


@pytest.mark.parametrize(
    ("pattern", "path", "excluded"),
    [
        ("/home/dana/private", "/home/dana/private/a.jsonl", True),
        ("/home/dana/private", "/home/dana/private", True),
        ("/home/dana/private/", "/home/dana/private/a", True),
        ("/home/dana/private", "/home/dana/private-not/a", False),
        ("/home/dana/private", "/mnt/home/dana/private/a", False),
        ("/home/*/private", "/home/dana/private/a", True),
        ("/home/*", "/home", False),
        ("/home/*/private", "/home/a/b/private", False),
        ("/home/**/private", "/home/a/b/private/x", True),
        ("/home/**/private", "/home/private", True),
        ("/home/**", "/home/a", True),
        ("client-*", "/work/client-acme/web", True),
        ("client-*", "/work/my-client-acme", False),
        ("client-?", "/work/client-a", True),
        ("client-?", "/work/client-ab", False),
        ("work/secret", "/home/dana/work/secret/x", True),
        ("work/secret", "/home/dana/work/a/secret", False),
        ("*.jsonl", "/a/b.jsonl", True),
        ("*.jsonl", "/a/b.jsonl.zst", False),
        ("Secret", r"C:\Users\Dana\secret\x", True),
        (r"C:\Users\dana\*", r"c:/users/Dana/x", True),
        (r"C:\Users", r"D:\C:\Users", False),
        ("app/[slug]", "/srv/app/[slug]/page", True),
        ("app/[slug]", "/srv/app/s/page", False),
        ("a.b", "/axb", False),
        ("caf\u00e9", "/cafe\u0301/x", True),
        ("*", "/a", True),
        ("***", "/a/b", True),
        ("**", "/a/b", True),
        ("/", "/a", True),
    ],
)
def test_a_pattern_names_a_path_and_all_below_it(pattern: str, path: str, excluded: bool) -> None:  # noqa: FBT001
    policy = Policy(["/elsewhere", pattern], [pattern])
    assert policy.excludes_path(path) is excluded
    assert policy.excludes_project(path) is excluded


def test_without_patterns_nothing_is_left_out() -> None:
    assert not Policy().excludes_path("/a")
    assert not Policy().excludes_project("/a")
    assert Policy().keeps_tool_output
    assert not Policy(keeps_tool_output=False).keeps_tool_output


def test_transcripts_and_projects_are_told_apart() -> None:
    policy = Policy(["a"], ["b"])
    assert (policy.excludes_path("/a"), policy.excludes_path("/b")) == (True, False)
    assert (policy.excludes_project("/a"), policy.excludes_project("/b")) == (False, True)


def test_a_session_without_a_project_is_kept() -> None:
    assert not Policy([], ["*"]).excludes_project(None)


@given(PATHS, SEGMENTS)
def test_every_path_names_itself_and_what_is_below(path: str, name: str) -> None:
    policy = Policy([path])
    assert policy.excludes_path(path)
    assert policy.excludes_path(f"{path}/{name}")


@given(st.lists(st.text(max_size=12), max_size=4), st.text(max_size=30))
def test_any_text_may_be_asked_for(patterns: list[str], path: str) -> None:
    assert Policy(patterns, patterns).excludes_path(path) == Policy(patterns, patterns).excludes_project(path)
