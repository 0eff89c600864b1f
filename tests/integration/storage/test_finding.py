"""What developers look for is found as they type it: each kind of word, first, and where it stands can be shown."""

from collections.abc import Iterable
from itertools import zip_longest

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support import a_session

from nlm_tui.core import RecallQuery, RecallResult, RecallService, Session, Term, matcher, parse, units
from nlm_tui.core.parts import RUN, identifier_parts
from nlm_tui.storage import SqliteSessionStore

HASH = "9f2c4e1ab37d0c55e8f6a1b2c3d4e5f60718293a"
CAMEL = "why does mergeGuestCart() drop the voucher"
ACRONYM = "then parseHTTPHeaderFast returned early"
SNAKE = "raise max_retry_count to nine"
LOUD = "export MAX_BATCH_SIZE=64 first"
KEBAB = "the rate-limiter lets all through"
PATH = "please open src/billing/ledger_view.py:42 again"
WINDOWS = r"it lies in C:\Work\Invoices\Main.cs on the build server"
DOTTED = "call os.path.realpath(name) instead"
QUALIFIED = "use std::collections::HashMap here"
JAVA = "java.lang.NullPointerException: null"
URL = "see https://status.courier-desk.test/incidents/8841?lang=sv#top"
MAIL = "ask mila.okafor@clinic-mail.test about it"
CHINESE = "用户说登录超时问题还在"
JAPANESE = "昨日からデータベース移行が失敗する"
KOREAN = "서버가 로그인인증서를 거부한다"

