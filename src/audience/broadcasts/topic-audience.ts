import type { MailCtx } from "../../platform/context.ts";
import { jsonChunks } from "../../platform/db/json-chunks.ts";
import { differingFrom, type TopicRow } from "../../sending/topics/index.ts";

// By the index contacts_by_email.
const COUNT = `
  SELECT count(*) AS n FROM json_each(?1) j
   WHERE EXISTS (SELECT 1 FROM contacts c
      WHERE c.workspace = ?2 AND c.email_key = j.value AND c.list IN (SELECT value FROM json_each(?3)) AND c.suppressed IS NULL
        AND NOT c.soft_bounced AND (?4 IS NULL OR c.n <= ?4))`;

/** The lists of an audience, by their numbers, and the greatest contacts.n that belongs to it; null: all. */
export interface ListContacts {
  workspace: number;
  lists: readonly number[];
  lastContact: number | null;
}

/**
 * Returns how many persons of lists, who are not suppressed, differ from the default of a topic by a choice of their own. Reads the
 * choices that differ, page after page, and no other contact.
 */
export async function countDiffering(
  ctx: MailCtx,
  topic: TopicRow,
  { workspace, lists, lastContact }: ListContacts,
): Promise<number> {
  const statement = ctx.mail.prepare(COUNT);
  let differing = 0;
  for await (const emails of differingFrom(ctx, topic.n)) {
    const chunks = jsonChunks(emails.map((email) => JSON.stringify(email)));
    const results = await ctx.mail.batch<{ n: number }>(
      chunks.map((chunk) => statement.bind(chunk, workspace, JSON.stringify(lists), lastContact)),
    );
    differing += results.reduce((sum, { results: [row] }) => sum + (row?.n ?? 0), 0);
  }
  return differing;
}

/** Returns how many of the eligible persons of an audience are not subscribed to a topic. Null: it was deleted, so none is. */
export function leftOf(topic: TopicRow | null, eligible: number, differing: number): number {
  if (topic === null) return eligible;
  const left = topic.defaultChoice === "subscribed" ? differing : eligible - differing;
  return Math.min(eligible, Math.max(0, left));
}
