import pg from "pg";

const TABLES = `
  CREATE TABLE api_keys (hash text PRIMARY KEY, domain text NOT NULL);
  CREATE TABLE emails (
    id uuid PRIMARY KEY, domain text NOT NULL, body jsonb NOT NULL, status text NOT NULL DEFAULT 'queued', reply text,
    created_at timestamptz NOT NULL DEFAULT now(), finished_at timestamptz);
  CREATE INDEX emails_by_domain ON emails (domain, created_at);
  CREATE TABLE queue (
    email_id uuid PRIMARY KEY REFERENCES emails, due_at timestamptz NOT NULL DEFAULT now(),
    attempts integer NOT NULL DEFAULT 0);
  CREATE INDEX queue_by_due ON queue (due_at)`;
const INSERT = `
  WITH email AS (INSERT INTO emails (id, domain, body) VALUES ($1, $2, $3) RETURNING id)
  INSERT INTO queue (email_id) SELECT id FROM email`;
const CLAIM = `
  UPDATE queue SET due_at = now() + interval '1 minute', attempts = attempts + 1 FROM emails
  WHERE emails.id = queue.email_id AND queue.email_id = ANY(ARRAY(
    SELECT email_id FROM queue WHERE due_at <= now() ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED))
  RETURNING emails.id, emails.body, queue.attempts`;
const SAVE = `
  WITH finished AS (DELETE FROM queue WHERE email_id = ANY($1::uuid[]))
  UPDATE emails SET status = outcome.status, reply = outcome.reply, finished_at = now()
  FROM unnest($1::uuid[], $2::text[], $3::text[]) AS outcome (id, status, reply) WHERE emails.id = outcome.id`;

/** Connects to the server with its socket in this folder, and creates the tables. Each statement is a transaction. */
export async function openPostgres(socketDir) {
  const pool = new pg.Pool({ host: socketDir, user: "bench", database: "postgres" });
  // Statements with a name are prepared once for each connection. The others are planned for the current sizes of the tables.
  const rowsOf = async (text, values, name) => (await pool.query({ text, values, name })).rows;
  await pool.query(TABLES);
  return {
    insertApiKey: (hash, domain) => rowsOf("INSERT INTO api_keys VALUES ($1, $2)", [hash, domain]),
    findApiKey: async (hash) => (await rowsOf("SELECT domain FROM api_keys WHERE hash = $1", [hash], "find"))[0],
    insertEmail: ({ id, domain, body }) => rowsOf(INSERT, [id, domain, body], "insert"),
    claim: (limit) => rowsOf(CLAIM, [limit]),
    saveOutcomes: (outcomes) =>
      rowsOf(
        SAVE,
        ["id", "status", "reply"].map((field) => outcomes.map((outcome) => outcome[field])),
      ),
    countQueued: async () => (await rowsOf("SELECT count(*)::integer AS rows FROM queue"))[0].rows,
  };
}
