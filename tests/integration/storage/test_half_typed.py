"""While a query is typed, each key keeps what was found and finds what the next ones may."""

from random import Random

import pytest
from support import WORDS, a_session, random_session

from nlm_tui.core import RecallResult, RecallService, Session, matcher, parse, stem
from nlm_tui.storage import SqliteSessionStore


def typed(store: SqliteSessionStore, text: str, limit: int = 100) -> RecallResult:
    return RecallService(store).search(parse(text, limit=limit, typing=True))


def ids(result: RecallResult) -> set[str]:
    return {hit.id for hit in result.results}


def marked(session: Session, result: RecallResult) -> list[str]:
    words = matcher(result.terms)
    texts = (session.label, session.summary, session.body, *session.decisions, *session.open)
    return [text[start:end] for text in texts for start, end in words.spans(text)]


@pytest.mark.parametrize("seed", range(3))
def test_the_next_word_never_empties_the_list(store: SqliteSessionStore, seed: int) -> None:
    random = Random(seed)
    with store.batch():
        for number in range(60):
            store.insert_sessions(random_session(random, number))
    endings = (*WORDS, "xyzzy", "rediz", "Redis-Cache", "the", "mergeCart", "C#", "50%", "don't", "99", "-", "café's")
    for finished in (
        "redis ",
        "retry kafka ",
        "rediz ",
        "検索 ",
        '"redis kafka" ',
        "in:label redis ",
        "has:open redis ",
    ):
        kept = ids(typed(store, finished))
        assert kept
        for word in random.sample(endings, 8):
            for end in range(1, len(word) + 1):
                found = typed(store, finished + word[:end])
                assert ids(found) >= kept, finished + word[:end]
                assert found.total >= len(kept)


@pytest.mark.parametrize("field", ["label", "summary", "decisions", "open", "entities"])
@pytest.mark.parametrize("word", ["Budgets", "retry", "mergeGuestCart", "Łódź", "登录超时"])
def test_a_beginning_finds_short_texts_from_the_first_key(store: SqliteSessionStore, field: str, word: str) -> None:
    value = f"Now {word} again" if field in {"label", "summary"} else (f"Now {word} again",)
    store.insert_sessions(a_session("wanted", **({"label": "x"} | {field: value})))
    store.insert_sessions(a_session("other", label="x"))
    for end in range(1, len(word) + 1):
        for text in (word[:end], word[:end].lower(), word[:end].upper()):
            result = typed(store, text)
            assert ids(result) == {"wanted"}, text
            assert not result.results[0].approximate


FORMS = {
    "connections": "connected",
    "retries": "retry",
    "authentication": "authenticate",
    "configuration": "configured",
    "addresses": "address",
    "happiness": "happy",
    "caching": "cached",
    "probability": "probable",
    "stopping": "stopped",
    "migrations": "migrating",
    "queries": "query",
    "generalization": "generalize",
    "running": "run",
}


@pytest.mark.parametrize("place", ["label", "body"])
@pytest.mark.parametrize("word", FORMS)
def test_another_form_is_found_and_marked_at_every_key(store: SqliteSessionStore, word: str, place: str) -> None:
    assert stem(word) == stem(FORMS[word]), "the index takes them for one word"
    wanted = a_session("wanted", **({"label": "x"} | {place: f"we saw {FORMS[word]} there"}))
    with store.batch():
        store.insert_sessions(wanted)
        store.insert_sessions(a_session("other", label="x", body="nothing of the kind"))
    for end in range(3, len(word) + 1):
        for before in ("", "zeppelin "):
            result = typed(store, before + word[:end])
            assert "wanted" in ids(result), word[:end]
            shown = marked(wanted, result)
            assert shown, word[:end]
            assert all(FORMS[word].startswith(one.lower()) for one in shown)
    assert not typed(store, word).results[0].approximate


def test_the_finished_word_is_no_beginning(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("whole", label="the budget"))
    store.insert_sessions(a_session("longer", label="the budgetary board"))
    assert ids(typed(store, "budget")) == {"whole", "longer"}
    assert ids(typed(store, "budget ")) == {"whole"}
    assert ids(RecallService(store).search(parse("budget"))) == {"whole"}


def test_what_is_typed_is_looked_for_where_the_query_says(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("label", label="Retry budget", summary="s"))
    store.insert_sessions(a_session("summary", label="x", summary="retry budget"))
    store.insert_sessions(a_session("decision", label="x", decisions=("retry twice",)))
    for end in range(1, len("retry") + 1):
        for name in ("label", "summary", "decision"):
            assert ids(typed(store, f"in:{name} {'retry'[:end]}")) == {name}
    assert ids(typed(store, "in:label,decision retr")) == {"label", "decision"}
    assert ids(typed(store, "-in:label retry")) == {"summary", "decision"}


HALF_TYPED = [
    ("project:", "shop", ["s", "sh", "sho"]),
    ("project:", "shop/api", ["shop/a", "shop/ap"]),
    ("entity:", "Postgres", ["P", "post", "Postgre"]),
    ("branch:", "main", ["m", "ma", "MAI"]),
    ("branch:", "fix/retry", ["fi", "fix/re"]),
    ("agent:", "codex", ["c", "code"]),
]


@pytest.mark.parametrize(("name", "whole", "beginnings"), HALF_TYPED)
@pytest.mark.parametrize("words", ["", " session"])
def test_half_typed_values_are_beginnings(
    store: SqliteSessionStore, name: str, whole: str, beginnings: list[str], words: str
) -> None:
    wanted = {
        "project": {"project": f"/home/sam/src/{whole}"},
        "entity": {"entities": (whole,)},
        "branch": {"branch": whole},
        "agent": {"runtime": whole},
    }[name[:-1]]
    store.insert_sessions(a_session("wanted", **wanted))
    store.insert_sessions(a_session("other", runtime="pi", project="/zed", branch="zed", entities=("Zed",)))
    service = RecallService(store)
    for beginning in beginnings:
        result = service.search(parse(name + beginning + words, typing=True))
        assert ids(result) == {"wanted"}
        assert result.notes == ()
        if name != "agent:":  # that one is a beginning always
            finished = service.search(parse(name + beginning + words))
            assert ids(finished) == set()
            assert finished.notes == (f"no session has {name}{beginning}",)
    for typing in (False, True):
        assert ids(service.search(parse(name + whole + words, typing=typing))) == {"wanted"}
        assert ids(service.search(parse(f"{name}nowhere{words}", typing=typing))) == set()
        assert ids(service.search(parse(f"-{name}{whole}{words}", typing=typing))) == {"other"}


def test_a_value_that_some_session_has_is_whole(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("whole", project="/srv/shop", branch="fix", model="opus", entities=("Post",)))
    store.insert_sessions(a_session("longer", project="/srv/shops", branch="fixes", entities=("Postgres",)))
    for text in ("project:shop", "branch:fix", "entity:Post", "model:op", "model:opus"):
        assert ids(typed(store, text)) == {"whole"}


def test_models_are_found_by_any_part(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("wanted", model="claude-opus-4-1"))
    for typing in (False, True):
        for value in ("op", "opus", "4-1", "CLAUDE"):
            assert ids(RecallService(store).search(parse(f"model:{value}", typing=typing))) == {"wanted"}
