-- Where a session says what a marker says, as it was read; NULL where that is not known.

ALTER TABLE markers ADD COLUMN message INTEGER;  -- the number of the message in its session, from 0
ALTER TABLE markers ADD COLUMN quote TEXT;
