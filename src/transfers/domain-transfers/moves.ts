import { mailboxStore } from "../../mailboxes/mailbox-store/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { MovedDomain } from "./requirements.ts";

/** Counts of the rows that move with a transfer. */
export type Moves = Awaited<ReturnType<typeof countMoves>>;

/** Mailboxes whose messages are counted: each is a call to its object, and an invocation may make 1,000. */
const COUNTED_MAILBOXES = 200;

const IN_DOMAINS = "domain_id IN (SELECT value FROM json_each(?1))";
const COUNT = `SELECT count(*) AS mailboxes FROM mailboxes WHERE ${IN_DOMAINS}`;
const FIND_LARGEST = `SELECT id FROM mailboxes WHERE ${IN_DOMAINS} AND used_bytes > 0 ORDER BY used_bytes DESC LIMIT ?2`;

/** Counts the mailboxes of domains and the messages in the 200 largest of them. Throws 502 when a mailbox fails. */
export async function countMoves(ctx: Ctx, domains: readonly MovedDomain[]) {
  const ids = JSON.stringify(domains.map(({ id }) => id));
  const [[counted], largest] = await ctx.db.listEach<[{ mailboxes: number }, { id: string }]>([
    ctx.db.prepare(COUNT).bind(ids),
    ctx.db.prepare(FIND_LARGEST).bind(ids, COUNTED_MAILBOXES),
  ]);
  const quotas = await Promise.all(largest.map(({ id }) => mailboxStore(ctx, id).quota()));
  return {
    mailboxes: counted?.mailboxes ?? 0,
    messages: quotas.reduce((sum, { messageCount }) => sum + messageCount, 0),
  };
}
