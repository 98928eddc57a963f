import type { CallerWorkspace, Ctx, MailCtx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import type { MailStatement } from "../db/database.ts";
import { peopleFlags } from "../db/people-flags.ts";
import { onShard } from "../jobs/shards.ts";

type Workspace = Pick<CallerWorkspace, "number" | "id" | "mailShards">;

const { activityUnread, elsewhere, events, unread } = peopleFlags;

// A database that has not read the flags yet has more than it needs, which the main database tells. That about activity is the first
// database's to tell. One that has no row yet has had no mail of the workspace.
const SET_ALL = `
  INSERT INTO shard_workspaces (number, id, status, people) VALUES (?1, ?2, 'open', ?3 | ?4)
  ON CONFLICT DO UPDATE SET people = iif(people & ${unread}, ?3 | (people & ${activityUnread}), people | ?3)
   WHERE people <> (people | ?3) OR people & ${unread}`;

/** Returns the bits that a mail database has by its place among those of a workspace. */
const placeFlags = ({ shard }: Pick<MailCtx, "shard">, mailShards: readonly number[]): number =>
  mailShards.at(-1) === shard ? 0 : elsewhere;

const CLEAR = `UPDATE shard_workspaces SET people = people & ~${events} WHERE number = ?1 AND people & ${events}`;

const SET_MAIN =
  "UPDATE workspaces SET people = people | ?2 WHERE number = ?1 RETURNING mail_shards AS mailShards, people";
const CLEAR_MAIN =
  "UPDATE workspaces SET people = people & ~?2 WHERE number = ?1 RETURNING mail_shards AS mailShards, people";

/**
 * Lets the service record events of a workspace: in the main database, then in each of its mail databases. Safe to repeat after a failure.
 * A mail database that the workspace gets afterwards takes it from the main one.
 */
export async function recordEventsOf(ctx: Ctx, { number, id }: Omit<Workspace, "mailShards">) {
  await inEachDatabase(ctx, SET_MAIN, number, (mailCtx, { mailShards, people }) => {
    const place = placeFlags(mailCtx, mailShards);
    return mailDb(mailCtx)
      .prepare(SET_ALL)
      .bind(number, id, (people & events) | place, place === 0 ? 0 : activityUnread);
  });
}

/**
 * Lets the service record no further events of a workspace: in the main database, then in each of its mail databases. A new need may have
 * appeared since the caller looked, so the caller looks again afterwards and begins again if so.
 */
export async function stopEventsOf(ctx: Ctx, { number }: Pick<Workspace, "number">) {
  await inEachDatabase(ctx, CLEAR_MAIN, number, (mailCtx) => mailDb(mailCtx).prepare(CLEAR).bind(number));
}

async function inEachDatabase(
  ctx: Ctx,
  sql: string,
  workspace: number,
  statementOf: (ctx: MailCtx, main: { mailShards: readonly number[]; people: number }) => MailStatement,
): Promise<void> {
  const row = await ctx.db.prepare(sql).bind(workspace, events).first<{ mailShards: string; people: number }>();
  if (!row) return;
  const mailShards = JSON.parse(row.mailShards) as number[];
  const main = { mailShards, people: row.people };
  await Promise.all(mailShards.map((shard) => statementOf(onShard(ctx, shard), main).run()));
}
