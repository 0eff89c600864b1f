"""Claude Code: one JSON-lines file per session below `projects`, more of them for its subagents."""

from nlm_tui.runtimes.claude.reader import ClaudeCodeReader

__all__ = ["ClaudeCodeReader"]
