"""Where Ollama listens, and whether anybody does."""

import socket
from threading import Thread
from typing import NamedTuple
from urllib.parse import urlsplit

from nlm_tui.ollama.outage import OutageError

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 11434
_LATEST = ":latest"
_SCHEME_PORTS = {"http": 80, "https": 443}


class Server(NamedTuple):
    """A server: its name, its port and the URL of its root."""

    name: str
    port: int
    url: str

    @property
    def address(self) -> str:
        """Name and port, as people write them."""
        return f"{_bracketed(self.name)}:{self.port}"


def parse_host(host: str | None) -> Server:
    """Return the server that is meant, from the forms that OLLAMA_HOST takes."""
    text = (host or "").strip() or DEFAULT_HOST
    if _is_ipv6(text):
        text = f"[{text}]"
    try:
        parts = urlsplit(text if "://" in text else f"//{text}", scheme="http")
    except ValueError:  # brackets that do not close
        return parse_host(None)
    name = parts.hostname or DEFAULT_HOST
    if name in {"0.0.0.0", "::"}:  # noqa: S104 - a server's address, of no use to a client
        name = DEFAULT_HOST
    try:
        port = parts.port
    except ValueError:
        port = None
    if port is None:
        port = _SCHEME_PORTS.get(parts.scheme, DEFAULT_PORT) if "://" in text else DEFAULT_PORT
    return Server(name, port, f"{parts.scheme}://{_bracketed(name)}:{port}{parts.path}")


def plain_name(model: str) -> str:
    """Return the name of a model without the tag that Ollama adds where none is given."""
    return model.strip().removesuffix(_LATEST)


def require_server(server: Server, seconds: float) -> None:
    """Ask the socket first: refusing takes no time there, and loading the client takes half a second.

    Raises:
        OutageError: nobody takes a connection within `seconds`.
    """
    if not _listens(server, seconds):
        raise OutageError(f"Ollama is not running at {server.address}: start it with `ollama serve`")


def _listens(server: Server, seconds: float) -> bool:
    """Return whether `server` takes a connection within `seconds`.

    Nothing limits the time that a name is looked up, so that is left to a thread which may outlive the answer.
    """
    if _is_ipv6(server.name) or _is_ipv4(server.name):
        return _connects(server, seconds)
    found: list[bool] = []
    thread = Thread(target=lambda: found.append(_connects(server, seconds)), name="nlm-ollama-probe", daemon=True)
    thread.start()
    thread.join(seconds)
    return bool(found and found[0])


def _connects(server: Server, seconds: float) -> bool:
    try:
        socket.create_connection((server.name, server.port), seconds).close()
    except (OSError, ValueError):  # a name that cannot be one is a ValueError
        return False
    return True


def _bracketed(name: str) -> str:
    return f"[{name}]" if ":" in name else name


def _is_ipv6(text: str) -> bool:
    return _is_numeric(socket.AF_INET6, text)


def _is_ipv4(text: str) -> bool:
    return _is_numeric(socket.AF_INET, text)


def _is_numeric(family: socket.AddressFamily, text: str) -> bool:
    try:
        socket.inet_pton(family, text)
    except (OSError, ValueError):
        return False
    return True
