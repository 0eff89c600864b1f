-- What lists of markers and topics are ordered, filtered and counted by, without a look at the sessions themselves, whose
-- rows are long. Triggers keep it in step, whoever writes.

ALTER TABLE markers ADD COLUMN session_row INTEGER;
ALTER TABLE markers ADD COLUMN started_at TEXT;
UPDATE markers SET (session_row, started_at) = (SELECT row, started_at FROM sessions WHERE id = session_id);
CREATE INDEX idx_markers_listed ON markers(kind, state <> 'standing', started_at DESC, session_row);
CREATE INDEX idx_markers_counted ON markers(session_row, kind, state);
DROP INDEX idx_markers_kind;

ALTER TABLE session_entities ADD COLUMN session_row INTEGER;
UPDATE session_entities SET session_row = (SELECT row FROM sessions WHERE id = session_id);
DROP INDEX idx_session_entities_entity;
CREATE INDEX idx_session_entities_entity ON session_entities(entity_canonical, session_row);

CREATE TRIGGER markers_inserted AFTER INSERT ON markers BEGIN
  UPDATE markers SET (session_row, started_at) = (SELECT row, started_at FROM sessions WHERE id = new.session_id)
  WHERE id = new.id;
END;
CREATE TRIGGER session_entities_inserted AFTER INSERT ON session_entities BEGIN
  UPDATE session_entities SET session_row = (SELECT row FROM sessions WHERE id = new.session_id)
  WHERE session_id = new.session_id AND entity_canonical = new.entity_canonical;
END;
CREATE TRIGGER sessions_moved AFTER UPDATE OF started_at ON sessions WHEN new.started_at <> old.started_at BEGIN
  UPDATE markers SET started_at = new.started_at WHERE session_id = new.id;
END;

-- Markers by their words. `about` is what their session is about: label, topics, folders of the project. The texts are
-- those of the other tables, so none are kept here; rowid is that of `markers`.
CREATE VIRTUAL TABLE markers_fts USING fts5(
  text, about, parts,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2', prefix='1 2 3'
);
INSERT INTO markers_fts (rowid, text, about, parts)
WITH about (id, text) AS MATERIALIZED (
  SELECT id, indexed_texts((SELECT json_group_array(name) FROM (
    SELECT sessions.label AS name
    UNION ALL SELECT * FROM (
      SELECT entity_canonical FROM session_entities WHERE session_id = sessions.id ORDER BY rowid)
    UNION ALL SELECT project_words(sessions.project)) WHERE name <> ''))
  FROM sessions)
SELECT markers.id, markers.text, about.text, index_parts(markers.text)
FROM markers JOIN about ON about.id = markers.session_id ORDER BY markers.id;

CREATE TRIGGER markers_deleted AFTER DELETE ON markers BEGIN
  DELETE FROM markers_fts WHERE rowid = old.id;
END;
