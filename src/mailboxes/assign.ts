import type { CallerCtx } from "../context.ts";
import { unprocessable } from "../errors.ts";
import { isUuid } from "../lib/ids.ts";
import { getMailbox } from "./queries.ts";
import { type AssigneesIn, type MailboxOut, toMailbox } from "./schema.ts";

const FIND_MEMBERS =
  "SELECT user_id FROM memberships WHERE workspace = ?1 AND user_id IN (SELECT value FROM json_each(?2))";

const CLEAR = `
  DELETE FROM mailbox_assignees WHERE mailbox_id IN (SELECT id FROM mailboxes WHERE id = ?1 AND workspace = ?2)`;

// Only who is a member at this moment, and only while the mailbox is there.
const ASSIGN = `
  INSERT INTO mailbox_assignees (mailbox_id, user_id)
  SELECT b.id, m.user_id FROM mailboxes b JOIN memberships m ON m.workspace = b.workspace
   WHERE b.id = ?1 AND b.workspace = ?2 AND m.user_id IN (SELECT value FROM json_each(?3))`;

/** Replaces the people who work with a mailbox. Throws 404, and 422 for who is no member of the workspace. */
export async function assignMailbox(ctx: CallerCtx, id: string, { user_ids }: AssigneesIn): Promise<MailboxOut> {
  await getMailbox(ctx, id);
  const { number } = ctx.workspace;
  // What is no id never reaches the database, which takes parameters of 2,000,000 octets at most.
  const wanted = JSON.stringify([...new Set(user_ids.filter(isUuid))]);
  const { results } = await ctx.db.prepare(FIND_MEMBERS).bind(number, wanted).all<{ user_id: string }>();
  const members = new Set(results.map(({ user_id }) => user_id));
  const faults = user_ids.flatMap((user, index) =>
    members.has(user)
      ? []
      : [{ loc: ["body", "user_ids", index], msg: "Not a member of this workspace", type: "value_error" }],
  );
  if (faults.length > 0) throw unprocessable(faults);
  await ctx.db.batch([ctx.db.prepare(CLEAR).bind(id, number), ctx.db.prepare(ASSIGN).bind(id, number, wanted)]);
  return toMailbox(await getMailbox(ctx, id));
}
