"""One local memory of all your coding agents' sessions, searched as you type."""

__version__ = "0.1.0"
