"""The settings file and the variables that win over it."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from nlm_tui.settings import (
    KEYS,
    ExtractionSettings,
    RecallSettings,
    ScreenSettings,
    Settings,
    SettingsError,
    config_path,
)
from nlm_tui.settings.keys import EMBEDDERS
from nlm_tui.settings.values import LARGEST_BYTES


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """The settings file, which is not there yet."""
    return tmp_path / "config.toml"


def recall(config: Path, **variables: str) -> RecallSettings:
    """Return the settings of recall with this file and these variables."""
    settings = Settings.resolve({"NLM_CONFIG": str(config), **variables})
    assert settings.config_path == config
    return settings.recall


def outcome(config: Path, **variables: str) -> tuple[RecallSettings, str]:
    """Return the settings, or the defaults and what is wrong."""
    try:
        return recall(config, **variables), ""
    except SettingsError as error:
        return RecallSettings(), str(error)


def problem(config: Path, content: str | bytes, **variables: str) -> str:
    """Return what is wrong with the settings, without the path of the file."""
    config.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(SettingsError) as caught:
        recall(config, **variables)
    return caught.value.problems[0].removeprefix(str(config))


def test_without_a_file_all_is_as_it_measured_best(config: Path) -> None:
    assert recall(config) == RecallSettings("auto", "nomic-embed-text", None, 16)
    assert recall(config / "below" / "a file") == RecallSettings()
    assert not config.exists()


def test_it_is_looked_for_in_the_folder_of_the_user(home: Path) -> None:
    path = Settings.resolve({}).config_path
    assert path == config_path({}) == config_path({"NLM_CONFIG": ""})
    assert path.is_relative_to(home)
    assert path.parts[-2:] == ("nlm-tui", "config.toml")
    assert list(home.iterdir()) == []
    assert config_path({"NLM_CONFIG": "~/my.toml"}) == home / "my.toml"
    assert config_path({"NLM_CONFIG": "~nobody-has-this-name/my.toml"}).name == "my.toml"


def test_all_settings_at_once(config: Path) -> None:
    config.write_text(
        'embedder = "ollama"  # ours\nollama_model = "hf.co/me/qwen3-embedding:0.6b"\n\n'
        'semantic_weight = 0.25\n"chunks" = 40\n'
    )
    assert recall(config) == RecallSettings("ollama", "hf.co/me/qwen3-embedding:0.6b", 0.25, 40)


def test_variables_win(config: Path) -> None:
    config.write_text('embedder = "ollama"\nollama_model = "bge-m3"\nsemantic_weight = 0.25\nchunks = 40\n')
    assert recall(config, NLM_EMBEDDER="off") == RecallSettings("off", "bge-m3", 0.25, 40)
    assert recall(config, NLM_OLLAMA_MODEL="all-minilm") == RecallSettings("ollama", "all-minilm", 0.25, 40)
    assert recall(config, NLM_SEMANTIC_WEIGHT=" 1 ") == RecallSettings("ollama", "bge-m3", 1.0, 40)
    assert recall(config, NLM_CHUNKS="all") == RecallSettings("ollama", "bge-m3", 0.25, None)
    assert recall(config, NLM_CHUNKS="", NLM_EMBEDDER=" ") == RecallSettings("ollama", "bge-m3", 0.25, 40)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        *((f'embedder = "{choice}"', RecallSettings(embedder=choice)) for choice in EMBEDDERS),
        ("semantic_weight = 0", RecallSettings(semantic_weight=0.0)),
        ("semantic_weight = 1", RecallSettings(semantic_weight=1.0)),
        ("semantic_weight = 1e-3", RecallSettings(semantic_weight=0.001)),
        ("chunks = 1", RecallSettings(chunks=1)),
        ("chunks = 1_000_000", RecallSettings(chunks=1_000_000)),
        ('chunks = "all"', RecallSettings(chunks=None)),
        ("# nothing", RecallSettings()),
        ("\ufeffchunks = 1\r\n", RecallSettings(chunks=1)),
    ],
)  # fmt: skip
def test_what_settings_may_be(config: Path, line: str, expected: RecallSettings) -> None:
    config.write_bytes(line.encode())
    assert recall(config) == expected


def test_what_extracts(config: Path) -> None:
    def extraction(**environ: str) -> ExtractionSettings:
        return Settings.resolve({"NLM_CONFIG": str(config), **environ}).extraction

    assert extraction() == ExtractionSettings("rules", "qwen3:4b-instruct")
    assert not extraction().asks_model
    config.write_text('extractor = "ollama"\nextractor_model = "llama3.2:3b"\n')
    assert extraction() == ExtractionSettings("ollama", "llama3.2:3b")
    assert extraction().asks_model
    assert extraction(NLM_EXTRACTOR="rules", NLM_EXTRACTOR_MODEL="gemma3") == ExtractionSettings("rules", "gemma3")


ALL = '"all"'
_EMBEDDERS = 'may be "auto", "ollama", "bundled" or "off"'
_CHUNKS = 'may be a whole number from 1 to 1,000,000, or "all"'


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('embedder = "olama"', f', line 1: embedder is "olama", but {_EMBEDDERS}; did you mean "ollama"?'),
        ('\n# x\nembedder = "AUTO"', f', line 3: embedder is "AUTO", but {_EMBEDDERS}; did you mean "auto"?'),
        ('chunks = 1\nextractor = "rule"', ', line 2: extractor is "rule", but may be "rules" or "ollama"; did'),
        ('extractor_model = "a b"', ', line 1: extractor_model is "a b", but may be the name of a model'),
        ('embedder = "gpt"', f', line 1: embedder is "gpt", but {_EMBEDDERS}'),
        ("embedder = true", f", line 1: embedder is true, but {_EMBEDDERS}"),
        ("embedder = []", f", line 1: embedder is an empty list, but {_EMBEDDERS}"),
        ("x = 1\nembedder = 1", ', line 1: there is no setting "x"; settings: embedder, ollama_model, '),
        ("[embedder]\nx = 1", f", line 1: embedder is a table, but {_EMBEDDERS}"),
        ("embedder.x = 1", f", line 1: embedder is a table, but {_EMBEDDERS}"),
        ("semantic_weight = 1.01", ", line 1: semantic_weight is 1.01, but may be a number from 0 to 1"),
        ("semantic_weight = -0.1", ", line 1: semantic_weight is -0.1, but may be a number from 0 to 1"),
        ("semantic_weight = nan", ", line 1: semantic_weight is nan, but may be a number from 0 to 1"),
        ("semantic_weight = inf", ", line 1: semantic_weight is inf, but may be a number from 0 to 1"),
        ("semantic_weight = true", ", line 1: semantic_weight is true, but may be a number from 0 to 1"),
        ('semantic_weight = "0.5"', ', line 1: semantic_weight is "0.5", but may be a number from 0 to 1'),
        ("chunks = 0", f", line 1: chunks is 0, but {_CHUNKS}"),
        ("chunks = 1_000_001", f", line 1: chunks is 1000001, but {_CHUNKS}"),
        ("chunks = 16.0", f", line 1: chunks is 16.0, but {_CHUNKS}"),
        ("chunks = true", f", line 1: chunks is true, but {_CHUNKS}"),
        ("chunks = 2026-05-14", f", line 1: chunks is 2026-05-14, but {_CHUNKS}"),
        ('chunks = "al"', f', line 1: chunks is "al", but {_CHUNKS}; did you mean "all"?'),
        ('ollama_model = ""', ', line 1: ollama_model is "", but may be the name of a model as `ollama list`'),
        ('ollama_model = "a b"', ', line 1: ollama_model is "a b", but may be the name of a model'),
        ('ollama_model = "\\u001b[1m\\n"', ', line 1: ollama_model is "\\x1b[1m\\n", but may be the name of a model'),
        ("ollama_model = 3", ", line 1: ollama_model is 3, but may be the name of a model"),
        ("\nembeder = 1", ', line 2: there is no setting "embeder"; did you mean "embedder"?; settings: embedder, '),
        ("[recall]\nchunks = 1", ', line 1: there is no setting "recall"; settings: '),
        ("chunks = 1\n[a.b]\nembedder = 1", ', line 2: there is no setting "a"; settings: '),
        ("[[a]]\n", ', line 1: there is no setting "a"; settings: '),
        ('ollama_model = """\nchunks = 0"""\nchunks = 0', ', line 1: ollama_model is "chunks = 0", but may be'),
        ('chunks = 1\nembedder = """\nchunks\n"""', ', line 2: embedder is "chunks\\n", but may be'),
        ('chunks = 1\n\n"embedd\\u0065r" = [\n1,\n2]', ", line 3: embedder is a list, but may be"),
        ("embedder = auto", ", line 1: this is no TOML: Invalid value (text stands in quotes, as in embedder"),
        ("chunks = 1\nchunks = 2\n\n", ", line 2: this is no TOML: Cannot overwrite a value"),
        ("\n\nchunks", ", line 3: this is no TOML: Expected '=' after a key in a key/value pair"),
        ("chunks = 1 2\n", ", line 1: this is no TOML: Expected newline or end of document after a statement"),
        (f"chunks = {'1' * 5_000}", ": this TOML cannot be read: a number is too long"),
        (f"chunks = {'[' * 50_000}", ": this TOML cannot be read: it is nested too deeply"),
        (b"# x\nchunks = 1 # \xff", ", line 2: the settings must be UTF-8 text"),
        ("chunks = 1".encode("utf-16"), ", line 1: the settings must be UTF-8 text"),
        (b"#" * (LARGEST_BYTES + 1), ": this is no settings file: it has more than 65,536 bytes"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_line(config: Path, content: str | bytes, said: str) -> None:
    found = problem(config, content)
    assert found.startswith(said)
    assert "\n" not in found


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("NLM_EMBEDDER", "olama", f'NLM_EMBEDDER is "olama", but {_EMBEDDERS}; did you mean "ollama"?'),
        ("NLM_OLLAMA_MODEL", "a b", 'NLM_OLLAMA_MODEL is "a b", but may be the name of a model'),
        ("NLM_SEMANTIC_WEIGHT", "0,5", 'NLM_SEMANTIC_WEIGHT is "0,5", but may be a number from 0 to 1'),
        ("NLM_SEMANTIC_WEIGHT", "nan", 'NLM_SEMANTIC_WEIGHT is "nan", but may be a number from 0 to 1'),
        ("NLM_CHUNKS", "0", f'NLM_CHUNKS is "0", but {_CHUNKS}'),
        ("NLM_CHUNKS", "1.5", f'NLM_CHUNKS is "1.5", but {_CHUNKS}'),
        ("NLM_CHUNKS", "9" * 5_000, f'NLM_CHUNKS is "{"9" * 60}...", but {_CHUNKS}'),
        ("NLM_CHUNKS", "ALL", f'NLM_CHUNKS is "ALL", but {_CHUNKS}; did you mean "all"?'),
        ("NLM_EMBEDDER", "\udcff\x1b", 'NLM_EMBEDDER is "\\udcff\\x1b", but may be'),
    ],
)
def test_a_variable_is_checked_in_the_same_way(config: Path, variable: str, value: str, said: str) -> None:
    assert problem(config, "", **{variable: value}).startswith(said)


def test_all_that_is_wrong_is_said_at_once(config: Path) -> None:
    content = 'embeder = 1\nchunks = 0\n[keys]\na = 3\nb = "x"\n"c" = [1]\n'
    config.write_text(content)
    with pytest.raises(SettingsError) as caught:
        recall(config, NLM_MOUSE="2", NLM_CHUNKS="x")
    begins = [problem.removeprefix(f"{config}, ")[:12] for problem in caught.value.problems]
    assert begins == ["line 1: ther", "line 2: chun", "line 4: a is", "line 6: c: e", "NLM_CHUNKS i", "NLM_MOUSE is"]
    assert str(caught.value).splitlines() == list(caught.value.problems)


def test_the_file_must_be_right_also_where_a_variable_wins(config: Path) -> None:
    assert problem(config, "chunks = 0", NLM_CHUNKS="4").startswith(", line 1: chunks is 0")


def test_a_folder_in_its_place(config: Path) -> None:
    config.mkdir()
    with pytest.raises(SettingsError, match=r"config\.toml: the settings cannot be read: it is a folder"):
        recall(config)


def test_a_file_that_may_not_be_read(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    config.touch()
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(SettingsError, match=r"config\.toml: the settings cannot be read: Permission denied"):
        recall(config)


def test_a_path_that_can_be_none() -> None:
    with pytest.raises(SettingsError, match="the settings cannot be read"):
        Settings.resolve({"NLM_CONFIG": "a\0b"})


def test_every_setting_is_listed_once_with_its_variable() -> None:
    kinds = (RecallSettings, ExtractionSettings, ScreenSettings)
    fields = [name for kind in kinds for name in kind.__dataclass_fields__]
    assert [key.name for key in KEYS] == [name for name in fields if name != "keys"]
    assert [key.variable for key in KEYS] == [f"NLM_{key.name.upper()}" for key in KEYS]
    assert all(key.description and key.allowed for key in KEYS)


def test_without_a_file_nothing_slow_is_loaded() -> None:
    program = (
        "import sys\n"
        "import nlm_tui.settings\n"
        "assert 'platformdirs' not in sys.modules\n"
        "nlm_tui.settings.Settings.resolve({'NLM_EMBEDDER': 'off'})\n"
        "print({'tomllib', 'difflib'} & set(sys.modules) or 'light')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "light\n"


_settings = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@_settings
@given(st.floats(0, 1), st.integers(1, 1_000_000) | st.none())
def test_numbers_are_kept_as_they_are(config: Path, weight: float, chunks: int | None) -> None:
    config.write_text(f"semantic_weight = {weight!r}\nchunks = {chunks or ALL}\n")
    expected = RecallSettings(semantic_weight=weight, chunks=chunks)
    assert recall(config) == expected
    config.write_text("")
    assert recall(config, NLM_SEMANTIC_WEIGHT=repr(weight), NLM_CHUNKS=str(chunks or "all")) == expected


@_settings
@given(st.sampled_from(KEYS), st.text(st.characters(exclude_characters="\0"), max_size=20))
@example(KEYS[3], "²")
@example(KEYS[2], "١")
def test_any_text_in_a_variable_is_a_value_or_an_error(config: Path, key: object, text: str) -> None:
    variable = getattr(key, "variable", "")
    found, wrong = outcome(config, **{variable: text})
    if wrong:
        assert wrong.startswith(f'{variable} is "')
        assert wrong.isprintable()
    assert found.chunks is None or found.chunks >= 1
    assert found.semantic_weight is None or not math.isnan(found.semantic_weight)


_statements = st.sampled_from(
    ['embedder = "off"', "chunks = 3", "chunk = 1", "[a]", "[[b]]", "a.b = 1", '"""', 'x = """', "y = [", "]", "#", ""]
)


@_settings
@given(st.lists(_statements | st.text(max_size=8), max_size=8).map("\n".join))
def test_any_file_is_settings_or_an_error_with_a_line_in_it(config: Path, text: str) -> None:
    content = text.encode("utf-8", "replace")
    config.write_bytes(content)
    _, wrong = outcome(config)
    if wrong:
        said = wrong.removeprefix(f"{config}, line ")
        assert 1 <= int(said.partition(":")[0]) <= content.count(b"\n") + 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_pipe_in_its_place_is_not_waited_for(config: Path) -> None:
    os.mkfifo(config)
    with pytest.raises(SettingsError, match=r"config\.toml: the settings cannot be read: it is no regular file"):
        recall(config)


def test_no_file_at_all() -> None:
    assert Settings.resolve({"NLM_CONFIG": os.devnull}).recall == RecallSettings()


def screen(config: Path, **variables: str) -> ScreenSettings:
    return Settings.resolve({"NLM_CONFIG": str(config), **variables}).screen


def test_settings_of_the_screen(config: Path) -> None:
    assert screen(config) == ScreenSettings(None, history=True, reduced_motion=None, mouse=True, keys=())
    config.write_text('theme = "nord"\nhistory = false\nreduced_motion = true\nmouse = false\n')
    assert screen(config) == ScreenSettings("nord", history=False, reduced_motion=True, mouse=False)
    assert screen(config, NLM_HISTORY="Yes", NLM_MOUSE="1").history
    assert problem(config, "mouse = 1").startswith(", line 1: mouse is 1, but may be true or false")
    assert problem(config, "", NLM_MOUSE="2").startswith('NLM_MOUSE is "2", but may be true or false')
    assert problem(config, 'theme = ""').startswith(', line 1: theme is "", but may be the name of a theme')


@pytest.mark.parametrize(
    ("variables", "line", "reduced"),
    [
        ({}, "", False),
        ({"SSH_CONNECTION": "10.0.0.1 5000 10.0.0.2 22"}, "", True),
        ({"SSH_TTY": "/dev/pts/3"}, "", True),
        ({"SSH_TTY": "/dev/pts/3"}, "reduced_motion = false", False),
        ({"TEXTUAL_ANIMATIONS": "none"}, "", True),
        ({"TEXTUAL_ANIMATIONS": "full"}, "", False),
        ({}, "reduced_motion = true", True),
    ],
)
def test_motion_is_reduced_where_it_is_asked_for_or_costs(config, variables, line, reduced) -> None:
    config.write_text(line)
    assert Settings.resolve({"NLM_CONFIG": str(config), **variables}).reduces_motion is reduced


def test_own_keys_in_all_ways_to_write_them(config: Path) -> None:
    config.write_text(
        'mouse = true\n[keys]\n"session.copy" = "ctrl+y,y"\nresults.why = ["alt+w"]\n\n[keys.search]\nmode = ""\n'
    )
    found = [(binding.command, binding.keys, binding.line) for binding in screen(config).keys]
    assert found == [("session.copy", ("ctrl+y", "y"), 3), ("results.why", ("alt+w",), 4), ("search.mode", (), 7)]
    assert screen(config).keys[0].place == f"{config}, line 3"
    config.write_text('keys = {"a.b" = "x"}\n')
    assert [(binding.command, binding.line) for binding in screen(config).keys] == [("a.b", 1)]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("\nkeys = 3", ', line 2: keys is 3, but must be a table, begun by "[keys]"'),
        ("[[keys]]", ', line 1: keys is a list, but must be a table, begun by "[keys]"'),
        ('[keys]\n"a" = "x"\n"b" = 3', ', line 3: b is 3, but may be keys, as in "ctrl+y,y" or ["ctrl+y", "y"]'),
        ('[keys]\n"b" = ["x", 3]', ", line 2: b: element 2 is 3, which is no text; it may be keys"),
        ("[keys]\n[keys.b]", ", line 2: b is a table, but may be keys"),
        ('[keys]\na.b = "x"\n"a.b" = "y"', ", line 2: a.b is given twice"),
        ('[key]\na.b = "x"', ', line 1: there is no setting "key"; did you mean "keys"?'),
    ],
)
def test_what_is_no_table_of_keys(config: Path, content: str, said: str) -> None:
    assert problem(config, content).startswith(said)
