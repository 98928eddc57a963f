/** Measures how many opens per second get a response, and how many are merged into their emails. */

import { newOpenToken } from "../src/platform/mail-tokens/tracking.ts";
import { type Bench, type Deployment, MASTER_KEYS } from "./deployment.ts";
import { cpuMs } from "./host/in-process.ts";
import { median, type Row } from "./table.ts";

const EMAILS = 2_000;
const AT_ONCE = 8;
const ROUNDS = 3;
/** The User-Agent of a browser, because hits of scanners are not counted. */
const BROWSER_HEADERS = { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };

export async function measureHits({ deployment }: Bench): Promise<Row[]> {
  const [version = "1", key = ""] = MASTER_KEYS.split(":");
  const roots = [{ version: Number(version), key }];
  const workspace = deployment.seed.workspaceNumber;
  const responded: number[] = [];
  const cpu: number[] = [];
  const merged: number[] = [];
  let rows = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const emails = await insertDeliveredEmails(deployment, workspace, round);
    const tokens = await Promise.all(
      emails.map((emailId) => newOpenToken(roots, { workspace, emailId, recipient: 0 })),
    );
    await deployment.readings();
    const before = await cpuMs(deployment.host.workerdPid);
    const began = performance.now();
    const next = tokens.values();
    const requestAll = async () => {
      for (const token of next) {
        await (await fetch(`${deployment.host.url}/t/o/${token}`, { headers: BROWSER_HEADERS })).arrayBuffer();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, requestAll));
    responded.push((EMAILS / (performance.now() - began)) * 1000);
    await waitUntilCounted(deployment, workspace, round);
    merged.push((EMAILS / (performance.now() - began)) * 1000);
    cpu.push(((await cpuMs(deployment.host.workerdPid)) - before) / EMAILS);
    rows = (await deployment.readings()).rowsWritten / EMAILS;
  }
  const all = (values: number[]) => values.map((value) => Math.round(value)).join(", ");
  return [
    {
      what: "tracking hits, served and merged, by one client of 8 connections",
      value: `${Math.round(median(responded))} (${all(responded)}) and ${Math.round(median(merged))} (${all(merged)}) a second`,
      budget: "",
      isMet: true,
    },
    {
      what: "a tracking hit, response and merge: CPU, D1 rows written",
      value: `${median(cpu).toFixed(2)} ms, ${rows.toFixed(2)} rows`,
      budget: "",
      isMet: true,
    },
  ];
}

/** Inserts delivered emails without opens and returns their ids. */
async function insertDeliveredEmails(deployment: Deployment, workspace: number, round: number): Promise<string[]> {
  await deployment.sql(
    `WITH RECURSIVE i (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i < ?3 - 1)
     INSERT INTO emails (workspace, id, status, source, domain_id, mailbox_id, from_email, message_id, subject, recipients, events,
       content_offset, content_size, created_at, sent_at, delivered_at)
     SELECT ?1, lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-7' || substr(hex(randomblob(2)), 2) || '-8' ||
       substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), 'delivered', ?2, 'd', 'm', 'hello@bench.example', '<m>', 'Hit',
       '[{"kind":"to","email":"friend@example.org","state":"delivered"}]', '[]', 0, 0, 1, 1, 1 FROM i`,
    workspace,
    `hits-${round}`,
    EMAILS,
  );
  const rows = await deployment.sql<{ id: string }>(
    "SELECT id FROM emails WHERE workspace = ?1 AND source = ?2",
    workspace,
    `hits-${round}`,
  );
  return rows.map(({ id }) => id);
}

/** Waits until every hit is counted. Throws after a minute. */
async function waitUntilCounted(deployment: Deployment, workspace: number, round: number): Promise<void> {
  const end = Date.now() + 60_000;
  for (;;) {
    const [row] = await deployment.sql<{ opened: number }>(
      "SELECT sum(opened_count) AS opened FROM emails WHERE workspace = ?1 AND source = ?2",
      workspace,
      `hits-${round}`,
    );
    if (row?.opened === EMAILS) return;
    if (Date.now() > end) throw new Error(`${row?.opened} of ${EMAILS} hits were merged`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
