import type { MailCtx } from "../context.ts";
import { mailDb } from "./client.ts";
import type { MailStatement } from "./database.ts";
import { peopleFlags } from "./people-flags.ts";

/** A workspace as mail databases know it. */
interface ShardWorkspace {
  number: number;
  id: string;
  /** Numbers of its mail databases, newest first. Absent: the one of the context only. */
  mailShards?: readonly number[] | undefined;
}

// `json` fails on a text that is not JSON, which rolls back the batch. An open row is not written again.
const REQUIRE_OPEN = `
  INSERT INTO shard_workspaces (number, id, status, people) VALUES (?1, ?2, 'open', ?3)
  ON CONFLICT DO UPDATE SET status = json('the workspace is closed') WHERE status = 'closed'`;

const CLOSE = `
  INSERT INTO shard_workspaces (number, id, status) VALUES (?1, ?2, 'closed')
  ON CONFLICT DO UPDATE SET status = 'closed' WHERE status = 'open'`;

// All that a further mail database of a workspace records until it has read what the workspace needs.
const UNREAD = peopleFlags.activityUnread | peopleFlags.events | peopleFlags.elsewhere | peopleFlags.unread;
/** SQL condition on a row `w` of shard_workspaces: the activity of its people is kept (docs/contract/segments.md#activity). */
export const KEEPS_ACTIVITY_SQL = `(w.activity_since IS NOT NULL OR w.people & ${peopleFlags.activityUnread})`;

// A database that has not read it yet has kept activity from its first mail on.
const KEEP_ACTIVITY = `
  INSERT INTO shard_workspaces (number, id, status, people, activity_since) VALUES (?1, ?2, 'open', ?5, ?3)
  ON CONFLICT DO UPDATE SET people = people & ~${peopleFlags.activityUnread},
    activity_since = iif(people & ${peopleFlags.activityUnread}, ?4, excluded.activity_since) WHERE activity_since IS NULL`;

/**
 * Returns a statement that begins to keep the activity of the people of a workspace in a mail database. It changes nothing when it is
 * kept. `first`: since when the first database keeps it, for another one.
 */
export function keepActivityStatement(
  ctx: Pick<MailCtx, "outbox" | "now">,
  { number, id }: ShardWorkspace,
  first?: number,
): MailStatement {
  const now = ctx.now();
  const people = first === undefined ? 0 : UNREAD & ~peopleFlags.activityUnread;
  return mailDb(ctx)
    .prepare(KEEP_ACTIVITY)
    .bind(number, id, now, first ?? now, people);
}

// A call that began to keep activity meanwhile has cleared the bit, so that this changes nothing.
const READ_ACTIVITY = `
  UPDATE shard_workspaces SET activity_since = ?2, people = people & ~${peopleFlags.activityUnread}
   WHERE number = ?1 AND people & ${peopleFlags.activityUnread}`;

/** Returns a statement that gives a further mail database what the first one has: since when activity is kept, or null. */
export const readActivityStatement = (ctx: Pick<MailCtx, "outbox">, workspace: number, since: number | null) =>
  mailDb(ctx).prepare(READ_ACTIVITY).bind(workspace, since);

const END_ACTIVITY = `
  UPDATE shard_workspaces SET activity_since = NULL
   WHERE number = ?1 AND activity_since IS NOT NULL AND NOT EXISTS (SELECT 1 FROM segments WHERE workspace = ?1)
     AND NOT EXISTS (SELECT 1 FROM automations WHERE workspace = ?1 AND status <> 'archived')`;

/** Returns a statement that keeps no further activity of a workspace, unless this database has segments of it, or automations that are not archived. */
export function endActivityStatement(ctx: Pick<MailCtx, "outbox">, workspace: number): MailStatement {
  return mailDb(ctx).prepare(END_ACTIVITY).bind(workspace);
}

/** Returns a statement that adds an open workspace and rolls back its batch with ConcurrencyError for a closed one. */
export function requireOpenStatement(
  ctx: Pick<MailCtx, "outbox" | "shard">,
  { number, id, mailShards = [] }: ShardWorkspace,
): MailStatement {
  const isFirst = mailShards.length === 0 || mailShards.at(-1) === ctx.shard;
  return mailDb(ctx)
    .prepare(REQUIRE_OPEN)
    .bind(number, id, isFirst ? 0 : UNREAD);
}

/** Returns a statement that closes a workspace, which then accepts no mail. Safe to run twice. */
export function closeStatement(ctx: Pick<MailCtx, "outbox">, { number, id }: ShardWorkspace): MailStatement {
  return mailDb(ctx).prepare(CLOSE).bind(number, id);
}