FOUND = {
    "camelCase and PascalCase, whole and by part": {
        CAMEL: ["mergeGuestCart", "mergeguestcart", "MERGEGUESTCART", "guest", "cart", "guestCart", "merge_guest_cart"],
        "new KioskBadgePrinter(feed)": ["KioskBadgePrinter", "kiosk", "badgePrinter", "printers"],
        "a useEffect(() => {}) without an array": ["useEffect", "effect", "use-effect"],
        "our iPhone and IOError": ["iPhone", "phone", "IOError"],
    },
    "acronyms": {
        ACRONYM: ["parseHTTPHeaderFast", "http", "HTTPHeader", "header", "fast"],
        "an XMLHttpRequest by hand": ["XMLHttpRequest", "xml", "HttpRequest", "xmlhttprequest"],
        "the OAuth2Client is rebuilt": ["OAuth2Client", "OAuth", "client", "oauth2client"],
        "our utf8Decoder chokes": ["utf8Decoder", "utf", "decoder"],
    },
    "snake_case, SCREAMING_CASE and kebab-case": {
        SNAKE: ["max_retry_count", "retry_count", "retry", "maxRetryCount"],
        LOUD: ["MAX_BATCH_SIZE", "max_batch_size", "batch", "MAX_BATCH_SIZE=64", "BATCH_SIZE"],
        "def __init__(self) and self._grace_left": ["__init__", "init", "_grace_left", "grace"],
        KEBAB: ["rate-limiter", "Rate-Limiter", "limiter", "rate_limiter", "rateLimiter"],
        "with stale-while-revalidate for drafts": ["stale-while-revalidate", "revalidate", "while-revalidate"],
    },
    "paths by any segment": {
        PATH: ["src/billing/ledger_view.py", "billing", "ledger_view.py", "billing/ledger_view", "view.py:42"],
        WINDOWS: [r"C:\Work\Invoices\Main.cs", "invoices", "Main.cs", r"invoices\main.cs", "Invoices/Main.cs"],
        "edit ~/.config/nvim/init.lua": ["~/.config/nvim/init.lua", "nvim", ".config/nvim", "init.lua"],
        "the Dockerfile and .env.local": ["Dockerfile", ".env.local", "env.local"],
    },
    "dotted and qualified names": {
        DOTTED: ["os.path.realpath", "path.realpath", "realpath", "os.path.realpath()"],
        "set spring.datasource.maximum-pool-size": ["spring.datasource.maximum-pool-size", "datasource", "pool-size"],
        QUALIFIED: ["std::collections::HashMap", "collections::HashMap", "hashmap", "HashMap"],
        "client.batches().cancel() and Ledger#close": ["client.batches().cancel", "batches().cancel()", "Ledger#close"],
    },
    "versions": {
        "broken since v2.0.0-beta.3 for us": ["v2.0.0-beta.3", "2.0.0-beta.3", "V2.0.0-beta.3", "v2.0.0"],
        "needs 1.27.4 or newer": ["1.27.4", "v1.27.4", "1.27"],
        "pin ^4.18 there": ["^4.18", "4.18", "v4.18"],
        "needs python3.11 here": ["3.11", "python3.11", "Python3.11"],
    },
    "error codes and names": {
        "error TS2345: no overload": ["TS2345", "ts2345", "error TS2345"],
        "ORA-00942: table or view": ["ORA-00942", "ora-00942", "00942"],
        "failed with 0x80070005 again": ["0x80070005"],
        "connect ECONNREFUSED 127.0.0.1:5433": ["ECONNREFUSED", "econnrefused", "127.0.0.1:5433", "127.0.0.1"],
        "rustc says E0308 there": ["E0308", "e0308"],
        JAVA: ["NullPointerException", "java.lang.NullPointerException", "pointer", "nullpointer"],
        "a ModuleNotFoundError: No module named 'tomlkitty'": ["ModuleNotFoundError", "No module named 'tomlkitty'"],
    },
    "commits by prefix": {
        f"introduced in {HASH} last week": [HASH, HASH[:7], HASH[:8].upper(), HASH[:12], HASH[:39], HASH[:4]],
        "the revert is 1234567f90ab": ["1234567f", "1234567f90ab", "1234567"],
    },
    "flags": {
        "run it with --dry-run": ["--dry-run", "dry-run"],
        "git push --force-with-lease=main": ["--force-with-lease", "force-with-lease", "--force-with-lease=main"],
    },
    "languages with signs": {
        "the worker in C# is next": ["C#", "c#"],
        "rewrite it in F# then": ["F#", "f#"],
        "moved to .NET recently": [".NET", ".net", "dotnet"],
        "old C++ code": ["C++", "c++"],
        "ASP.NET Core hosts it": ["ASP.NET", "asp.net"],
        "compiled by g++ with c++17": ["g++", "c++17"],
    },
    "addresses": {
        URL: [
            *("https://status.courier-desk.test/incidents/8841?lang=sv#top", "status.courier-desk.test"),
            *("courier-desk", "incidents/8841", "courier-desk.test/incidents"),
        ],
        MAIL: ["mila.okafor@clinic-mail.test", "okafor", "@clinic-mail.test", "mila.okafor"],
        "listens on localhost:8086 now": ["localhost:8086", ":8086", "8086"],
    },
    "numbers with signs": {
        "closes #4127 at last": ["#4127", "4127"],
        "at 50% load": ["50%", "50 %"],
        "99.9% uptime": ["99.9%"],
        "see OPS-1184 for it": ["OPS-1184", "ops-1184"],
    },
    "contractions": {
        "it doesn't rehydrate": ["doesn't", "doesn\u2019t", "doesnt"],
        "we can\u2019t deploy": ["can't", "can\u2019t", "cant"],
    },
    "markup, patterns and wildcards": {
        "a <marquee behavior=alternate> there": ["<marquee>", "<marquee behavior=alternate>", "behavior=alternate"],
        "write &thinsp; between": ["&thinsp;", "thinsp"],
        r"the pattern ^rcn-\d{6}[A-Z]?$ is greedy": [r"^rcn-\d{6}[A-Z]?$", "^rcn"],
        "WHERE code LIKE 'vchr_%'": ["LIKE 'vchr_%'", "vchr_%", "'vchr_%'"],
        "SELECT sum(amount_owed) FROM debts": ["sum(amount_owed)", "amount_owed"],
        "ignore **/*.golden files": ["**/*.golden", "*.golden", ".golden"],
    },
    "emoji": {
        "ship it \N{ROCKET} now": ["\N{ROCKET}"],
        "done \N{WHITE HEAVY CHECK MARK}all": ["\N{WHITE HEAVY CHECK MARK}"],
        "careful \N{WARNING SIGN}\ufe0f hot": ["\N{WARNING SIGN}\ufe0f", "\N{WARNING SIGN}"],
        "a \N{WOMAN}\u200d\N{PERSONAL COMPUTER} wrote it": ["\N{WOMAN}\u200d\N{PERSONAL COMPUTER}"],
    },
    "accents both ways": {
        "the Café in S\u00e3o Tom\u00e9": ["cafe", "café", "cafe\u0301", "CAFÉ", "Sao Tome", "tome"],
        "a re\u0301pertoire of na\u00efve tricks": ["repertoire", "r\u00e9pertoire", "naive", "naïve"],
        "a resume of it": ["résumé"],
        "Søren from Łódź met Đurđa": ["soren", "Søren", "lodz", "Łódź", "durda", "Đurđa", "lódz"],
        "Soren of Lodz, Durda too": ["Søren", "Łódź", "Đurđa"],
        "an œuvre about Æther": ["oeuvre", "aether"],
        "на ёлке висит звезда": ["ёлке", "елке", "Звезда"],
        "ΟΔΟΣ ανοικτή": ["οδος", "οδός", "ανοικτη"],
    },
    "letters for two": {
        "at the þing of Þorvald": ["þing", "thing", "Thorvald", "þorvald"],
        "a thing of theirs": ["þing"],
    },
    "ligatures": {"the ﬁnal proof": ["final", "ﬁnal"]},
    "letters beside glyphs": {"\ue0a0main\ue0b0 is ahead": ["main", "\ue0a0main"]},
    "sharp s": {
        "die Straßenbahn im großen Maßstab": ["Straßenbahn", "strassenbahn", "STRASSENBAHN", "Massstab", "grossen"],
        "die Strassenbahn": ["Straßenbahn", "STRAßENBAHN"],
    },
    "Chinese": {CHINESE: ["登录超时问题", "登录", "超时", "录超", "时问题", "超", "在", "用", CHINESE, "登录 超时"]},
    "Japanese": {
        JAPANESE: ["データベース", "データ", "ベース移行", "移行", "失敗", "昨", "る", "行"],
        "検索 機能": ["検索", "検", "機能", "機"],
        "設定はｶﾀｶﾅで": ["カタカナ", "ｶﾀｶﾅ", "タカ"],
        "名前はカタカナだ": ["ｶﾀｶﾅ"],
        "古いﾃﾞｰﾀだ": ["データ", "ﾃﾞｰﾀ"],
    },
    "Korean": {KOREAN: ["로그인", "그인", "인증서", "인증서를", "서버", "버가", "거부", "거", "다"]},
    "Latin glued to others": {
        "我们用kafka做队列": ["kafka", "队列", "用kafka", "kafka做", "做队"],
        "Redisの設定とOAuth2トークン": ["redis", "設定", "Redisの設定", "トークン", "OAuth2トークン"],
        "v2接口超时": ["接口", "v2接口"],
    },
    "full-width Latin": {
        "调用ＡＰＩ失败": ["API", "api", "ＡＰＩ", "调用API"],
        "Ｒｅｄｉｓ is up": ["redis"],
        "plain kafka": ["ｋａｆｋａ"],
    },
    "very long words": {
        "token " + "ab1" * 100 + " here": ["ab1" * 100],
        "x" * 2000 + " fills a line": ["fills"],
        "pneumonoultramicroscopicsilicovolcanoconiosis": ["pneumonoultramicroscopicsilicovolcanoconiosis"],
        "sha512ThumbprintOfTheArchiveThatWeDownloadedYesterday": ["thumbprint", "archive"],
    },
    "other inflections": {
        "the retry budget": ["retries", "retrying", "retried", "budgets"],
        "caching connections": ["cache", "cached", "connection", "connected"],
        "a migration of queries": ["migrations", "migrating", "query"],
        "indexes": ["indexing", "indexed", "index"],
    },
}  # fmt: skip
CASES = [(query, text) for texts in FOUND.values() for text, queries in texts.items() for query in queries]


