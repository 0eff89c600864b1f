-- Passages of sessions as unit vectors, in sets of one model each. Plain tables: they open without an extension.

DROP TABLE IF EXISTS session_vectors;

CREATE TABLE vector_sets (
  id INTEGER PRIMARY KEY,
  provider TEXT NOT NULL,
  model TEXT NOT NULL,
  scheme TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  chunk_characters INTEGER NOT NULL,
  created_at TEXT NOT NULL DEFAULT (datetime('now')),
  UNIQUE (provider, model, scheme, dimensions)
);

-- Which sessions a set holds: how many of the passages of each are wanted, and of how many there surely are vectors.
CREATE TABLE embedded_sessions (
  vector_set INTEGER NOT NULL REFERENCES vector_sets(id) ON DELETE CASCADE,
  session_row INTEGER NOT NULL REFERENCES sessions(row) ON DELETE CASCADE,
  wanted INTEGER NOT NULL,
  passages INTEGER NOT NULL,
  PRIMARY KEY (vector_set, session_row)
) WITHOUT ROWID;

-- Sign bits of the vectors, close together to be read fast.
CREATE TABLE vector_codes (
  vector_set INTEGER NOT NULL REFERENCES vector_sets(id) ON DELETE CASCADE,
  session_row INTEGER NOT NULL REFERENCES sessions(row) ON DELETE CASCADE,
  vector INTEGER NOT NULL,
  code BLOB NOT NULL,
  PRIMARY KEY (vector_set, session_row, vector)
) WITHOUT ROWID;

-- The vectors, little-endian float32, and the characters of a field of the session that they stand for. No row number
-- comes twice, so that whoever has read some can read on.
CREATE TABLE vectors (
  row INTEGER PRIMARY KEY AUTOINCREMENT,
  vector_set INTEGER NOT NULL,
  session_row INTEGER NOT NULL,
  field TEXT NOT NULL,
  start INTEGER NOT NULL,
  end INTEGER NOT NULL,
  digest BLOB NOT NULL,
  embedding BLOB NOT NULL,
  FOREIGN KEY (vector_set, session_row) REFERENCES embedded_sessions (vector_set, session_row) ON DELETE CASCADE
);
CREATE INDEX vectors_of_sessions ON vectors (vector_set, session_row);

CREATE TRIGGER vectors_deleted AFTER DELETE ON vectors BEGIN
  DELETE FROM vector_codes WHERE vector_set = old.vector_set AND session_row = old.session_row AND vector = old.row;
END;
