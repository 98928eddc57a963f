/** Counts the rows that the endpoints of analytics read over 90 days. The counts are the same on every machine. */
import type { Bench, Deployment } from "./deployment.ts";
import type { Row } from "./table.ts";
import { splitAtResponse, toHops } from "./trace.ts";

const EMAILS = 1_000_000;
const DOMAINS = 2_000;
const DAYS = 90;
const EMAILS_PER_HOUR = Math.ceil(EMAILS / DAYS / 24);
/** Rows that the views of recipient domains may read, and those of the whole workspace. */
const DOMAIN_ROWS = 200_000;
const TOTAL_ROWS = 5_000;

const VIEWS: readonly [path: string, rows: number][] = [
  ["overview?period=90d", TOTAL_ROWS],
  ["timeseries?period=90d&granularity=day", TOTAL_ROWS],
  ["timeseries?period=90d&granularity=hour", TOTAL_ROWS],
  ["domain-stats?period=90d&limit=100", DOMAIN_ROWS],
  ["deliverability?period=90d&limit=100", DOMAIN_ROWS],
];

export async function measureAnalytics({ deployment }: Bench): Promise<Row[]> {
  await insertRollups(deployment);
  // The first call of a key records its use.
  await (await deployment.call("GET", "/v1/analytics/overview")).arrayBuffer();
  const rows: Row[] = [];
  for (const [path, budget] of VIEWS) rows.push(await measureView(deployment, path, budget));
  return rows;
}

/** Inserts the roll-ups of EMAILS emails, each to the next of DOMAINS domains, as the jobs leave them two minutes after an hour. */
async function insertRollups(deployment: Deployment): Promise<void> {
  const { workspaceNumber } = deployment.seed;
  const now = Math.floor(Date.now() / 3_600_000);
  const first = now - DAYS * 24 + 1;
  const domains = JSON.stringify(Array.from({ length: EMAILS_PER_HOUR }, (_, index) => index));
  for (let hour = first; hour <= now; hour += 24)
    await deployment.sql(
      `INSERT INTO rollups_hourly (workspace, hour, domain, sent, delivered, emails_sent, emails_delivered)
       SELECT ?1, h.value, 'd' || ((h.value * ?4 + d.value) % ?5) || '.example', 1, 1, 1, 1 FROM json_each(?2) h, json_each(?3) d`,
      workspaceNumber,
      JSON.stringify(Array.from({ length: Math.min(24, now - hour + 1) }, (_, index) => hour + index)),
      domains,
      EMAILS_PER_HOUR,
      DOMAINS,
    );
  const today = Math.floor(now / 24);
  await deployment.sql(
    `INSERT INTO rollups_totals (workspace, hour, sent, delivered)
     SELECT workspace, hour, sum(emails_sent), sum(emails_delivered) FROM rollups_hourly WHERE workspace = ?1 AND hour < ?2 GROUP BY hour`,
    workspaceNumber,
    now,
  );
  await deployment.sql(
    `INSERT INTO rollups_daily (workspace, day, domain, sent, delivered, emails_sent, emails_delivered)
     SELECT workspace, hour / 24, domain, sum(sent), sum(delivered), sum(emails_sent), sum(emails_delivered) FROM rollups_hourly
      WHERE workspace = ?1 AND hour < ?2 GROUP BY hour / 24, domain`,
    workspaceNumber,
    today * 24,
  );
  await deployment.sql(
    "INSERT INTO rollups_closed (id, hour) VALUES (1, ?1) ON CONFLICT DO UPDATE SET hour = ?1",
    now - 1,
  );
  await deployment.sql(
    "INSERT INTO rollups_progress (id, day) VALUES (1, ?1) ON CONFLICT DO UPDATE SET day = ?1",
    today - 1,
  );
}

async function measureView(deployment: Deployment, path: string, budget: number): Promise<Row> {
  await deployment.readings();
  const startedAt = performance.now();
  const { before } = splitAtResponse(await deployment.trace("GET", `/v1/analytics/${path}`));
  const ms = (performance.now() - startedAt).toFixed(0);
  const { rowsRead } = await deployment.readings();
  const calls = before.filter(({ kind }) => kind === "D1").length;
  return {
    what: `analytics of ${EMAILS} emails, ${DOMAINS} domains, ${DAYS} days: ${path}`,
    value: `${rowsRead} rows read, ${calls} D1 calls in ${toHops(before).length} hops, ${ms} ms`,
    // One call authenticates, the other reads the mail database.
    budget: `${budget} rows, 2 calls`,
    isMet: rowsRead <= budget && calls <= 2,
  };
}
