-- Rows that were written before the triggers existed enter the index.

INSERT INTO sessions_fts(sessions_fts) VALUES ('rebuild');
