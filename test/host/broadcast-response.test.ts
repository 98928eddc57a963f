/** The response to the send of a broadcast on a host whose one thread runs the fan-out too, as that of `npm start` does. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Host } from "../../bench/host/in-process.ts";
import { seedWorkspace } from "../../dev/seed-workspace.ts";
import { createContext } from "../../src/platform/context.ts";
import { startWorkerHost } from "./support/worker-host.ts";

const CONTACTS = 10_000;
let host: Host;

beforeAll(async () => {
  host = await startWorkerHost();
}, 120_000);

afterAll(async () => {
  await host?.stop();
});

it("the whole response of a send has arrived before the emails of the broadcast are made", async () => {
  const owner = { name: "Shop", email: "ada@example.test", domain: "example.test", mailboxLocalPart: "hello" };
  const seed = await seedWorkspace(createContext(host.env, "test"), { ...owner, mailShard: 0 });
  const call = async (path: string, body?: object) => {
    const response = await fetch(`${host.url}${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${seed.apiKey}`, "Content-Type": "application/json" },
      body: body ? JSON.stringify(body) : null,
    });
    expect(response.ok).toBe(true);
    return response.json() as Promise<{ id: string; status: string }>;
  };
  const broadcast = await call("/v1/broadcasts/", {
    ...{ name: "News", subject: "News", from_address: seed.mailbox, text_body: "Hello" },
    contact_list_id: await insertList(seed.workspaceNumber),
  });
  expect((await call(`/v1/broadcasts/${broadcast.id}/send`)).status).toBe("sending");
  expect(await queuedEmails()).toBeLessThan(CONTACTS);
  await expect.poll(queuedEmails).toBeGreaterThan(0);
  await call(`/v1/broadcasts/${broadcast.id}/cancel`);
});

const queuedEmails = () =>
  host.env.MAIL_0.prepare("SELECT coalesce(sum(queued), 0) AS n FROM broadcast_counts").first<number>("n");

/** Inserts a list of contacts by SQL. Returns its id. */
async function insertList(workspace: number): Promise<string> {
  const id = crypto.randomUUID();
  await host.env.MAIL_0.batch([
    host.env.MAIL_0.prepare(
      "INSERT INTO contact_lists (workspace, id, name, contact_count, created_at) VALUES (?1, ?2, 'A list', ?3, 0)",
    ).bind(workspace, id, CONTACTS),
    host.env.MAIL_0.prepare(
      `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?3)
       INSERT INTO contacts (workspace, list, id, email, email_key, name, created_at)
       SELECT ?1, l.n, printf('01900000-0000-7000-8000-%012d', i), 'c' || i || '@example.org', 'c' || i || '@example.org',
         'Person ' || i, 0 FROM contact_lists l, numbers WHERE l.id = ?2`,
    ).bind(workspace, id, CONTACTS),
  ]);
  return id;
}
