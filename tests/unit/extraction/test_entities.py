"""What a session is about: its project and the technologies it keeps naming."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlm_tui.core import Message
from nlm_tui.extraction.entities import MAX_ENTITIES, find_entities, words_of
from nlm_tui.extraction.projects import project_name, project_topic
from nlm_tui.extraction.vocabulary import CASED, NAMES

TEMPORARY = "/" + "tmp"


def named(
    prose: str,
    headline: str = "",
    project: str | None = None,
    *,
    prompt: str = "Hello",
    done: str = "",
    share: Callable[[str], float] | None = None,
) -> tuple[str, ...]:
    messages = [
        Message("user", prompt),
        Message("tool", done),
        Message("assistant", prose),
        Message("assistant", "Yes"),
    ]
    said = "\n".join(message.text for message in messages if message.role != "tool")
    if share is None:
        return find_entities(project, messages, words_of(said), headline)
    return find_entities(project, messages, words_of(said), headline, share)


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/home/dana/widget-shop", "widget-shop"),
        ("/home/dana/src/pay/", "pay"),
        ("/home/dana/my-app.v2 (new)_x", "my-app.v2 (new)_x"),
        ("/home/dana/プロジェクト/café", "café"),
        ("C:\\Users\\dana\\src\\pay", "pay"),
        ("C:/Users/dana/src/pay", "pay"),
        ("\\\\server\\share\\ledger", "ledger"),
        ("/srv/back\\slash", "back\\slash"),
        ("/home/dana/widget-shop/.claude/worktrees/fix-1", "widget-shop"),
        ("/home/dana/widget-shop/.claude/worktrees/fix-1/packages/api", "widget-shop"),
        ("C:\\src\\pay\\.claude\\worktrees\\fix-1", "pay"),
        ("/home/dana/pay/.worktrees/fix-1", "pay"),
        ("/home/dana/.codex/worktrees/1a2b/pay", "pay"),
        ("/home/dana/.codex/worktrees/1a2b/pay/src", "pay"),
        ("/home/dana/.cursor/worktrees/pay/1a2b", "pay"),
        ("~/src/pay", "pay"),
        (f"{TEMPORARY}/pay", "pay"),
        ("/Users/dana/Code/Pay", "Pay"),
    ],
)
def test_the_project_is_the_last_part_of_its_folder(folder, name):
    assert project_name(folder) == name
    assert named("", project=folder) == (name,)


@pytest.mark.parametrize(
    "folder",
    [
        *(None, "", "/", "~", "/root", "/home", "/home/dana", "/home/dana/", "/Users/dana", "/Users", "/var/home/dana"),
        *("C:\\", "C:\\Users\\dana", "C:/Users/dana/", "/home/dana/src", "/home/dana/Desktop", "/workspace", "/app"),
        *(TEMPORARY, f"/private{TEMPORARY}", f"/var{TEMPORARY}", "/x/tmpa8d2k3x9", "/x/tmp.Ab3dE6"),
        f"{TEMPORARY}/0f8fad5b-d9cb-469f-a165-70867728950e",
        *("/home/dana/.claude/worktrees/x", "/home/dana/2024", "/home/dana/..."),
    ],
)
def test_a_home_or_a_scratch_folder_is_no_project(folder):
    assert project_name(folder) is None


@pytest.mark.parametrize(
    ("prose", "expected"),
    [
        ("PostgreSQL is slow. Is postgres the reason?", ("Postgres",)),
        ("k8s or Kubernetes", ("Kubernetes",)),
        ("grpc, then gRPC.", ("gRPC",)),
        ("`redis` and (Redis)", ("Redis",)),
        ("node.js and Node.js; next.js and nextjs", ("Next.js", "Node.js")),
        ("C++ or c++, C# and c#. .NET? dotnet, dotnet", (".NET", "C#", "C++")),
        ("GitHub Actions run; a GitHub action. github actions!", ("GitHub Actions",)),
        ("Docker Compose, docker compose, docker, docker", ("Docker", "Docker Compose")),
        ("Redisを使う。Redisは速い", ("Redis",)),
        ("We use React, and our React code. With Go 1.22 or Go.", ("Go", "React")),
        ("golang, golang", ("Go",)),
        ("kafka, kafka, kafka; sqlite: SQLite", ("Kafka", "SQLite")),
    ],
)
def test_technologies_have_one_spelling_and_come_by_frequency(prose, expected):
    assert named(prose) == expected


@pytest.mark.parametrize(
    "prose",
    [
        "Redis once",
        "src/redis/redis.py and lib/redis/x",
        "redis_client redis_client redis-py redis-py",
        "go on, go to it, let us go",
        "Go to the page. Go back.",
        "React to it. We react to events. How To React Well, When You React Well",
        "express the idea, Express it",
        "The rust on the metal. Rust never sleeps.",
        "swift answers and Swift Answers, a swift Swift Answer",
        "vault over it, consul of Rome, flux in time, spark of joy",
        "next the js file, node of the tree",
        "the chef and the puppet at the helm of the railway",
        "the notion of a neon crystal in temporal unity",
        "bootstrap the cargo, remix the slack",
        "json html css http sql git yaml json html css",
    ],
)
def test_words_of_everyday_and_single_mentions_do_not_count(prose):
    assert named(prose) == ()


def test_one_mention_in_label_or_decision_is_enough():
    assert named("nothing", headline="Move the queue to RabbitMQ") == ("RabbitMQ",)
    assert named("nothing", headline="Rewrite it in Rust") == ("Rust",)
    assert named("nothing", headline="How to Go Live with Billing") == ()


def test_the_project_comes_first_and_only_once():
    assert named("kafka, kafka, redis, redis.", project="/home/dana/kafka") == ("kafka", "Redis")


def test_there_are_not_too_many():
    prose = " ".join(
        f"{name}, {name},"
        for name in (
            *("kafka", "redis", "mysql", "sqlite", "docker", "nginx", "eslint", "vitest"),
            *("grafana", "jenkins", "ansible", "podman", "celery"),
        )
    )
    found = named(prose + " vitest", project="/home/dana/pay")
    assert len(found) == MAX_ENTITIES
    assert found[:3] == ("pay", "Vitest", "Ansible")


def test_no_project_name_is_long_or_has_controls():
    assert project_name("/home/dana/\x1b[31mred\x1b[0m") == "red"
    assert len(project_name("/home/dana/" + "x" * 500) or "") == 60


@pytest.mark.parametrize(
    ("prose", "name"),
    [
        ("We call the QuoteService twice. It is the QuoteService that fails.", "QuoteService"),
        ("I'd try cuteSV here; cuteSV is quick.", "cuteSV"),
        ("The board has an AT32F403, and the AT32F403 is slow.", "AT32F403"),
        ("the app, Pocketshelf, sends it. Pocketshelf is ours, and then Pocketshelf waits.", "Pocketshelf"),
        ("the new orders-db is full, orders-db needs room", "orders-db"),
        ("import it from @harbour/kit, since @harbour/kit has it", "@harbour/kit"),
    ],
)
def test_names_that_no_table_knows_are_told_by_how_they_are_written(prose, name):
    assert named(f"Here is the answer to the question. {prose}") == (name,)


@pytest.mark.parametrize(
    "prose",
    [
        "Then ask Marenka. I think Marenka has the key, and Marenka said it",
        "It is on Monday, not on Tuesday; on Monday we meet, on Tuesday not, on Monday, on Tuesday",
        "See the API, the JSON, the HTTP API, the JSON and the CPU, the API, TODO, the TODO",
        "for PAY-2207 and PAY-2207, as PAY-2207 says",
        "it calls `getUser()` and `UserStore`; in `UserStore` it is `UserStore`",
        "it throws a ParseError, and then a ParseError",
        "open the file Report.docx, the file Report.docx and the Report.docx",
        "a Reservation is made, the Reservation, one Reservation; a reservation is not",
        "it is client-side, the client-side, and server-side, in-app and in-app",
    ],
)
def test_people_days_initials_tickets_and_code_are_no_names(prose):
    assert named(f"The thing is this. {prose}. That is the end of the story.") == ()


def test_an_installed_package_that_is_talked_about_is_a_name():
    prose = "The parser reads the query. I use nuqz for it, and nuqz has the types."
    assert named(prose) == ()
    assert named(prose, done="Bash  npm install nuqz@^2 --save-dev 2>&1 | tail -4") == ("nuqz",)


def test_a_tool_in_small_letters_that_begins_sentences_is_a_name():
    prose = "There are two. frobtool is the usual choice. With frobtool you need the binary."
    assert named(prose, done="Bash  frobtool -d db/sql up") == ("frobtool",)
    assert named("There are two. saves are the rest. The saves are lost.", done="Bash  ls saves") == ()


def test_the_first_prompt_weighs_more_and_calls_weigh_least():
    assert named("nothing", prompt="the app is in Rust, move it") == ("Rust",)
    assert named("nothing", done="Bash  terraform plan") == ()
    assert named("nothing", done="AskUserQuestion\nWhich?\n- Mapbox: known\n- MapLibre: free. Mapbox, MapLibre") == (
        "MapLibre",
        "Mapbox",
    )


def test_words_of_other_languages_are_names_in_english_or_as_written():
    assert named("The build is the slow part, with vite and the vite config. The end.") == ("Vite",)
    assert named("Il faut aller vite, très vite, le plus vite possible") == ()
    assert named("Il faut passer à Vite, car Vite est rapide") == ("Vite",)


def test_nouns_in_capitals_are_no_names_where_all_nouns_have_them():
    assert named("Die Buchung ist in der Liste, und die Buchung hat einen Termin. Die Buchung fehlt.") == ()


def test_a_capitalised_word_that_is_common_in_the_store_is_no_name():
    prose = "The thing is that the Frobber is slow, since Frobber waits, and so the Frobber stops."
    assert named(prose, share=lambda _word: 0.01) == ("Frobber",)
    assert named(prose, share=lambda _word: 0.2) == ()
    assert named("The FrobberService is here, the FrobberService", share=lambda _word: 0.9) == ("FrobberService",)
    assert named("kafka, kafka", share=lambda _word: 0.9) == ("Kafka",)


@pytest.mark.parametrize(
    ("folder", "topics"),
    [("/home/dana/sotavoz/planning", ("sotavoz",)), ("/home/dana/homelab", ()), ("C:\\src\\pay\\docs", ("pay",))],
)
def test_a_folder_named_for_what_any_project_has_is_no_topic(folder, topics):
    assert named("", project=folder) == topics


_WORDS = "the The Frobber cuteSV `X` **a** - . , : redis Go STM32 @a/b x-db Ask Room\n\n ``` QuoteService"
_TEXT = st.text() | st.lists(st.sampled_from(_WORDS.split(" "))).map(" ".join)


@given(_TEXT, _TEXT, _TEXT)
def test_any_text_gives_a_few_names(project, prose, headline):
    found = named(prose, headline, project)
    assert found == named(prose, headline, project)
    assert len(found) <= MAX_ENTITIES
    assert len(set(found)) == len(found)
    assert all(name.strip() == name and name and "\n" not in name for name in found)
    known = {*NAMES.values(), *CASED.values(), project_topic(project)}
    assert all(name in known or name.casefold() in f"{prose}\n{headline}".casefold() for name in found)


@pytest.mark.parametrize(
    "unit",
    [
        *("a", " ", "- ", "redis ", " Go", "node js ", "ruby on rails ", "next node ", "go express react "),
        *("A", "aA", "A.", "A-a", "Aa ", "an Ab ", ". a", "**a", "\n- **a", "-db ", "a-", "@a/b ", "```", "install a "),
    ],
)
def test_two_megabytes_of_anything_take_a_moment(unit):
    started = time.process_time()
    text = unit * (2_000_000 // len(unit))
    named(text, prompt=text, done=text, headline=text[:100_000])
    assert time.process_time() - started < 5
