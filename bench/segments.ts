/** Measures how long calls of another workspace wait while the people of a segment are counted: all 1,000,000 of a workspace of the same mail database. */
import type { Bench, Deployment } from "./deployment.ts";
import { percentile, type Row } from "./table.ts";

const PEOPLE = 1_000_000;
const ROWS_PER_INSERT = 50_000;
/** Calls before the count, and at most during it. */
const CALLS = 300;
const BUDGET_MS = 50;
const COUNT_MS = 30 * 60_000;

interface Count {
  status: "counting" | "done";
  count: number;
  evaluated: number;
}

const INSERT = `
  INSERT INTO contacts (workspace, list, id, email, email_key, name, metadata, created_at)
  WITH RECURSIVE n(i) AS (SELECT ?3 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?4)
  SELECT ?1, l.n, printf('%08x-0000-7000-8000-000000000000', i), 'p' || i || '@example.org', 'p' || i || '@example.org', 'Person ' || i,
         json_object('plan', CASE WHEN i % 10 = 0 THEN 'gold' ELSE 'free' END), ?5
    FROM n, contact_lists l WHERE l.workspace = ?1 AND l.id = ?2`;

export async function measureSegments({ deployment }: Bench): Promise<Row[]> {
  const list = (await json<{ id: string }>(deployment, "POST", "/v1/contacts/", { name: "Everyone" })).id;
  const { workspaceNumber } = deployment.seed;
  for (let from = 0; from < PEOPLE; from += ROWS_PER_INSERT)
    await deployment.sql(INSERT, workspaceNumber, list, from, from + ROWS_PER_INSERT, Date.now());
  await deployment.sql("UPDATE contact_lists SET contact_count = ?2 WHERE id = ?1", list, PEOPLE);
  const { id } = await json<{ id: string }>(deployment, "POST", "/v1/segments/", {
    name: "Gold",
    conditions: { field: "plan", is: "equals", value: "gold" },
  });
  const other = await deployment.withFreshWorkspace(900);
  const before: number[] = [];
  for (let call = 0; call < CALLS; call++) before.push(await timeOf(other));
  await deployment.readings();
  const startedAt = performance.now();
  let count = await json<Count>(deployment, "GET", `/v1/segments/${id}/count`);
  const during: number[] = [];
  while (count.status !== "done") {
    for (let call = 0; call < 20; call++) during.push(await timeOf(other));
    count = await json<Count>(deployment, "GET", `/v1/segments/${id}/count`);
    if (performance.now() - startedAt > COUNT_MS) throw new Error(`the count has not ended: ${JSON.stringify(count)}`);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  if (count.count !== PEOPLE / 10) throw new Error(`the count is ${count.count}`);
  const { rowsRead } = await deployment.readings();
  const waits = [50, 95, 99].map((share) => percentile(during, share) - percentile(before, share));
  return [
    {
      what: `a call of another workspace while a segment over ${PEOPLE.toLocaleString("en")} people is counted waits longer: median, 95 % and 99 %`,
      value: `${waits.map((wait) => wait.toFixed(0)).join(", ")} ms of ${during.length} calls (the count took ${seconds.toFixed(0)} s and read ${(rowsRead / PEOPLE).toFixed(1)} rows a person)`,
      budget: `${BUDGET_MS} ms`,
      isMet: waits.every((wait) => wait <= BUDGET_MS),
    },
  ];
}

/** Returns how long a call takes that reads the mail database, in milliseconds. */
async function timeOf(deployment: Deployment): Promise<number> {
  const startedAt = performance.now();
  await (await deployment.call("GET", "/v1/emails/?limit=10")).arrayBuffer();
  return performance.now() - startedAt;
}

async function json<Out>(deployment: Deployment, method: string, path: string, body?: unknown): Promise<Out> {
  return (await deployment.call(method, path, body)).json() as Promise<Out>;
}
