-- What else transcripts say of their sessions, and what of them could not be read.

ALTER TABLE sessions ADD COLUMN details TEXT;  -- JSON: counts, the kind of agent, where it was forked from
ALTER TABLE adapter_state ADD COLUMN bad_lines INTEGER NOT NULL DEFAULT 0;
ALTER TABLE adapter_state ADD COLUMN bad_line INTEGER;  -- the first of them, counted from 1
