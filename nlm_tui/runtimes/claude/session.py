"""What one file of Claude Code tells of its session."""

from nlm_tui.core import one_line, storable, strip_control
from nlm_tui.ingest.ports import Transcript
from nlm_tui.runtimes.claude.heads import origin
from nlm_tui.runtimes.claude.relations import Relation, session_id
from nlm_tui.runtimes.claude.talk import Talk
from nlm_tui.runtimes.growing import LineCounts
from nlm_tui.runtimes.jsonl import Record, as_dict, as_list, as_text, require_known

RUNTIME = "claude-code"
_TYPES = {
    *("user", "assistant", "system", "summary", "attachment", "progress", "queue-operation", "file-history-snapshot"),
    *("file-history-delta", "permission-mode", "mode", "last-prompt", "tag", "agent-name", "custom-title", "ai-title"),
    *("pr-link", "frame-link", "worktree-state", "relocated", "continued-in", "bridge-session"),
}


class Session:
    """The state of reading one file. `parent` is the session that its path says it is a subagent of."""

    def __init__(self, stem: str, kind: str, relation: Relation, parent: str = "", agent_type: str = "") -> None:
        self._stem = storable(stem)
        self._kind = kind
        self._relation = relation
        self._parent = storable(parent)
        self._agent_type = agent_type
        self._is_subagent = stem.startswith("agent-")
        self._recognised: bool | None = None  # None before the first record
        self._main = Talk()
        self._side = Talk()
        self._origin = ""
        self._project: object = None
        self._branch: object = None
        self._titles: dict[str, str] = {}
        self._summaries: list[tuple[str, str]] = []

    def take(self, record: Record) -> None:
        """Take the next record of the file, or the whole export of a session; what is not known is passed over."""
        loglines = as_list(record.get("loglines"))
        for line in map(as_dict, loglines) if loglines else (record,):
            self._take_line(line)

    def transcript(self, lines: LineCounts) -> Transcript | None:
        """Return what the file held so far, None if nothing was said in it.

        Raises:
            TranscriptError: nothing in it is a record of Claude Code.
        """
        require_known("no Claude Code record in it", known=self._recognised, bad_lines=lines.bad_lines)
        side = self._side.said
        talk = self._main if self._main.said.messages or self._is_subagent else self._side
        if not talk.said.messages:
            return None
        is_beside = talk is not self._side
        twin = self._relation.twin
        parent = one_line(self._parent) if self._is_subagent else ""
        return talk.complete(
            Transcript(
                session_id=session_id(self._stem, parent, twin),
                runtime=RUNTIME,
                native_id=self._stem,
                kind=self._kind,
                messages=(),
                title=self._title(),
                project=strip_control(as_text(self._project)) or None,
                branch=strip_control(as_text(self._branch)) or None,
                model=one_line(as_text(talk.model)) or None,
                parent_id=f"cc_{parent}{twin}" if parent else None,
                forked_from=self._relation.forked_from or (f"cc_{self._origin}" if self._origin else None),
                is_subagent=self._is_subagent,
                agent_type=self._agent_type or None,
                sidechain_prompts=side.prompts if is_beside else 0,
                sidechain_answers=side.answers if is_beside else 0,
                bad_lines=lines.bad_lines,
                bad_line=lines.bad_line,
                truncated_tail=lines.truncated_tail,
            )
        )

    def _take_line(self, record: Record) -> None:
        kind = as_text(record.get("type"))
        if not self._recognised:
            self._recognised = kind in _TYPES or "sessionId" in record
        at = self._main.said.see_time(record.get("timestamp"))
        is_inherited = self._is_inherited(record)
        if record.get("isSidechain") is True and not self._is_subagent:
            self._side.said.see_time(at)
            if not is_inherited:
                self._side.take(record, at, inherited=False)
            return
        if not self._project:
            self._project = record.get("cwd")
        if kind in {"user", "assistant"}:
            self._branch = record.get("gitBranch") or self._branch
            if not self._parent:
                self._parent = as_text(record.get("sessionId"))
        self._main.take(record, at, inherited=is_inherited)
        self._take_title(kind, record)

    def _is_inherited(self, record: Record) -> bool:
        if "forkedFrom" in record:
            source = origin(record)
            if source and source != self._stem:
                self._origin = self._origin or one_line(source)
                return True
        shared = self._relation.shared
        return bool(shared) and as_text(record.get("uuid")) in shared

    def _title(self) -> str | None:
        own = [text for leaf, text in self._summaries if leaf in self._main.tree]
        titles = (self._titles.get("custom-title"), self._titles.get("ai-title"), own[-1] if own else None)
        return next(filter(None, titles), None)

    def _take_title(self, kind: str, record: Record) -> None:
        if kind == "summary":
            if summary := one_line(as_text(record.get("summary"))):
                self._summaries.append((as_text(record.get("leafUuid")), summary))
        elif kind == "custom-title":
            self._titles[kind] = one_line(as_text(record.get("customTitle")))
        elif kind == "ai-title":
            self._titles[kind] = one_line(as_text(record.get("aiTitle")))
