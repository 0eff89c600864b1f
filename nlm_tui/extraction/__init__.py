"""What a conversation comes to, by rules: label, summary, topics, decisions and open questions. Pure Python."""

from nlm_tui.extraction.meaning import Meaning, meaning

__all__ = ["Meaning", "meaning"]
