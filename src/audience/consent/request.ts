import type { MailCtx, MailStatement, WakeUp } from "../../platform/context.ts";

const REQUEST = `
  INSERT INTO confirmations (workspace, email_key, list, requested_at, language)
  SELECT c.workspace, c.email_key, c.list, ?3, ?4 FROM json_each(?1) j
    CROSS JOIN contacts c ON c.list = ?2 AND c.id = j.value->>'id' WHERE c.pending_since IS NOT NULL
  ON CONFLICT DO UPDATE SET requested_at = coalesce(requested_at, excluded.requested_at), language = coalesce(excluded.language, language)`;

const WAKE = `
  INSERT OR IGNORE INTO outbox (due_at, id, kind, ref, workspace)
  SELECT ?2, ?3, 'confirm', json_array(n), workspace FROM contact_lists WHERE n = ?1`;

/**
 * Returns the statements that ask for the confirmation mails of those contacts of a list that are pending. `chunks`: JSON lists of objects
 * with their ids. `language`: that of the mails; null: not known. They follow the statements that insert the contacts. Safe to run twice.
 */
export function requestStatements(
  ctx: MailCtx,
  list: { n: number },
  chunks: readonly string[],
  language: string | null = null,
): { statements: MailStatement[]; wakeUp: WakeUp } {
  const now = ctx.now();
  const id = ctx.newId();
  const db = ctx.mail;
  return {
    statements: [
      ...chunks.map((chunk) => db.prepare(REQUEST).bind(chunk, list.n, now, language)),
      db.prepare(WAKE).bind(list.n, now, id),
    ],
    wakeUp: { dueAt: now, id, kind: "confirm" },
  };
}