def parts(query: str) -> list[str]:
    """What the query consists of, where these are several."""
    found = [part for run in RUN.findall(query) for part in identifier_parts(run)]
    distinct = list(dict.fromkeys(found))
    return distinct if len(distinct) > 1 else []


def decoys(query: str) -> Iterable[str]:
    """Yield texts that hold what the query consists of, apart or in another order."""
    again = "" if " " in query else "{0}, and {0} again, but "
    for part in parts(query):
        yield f"We looked at {again.format(part)}{part} was not it."
    if " " not in query:
        yield " by way of ".join(reversed(parts(query)))
    yield "Nothing of it stands here."
    yield "Neither here, though this text is a little longer than that one and says more."


def remember(store: SqliteSessionStore, text: str, query: str) -> Session:
    """Put a session that holds `text` among decoys; return it."""
    wanted = a_session("wanted", label="Tuesday", body=f"We began.\n\n{text}\n\nThat was all.")
    others = [a_session(f"decoy{number}", label="Monday", body=body) for number, body in enumerate(decoys(query))]
    half = len(others) // 2
    with store.batch():
        for session in (*others[:half], wanted, *others[half:]):
            store.insert_sessions(session)
    return wanted


def shown(session: Session, result: RecallResult) -> list[str]:
    """Return the text that is marked in what a screen shows of a session."""
    texts = (
        *(session.label, *session.decisions, *session.open, session.summary, *session.entities),
        *(session.project or "", session.branch or "", session.body),
    )
    words = matcher(result.terms)
    return [text[start:end] for text in texts for start, end in words.spans(text)]


