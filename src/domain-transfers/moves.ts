import type { Ctx } from "../context.ts";
import type { MovedDomain } from "./requirements.ts";

/** What moves with a transfer. */
export interface Moves {
  mailboxes: number;
  messages: number;
}

const COUNT = "SELECT count(*) AS mailboxes FROM mailboxes WHERE domain_id IN (SELECT value FROM json_each(?1))";

/** Counts the mailboxes of domains and the messages in them. Mailboxes store no messages yet, so there are none to move. */
export async function countMoves(ctx: Ctx, domains: readonly MovedDomain[]): Promise<Moves> {
  const row = await ctx.db
    .prepare(COUNT)
    .bind(JSON.stringify(domains.map(({ id }) => id)))
    .first<{ mailboxes: number }>();
  return { mailboxes: row?.mailboxes ?? 0, messages: 0 };
}
