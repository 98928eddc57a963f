import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { database, mail } from "./databases.ts";
import { aMail, type TestWorkspace } from "./workspace.ts";

/** An email as the API shows it. */
export interface Detail {
  id: string;
  status: string;
  to_addresses: string[];
  cc_addresses: string[] | null;
  bcc_addresses: string[] | null;
  events: { event_type: string; metadata: { recipient?: string; [name: string]: unknown } | null }[];
  [field: string]: unknown;
}

/** Runs SQL on the test's own database. */
export const run = (sql: string, ...values: unknown[]) =>
  database
    .prepare(sql)
    .bind(...values)
    .run();

/** Returns functions that send from a workspace; nothing is delivered. */
export function sendingFrom(workspace: TestWorkspace) {
  const api = workspace.withoutQueue;
  const send = (changes: Record<string, unknown>) => api.post("/v1/emails/", aMail(workspace, changes));
  const validate = (changes: Record<string, unknown>) => api.post("/v1/emails/validate", aMail(workspace, changes));

  /** Expects 202 and returns the accepted email. */
  async function accepted(response: Response): Promise<Detail> {
    expect(response.status, await response.clone().text()).toBe(202);
    const { id } = await response.json<{ id: string }>();
    return (await api.get(`/v1/emails/${id}`)).json<Detail>();
  }

  /** Counts the rows of each table that a send writes to, and the objects of the workspace. */
  async function stored(): Promise<number[]> {
    // Emails of one transaction share rows.
    const counts = [
      "SELECT count(*) AS n FROM emails WHERE workspace = ?1",
      "SELECT coalesce(sum(json_array_length(emails)), 0) AS n FROM changes WHERE workspace = ?1",
      "SELECT count(*) AS n FROM idempotency_keys WHERE workspace = ?1",
      "SELECT coalesce(sum(json_array_length(ref)), 0) AS n FROM outbox WHERE workspace = ?1",
    ];
    const statements = counts.map((sql) => database.prepare(sql).bind(workspace.workspaceNumber));
    const rows = await mail.batch<{ n: number }>(statements);
    let objects = 0;
    for (let cursor: string | undefined, more = true; more; ) {
      const page = await env.CONTENT.list({ prefix: `w/${workspace.workspaceId}/`, cursor });
      objects += page.objects.length;
      more = page.truncated;
      cursor = page.truncated ? page.cursor : undefined;
    }
    return [...rows.map(({ results }) => results[0]?.n ?? -1), objects];
  }

  /** Expects 422 with one error at this location of the body, and that nothing was written. */
  async function refusedAt(changes: Record<string, unknown>, ...loc: (string | number)[]): Promise<void> {
    const before = await stored();
    const response = await send(changes);
    const text = await response.text();
    expect(response.status, text).toBe(422);
    const { detail } = JSON.parse(text) as { detail: { loc: unknown[] }[] };
    expect(detail.map((error) => error.loc)).toEqual([["body", ...loc]]);
    expect(await stored()).toEqual(before);
  }

  return { api, send, validate, accepted, stored, refusedAt };
}

export type Sending = ReturnType<typeof sendingFrom>;
