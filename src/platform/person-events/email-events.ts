import type { MailCtx, MailStatement } from "../context.ts";
import { jsonChunks } from "../db/json-chunks.ts";
import { EVENT_COLUMNS, recordsEventsSql } from "./insert.ts";
import { type EmailEvent, emailEventId } from "./rules.ts";

/** An event of a recipient of an email. */
export interface RecipientEvent {
  workspace: number;
  emailId: string;
  /** Number of the broadcast of the email. */
  broadcast: number | null;
  name: EmailEvent;
  /** Position of the recipient in the email, and its canonical address. */
  recipient: number;
  emailKey: string;
  /** Milliseconds since 1970. */
  at: number;
  url?: string;
}

const RECORD = `
  WITH j AS MATERIALIZED (
    SELECT key AS position, value->>0 AS workspace, value->>1 AS id, value->>2 AS email_key, value->>3 AS name, value->4 AS data,
           value->>5 AS broadcast, value->>6 AS at FROM json_each(?1))
  INSERT OR IGNORE INTO events (${EVENT_COLUMNS})
  SELECT j.workspace, j.id, j.email_key, j.name, CASE WHEN b.automation_step IS NOT NULL
           THEN json_set(j.data, '$.automation_id', b.automation_id, '$.automation_step', b.automation_step)
           ELSE json_set(j.data, '$.broadcast_id', b.id) END,
         j.at, ?2
    FROM j LEFT JOIN broadcasts b ON b.n = j.broadcast AND b.workspace = j.workspace
   WHERE ${recordsEventsSql("j.workspace")} ORDER BY j.position`;

/**
 * Returns the statements that record events of recipients, for the batch that writes their cause: each once for an email and a recipient.
 * They record nothing for a workspace whose events are not recorded.
 */
export function recordEmailEventsStatements(ctx: MailCtx, events: readonly RecipientEvent[]): MailStatement[] {
  if (events.length === 0) return [];
  const rows = events.map(({ workspace, emailId, broadcast, name, recipient, emailKey, at, url }) => {
    const data = { email_id: emailId, broadcast_id: null, ...(url === undefined ? {} : { url }) };
    const id = emailEventId(emailId, name, recipient);
    return JSON.stringify([workspace, id, emailKey, name, data, broadcast, at]);
  });
  return jsonChunks(rows).map((chunk) => ctx.mail.prepare(RECORD).bind(chunk, ctx.now()));
}
