"""Where Ollama listens."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nlm_tui.ollama.host import parse_host


@pytest.mark.parametrize(
    ("host", "parsed"),
    [
        (None, ("127.0.0.1", 11434, "http://127.0.0.1:11434")),
        ("", ("127.0.0.1", 11434, "http://127.0.0.1:11434")),
        ("  gpu  ", ("gpu", 11434, "http://gpu:11434")),
        ("gpu:99", ("gpu", 99, "http://gpu:99")),
        (":99", ("127.0.0.1", 99, "http://127.0.0.1:99")),
        ("http://gpu", ("gpu", 80, "http://gpu:80")),
        ("https://gpu", ("gpu", 443, "https://gpu:443")),
        ("https://gpu:99/ollama", ("gpu", 99, "https://gpu:99/ollama")),
        ("0.0.0.0", ("127.0.0.1", 11434, "http://127.0.0.1:11434")),  # noqa: S104 - is what it is about
        ("http://0.0.0.0:99", ("127.0.0.1", 99, "http://127.0.0.1:99")),
        ("[::]:99", ("127.0.0.1", 99, "http://127.0.0.1:99")),
        ("[::1]:99", ("::1", 99, "http://[::1]:99")),
        ("::1", ("::1", 11434, "http://[::1]:11434")),
        ("gpu:99999", ("gpu", 11434, "http://gpu:11434")),
        ("gpu:port", ("gpu", 11434, "http://gpu:11434")),
        ("http://[", ("127.0.0.1", 11434, "http://127.0.0.1:11434")),
    ],
)
def test_the_forms_of_ollama_host(host: str | None, parsed: tuple[str, int, str]) -> None:
    assert parse_host(host) == parsed


@pytest.mark.parametrize(("host", "address"), [("gpu", "gpu:11434"), ("[::1]:99", "[::1]:99")])
def test_an_address_as_people_write_it(host: str, address: str) -> None:
    assert parse_host(host).address == address


@given(st.text(st.characters(codec="utf-8"), max_size=30) | st.text("[]:/@?#.%0", max_size=12))
@example("http://user:secret@gpu:1/x?y#z")
@example("//[v1.x]")
def test_whatever_is_set_there_is_a_server(host: str) -> None:
    name, port, url = parse_host(host)
    assert name
    assert 0 <= port <= 65_535
    assert f":{port}" in url
    assert "secret" not in url


@given(st.from_regex(r"[a-z][a-z0-9-]{0,20}", fullmatch=True), st.integers(0, 65_535))
def test_name_and_port_are_kept(name: str, port: int) -> None:
    assert parse_host(f"{name}:{port}") == (name, port, f"http://{name}:{port}")
    assert parse_host(f"https://{name}:{port}/") == (name, port, f"https://{name}:{port}/")
