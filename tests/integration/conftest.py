"""Data that was made elsewhere."""

from pathlib import Path

import pytest

INTEROP = Path(__file__).parent / "interop" / "nlm-memory-v0.5.2.sqlite"


@pytest.fixture
def interop_bytes() -> bytes:
    """A store that nlm-memory 0.5.2 wrote."""
    return INTEROP.read_bytes()
