import { expect } from "vitest";
import type { SegmentOut } from "../../../src/audience/segments/index.ts";
import { jsonChunks } from "../../../src/platform/db/json-chunks.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { run } from "../../support/sending.ts";
import { type TestWorkspace, testContext } from "../../support/workspace.ts";

interface Count {
  status: string;
  count: number;
  evaluated: number;
  total: number;
  counted_at: string | null;
  sample: { email: string }[];
}

/** Returns functions that call the API of a workspace; nothing runs in the background. */
export function segmentsOf(workspace: Pick<TestWorkspace, "withoutQueue">) {
  const api = workspace.withoutQueue;
  const create = async (conditions: unknown, name = "A segment"): Promise<SegmentOut> => {
    const response = await api.post("/v1/segments/", { name, conditions });
    expect(response.status, await response.clone().text()).toBe(201);
    return response.json<SegmentOut>();
  };
  const count = async (id: string): Promise<Count> => {
    const response = await api.get(`/v1/segments/${id}/count`);
    expect(response.status).toBe(200);
    return response.json<Count>();
  };
  /** Returns the addresses of a segment from all pages, and the number of pages. */
  const addresses = async (id: string, limit = 500) => {
    const found: string[] = [];
    let pages = 0;
    for (let next: string | undefined = `/v1/segments/${id}/contacts?limit=${limit}`; next !== undefined; pages++) {
      const response: Response = await api.get(next);
      expect(response.status, await response.clone().text()).toBe(200);
      found.push(...(await response.json<{ email: string }[]>()).map(({ email }) => email));
      next = /<[^>]*(\/v1\/[^>]*)>/.exec(response.headers.get("Link") ?? "")?.[1];
    }
    return { found, pages };
  };
  return { api, create, count, addresses };
}

/** Continues the counts that are due. */
export const runCounts = (now = Date.now()) => runOutboxAt(now + 1_000, {}, ["segment"]);

/** Inserts a list with contacts, with their metadata. Returns its id. */
export async function aListWith(
  { workspaceNumber }: Pick<TestWorkspace, "workspaceNumber">,
  contacts: readonly {
    email: string;
    name?: string | null;
    metadata?: unknown;
    createdAt?: number;
    pending?: boolean;
  }[],
): Promise<string> {
  const id = testContext().newId();
  await run(
    "INSERT INTO contact_lists (workspace, id, name, contact_count, created_at) VALUES (?1, ?2, 'A list', ?3, 0)",
    ...[workspaceNumber, id, contacts.length],
  );
  const rows = contacts.map((contact) => ({ ...contact, id: testContext().newId() }));
  for (const json of jsonChunks(rows.map((row) => JSON.stringify(row))))
    await run(
      `INSERT INTO contacts (workspace, list, id, email, email_key, name, metadata, created_at, pending_since)
       SELECT ?1, l.n, j.value->>'id', j.value->>'email', lower(j.value->>'email'), j.value->>'name', j.value->'metadata',
              coalesce(j.value->>'createdAt', 0), iif(j.value->>'pending', 1, NULL)
         FROM json_each(?3) j JOIN contact_lists l ON l.workspace = ?1 AND l.id = ?2`,
      ...[workspaceNumber, id, json],
    );
  return id;
}

/** Returns addresses p0@…, p1@… in the order in which they are sorted. */
export const people = (count: number) =>
  Array.from({ length: count }, (_, n) => `p${String(n).padStart(6, "0")}@example.org`);
