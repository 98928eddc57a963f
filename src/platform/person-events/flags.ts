import type { CallerWorkspace, Ctx, MailCtx } from "../context.ts";
import { mailDb } from "../db/client.ts";
import type { MailStatement } from "../db/database.ts";
import { type PeopleFlags, peopleFlags } from "../db/people-flags.ts";
import { onShard } from "../jobs/shards.ts";

type Workspace = Pick<CallerWorkspace, "number" | "id" | "mailShards">;

// A database that has not read the flags yet has more than it needs, which the main database tells.
const SET_ALL = `
  INSERT INTO shard_workspaces (number, id, status, people) VALUES (?1, ?2, 'open', ?3)
  ON CONFLICT DO UPDATE SET people = iif(people & ${peopleFlags.unread}, excluded.people, people | excluded.people)
   WHERE people <> people | excluded.people OR people & ${peopleFlags.unread}`;

/** Returns the bits that a mail database has by its place among those of a workspace. */
export const placeFlags = ({ shard }: Pick<MailCtx, "shard">, mailShards: readonly number[]): number =>
  mailShards.at(-1) === shard ? 0 : peopleFlags.elsewhere;

/** Returns the statement that clears bits of a workspace in one of its mail databases. Safe to run twice. */
function clearPeopleFlagsStatement(
  ctx: Pick<MailCtx, "outbox">,
  { number }: Pick<Workspace, "number">,
  bits: PeopleFlags,
): MailStatement {
  return mailDb(ctx)
    .prepare("UPDATE shard_workspaces SET people = people & ~?2 WHERE number = ?1 AND people & ?2")
    .bind(number, bits);
}

const SET_MAIN =
  "UPDATE workspaces SET people = people | ?2 WHERE number = ?1 RETURNING mail_shards AS mailShards, people";
const CLEAR_MAIN =
  "UPDATE workspaces SET people = people & ~?2 WHERE number = ?1 RETURNING mail_shards AS mailShards, people";

/**
 * Sets bits of a workspace in the main database, then in each of its mail databases. Safe to repeat after a failure. A mail database
 * that the workspace gets afterwards takes them from the main one.
 */
export async function setPeopleFlags(ctx: Ctx, { number, id }: Omit<Workspace, "mailShards">, bits: PeopleFlags) {
  await inEachDatabase(ctx, SET_MAIN, number, bits, (mailCtx, { mailShards, people }) =>
    mailDb(mailCtx)
      .prepare(SET_ALL)
      .bind(number, id, people | placeFlags(mailCtx, mailShards)),
  );
}

/**
 * Clears bits of a workspace in the main database, then in each of its mail databases. A new need may have appeared since the
 * caller looked, so the caller looks again afterwards and sets them again if so.
 */
export async function clearPeopleFlags(ctx: Ctx, { number }: Pick<Workspace, "number">, bits: PeopleFlags) {
  await inEachDatabase(ctx, CLEAR_MAIN, number, bits, (mailCtx) =>
    clearPeopleFlagsStatement(mailCtx, { number }, bits),
  );
}

async function inEachDatabase(
  ctx: Ctx,
  sql: string,
  workspace: number,
  bits: PeopleFlags,
  statementOf: (ctx: MailCtx, main: { mailShards: readonly number[]; people: number }) => MailStatement,
): Promise<void> {
  const row = await ctx.db.prepare(sql).bind(workspace, bits).first<{ mailShards: string; people: number }>();
  if (!row) return;
  const mailShards = JSON.parse(row.mailShards) as number[];
  const main = { mailShards, people: row.people };
  await Promise.all(mailShards.map((shard) => statementOf(onShard(ctx, shard), main).run()));
}