@pytest.mark.parametrize(("query", "text"), CASES)
def test_each_kind_of_word_is_found_first_and_marked(store: SqliteSessionStore, query: str, text: str) -> None:
    wanted = remember(store, text, query)
    result = RecallService(store).search(parse(query))
    assert [hit.id for hit in result.results][:1] == ["wanted"]
    assert not result.results[0].approximate
    assert shown(wanted, result), "no hit without a visible place"
    assert result.results[0].snippet_field == "conversation"


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("mergeGuestCart", "mergeGuestCart"),
        ("guestCart", "GuestCart"),
        ("http", "HTTP"),
        ("retry_count", "retry_count"),
        ("MAX_BATCH_SIZE", "MAX_BATCH_SIZE"),
        ("rate_limiter", "rate-limiter"),
        ("ledger_view.py", "ledger_view.py"),
        (r"invoices\main.cs", r"Invoices\Main.cs"),
        ("nullpointer", "NullPointer"),
        (HASH[:9], HASH[:9]),
        ("--dry-run", "--dry-run"),
        ("C#", "C#"),
        (".net", ".NET"),
        ("c++", "C++"),
        (":8086", ":8086"),
        ("#4127", "#4127"),
        ("99.9%", "99.9%"),
        ("doesn't", "doesn\u2019t"),
        ("doesnt", "doesn\u2019t"),
        ("\N{ROCKET}", "\N{ROCKET}"),
        ("lodz", "Łódź"),
        ("strasse", "Straße"),
        ("超时", "超时"),
        ("kafka", "kafka"),
        ("api", "ＡＰＩ"),
        ("retries", "retry"),
    ],
)  # fmt: skip
def test_what_is_marked_is_what_was_looked_for(store: SqliteSessionStore, query: str, marked: str) -> None:
    text = (
        f"{CAMEL} {ACRONYM} {SNAKE} {LOUD} {KEBAB} {PATH} {WINDOWS} {JAVA} {HASH} with --dry-run, in C#, .NET or C++ "
        "on localhost:8086 for #4127 at 99.9% it doesn\u2019t \N{ROCKET} in Łódź, Straße 登录超时问题用kafka做 ＡＰＩ"
    )
    wanted = a_session(body=text)
    store.insert_sessions(wanted)
    assert shown(wanted, RecallService(store).search(parse(query))) == [marked]


