"""Working directories of every system as projects."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core import in_project, project_name, project_words

FOLDER = st.text(st.characters(exclude_characters="/\\~", exclude_categories=["Cs"]), min_size=1, max_size=6)
PATHS = st.lists(FOLDER, min_size=1, max_size=5)


@pytest.mark.parametrize(
    ("path", "wanted", "within"),
    [
        ("/home/sam/src/nlm", "nlm", True),
        ("/home/sam/src/nlm", "NLM", True),
        ("/home/sam/src/nlm", "/home/sam/src/nlm/", True),
        ("/home/sam/src/nlm", "~/src/nlm", True),
        ("/home/sam/src/nlm", "src/nlm", True),
        ("/home/sam/src/nlm", r"src\nlm", True),
        ("/home/sam/src/nlm", "sam", True),
        ("/home/sam/src/nlm", "home/src", False),
        ("/home/sam/src/nlm", "nlm/src", False),
        ("/home/sam/src/nlm-tui", "nlm", False),
        ("/home/sam/src/nlm", "lm", False),
        ("/home/sam/src/nlm", "nlm/api", False),
        (r"C:\Users\Sam\code\Pay\api", "pay/API", True),
        (r"C:\Users\Sam\code\Pay\api", r"c:\users", True),
        (r"C:\Users\Sam\code\Pay\api", "pay", True),
        ("C:/Users/Sam/code/pay", r"code\pay", True),
        (r"\\server\share\pay", "share/pay", True),
        ("/srv//pay/", "srv/pay", True),
        ("/srv/straße", "STRASSE", True),
        ("/srv/pay", "", False),
        ("/srv/pay", "/", False),
        ("/srv/pay", "~", False),
        ("/", "pay", False),
        ("", "pay", False),
        (None, "pay", False),
    ],
)
def test_a_project_is_named_by_whole_folders(path: str | None, wanted: str, *, within: bool) -> None:
    assert in_project(path, wanted) is within


@given(PATHS, st.data())
def test_any_folders_in_sequence_name_it(folders: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(folders) - 1))
    end = data.draw(st.integers(start + 1, len(folders)))
    for separator in ("/", "\\"):
        wanted = separator.join(folders[start:end])
        assert in_project("/" + "/".join(folders), wanted)
        assert in_project("C:\\" + "\\".join(folders), wanted)
    assert not in_project("/".join(folders), "/".join((*folders, "more")))


@given(st.text(st.characters()), st.text(st.characters()))
def test_any_text_may_be_a_path(path: str, wanted: str) -> None:
    assert in_project(path, wanted) in {True, False}
    assert isinstance(project_name(path), str)
    words = project_words(path)
    assert words is None or (words and "\\" not in words)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/home/sam/src/nlm", "nlm"),
        ("/srv/Pay/", "Pay"),
        (r"C:\work\NLM", "NLM"),
        (r"C:\work\NLM" + "\\", "NLM"),
        ("pay", "pay"),
        ("/", "/"),
        ("", ""),
    ],
)
def test_the_last_folder_is_its_name(path: str, name: str) -> None:
    assert project_name(path) == name


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/home/mirela/code/pay", "pay"),
        ("/home/mirela/pay/api", "pay/api"),
        ("/Users/mirela/work/pay", "pay"),
        ("/var/home/mirela/pay", "pay"),
        ("/export/home/mirela/pay", "pay"),
        (r"C:\Users\mirela\repos\pay\api", "pay/api"),
        ("d:/users/mirela/Pay", "Pay"),
        ("~/src/pay", "pay"),
        ("/srv/pay", "srv/pay"),
        ("/home/mirela", None),
        ("/home/mirela/", None),
        ("/home/mirela/src", None),
        ("/", None),
        ("", None),
        (None, None),
    ],
)
def test_what_a_session_is_found_by(path: str | None, words: str | None) -> None:
    assert project_words(path) == words
