-- Where a session took place, how its conversation is divided, and whether its transcript still exists.

ALTER TABLE sessions ADD COLUMN project TEXT;
ALTER TABLE sessions ADD COLUMN branch TEXT;
ALTER TABLE sessions ADD COLUMN model TEXT;
ALTER TABLE sessions ADD COLUMN parent_id TEXT;
ALTER TABLE sessions ADD COLUMN source_gone INTEGER NOT NULL DEFAULT 0 CHECK (source_gone IN (0, 1));
ALTER TABLE sessions ADD COLUMN turns TEXT;  -- JSON: [[role, start, end, at, withdrawn], ...], characters of body
CREATE INDEX idx_sessions_parent ON sessions(parent_id);
CREATE INDEX idx_sessions_runtime_session_id ON sessions(runtime_session_id);

-- The sessions that hold a kind of marker, without looking at the markers themselves.

DROP INDEX idx_markers_kind;
CREATE INDEX idx_markers_kind ON markers(kind, session_id);

-- What tells that a source has changed, why it gave no session, and whether it still exists.

ALTER TABLE adapter_state ADD COLUMN mtime_ns INTEGER;
ALTER TABLE adapter_state ADD COLUMN fingerprint TEXT;
ALTER TABLE adapter_state ADD COLUMN reason TEXT;
ALTER TABLE adapter_state ADD COLUMN gone INTEGER NOT NULL DEFAULT 0 CHECK (gone IN (0, 1));
