"""An Ollama server that is there, and a port where none is."""

import socket
from collections.abc import Iterator

import pytest
from fake_ollama import FakeOllama


@pytest.fixture
def server() -> Iterator[FakeOllama]:
    """A server that works, until a test says otherwise."""
    with FakeOllama() as fake:
        yield fake


@pytest.fixture
def nobody() -> Iterator[str]:
    """A port where nothing listens, and which nobody else takes meanwhile."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{held.getsockname()[1]}"
