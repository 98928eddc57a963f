/** Measures lists, filters and searches in a workspace of 1,000,000 emails and in one of 10,000, in one database. */

import { type Bench, Deployment } from "./deployment.ts";
import { median, type Row } from "./table.ts";

const SMALL = 10_000;
const LARGE = 1_000_000;
/** Rows that one INSERT adds. */
const STEP = 20_000;
const CALLS = 15;

// One email in 50 is bounced, one in 200 is failed, five are queued. One in 10 has a common tag; one in 50,000 has a rare
// tag and a rare word in its subject.
const FILL = `
  WITH RECURSIVE i (i) AS (SELECT CAST(?2 AS INTEGER) UNION ALL SELECT i + 1 FROM i WHERE i < ?3 - 1),
  mail AS (SELECT i, CAST(?4 AS INTEGER) + i * 1000 AS at, printf('%012x', CAST(?4 AS INTEGER) + i * 1000) AS hex FROM i)
  INSERT INTO emails (workspace, id, status, source, domain_id, mailbox_id, from_email, from_name, message_id, subject,
    recipients, tags, events, content_offset, content_size, created_at, sent_at, delivered_at, due_at)
  SELECT ?1, substr(hex, 1, 8) || '-' || substr(hex, 9) || '-7000-8000-' || lower(hex(randomblob(6))),
    CASE WHEN i % 50 = 7 THEN 'bounced' WHEN i % 200 = 9 THEN 'failed' WHEN i >= ?5 - 5 THEN 'queued' ELSE 'delivered' END,
    'api', 'd', 'm', 'hello@bench.example', 'Bench', '<' || hex || '@bench.example>',
    CASE WHEN i % 50000 = 49 THEN 'Zephyr notice ' ELSE 'Invoice ' END || i || ' for ' || (i % 997) || ' is due',
    '[{"kind":"to","email":"user' || i || '@d' || (i % 1000) || '.example","name":"Person ' || (i % 5000) || '","state":"delivered"}]',
    CASE WHEN i % 50000 = 49 THEN '["rare"]' WHEN i % 10 = 3 THEN '["billing"]' END,
    '[{"id":"e","type":"queued","at":' || at || '},{"id":"f","type":"delivered","at":' || at || '}]',
    0, 100, at, at, at, CASE WHEN i >= ?5 - 5 THEN at END FROM mail`;

interface Measured {
  ms: number;
  rowsRead: number;
  found: number;
}

export async function measureLists({ sink }: Bench): Promise<Row[]> {
  const deployment = await Deployment.start(sink.url);
  try {
    await deployment.control("pause-queue");
    const small = await fillWorkspace(deployment, "small.example", SMALL);
    const large = await fillWorkspace(deployment, "large.example", LARGE);
    const index = await indexAll(deployment);
    const [{ id = "" } = {}] = await deployment.sql<{ id: string }>(
      "SELECT id FROM emails WHERE workspace = ?1 LIMIT 1",
      large.number,
    );
    const [{ id: smallId = "" } = {}] = await deployment.sql<{ id: string }>(
      "SELECT id FROM emails WHERE workspace = ?1 LIMIT 1",
      small.number,
    );
    const compared = async (what: string, path: string, smallPath = path) => {
      const [of10k, of1m] = [
        await measure(deployment, small.key, smallPath),
        await measure(deployment, large.key, path),
      ];
      return comparison(what, of10k, of1m);
    };
    const searched = async (what: string, path: string) => timing(what, await measure(deployment, large.key, path));
    return [
      await compared("list of 20", "/v1/emails/"),
      await compared("detail", `/v1/emails/${id}`, `/v1/emails/${smallId}`),
      await compared("status=bounced", "/v1/emails/?status=bounced"),
      await compared("status=delivered", "/v1/emails/?status=delivered"),
      await compared("status=queued", "/v1/emails/?status=queued"),
      await compared("status=sent, which no email has", "/v1/emails/?status=sent"),
      await compared("tag=billing", "/v1/emails/search?tag=billing"),
      await searched("a common word", "/v1/emails/search?q=invoice"),
      await searched("a rare word", "/v1/emails/search?q=zephyr"),
      await searched("a rare tag", "/v1/emails/search?tag=rare"),
      await searched("an absent word", "/v1/emails/search?q=absentia"),
      await searched("an absent word of common trigrams", "/v1/emails/search?q=invoiceuser"),
      await searched("one recipient", "/v1/emails/search?q=to:user777777@"),
      await searched("a common word and a rare status", "/v1/emails/search?q=invoice&status=failed"),
      await searched("two letters", "/v1/emails/search?q=zq"),
      index,
    ];
  } finally {
    await deployment.stop();
  }
}

