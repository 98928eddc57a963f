import { DatabaseSync } from "node:sqlite";

const LEASE_MS = 60_000;
const TABLES = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  CREATE TABLE api_keys (hash TEXT PRIMARY KEY, domain TEXT NOT NULL);
  CREATE TABLE emails (
    id TEXT PRIMARY KEY, domain TEXT NOT NULL, body TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'queued', reply TEXT,
    created_at INTEGER NOT NULL, finished_at INTEGER);
  CREATE INDEX emails_by_domain ON emails (domain, created_at);
  CREATE TABLE queue (email_id TEXT PRIMARY KEY REFERENCES emails, due_at INTEGER NOT NULL, attempts INTEGER NOT NULL);
  CREATE INDEX queue_by_due ON queue (due_at)`;

/** Opens the file and creates the tables. Same functions as openPostgres; the calls block this thread. */
export function openSqlite(file) {
  const db = new DatabaseSync(file);
  db.exec(TABLES);
  const insertKey = db.prepare("INSERT INTO api_keys VALUES (?, ?)");
  const findKey = db.prepare("SELECT domain FROM api_keys WHERE hash = ?");
  const insertEmail = db.prepare("INSERT INTO emails (id, domain, body, created_at) VALUES (?, ?, ?, ?)");
  const enqueue = db.prepare("INSERT INTO queue VALUES (?, ?, 0)");
  const claim = db.prepare(`
    UPDATE queue SET due_at = ?, attempts = attempts + 1
    WHERE email_id IN (SELECT email_id FROM queue WHERE due_at <= ? ORDER BY due_at LIMIT ?)
    RETURNING email_id AS id, attempts, (SELECT body FROM emails WHERE id = email_id) AS body`);
  const finish = db.prepare("UPDATE emails SET status = ?, reply = ?, finished_at = ? WHERE id = ?");
  const dequeue = db.prepare("DELETE FROM queue WHERE email_id = ?");
  const count = db.prepare("SELECT count(*) AS rows FROM queue");
  return {
    insertApiKey: (hash, domain) => insertKey.run(hash, domain),
    findApiKey: (hash) => findKey.get(hash),
    insertEmail: ({ id, domain, body }) =>
      transaction(db, () => {
        insertEmail.run(id, domain, JSON.stringify(body), Date.now());
        enqueue.run(id, Date.now());
      }),
    claim: (limit) =>
      claim.all(Date.now() + LEASE_MS, Date.now(), limit).map(({ id, attempts, body }) => {
        return { id, attempts, body: JSON.parse(body) };
      }),
    saveOutcomes: (outcomes) =>
      transaction(db, () => {
        for (const { id, status, reply } of outcomes) {
          finish.run(status, reply, Date.now(), id);
          dequeue.run(id);
        }
      }),
    countQueued: () => count.get().rows,
  };
}

function transaction(db, run) {
  db.exec("BEGIN IMMEDIATE");
  try {
    run();
    db.exec("COMMIT");
  } catch (error) {
    db.exec("ROLLBACK");
    throw error;
  }
}
