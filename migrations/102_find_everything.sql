-- What sessions are found by, beside label, summary and body: decisions, open questions, names, and the parts of words
-- that an index of whole words does not hold. `indexed_texts`, of a JSON array of texts, `index_parts` and
-- `project_words` are functions of the program.

ALTER TABLE sessions ADD COLUMN decisions TEXT;
ALTER TABLE sessions ADD COLUMN open_questions TEXT;
ALTER TABLE sessions ADD COLUMN names TEXT;
ALTER TABLE sessions ADD COLUMN label_parts TEXT;
ALTER TABLE sessions ADD COLUMN summary_parts TEXT;
ALTER TABLE sessions ADD COLUMN body_parts TEXT;

DROP TRIGGER sessions_ai;
DROP TRIGGER sessions_ad;
DROP TRIGGER sessions_au;
DROP TABLE sessions_fts;

UPDATE sessions SET
  decisions = indexed_texts((SELECT json_group_array(text ORDER BY position, id) FROM markers
    WHERE session_id = sessions.id AND kind = 'decision')),
  open_questions = indexed_texts((SELECT json_group_array(text ORDER BY position, id) FROM markers
    WHERE session_id = sessions.id AND kind = 'open')),
  names = indexed_texts((SELECT json_group_array(name) FROM (
    SELECT * FROM (SELECT entity_canonical AS name FROM session_entities WHERE session_id = sessions.id ORDER BY rowid)
    UNION ALL SELECT project_words(sessions.project) UNION ALL SELECT sessions.branch) WHERE name IS NOT NULL)),
  label_parts = index_parts(label),
  summary_parts = index_parts(summary),
  body_parts = index_parts(body);

CREATE VIRTUAL TABLE sessions_fts USING fts5(
  label, summary, body, decisions, open_questions, names, label_parts, summary_parts, body_parts,
  content='sessions', content_rowid='row', tokenize='porter unicode61 remove_diacritics 2'
);

-- The short texts alone, by the words as they stand and their beginnings: for a word that is still being typed.
CREATE VIRTUAL TABLE sessions_heads USING fts5(
  label, summary, decisions, open_questions, names, label_parts, summary_parts,
  content='sessions', content_rowid='row', tokenize='unicode61 remove_diacritics 2', prefix='1 2 3'
);

CREATE VIRTUAL TABLE sessions_vocabulary USING fts5vocab('sessions_fts', 'row');

CREATE TRIGGER sessions_ai AFTER INSERT ON sessions BEGIN
  INSERT INTO sessions_fts(rowid, label, summary, body, decisions, open_questions, names,
    label_parts, summary_parts, body_parts)
  VALUES (new.row, new.label, new.summary, new.body, new.decisions, new.open_questions, new.names,
    new.label_parts, new.summary_parts, new.body_parts);
  INSERT INTO sessions_heads(rowid, label, summary, decisions, open_questions, names, label_parts, summary_parts)
  VALUES (new.row, new.label, new.summary, new.decisions, new.open_questions, new.names,
    new.label_parts, new.summary_parts);
END;

CREATE TRIGGER sessions_ad AFTER DELETE ON sessions BEGIN
  INSERT INTO sessions_fts(sessions_fts, rowid, label, summary, body, decisions, open_questions, names,
    label_parts, summary_parts, body_parts)
  VALUES ('delete', old.row, old.label, old.summary, old.body, old.decisions, old.open_questions, old.names,
    old.label_parts, old.summary_parts, old.body_parts);
  INSERT INTO sessions_heads(sessions_heads, rowid, label, summary, decisions, open_questions, names,
    label_parts, summary_parts)
  VALUES ('delete', old.row, old.label, old.summary, old.decisions, old.open_questions, old.names,
    old.label_parts, old.summary_parts);
END;

-- Only a change of indexed text costs the index anything.
CREATE TRIGGER sessions_au AFTER UPDATE OF row, label, summary, body, decisions, open_questions, names,
  label_parts, summary_parts, body_parts ON sessions BEGIN
  INSERT INTO sessions_fts(sessions_fts, rowid, label, summary, body, decisions, open_questions, names,
    label_parts, summary_parts, body_parts)
  VALUES ('delete', old.row, old.label, old.summary, old.body, old.decisions, old.open_questions, old.names,
    old.label_parts, old.summary_parts, old.body_parts);
  INSERT INTO sessions_heads(sessions_heads, rowid, label, summary, decisions, open_questions, names,
    label_parts, summary_parts)
  VALUES ('delete', old.row, old.label, old.summary, old.decisions, old.open_questions, old.names,
    old.label_parts, old.summary_parts);
  INSERT INTO sessions_fts(rowid, label, summary, body, decisions, open_questions, names,
    label_parts, summary_parts, body_parts)
  VALUES (new.row, new.label, new.summary, new.body, new.decisions, new.open_questions, new.names,
    new.label_parts, new.summary_parts, new.body_parts);
  INSERT INTO sessions_heads(rowid, label, summary, decisions, open_questions, names, label_parts, summary_parts)
  VALUES (new.row, new.label, new.summary, new.decisions, new.open_questions, new.names,
    new.label_parts, new.summary_parts);
END;

INSERT INTO sessions_fts(sessions_fts) VALUES ('rebuild');
INSERT INTO sessions_heads(sessions_heads) VALUES ('rebuild');

-- What filters look at, without the rows themselves, whose bodies are long.
CREATE INDEX idx_sessions_last_moment ON sessions(coalesce(ended_at, started_at));
CREATE INDEX idx_sessions_project ON sessions(project);
CREATE INDEX idx_sessions_branch ON sessions(branch);
CREATE INDEX idx_sessions_model ON sessions(model);
CREATE INDEX idx_sessions_with_decisions ON sessions(started_at) WHERE decisions IS NOT NULL;
CREATE INDEX idx_sessions_with_open_questions ON sessions(started_at) WHERE open_questions IS NOT NULL;
