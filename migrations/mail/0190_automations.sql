-- Automations. Those of a workspace are in its first mail database, with its contacts and events.
CREATE TABLE automations (
  n INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  workspace INTEGER NOT NULL,
  id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  name TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('draft', 'active', 'paused', 'archived')),
  edit INTEGER NOT NULL DEFAULT 0, -- incremented by every change, for compare-and-set
  definition TEXT NOT NULL, -- JSON: trigger, entry and steps as they were edited last
  size INTEGER NOT NULL, -- octets of the definition
  trigger_event TEXT NOT NULL, -- of the version that people enter
  version INTEGER, -- automation_versions.n that people enter; null: it was never active
  version_number INTEGER NOT NULL DEFAULT 0,
  pause_reason TEXT, -- why the service paused it; null: a person did
  sweep TEXT CHECK (sweep IN ('resume', 'end')), -- what is to be done to its active runs, in pages
  sweep_after INTEGER NOT NULL DEFAULT 0, -- automation_runs.n up to which that was done
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX automations_by_id ON automations (workspace, id);
CREATE INDEX automations_by_trigger ON automations (workspace, trigger_event) WHERE status = 'active';
CREATE INDEX automations_to_sweep ON automations (n) WHERE sweep IS NOT NULL;

-- What was active. People finish the version that they entered.
CREATE TABLE automation_versions (
  n INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  workspace INTEGER NOT NULL,
  automation INTEGER NOT NULL, -- automations.n
  number INTEGER NOT NULL,
  definition TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX automation_versions_by_number ON automation_versions (automation, number);
CREATE INDEX automation_versions_by_workspace ON automation_versions (workspace);

-- Runs that came to a step, by its path. `entered`, `completed`, `exited` and `removed` are about the whole run.
CREATE TABLE automation_counts (
  version INTEGER NOT NULL, -- automation_versions.n
  step TEXT NOT NULL,
  workspace INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  PRIMARY KEY (version, step)
) STRICT, WITHOUT ROWID;
CREATE INDEX automation_counts_by_workspace ON automation_counts (workspace);

CREATE TABLE automation_runs (
  n INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
  workspace INTEGER NOT NULL,
  id TEXT NOT NULL,
  automation INTEGER NOT NULL, -- automations.n
  version INTEGER NOT NULL, -- automation_versions.n
  email_key TEXT NOT NULL, -- canonical address of the person
  entry_key TEXT NOT NULL, -- id of the event that began it; empty where a person enters once
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'completed', 'exited', 'removed')),
  node INTEGER, -- position of the step; null: behind the last
  visit INTEGER NOT NULL DEFAULT 1, -- steps that it came to, for compare-and-set
  due_at INTEGER, -- null: ended, or held
  wait_until INTEGER, -- null: it does not wait at a step
  wait_event TEXT, -- name of the event that ends the wait sooner
  is_held INTEGER NOT NULL DEFAULT 0, -- 1: while its automation is paused; 2: restored from a backup
  entered_event INTEGER NOT NULL, -- events.n that began it
  mark INTEGER NOT NULL, -- events.n before its last move
  data TEXT NOT NULL, -- JSON object: data of the event that began it, or of the last one it waited for
  history TEXT NOT NULL DEFAULT '', -- JSON objects, each with a comma behind it, so that a move appends
  failures INTEGER NOT NULL DEFAULT 0, -- moves in a row that ended with an error
  intent TEXT, -- JSON: a move whose effect is in another database and may be done already
  started_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;
CREATE UNIQUE INDEX automation_runs_by_id ON automation_runs (automation, id);
CREATE UNIQUE INDEX automation_runs_by_entry ON automation_runs (automation, email_key, entry_key);
CREATE INDEX automation_runs_by_person ON automation_runs (workspace, email_key);
CREATE INDEX automation_runs_by_due ON automation_runs (due_at, n) WHERE due_at IS NOT NULL;
CREATE INDEX automation_runs_active ON automation_runs (automation, n) WHERE status = 'active';
CREATE INDEX automation_runs_by_end ON automation_runs (ended_at) WHERE ended_at IS NOT NULL;

-- Emails of automations to a person on the last day with one, for `emails_per_day`.
CREATE TABLE automation_daily_emails (
  workspace INTEGER NOT NULL,
  email_key TEXT NOT NULL,
  day TEXT NOT NULL, -- date in the person's zone
  emails INTEGER NOT NULL,
  PRIMARY KEY (workspace, email_key)
) STRICT, WITHOUT ROWID;

-- The one run that moves the runs of this database, and the last event that it has read.
CREATE TABLE automation_engine (
  id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
  last_event INTEGER NOT NULL, -- events.n
  token TEXT,
  until INTEGER NOT NULL
) STRICT;
INSERT INTO automation_engine (id, last_event, token, until) VALUES (1, 0, NULL, 0);

-- automations.n, in the first mail database of the workspace, for the row that has the content and the counts of the emails of a step;
-- null: a broadcast or bulk send.
ALTER TABLE broadcasts ADD COLUMN automation INTEGER;
CREATE INDEX broadcasts_by_automation ON broadcasts (workspace, automation) WHERE automation IS NOT NULL;
