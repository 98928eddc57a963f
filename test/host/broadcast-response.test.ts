/** The response to the send of a broadcast on a host whose one thread runs the fan-out too, as that of `npm start` does. */
import { expect, it } from "vitest";
import { callerOf } from "./support/call-api.ts";
import { sharedService } from "./support/shared-service.ts";

const CONTACTS = 10_000;
it("the whole response of a send has arrived before the emails of the broadcast are made", async () => {
  const { host, addWorkspace } = await sharedService();
  const seed = await addWorkspace("response.test");
  const database = seed.mailShard === 0 ? host.env.MAIL_0 : host.env.MAIL_1;
  const callApi = callerOf(host.url, seed.apiKey);
  const call = (path: string, body?: object) => callApi<{ id: string; status: string }>("POST", path, body);
  const broadcast = await call("/v1/broadcasts/", {
    ...{ name: "News", subject: "News", from_address: seed.mailbox, text_body: "Hello" },
    contact_list_id: await insertList(database, seed.workspaceNumber),
  });
  expect((await call(`/v1/broadcasts/${broadcast.id}/send`)).status).toBe("sending");
  const queuedEmails = () =>
    database
      .prepare("SELECT coalesce(sum(queued), 0) AS n FROM broadcast_counts WHERE workspace = ?1")
      .bind(seed.workspaceNumber)
      .first<number>("n");
  expect(await queuedEmails()).toBeLessThan(CONTACTS);
  await expect.poll(queuedEmails).toBeGreaterThan(0);
  await call(`/v1/broadcasts/${broadcast.id}/cancel`);
});

/** Inserts a list of contacts by SQL. Returns its id. */
async function insertList(database: D1Database, workspace: number): Promise<string> {
  const id = crypto.randomUUID();
  await database.batch([
    database
      .prepare(
        "INSERT INTO contact_lists (workspace, id, name, contact_count, created_at) VALUES (?1, ?2, 'A list', ?3, 0)",
      )
      .bind(workspace, id, CONTACTS),
    database
      .prepare(
        `WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ?3)
       INSERT INTO contacts (workspace, list, id, email, email_key, name, created_at)
       SELECT ?1, l.n, printf('01900000-0000-7000-8000-%012d', i), 'c' || i || '@example.org', 'c' || i || '@example.org',
         'Person ' || i, 0 FROM contact_lists l, numbers WHERE l.id = ?2`,
      )
      .bind(workspace, id, CONTACTS),
  ]);
  return id;
}
