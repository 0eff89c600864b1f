-- The shared schema of the memory. `row` is a declared integer key, so that the full-text index, which points at row
-- numbers, survives a VACUUM.

CREATE TABLE sessions (
  row INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  runtime TEXT NOT NULL,
  runtime_session_id TEXT,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  duration_min INTEGER,
  label TEXT NOT NULL,
  summary TEXT NOT NULL,
  body TEXT,
  status TEXT NOT NULL CHECK (status IN ('active', 'closed', 'superseded')),
  transcript_kind TEXT,
  transcript_path TEXT,
  transcript_offset INTEGER,
  transcript_length INTEGER,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  updated_at TEXT NOT NULL DEFAULT (datetime('now'))
);
CREATE INDEX idx_sessions_started_at ON sessions(started_at DESC);
CREATE INDEX idx_sessions_status ON sessions(status);
CREATE INDEX idx_sessions_runtime ON sessions(runtime);

CREATE TABLE entities (
  canonical TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'dormant', 'retired', 'rejected', 'candidate')),
  source TEXT,
  notes TEXT,
  first_seen_session TEXT REFERENCES sessions(id),
  last_seen_session TEXT REFERENCES sessions(id),
  session_count INTEGER NOT NULL DEFAULT 0,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  updated_at TEXT NOT NULL DEFAULT (datetime('now'))
);

CREATE TABLE entity_variants (
  variant TEXT PRIMARY KEY,
  canonical TEXT NOT NULL REFERENCES entities(canonical) ON DELETE CASCADE,
  source_session_id TEXT REFERENCES sessions(id)
);
CREATE INDEX idx_entity_variants_canonical ON entity_variants(canonical);

CREATE TABLE session_entities (
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  entity_canonical TEXT NOT NULL REFERENCES entities(canonical),
  PRIMARY KEY (session_id, entity_canonical)
);
CREATE INDEX idx_session_entities_entity ON session_entities(entity_canonical);

CREATE TABLE markers (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('decision', 'open')),
  text TEXT NOT NULL,
  position INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX idx_markers_session ON markers(session_id);
CREATE INDEX idx_markers_kind ON markers(kind);

CREATE TABLE session_edges (
  from_session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  to_session TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('supersedes', 'continues', 'branched_from', 'merged_from')),
  PRIMARY KEY (from_session, to_session, kind)
);
CREATE INDEX idx_session_edges_to ON session_edges(to_session);

CREATE TABLE adapter_state (
  adapter_name TEXT NOT NULL,
  source_path TEXT NOT NULL,
  last_offset INTEGER NOT NULL DEFAULT 0,
  last_processed_at TEXT NOT NULL DEFAULT (datetime('now')),
  PRIMARY KEY (adapter_name, source_path)
);

CREATE TABLE actions (
  id TEXT PRIMARY KEY,
  timestamp TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject_type TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  payload TEXT,
  actor TEXT NOT NULL DEFAULT 'user',
  created_at TEXT NOT NULL DEFAULT (datetime('now'))
);

CREATE VIRTUAL TABLE sessions_fts USING fts5(
  label, summary, body,
  content='sessions', content_rowid='row', tokenize='unicode61'
);

CREATE TRIGGER sessions_ai AFTER INSERT ON sessions BEGIN
  INSERT INTO sessions_fts(rowid, label, summary, body) VALUES (new.row, new.label, new.summary, new.body);
END;

CREATE TRIGGER sessions_ad AFTER DELETE ON sessions BEGIN
  INSERT INTO sessions_fts(sessions_fts, rowid, label, summary, body)
  VALUES ('delete', old.row, old.label, old.summary, old.body);
END;

-- Only a change of indexed text costs the index anything.
CREATE TRIGGER sessions_au AFTER UPDATE OF row, label, summary, body ON sessions BEGIN
  INSERT INTO sessions_fts(sessions_fts, rowid, label, summary, body)
  VALUES ('delete', old.row, old.label, old.summary, old.body);
  INSERT INTO sessions_fts(rowid, label, summary, body) VALUES (new.row, new.label, new.summary, new.body);
END;
