import type { MailCtx, MailStatement } from "../context.ts";
import { EVENT_COLUMNS, recordsEventsSql } from "./insert.ts";

/** Contacts of one list. */
interface ContactsOf {
  workspace: number;
  /** contact_lists.n */
  list: number;
  /**
   * JSON lists of objects with the `id` of a contact; the id of its event as `event` unless that is the same; and its `key`, when a
   * contact that has another address by then has no event.
   */
  chunks: readonly string[];
}

const insertOf = (condition: string) => `
  INSERT OR IGNORE INTO events (${EVENT_COLUMNS})
  SELECT c.workspace, coalesce(j.value->>'event', c.id), c.email_key, ?4, json_object('list_id', l.id, 'contact_id', c.id), ?5, ?5
    FROM contact_lists l CROSS JOIN json_each(?1) j CROSS JOIN contacts c ON c.list = l.n AND c.id = j.value->>'id'
   WHERE l.n = ?3 AND l.workspace = ?2 AND c.email_key = coalesce(j.value->>'key', c.email_key) AND ${condition}`;

const INSERT = {
  active: insertOf("c.pending_since IS NULL"),
  pending: insertOf("c.pending_since IS NOT NULL"),
  // An import may have a million contacts, whose rows say when they were added.
  imported: insertOf(`c.pending_since IS NULL AND ${recordsEventsSql("?2")}`),
} as const;

/**
 * Returns the statements that record an event of contacts which have this status when the statement runs: after the one that adds them, and
 * before the one that confirms or deletes them. Those of imported contacts are recorded for workspaces with automations. Safe to run twice.
 */
export function contactEventsStatements(
  ctx: MailCtx,
  name: "contact.added" | "contact.removed" | "contact.confirmed",
  { workspace, list, chunks }: ContactsOf,
  status: keyof typeof INSERT = "active",
): MailStatement[] {
  const insert = ctx.mail.prepare(INSERT[status]);
  return chunks.map((chunk) => insert.bind(chunk, workspace, list, name, ctx.now()));
}
