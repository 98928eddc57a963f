import { expect } from "vitest";
import type { RecipientOut } from "../../../src/audience/broadcasts/report-schema.ts";
import type { BroadcastOut } from "../../../src/audience/broadcasts/schema.ts";
import type { VariantOut } from "../../../src/audience/broadcasts/variants/schema.ts";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { type TestWorkspace, testContext } from "../../support/workspace.ts";

/** Returns functions that call the API of a workspace; nothing runs in the background. */
export function broadcastsOf(workspace: TestWorkspace) {
  const api = workspace.withoutQueue;
  const path = (id = "") => `/v1/broadcasts/${id}`;

  async function expectJson<Out>(response: Response, status: number): Promise<Out> {
    expect(response.status, await response.clone().text()).toBe(status);
    return response.json<Out>();
  }

  const create = async (changes: Record<string, unknown> = {}): Promise<BroadcastOut> => {
    const body = {
      name: "Newsletter",
      subject: "News for {{name}}",
      from_address: workspace.mailbox,
      html_body: "<p>Hello {{name}} of {{city}}</p>",
      ...changes,
    };
    return expectJson(await api.post(path(), body), 201);
  };
  const addVariant = async (id: string, label: string, changes: Record<string, unknown> = {}): Promise<VariantOut> =>
    expectJson(await api.post(`${path(id)}/variants`, { label, subject: `Subject ${label}`, ...changes }), 201);
  const read = async (id: string): Promise<BroadcastOut> => expectJson(await api.get(path(id)), 200);
  const act = (id: string, action: string) => api.post(`${path(id)}/${action}`, undefined);
  const variants = async (id: string): Promise<VariantOut[]> => expectJson(await api.get(`${path(id)}/variants`), 200);

  /** Returns all recipients of a broadcast. */
  async function recipients(id: string, filter: { status?: string; activity?: string } = {}): Promise<RecipientOut[]> {
    const all: RecipientOut[] = [];
    let next: string | undefined = `${path(id)}/recipients?${new URLSearchParams({ limit: "200", ...filter })}`;
    while (next !== undefined) {
      const response: Response = await api.get(next);
      all.push(...(await expectJson<RecipientOut[]>(response.clone() as Response, 200)));
      next = /<[^>]*(\/v1\/[^>]*)>/.exec(response.headers.get("Link") ?? "")?.[1];
    }
    return all;
  }

  return { api, path, create, addVariant, read, act, variants, recipients, expectJson };
}

/** Inserts a list of contacts with simulated addresses, `delivered+0@…` and so on. Returns its id. */
export async function aContactList(
  { workspaceNumber }: Pick<TestWorkspace, "workspaceNumber">,
  count: number,
  { prefix = "delivered" } = {},
): Promise<string> {
  const id = testContext().newId();
  const results = await database.rows<{ n: number }>(
    "INSERT INTO contact_lists (workspace, id, name, contact_count, created_at) VALUES (?1, ?2, 'A list', ?3, 0) RETURNING n",
    [workspaceNumber, id, count],
  );
  await insertContacts(workspaceNumber, results[0]?.n ?? 0, 0, count, prefix);
  return id;
}

/** Inserts contacts with numbers from `from` to `to` into a list, by its number. */
export async function insertContacts(workspace: number, list: number, from: number, to: number, prefix = "delivered") {
  for (let start = from; start < to; start += 5_000) {
    const contacts = Array.from({ length: Math.min(5_000, to - start) }, (_, i) => ({
      id: testContext().newId(),
      email: `${prefix}+${start + i}@simulator.test`,
      name: `Person ${start + i}`,
    }));
    await database.run(
      `INSERT INTO contacts (workspace, list, id, email, email_key, name, metadata, created_at)
       SELECT ?1, ?2, value->>'id', value->>'email', value->>'email', value->>'name', '{"city":"Ulm","unused":"x"}', 0
         FROM json_each(?3)`,
      [workspace, list, JSON.stringify(contacts)],
    );
  }
}

/** Suppresses addresses in the main database. */
export async function suppress({ workspaceNumber }: TestWorkspace, emails: readonly string[], reason = "bounce") {
  await database.run(
    "INSERT INTO suppressions (workspace, email, reason, created_at) SELECT ?1, value, ?3, 0 FROM json_each(?2)",
    [workspaceNumber, JSON.stringify(emails), reason],
  );
}

/** Runs the background work of broadcasts until none is due, each round a minute later, at most `rounds` times. */
export async function runBroadcasts(start = Date.now(), rounds = 4): Promise<void> {
  for (let round = 0; round < rounds; round++)
    await runOutboxAt(start + round * 61_000, {}, ["broadcast", "bulk", "deliver"]);
}

/** Returns the rows of the emails of a broadcast. */
export async function emailsOf(id: string) {
  const results = await database.rows<{
    id: string;
    status: string;
    contact: number;
    variant: number;
    subject: string;
    email: string;
    events: string;
  }>(
    `SELECT e.id, e.status, e.contact, e.variant, e.subject, e.recipients->>'$[0].email' AS email, e.events
       FROM emails e JOIN broadcasts b ON b.n = e.broadcast WHERE b.id = ?1`,
    [id],
  );
  return results;
}
