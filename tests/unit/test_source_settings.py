"""The tables `sources` and `generic` of the settings file: what is read, and from where."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nlm_tui.settings import (
    RUNTIMES,
    GenericSettings,
    JsonlFields,
    MarkdownTurns,
    RuntimeSettings,
    Settings,
    SettingsError,
    SourceSettings,
)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def sources(config: Path, content: str) -> SourceSettings:
    config.write_text(content, "utf-8")
    return Settings.resolve({"NLM_CONFIG": str(config)}).sources


def problems(config: Path, content: str) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        sources(config, content)
    return [problem.removeprefix(f"{config}, ") for problem in caught.value.problems]


def test_where_nothing_is_said_all_is_read(config: Path) -> None:
    found = sources(config, "")
    assert found == SourceSettings()
    assert (found.tool_output, found.subagents, found.exclude, found.exclude_projects) == (True, False, (), ())
    assert {found.of(name) for name in RUNTIMES} == {RuntimeSettings(enabled=True, roots=())}
    assert sources(config, "[sources]\n[sources.codex]\n") == SourceSettings(runtimes={"codex": RuntimeSettings()})


def test_all_that_can_be_said_of_sources(config: Path, home: Path) -> None:
    found = sources(
        config,
        '[sources]\nexclude = ["~/private/*", "/tmp"]\nexclude_projects = ["client-*"]\n'
        "tool_output = false\nsubagents = true\n"
        '[sources.claude-code]\nroots = ["~/a", "/b"]\n[sources.aider]\nenabled = false\n',
    )
    assert found == SourceSettings(
        tool_output=False,
        subagents=True,
        exclude=(str(home / "private" / "*"), "/tmp"),  # noqa: S108 - a pattern
        exclude_projects=("client-*",),
        runtimes={
            "claude-code": RuntimeSettings(roots=(home / "a", Path("/b"))),
            "aider": RuntimeSettings(enabled=False),
        },
    )
    assert not found.of("aider").enabled
    assert found.of("pi").enabled


def test_runtimes_that_are_described(config: Path, home: Path) -> None:
    found = sources(
        config,
        '[[generic]]\nname = "my-agent"\nroots = ["~/logs"]\ntext = "message.text"\nrole = ["author", "who.role"]\n'
        'user_roles = ["me"]\nsession = "conversation"\n'
        '[[generic]]\nname = "notes2"\nroots = ["/n"]\nformat = "markdown"\nfiles = "chat-*.md"\nuser = "Me:"\n',
    )
    first, second = found.generic
    fields = JsonlFields(
        role=("author", "who.role"), text=("message.text",), user_roles=("me",), session=("conversation",)
    )
    assert first == GenericSettings("my-agent", (home / "logs",), "*.jsonl", fields)
    assert second == GenericSettings("notes2", (Path("/n"),), "chat-*.md", MarkdownTurns(user=("Me:",)))
    assert fields.assistant_roles == ("assistant", "ai", "agent", "model")


def test_what_is_usual_gives_way_to_what_is_said(config: Path) -> None:
    head = '[[generic]]\nname = "a"\nroots = ["/a"]\n'
    (roles,) = sources(config, f'{head}user_roles = ["me", "Model"]\n').generic
    assert roles.form == JsonlFields(user_roles=("me", "Model"), assistant_roles=("assistant", "ai", "agent"))
    (turns,) = sources(config, f'{head}format = "markdown"\nassistant = ["## User", "Bot:"]\n').generic
    assert turns.form == MarkdownTurns(user=(), assistant=("## User", "Bot:"))


KNOWN = ", ".join(("tool_output", "subagents", "exclude", "exclude_projects", *RUNTIMES))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("\nsources = 3", 'line 2: sources is 3, but must be a table, begun by "[sources]"'),
        ("[[sources]]", 'line 1: sources is a list, but must be a table, begun by "[sources]"'),
        (
            "[sources]\n\n[sources.aidr]\nenabled = false",
            f'line 3: there is no setting "aidr" in sources; did you mean "aider"?; settings: {KNOWN}',
        ),
        ("[sources]\naider = false", 'line 2: sources.aider is false, but must be a table, begun by "[sources.aider]"'),
        ("[sources.aider]\nroot = []", 'line 2: there is no setting "root" in sources.aider; did you mean "roots"?'),
        ("[sources]\naider.enabled = 1", "line 2: enabled is 1, but may be true or false"),
        (
            '[sources.pi]\nroots = ["~/a", "a/b"]',
            'line 2: roots: element 2 is "a/b", which is no path from the root or a home folder; it may be a list of',
        ),
        ('[sources.pi]\nroots = [""]', 'line 2: roots: element 1 is "", which is empty; it may be a list of folders'),
        ('[sources.pi]\nroots = [["/a"]]', "line 2: roots: element 1 is a list, which is no text; it may be"),
        ('[sources.pi]\nroots = "/a"', 'line 2: roots is "/a", but may be a list of folders from the root or `~`'),
        ("[sources.pi]\nroots = []", "line 2: roots is an empty list, but may be a list of folders"),
        ('[sources.pi]\nroots = ["/a\\u0000"]', 'line 2: roots: element 1 is "/a\\x00", which holds a NUL character'),
        ('[sources]\nexclude = "x"', 'line 2: exclude is "x", but may be a list of paths and names'),
        (
            '[sources]\nexclude = ["x", ""]',
            'line 2: exclude: element 2 is "", which is empty; it may be a list of paths',
        ),
        ("[sources]\nexclude_projects = [3]", "line 2: exclude_projects: element 1 is 3, which is no text; it may be"),
        ('[sources]\ntool_output = "no"', 'line 2: tool_output is "no", but may be true or false'),
        ("[sources]\nsubagents = 0", "line 2: subagents is 0, but may be true or false"),
        ("[source]", 'line 1: there is no setting "source"; did you mean "sources"?'),
    ],
)
def test_what_is_wrong_in_sources_is_said_with_its_line(config: Path, content: str, said: str) -> None:
    (problem,) = problems(config, content)
    assert problem.startswith(said)


GOOD = '[[generic]]\nname = "a"\nroots = ["/a"]\n'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("\ngeneric = 3", 'line 2: generic is 3, but must be tables, each begun by "[[generic]]"'),
        ("[generic]", 'line 1: generic is a table, but must be tables, each begun by "[[generic]]"'),
        ("generic = [3]", 'line 1: generic holds 3, but may hold tables, each begun by "[[generic]]"'),
        (f'{GOOD}[[generic]]\nname = "b"', "line 4: generic has no roots, which may be a list of folders from the"),
        ('\n[[generic]]\nroots = ["/a"]', "line 2: generic has no name, which may be small letters, digits and dashes"),
        (f'{GOOD}[[generic]]\nroots = ["/b"]\nname = "a"', 'line 6: another generic has the name "a"'),
        ('[[generic]]\nname = "codex"\nroots = ["/a"]', 'line 2: name is "codex", but may be small letters, digits'),
        ('[[generic]]\nname = "My"\nroots = ["/a"]', 'line 2: name is "My", but may be small letters, digits'),
        ('[[generic]]\nname = ""\nroots = ["/a"]', 'line 2: name is "", but may be small letters, digits and dashes'),
        (f"{GOOD}role = 3", "line 4: role is 3, but may be the name of a field, as in"),
        (f"{GOOD}user_roles = [3]", "line 4: user_roles: element 1 is 3, which is no text; it may be a value, as in"),
        (f'{GOOD}user_roles = " "', 'line 4: user_roles is " ", but may be a value, as in "user", or a list of'),
        (
            f'{GOOD}user_roles = ["me", "x"]\nassistant_roles = "X"',
            'line 5: user_roles and assistant_roles both have "x", which can mean only one',
        ),
        (
            f'{GOOD}format = "markdown"\nassistant = "## U"\nuser = " ## u"',
            'line 5: user and assistant both have " ## u", which can mean only one',
        ),
        (f'{GOOD}format = "json"', 'line 4: format is "json", but may be "jsonl" or "markdown"; did you mean "jsonl"?'),
        (f'{GOOD}user_role = "x"', 'line 4: there is no setting "user_role" in generic; did you mean "user_roles"?'),
        (f'{GOOD}format = "markdown"\nrole = "x"', 'line 5: there is no setting "role" in generic'),
        (f'{GOOD}format = "markdown"\nuser = []', "line 5: user is an empty list, but may be how the line begins"),
        (f'{GOOD}files = "a/*.md"', 'line 4: files is "a/*.md", but may be a pattern of file names'),
        (GOOD + GOOD.replace('"a"', '"b"') + "x = 1", 'line 7: there is no setting "x" in generic'),
        (f"{GOOD}[generic.x]\ny = 1", 'line 4: there is no setting "x" in generic'),
        ('generic = [{name = "a", roots = 3}]', "line 1: roots is 3, but may be a list of folders"),
    ],
)
def test_what_is_wrong_in_a_description_is_said_with_its_line(config: Path, content: str, said: str) -> None:
    (problem,) = problems(config, content)
    assert problem.startswith(said)


def test_all_mistakes_are_said_at_once(config: Path) -> None:
    content = "chunks = 0\n[sources]\nx = 1\n[sources.pi]\ny = 1\n[[generic]]\nz = 1\n[keys]\na = 1\n"
    lines = sorted(problem.partition(":")[0] for problem in problems(config, content))
    assert lines == ["line 1", "line 3", "line 5", "line 6", "line 6", "line 7", "line 9"]


def test_what_is_wrong_in_sources_is_no_reason_for_who_reads_none(config: Path) -> None:
    config.write_text("[sources]\nsubagents = true\nx = 1\n[[generic]]\n", "utf-8")
    found = Settings.resolve({"NLM_CONFIG": str(config)}, reads=False)
    lines = [problem.removeprefix(f"{config}, ").partition(":")[0] for problem in found.source_problems]
    assert lines == ["line 3", "line 4", "line 4"]
    assert found.sources.subagents
    config.write_text("chunks = 0\n[sources]\nx = 1\n", "utf-8")
    with pytest.raises(SettingsError) as caught:
        Settings.resolve({"NLM_CONFIG": str(config)}, reads=False)
    assert len(caught.value.problems) == 2


_statements = st.sampled_from(
    [
        *("[sources]", "[sources.aider]", "[[generic]]", "[generic.x]", "[[generic.x]]", "generic = [{}]"),
        *('name = "a"', 'roots = ["/a"]', 'format = "markdown"', "x = 1", "aider = {}", "a.b = 1", "exclude = []"),
    ]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_statements, max_size=8).map("\n".join))
def test_any_tables_are_settings_or_mistakes_with_a_line_of_the_file(config: Path, text: str) -> None:
    try:
        sources(config, text)
    except SettingsError as error:
        for problem in error.problems:
            said = problem.removeprefix(f"{config}, line ")
            assert 1 <= int(said.partition(":")[0]) <= text.count("\n") + 1


def test_the_settings_in_the_readme_are_settings(config: Path) -> None:
    readme = Path(__file__).parents[2].joinpath("README.md").read_text("utf-8")
    blocks = [block.partition("```")[0] for block in readme.split("```toml\n")[1:]]
    assert len(blocks) >= 3
    found = [sources(config, block) for block in blocks]
    assert any(each.exclude for each in found)
    described = [len(each.generic) for each in found]
    assert max(described) == 2
