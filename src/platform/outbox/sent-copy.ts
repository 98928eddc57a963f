import type { Ctx, WakeUp } from "../context.ts";

/** The fields of the outbox row of a copy in Sent. */
export interface SentCopy {
  email: string;
  workspace: number;
  mailbox: string;
  /** UID of the draft that was sent. */
  draft: number | null;
}

/** The outbox row of a copy in Sent. `ref`: JSON of the copy. */
export type SentCopyRow = WakeUp & { ref: string };

/** Returns the outbox row of a copy in Sent, due at `dueAt`, for the transaction that accepts the email. */
export function newSentCopy(ctx: Pick<Ctx, "newId">, dueAt: number, copy: SentCopy): SentCopyRow {
  return { dueAt, id: ctx.newId(), kind: "sent-copy", ref: JSON.stringify(copy) };
}
