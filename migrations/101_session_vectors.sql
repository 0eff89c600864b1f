-- Unit vectors of sessions, little-endian float32, several to a session. A plain table: it opens without an extension.

CREATE TABLE session_vectors (
  session_row INTEGER NOT NULL REFERENCES sessions(row) ON DELETE CASCADE,
  chunk INTEGER NOT NULL,
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  embedding BLOB NOT NULL,
  PRIMARY KEY (session_row, chunk)
) WITHOUT ROWID;