async function fillWorkspace(deployment: Deployment, domain: string, emails: number) {
  const response = await deployment.control("seed", { domain, shard: deployment.seed.mailShard });
  const seed = (await response.json()) as { workspaceNumber: number; apiKey: string };
  const start = Date.now() - emails * 1000;
  for (let from = 0; from < emails; from += STEP) {
    await deployment.sql(FILL, seed.workspaceNumber, from, Math.min(from + STEP, emails), start, emails);
  }
  const queued = "FROM emails WHERE workspace = ?1 AND status = 'queued'";
  await deployment.sql(
    `INSERT INTO outbox (due_at, id, kind, ref) SELECT due_at, id, 'deliver', json_array(n) ${queued}`,
    seed.workspaceNumber,
  );
  return { number: seed.workspaceNumber, key: seed.apiKey };
}

/** Fills the search index as the cron trigger does, and measures its rows, bytes and speed. */
async function indexAll(deployment: Deployment): Promise<Row> {
  const before = await deployment.databaseSize();
  await deployment.readings();
  const startedAt = Date.now();
  for (;;) {
    await deployment.control("index");
    const [left] = await deployment.sql<{ left: number }>(
      "SELECT (SELECT max(n) FROM emails) - (SELECT max(id) FROM email_search_docsize) AS left",
    );
    if (left?.left === 0) break;
  }
  const seconds = (Date.now() - startedAt) / 1000;
  const emails = SMALL + LARGE;
  const bytes = ((await deployment.databaseSize()) - before) / emails;
  const { rowsWritten } = await deployment.readings();
  const value = `${(rowsWritten / emails).toFixed(2)} rows and ${bytes.toFixed(0)} bytes an email, ${Math.round(emails / seconds)} emails/s`;
  return { what: "search index, as local D1 counts it", value, budget: "", isMet: true };
}

async function measure(deployment: Deployment, key: string, path: string): Promise<Measured> {
  const call = async () => {
    const startedAt = performance.now();
    const response = await fetch(`${deployment.host.url}${path}`, { headers: { Authorization: `Bearer ${key}` } });
    const body = (await response.json()) as unknown[];
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`);
    return { ms: performance.now() - startedAt, found: Array.isArray(body) ? body.length : 1 };
  };
  await call();
  await deployment.readings();
  const { found } = await call();
  const { rowsRead } = await deployment.readings();
  const times: number[] = [];
  for (let i = 0; i < CALLS; i++) times.push((await call()).ms);
  return { ms: median(times), rowsRead, found };
}

function comparison(what: string, of10k: Measured, of1m: Measured): Row {
  const time = of1m.ms / of10k.ms;
  const rows = of1m.rowsRead / Math.max(1, of10k.rowsRead);
  return {
    what: `1,000,000 emails against 10,000: ${what}`,
    value: `${time.toFixed(1)}x the time (${of1m.ms.toFixed(1)} ms), ${rows.toFixed(1)}x the rows read (${of1m.rowsRead})`,
    budget: "2x, 2x",
    isMet: time <= 2 && rows <= 2,
  };
}

function timing(what: string, { ms, rowsRead, found }: Measured): Row {
  return {
    what: `first page of a search in 1,000,000 emails: ${what}`,
    value: `${ms.toFixed(0)} ms, ${found} found, ${rowsRead} rows read`,
    budget: "250 ms",
    isMet: ms <= 250,
  };
}