def everywhere(word: str) -> dict[str, dict[str, object]]:
    """Return sessions by the place in which alone they hold `word`."""
    return {
        "label": {"label": f"About {word} today"},
        "summary": {"summary": f"It was about {word}."},
        "body": {"body": f"so {word} it was"},
        "decision": {"decisions": ("other", f"We keep {word} for now")},
        "open": {"open": (f"Does {word} scale?",)},
        "entity": {"entities": ("Postgres", word)},
        "project": {"project": f"/home/sam/src/{word}"},
        "windows": {"project": rf"C:\Users\sam\code\{word}\api"},
        "branch": {"branch": f"fix/{word}-again"},
    }


@pytest.mark.parametrize("word", ["zeppelin", "mergeGuestCart", "rate-limiter", "超时", "Łódź"])
@pytest.mark.parametrize("typing", [False, True])
def test_wherever_it_stands(store: SqliteSessionStore, word: str, *, typing: bool) -> None:
    with store.batch():
        for place, fields in everywhere(word).items():
            store.insert_sessions(a_session(place, **({"label": "Monday"} | fields)))
        store.insert_sessions(a_session("none", label="Monday", body="not here"))
    result = RecallService(store).search(parse(word, typing=typing))
    assert {hit.id for hit in result.results} >= set(everywhere(word)) - ({"body"} if typing else set())
    assert "none" not in {hit.id for hit in result.results}
    for session in store.get_by_ids([hit.id for hit in result.results]):
        assert shown(session, result), session.id


def test_homes_and_shelves_of_projects_are_no_words(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("unix", project="/home/mirela/code/pay"))
    store.insert_sessions(a_session("mac", project="/Users/mirela/work/pay"))
    store.insert_sessions(a_session("windows", project=r"C:\Users\mirela\repos\pay"))
    for word in ("home", "users", "mirela", "code", "work", "repos"):
        assert RecallService(store).search(parse(word)).total == 0
    assert RecallService(store).search(parse("pay")).total == 3


TYPOS = {
    "insert": ["kuberrnetes", "kubernetees", "kubernetesx", "xkubernetes"],
    "delete": ["ubernetes", "kuberetes", "kubernets"],
    "replace": ["kubarnetes", "kubernetez", "jubernetes"],
    "swap": ["ukbernetes", "kubenretes", "kuberneets"],
}


@pytest.mark.parametrize("typo", [typo for typos in TYPOS.values() for typo in typos])
def test_one_typo_in_a_long_word(store: SqliteSessionStore, typo: str) -> None:
    wanted = remember(store, "then Kubernetes evicted the pod", typo)
    result = RecallService(store).search(parse(typo))
    (hit,) = result.results
    assert hit.id == "wanted"
    assert shown(wanted, result) == ["Kubernetes"]
    if typo != "kubernets":  # its stem is that of the right word
        assert hit.approximate
        assert result.terms == (Term("kubernetes", "approximate", typo),)


@pytest.mark.parametrize("typo", ["migrattion", "migratoin", "migation", "migrbtion", "приветт", "mirgation"])
def test_words_of_two_typos_and_short_ones_find_nothing(store: SqliteSessionStore, typo: str) -> None:
    store.insert_sessions(a_session(body="a migration of data, привет"))
    assert [hit.approximate for hit in RecallService(store).search(parse(typo)).results] == [True]
    for other in ("dta", "data1", f"{typo}x", "xx" + typo):
        assert RecallService(store).search(parse(other)).total == 0


