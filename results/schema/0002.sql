-- Version 2: the owner of a run says how it goes, and waiting runs are claimed as runs
-- are owned.
ALTER TABLE leases ADD COLUMN progress TEXT NOT NULL DEFAULT '';       -- JSON, '' before the first
ALTER TABLE leases ADD COLUMN progress_at INTEGER NOT NULL DEFAULT 0;

ALTER TABLE queue ADD COLUMN games INTEGER NOT NULL DEFAULT 0;         -- budget in games, 0: none
ALTER TABLE queue ADD COLUMN reason TEXT NOT NULL DEFAULT '';          -- why it ended
ALTER TABLE queue ADD COLUMN token TEXT NOT NULL DEFAULT '';           -- of the claim, '' while nobody has it
ALTER TABLE queue ADD COLUMN owner TEXT NOT NULL DEFAULT '';           -- as in leases
ALTER TABLE queue ADD COLUMN beat INTEGER NOT NULL DEFAULT 0;
