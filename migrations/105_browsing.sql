-- What lists of markers and topics are ordered, filtered and counted by, without a look at the sessions themselves, whose
-- rows are long. Triggers keep it in step, whoever writes.

ALTER TABLE markers ADD COLUMN session_row INTEGER;
ALTER TABLE markers ADD COLUMN started_at TEXT;
UPDATE markers SET (session_row, started_at) = (SELECT row, started_at FROM sessions WHERE id = session_id);
DROP INDEX idx_markers_kind;
CREATE INDEX idx_markers_listed ON markers(kind, state <> 'standing', started_at DESC, session_row);

-- What a topic counts is counted at each of its sessions; `open` are the questions that stand.
ALTER TABLE session_entities ADD COLUMN session_row INTEGER;
ALTER TABLE session_entities ADD COLUMN started_at TEXT;
ALTER TABLE session_entities ADD COLUMN decisions INTEGER NOT NULL DEFAULT 0;
ALTER TABLE session_entities ADD COLUMN open INTEGER NOT NULL DEFAULT 0;
UPDATE session_entities SET session_row = counted.row, started_at = counted.started_at,
  decisions = counted.decisions, open = counted.open
FROM (
  SELECT sessions.id, sessions.row, sessions.started_at,
    count(*) FILTER (WHERE markers.kind = 'decision') AS decisions,
    count(*) FILTER (WHERE markers.kind = 'open' AND markers.state = 'standing') AS open
  FROM sessions LEFT JOIN markers ON markers.session_id = sessions.id GROUP BY sessions.row) AS counted
WHERE counted.id = session_entities.session_id;
DROP INDEX idx_session_entities_entity;
CREATE INDEX idx_session_entities_entity
  ON session_entities(entity_canonical, session_row, decisions, open, started_at);

CREATE TRIGGER session_entities_inserted AFTER INSERT ON session_entities BEGIN
  UPDATE session_entities SET
    (session_row, started_at) = (SELECT row, started_at FROM sessions WHERE id = new.session_id),
    (decisions, open) = (
      SELECT count(*) FILTER (WHERE kind = 'decision'), count(*) FILTER (WHERE kind = 'open' AND state = 'standing')
      FROM markers WHERE session_id = new.session_id)
  WHERE session_id = new.session_id AND entity_canonical = new.entity_canonical;
END;
CREATE TRIGGER markers_inserted AFTER INSERT ON markers BEGIN
  UPDATE markers SET (session_row, started_at) = (SELECT row, started_at FROM sessions WHERE id = new.session_id)
  WHERE id = new.id;
  UPDATE session_entities SET decisions = decisions + (new.kind = 'decision'),
    open = open + (new.kind = 'open' AND new.state = 'standing')
  WHERE session_id = new.session_id;
END;
CREATE TRIGGER markers_changed AFTER UPDATE OF kind, state ON markers BEGIN
  UPDATE session_entities SET decisions = decisions + (new.kind = 'decision') - (old.kind = 'decision'),
    open = open + (new.kind = 'open' AND new.state = 'standing') - (old.kind = 'open' AND old.state = 'standing')
  WHERE session_id = new.session_id;
END;
CREATE TRIGGER sessions_moved AFTER UPDATE OF started_at ON sessions WHEN new.started_at <> old.started_at BEGIN
  UPDATE markers SET started_at = new.started_at WHERE session_id = new.id;
  UPDATE session_entities SET started_at = new.started_at WHERE session_id = new.id;
END;

-- Markers by their words. `about` is what their session is about: label, topics, folders of the project. The texts are
-- those of the other tables, so none are kept here; rowid is that of `markers`.
CREATE VIRTUAL TABLE markers_fts USING fts5(
  kind, text, about, parts,
  content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2', prefix='1 2 3'
);
INSERT INTO markers_fts (rowid, kind, text, about, parts)
WITH about (row, text) AS MATERIALIZED (
  SELECT row, indexed_texts((SELECT json_group_array(name) FROM (
    SELECT sessions.label AS name
    UNION ALL SELECT * FROM (
      SELECT entity_canonical FROM session_entities WHERE session_id = sessions.id ORDER BY rowid)
    UNION ALL SELECT project_words(sessions.project)) WHERE name <> ''))
  FROM sessions)
SELECT markers.id, markers.kind, markers.text, about.text, index_parts(markers.text)
FROM markers JOIN about ON about.row = markers.session_row ORDER BY markers.id;

CREATE TRIGGER markers_deleted AFTER DELETE ON markers BEGIN
  DELETE FROM markers_fts WHERE rowid = old.id;
  UPDATE session_entities SET decisions = decisions - (old.kind = 'decision'),
    open = open - (old.kind = 'open' AND old.state = 'standing')
  WHERE session_id = old.session_id;
END;