def test_what_is_nearly_so_is_never_above_what_is_so(store: SqliteSessionStore) -> None:
    with store.batch():
        store.insert_sessions(
            a_session("near", label="kubernetes kubernetes", summary="kubernetes", decisions=("kubernetes",))
        )
        store.insert_sessions(a_session("exact", body="x " * 500 + "and a cafeteria at last"))
    result = RecallService(store).search(parse("kubarnetes cafeteria"))
    assert [(hit.id, hit.approximate) for hit in result.results] == [("exact", False), ("near", True)]
    store.insert_sessions(a_session("same", body="x " * 500 + "as they typed kubarnetes"))
    result = RecallService(store).search(parse("kubarnetes"))
    assert [(hit.id, hit.approximate) for hit in result.results] == [("same", False)]
    assert result.terms == (Term("kubarnetes", "word", "kubarnetes"),)


def test_typos_of_quoted_words_are_meant(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session(body="on kubernetes"))
    assert RecallService(store).search(parse('"kubarnetes"')).total == 0
    assert RecallService(store).search(parse('"kubernetes"')).total == 1


@pytest.mark.parametrize(
    ("query", "other"),
    [
        *(("C#", "vitamin c"), ("C++", "vitamin c"), (".NET", "the net result"), ("F#", "f is a force")),
        *(("\N{ROCKET}", "no \N{SPARKLES}"), ("C#", "C++ alone"), ("C++", "C# alone")),
    ],
)
@pytest.mark.parametrize("quoted", [False, True])
def test_signs_tell_words_apart(store: SqliteSessionStore, query: str, other: str, *, quoted: bool) -> None:
    store.insert_sessions(a_session("with", label="Monday", body=f"written in {query} only"))
    store.insert_sessions(a_session("without", label="Monday", body=other))
    asked = f'"{query}"' if quoted else query
    assert [hit.id for hit in RecallService(store).search(parse(asked)).results] == ["with"]
    assert [hit.id for hit in RecallService(store).search(parse(f"monday -{asked}")).results] == ["without"]


@pytest.mark.parametrize(
    ("query", "with_sign", "without"),
    [
        ("#4127", "closes #4127", "4127 apples"),
        ("50%", "at 50% load", "50 apples"),
        (":8086", "on localhost:8086", "8086 apples"),
        ("--dry-run", "with --dry-run", "a dry run"),
        ("doesn't", "it doesn't work", "doesn or t"),
    ],
)
def test_signs_put_the_right_one_first(store: SqliteSessionStore, query: str, with_sign: str, without: str) -> None:
    for number, text in enumerate((without, with_sign, without)):
        store.insert_sessions(a_session(f"s{number}", body=text))
    assert RecallService(store).search(parse(query)).results[0].id == "s1"


@pytest.mark.parametrize(
    ("sign", "other"),
    [
        ("#123", "123 apples"),
        ("50%", "50 apples"),
        (":8086", "8086 apples"),
        ("--dry-run", "a dry run"),
    ],
)
def test_signs_in_quotes_and_of_what_is_excluded_are_meant(store: SqliteSessionStore, sign: str, other: str) -> None:
    store.insert_sessions(a_session("with", label="Monday", body=f"it says {sign} there"))
    store.insert_sessions(a_session("without", label="Monday", body=other))
    service = RecallService(store)
    quoted = service.search(parse(f'"{sign}"'))
    assert [hit.id for hit in quoted.results] == ["with"]
    (session,) = store.get_by_ids(["with"])
    assert shown(session, quoted) == [sign]
    assert [hit.id for hit in service.search(parse(sign)).results] == ["with"]
    excluded = f"-{sign}" if sign[0] in "#:" else f'-"{sign}"'  # a dash before a digit or a dash excludes nothing
    assert [hit.id for hit in service.search(parse(f"monday {excluded}")).results] == ["without"]
    assert [hit.id for hit in service.search(parse(f'monday -"{other}"')).results] == ["with"]


