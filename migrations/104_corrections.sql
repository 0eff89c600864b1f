-- What users change. The log says what, `session_originals` what the source said; the tables hold the outcome, so that
-- every search and every other program sees it.

ALTER TABLE sessions ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0 CHECK (pinned IN (0, 1));
ALTER TABLE sessions ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0 CHECK (hidden IN (0, 1));
ALTER TABLE sessions ADD COLUMN note TEXT;
CREATE INDEX idx_sessions_hidden ON sessions(row) WHERE hidden = 1;
CREATE INDEX idx_sessions_pinned ON sessions(started_at) WHERE pinned = 1;
CREATE INDEX idx_sessions_with_note ON sessions(started_at) WHERE note IS NOT NULL;

-- An open question that was closed stays, with how and by what.
ALTER TABLE markers ADD COLUMN state TEXT NOT NULL DEFAULT 'standing'
  CHECK (state IN ('standing', 'resolved', 'promoted'));
ALTER TABLE markers ADD COLUMN answer TEXT NOT NULL DEFAULT '';
-- The text as it was read, by which actions name a marker; NULL where it is `text` itself.
ALTER TABLE markers ADD COLUMN original_text TEXT;

-- A session as it was read, where actions changed it: JSON of label, status, decisions, open questions and topics.
CREATE TABLE session_originals (
  session_row INTEGER PRIMARY KEY REFERENCES sessions(row) ON DELETE CASCADE,
  original TEXT NOT NULL
);

CREATE INDEX idx_actions_subject ON actions(subject_id);

-- Sessions that are not to be read again, by the ids that they had.
CREATE TABLE forgotten (
  session_id TEXT PRIMARY KEY,
  forgotten_at TEXT NOT NULL DEFAULT (datetime('now'))
) WITHOUT ROWID;
