-- What the sessions established, one current value for a subject and predicate.

CREATE TABLE facts (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('decision', 'open', 'attribute')),
  subject TEXT NOT NULL,
  predicate TEXT NOT NULL,
  value TEXT NOT NULL,
  source_session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
  source_quote TEXT,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  superseded_by TEXT REFERENCES facts(id) ON DELETE SET NULL,
  confidence REAL NOT NULL CHECK (confidence >= 0.0 AND confidence <= 1.0)
);
CREATE UNIQUE INDEX idx_facts_subject_predicate_current ON facts(subject, predicate) WHERE superseded_by IS NULL;
CREATE INDEX idx_facts_session ON facts(source_session_id);
