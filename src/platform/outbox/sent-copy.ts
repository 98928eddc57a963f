import type { MailCtx, MailStatement, WakeUp } from "../context.ts";

/** The fields of the outbox row of a copy in Sent. */
export interface SentCopy {
  email: string;
  workspace: number;
  mailbox: string;
  /** UID of the draft that was sent. */
  draft: number | null;
}

const INSERT = "INSERT OR IGNORE INTO outbox (due_at, id, kind, ref, workspace) VALUES (?1, ?2, 'sent-copy', ?3, ?4)";

/** Returns the outbox row of a copy in Sent, due at `dueAt`, and its statement for the transaction that accepts the email. */
export function newSentCopy(ctx: MailCtx, dueAt: number, copy: SentCopy): { row: WakeUp; statement: MailStatement } {
  const row = { dueAt, id: ctx.newId(), kind: "sent-copy" as const };
  return { row, statement: ctx.mail.prepare(INSERT).bind(row.dueAt, row.id, JSON.stringify(copy), copy.workspace) };
}
