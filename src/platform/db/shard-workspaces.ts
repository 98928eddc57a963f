import type { MailCtx, MailStatement } from "../context.ts";

/** A workspace as its mail database knows it. */
interface ShardWorkspace {
  number: number;
  id: string;
}

// `json` fails on a text that is not JSON, which rolls back the batch. An open row is not written again.
const REQUIRE_OPEN = `
  INSERT INTO shard_workspaces (number, id, status) VALUES (?1, ?2, 'open')
  ON CONFLICT DO UPDATE SET status = json('the workspace is closed') WHERE status = 'closed'`;

const ADD = `
  INSERT INTO shard_workspaces (number, id, status) SELECT value->>'number', value->>'id', 'open' FROM json_each(?1) WHERE true
  ON CONFLICT DO NOTHING`;

const CLOSE = `
  INSERT INTO shard_workspaces (number, id, status) VALUES (?1, ?2, 'closed')
  ON CONFLICT DO UPDATE SET status = 'closed' WHERE status = 'open'`;

const KEEP_ACTIVITY = `
  INSERT INTO shard_workspaces (number, id, status, activity_since) VALUES (?1, ?2, 'open', ?3)
  ON CONFLICT DO UPDATE SET activity_since = excluded.activity_since WHERE activity_since IS NULL`;

/** Returns a statement that begins to keep the activity of the people of a workspace. It changes nothing when it is kept. */
export function keepActivityStatement(
  ctx: Pick<MailCtx, "mail" | "now">,
  { number, id }: ShardWorkspace,
): MailStatement {
  return ctx.mail.prepare(KEEP_ACTIVITY).bind(number, id, ctx.now());
}

const END_ACTIVITY = `
  UPDATE shard_workspaces SET activity_since = NULL
   WHERE number = ?1 AND activity_since IS NOT NULL AND NOT EXISTS (SELECT 1 FROM segments WHERE workspace = ?1)
     AND NOT EXISTS (SELECT 1 FROM automations WHERE workspace = ?1 AND status <> 'archived')`;

/** Returns a statement that keeps no further activity of a workspace, unless it has segments, or automations that are not archived. */
export function endActivityStatement(ctx: Pick<MailCtx, "mail">, workspace: number): MailStatement {
  return ctx.mail.prepare(END_ACTIVITY).bind(workspace);
}

/** Returns a statement that adds an open workspace and rolls back its batch with ConcurrencyError for a closed one. */
export function requireOpenStatement(ctx: Pick<MailCtx, "mail">, { number, id }: ShardWorkspace): MailStatement {
  return ctx.mail.prepare(REQUIRE_OPEN).bind(number, id);
}

/** Returns a statement that adds workspaces that the mail database does not know, as open. */
export function addWorkspacesStatement(
  ctx: Pick<MailCtx, "mail">,
  workspaces: readonly ShardWorkspace[],
): MailStatement {
  return ctx.mail.prepare(ADD).bind(JSON.stringify(workspaces.map(({ number, id }) => ({ number, id }))));
}

/** Returns a statement that closes a workspace, which then accepts no mail. Safe to run twice. */
export function closeStatement(ctx: Pick<MailCtx, "mail">, { number, id }: ShardWorkspace): MailStatement {
  return ctx.mail.prepare(CLOSE).bind(number, id);
}
