import { expect } from "vitest";
import type { ContactOut, ListOut } from "../../../src/audience/contacts/schema.ts";
import { database, mail } from "../../support/databases.ts";
import type { apiWith, TestWorkspace } from "../../support/workspace.ts";

type Api = Pick<ReturnType<typeof apiWith>, "get" | "post" | "call">;

/** Creates a contact list and returns it. */
export async function aList(api: Api, changes: Record<string, unknown> = {}): Promise<ListOut> {
  const response = await api.post("/v1/contacts/", { name: "Customers", ...changes });
  expect(response.status).toBe(201);
  return response.json<ListOut>();
}

/** Adds a contact and returns it. */
export async function aContact(
  api: Api,
  listId: string,
  email: string,
  changes: Record<string, unknown> = {},
): Promise<ContactOut> {
  const response = await api.post(`/v1/contacts/${listId}/contacts`, { email, ...changes });
  expect(response.status).toBe(201);
  return response.json<ContactOut>();
}

export type ListWithContacts = ListOut & { contacts: ContactOut[] };

/** Returns a list with a page of its contacts. */
export async function readList(api: Api, listId: string, query = "?limit=200"): Promise<ListWithContacts> {
  const response = await api.get(`/v1/contacts/${listId}${query}`);
  expect(response.status).toBe(200);
  return response.json<ListWithContacts>();
}

/** Inserts `count` contacts c1@…, c2@… into a list, and counts them. */
export async function insertContacts(workspace: TestWorkspace, listId: string, count: number): Promise<void> {
  await mail.batch([
    database
      .prepare(
        `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?3)
       INSERT INTO contacts (workspace, list, id, email, email_key, name, metadata, created_at)
       SELECT ?1, (SELECT n FROM contact_lists WHERE id = ?2), printf('01900000-0000-7000-8000-%012d', n),
         'c' || n || '@example.org', 'c' || n || '@example.org', 'Name ' || n, NULL, 1 FROM numbers`,
      )
      .bind(workspace.workspaceNumber, listId, count),
    database.prepare("UPDATE contact_lists SET contact_count = contact_count + ?2 WHERE id = ?1").bind(listId, count),
  ]);
}

/** Returns the number of rows of contacts of a list, whatever its counter says. */
export async function countRows(listId: string): Promise<number> {
  const row = await database.row<{ rows: number }>(
    "SELECT count(*) AS rows FROM contacts WHERE list = (SELECT n FROM contact_lists WHERE id = ?1)",
    [listId],
  );
  return row?.rows ?? 0;
}