SPELLED = (
    *(
        "retry",
        "Retries",
        "mergeGuestCart",
        "HTTPServer",
        "max_count",
        "rate-limiter",
        "v2",
        "3.11",
        "C#",
        "C++",
        ".NET",
    ),
    *(
        "#12",
        "50%",
        ":8086",
        "--dry-run",
        "don't",
        "can\u2019t",
        "é",
        "e\u0301",
        "İ",
        "ı",
        "ß",
        "Łódź",
        "þ",
        "æ",
        "ς",
        "Σ",
    ),
    *(
        "ё",
        "検",
        "検索",
        "登录超时",
        "한국어",
        "カタカナ",
        "ｶﾀｶﾅ",
        "ＡＰＩ",
        "\N{ROCKET}",
        "\ue0b0",
        "9f2c4e1ab3",
        " ",
        " ",
        " ",
        ".",
    ),
)
SOME_TEXT = st.lists(st.sampled_from(SPELLED), min_size=1, max_size=7).map("".join)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(text=SOME_TEXT, query=SOME_TEXT, typing=st.booleans())
def test_whatever_is_found_can_be_shown(store: SqliteSessionStore, text: str, query: str, *, typing: bool) -> None:
    session = a_session(label="Monday", body=text)
    store.insert_sessions(session)
    result = RecallService(store).search(RecallQuery(query, typing=typing))
    assert result.total == 0 or shown(session, result)
    words = RecallService(store).search(RecallQuery(text))
    assert words.total == bool(units(text))


@pytest.mark.parametrize("kinds", zip_longest(*[iter(FOUND)] * 3))
def test_several_words_find_what_holds_most_of_them(store: SqliteSessionStore, kinds: tuple[str | None, ...]) -> None:
    texts = [next(iter(FOUND[kind])) for kind in kinds if kind]
    queries = [FOUND[kind][text][0] for kind, text in zip(filter(None, kinds), texts, strict=True)]
    with store.batch():
        for number, text in enumerate(texts):
            store.insert_sessions(a_session(f"only{number}", body=f"It began.\n\n{text}"))
        store.insert_sessions(a_session("all", body="\n\n".join(texts)))
    result = RecallService(store).search(parse(" ".join(queries)))
    assert result.results[0].id == "all"
    assert result.total == len(texts) + 1


@pytest.mark.parametrize(
    ("query", "body", "note"),
    [
        ("50%", "after 50 seconds", "50"),
        ("--force-with-lease", "force with lease", "force-with-lease"),
        ("deploy/helm/nope.yaml", "the helm chart", "helm"),
        ("dead-leter", "a dead letter queue", "dead"),
        ("v1.22.333", "release 22", "22"),
    ],
)
def test_what_is_found_in_pieces_alone_is_approximate(
    store: SqliteSessionStore, query: str, body: str, note: str
) -> None:
    store.insert_sessions(a_session("pieces", label="Monday", body=body))
    store.insert_sessions(a_session("exact", label="cafeteria"))
    result = RecallService(store).search(parse(query))
    assert [(hit.id, hit.approximate) for hit in result.results] == [("pieces", True)]
    assert note in {term.text for term in result.terms}
    mixed = RecallService(store).search(parse(f"{query} cafeteria"))
    assert [(hit.id, hit.approximate) for hit in mixed.results] == [("exact", False), ("pieces", True)]


def test_a_version_beside_chinese_is_found_without_its_letter(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("wanted", label="Monday", body="在v3.9.1版本"))
    store.insert_sessions(a_session("other", label="Monday", body="3 of 9, 1 left"))
    for query in ("v3.9.1", "3.9.1"):
        assert [hit.id for hit in RecallService(store).search(parse(query)).results] == ["wanted"]


def test_a_contraction_is_no_other_word(store: SqliteSessionStore) -> None:
    store.insert_sessions(a_session("wanted", label="Monday", body="it's late"))
    store.insert_sessions(a_session("other", label="Monday", body="its own"))
    assert [hit.id for hit in RecallService(store).search(parse("it's")).results] == ["wanted"]
