"""Where things are."""

from pathlib import Path

import pytest

from nlm_tui.settings import Settings


def test_a_store_that_is_named_comes_first(home: Path) -> None:
    environ = {"NLM_DB_PATH": "/variable.sqlite"}
    assert Settings.resolve(environ, Path("/option.sqlite")).store_path == Path("/option.sqlite")
    assert Settings.resolve(environ).store_path == Path("/variable.sqlite")
    assert Settings.resolve({"NLM_DB_PATH": "~/here.sqlite"}).store_path == home / "here.sqlite"
    assert Settings.resolve(environ, Path("~/there.sqlite")).store_path == home / "there.sqlite"


@pytest.mark.parametrize("environ", [{}, {"NLM_DB_PATH": ""}])
def test_else_it_is_in_the_data_folder_of_the_user(home: Path, environ: dict[str, str]) -> None:
    settings = Settings.resolve(environ)
    assert settings.store_path.is_relative_to(home)
    assert settings.store_path.parts[-2:] == ("nlm-tui", "memory.sqlite")
    assert settings.log_path.is_relative_to(home)
    assert settings.log_path.name == "nlm-tui.log"
    assert (settings.home, settings.environ) == (home, environ)
    assert list(home.iterdir()) == [], "to ask makes nothing"


def test_a_home_that_does_not_exist_is_no_crash() -> None:
    environ = {"NLM_DB_PATH": "~nobody-has-this-name/memory.sqlite"}
    assert Settings.resolve(environ).store_path == Path("~nobody-has-this-name/memory.sqlite")
