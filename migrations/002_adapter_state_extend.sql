-- How large a source was when it was read, and the session it became.

ALTER TABLE adapter_state ADD COLUMN file_size INTEGER;
ALTER TABLE adapter_state ADD COLUMN session_id TEXT;
