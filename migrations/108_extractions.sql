-- What language models made of sessions. The tables of sessions hold the outcome; this says by whom and of what it is.

CREATE TABLE extractions (
  session_row INTEGER PRIMARY KEY REFERENCES sessions(row) ON DELETE CASCADE,
  content TEXT NOT NULL,  -- a hash of the messages that were read
  provider TEXT,  -- these five are NULL as long as there is no result
  model TEXT,
  prompt_version INTEGER,
  extracted_at TEXT,
  result TEXT,  -- JSON: label, summary, entities, decisions and open questions with their messages and quotes
  outdated INTEGER NOT NULL DEFAULT 0 CHECK (outdated IN (0, 1)),  -- whether it is to be made again
  failures INTEGER NOT NULL DEFAULT 0,  -- in a row, since the result
  tried TEXT,  -- by whom the last of them
  retry_at TEXT,
  problem TEXT
);
