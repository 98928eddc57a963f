import { expect } from "vitest";
import { database } from "../../support/databases.ts";
import { runOutboxAt } from "../../support/run-outbox-at.ts";
import { sinkServer } from "../../support/smtp-control.ts";
import type { TestWorkspace } from "../../support/workspace.ts";

/** A confirmation mail that a server received. */
export interface CapturedMail {
  to: string;
  text: string;
  /** Path of its link. */
  path: string;
}

/** Runs the confirmations and deliveries that are due, and returns the messages that left. */
export async function captureMails(now = Date.now(), settings: Record<string, unknown> = {}): Promise<CapturedMail[]> {
  const server = await sinkServer();
  try {
    await runOutboxAt(now, { EGRESS_URL: server.url, ...settings }, [
      "confirm",
      "deliver",
      "bulk",
      "broadcast",
      "purge",
    ]);
    const messages = await server.messages();
    return messages.map(({ raw }) => {
      const text = new TextDecoder().decode(raw).replace(/=\r\n/g, "").replaceAll("=3D", "=");
      const [, to = ""] = /^To: .*?<?([^\s<>]+@[^\s<>]+)>?\r$/m.exec(text) ?? [];
      const [, path = ""] = /https?:\/\/[^/\s"]+(\/c\/[A-Za-z0-9_-]+)/.exec(text) ?? [];
      return { to, text, path };
    });
  } finally {
    await server.close();
  }
}

/** Returns the calls of a workspace whose work does not run by itself. */
export function listsOf(workspace: TestWorkspace) {
  const api = workspace.withoutQueue;
  const json = async <Out>(response: Response, status: number): Promise<Out> => {
    expect(response.status, await response.clone().text()).toBe(status);
    return response.json<Out>();
  };
  return {
    api,
    json,
    list: async (changes: Record<string, unknown> = {}) =>
      json<{ id: string; confirm: boolean }>(
        await api.post("/v1/contacts/", { name: "News", confirm: true, ...changes }),
        201,
      ),
    add: async (listId: string, email: string, changes: Record<string, unknown> = {}) =>
      json<{ id: string; status: string }>(
        await api.post(`/v1/contacts/${listId}/contacts`, { email, ...changes }),
        201,
      ),
    statuses: async (listId: string) => {
      const { contacts } = await json<{ contacts: { email: string; status: string }[] }>(
        await api.get(`/v1/contacts/${listId}?limit=200`),
        200,
      );
      return Object.fromEntries(contacts.map(({ email, status }) => [email, status]));
    },
  };
}

/** Returns the evidence about an address, oldest first. */
export async function evidenceOf(workspace: TestWorkspace, emailKey: string) {
  const results = await database.rows<{
    kind: string;
    at: number;
    ip: string | null;
    source: string | null;
    words: string | null;
  }>(
    `SELECT c.kind, c.at, c.ip, c.source, w.words FROM consents c
        LEFT JOIN consent_words w ON w.workspace = c.workspace AND w.version = c.words
       WHERE c.workspace = ?1 AND c.email_key = ?2 ORDER BY c.id`,
    [workspace.workspaceNumber, emailKey],
  );
  return results;
}
