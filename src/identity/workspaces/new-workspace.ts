import type { Ctx, MainStatement } from "../../platform/context.ts";
import { hasRoom } from "../../platform/db/has-room.ts";
import { shardNumbers, shardSql } from "../../platform/jobs/shards.ts";

const INSERT_WORKSPACE = "INSERT INTO workspaces (id, name, slug, created_at) VALUES (?1, ?2, ?3, ?4)";
const INSERT_OWNER = `
  INSERT INTO memberships (workspace, user_id, role, created_at)
  SELECT number, ?2, 'owner', ?3 FROM workspaces
   WHERE id = ?1 AND ${hasRoom("workspaces", "?2")}`;

/** Returns the statements that create a workspace with one owner on the emptiest mail database, its test domain, and its id. */
export async function newWorkspace(
  ctx: Ctx,
  { name, ownerId }: { name: string; ownerId: string },
): Promise<{ id: string; createdAt: number; statements: MainStatement[] }> {
  const id = ctx.newId();
  const now = ctx.now();
  const slug = toSlug(name, id);
  const sandbox = await ctx.newSandbox?.(ctx, { id, slug });
  return {
    id,
    createdAt: now,
    statements: [
      ctx.db.prepare(INSERT_WORKSPACE).bind(id, name, slug, now),
      ...placementStatements(ctx, id),
      ctx.db.prepare(INSERT_OWNER).bind(id, ownerId, now),
      ...(sandbox?.statements ?? []),
    ],
  };
}

/** Returns the slug of a new workspace: letters and digits of its name, and the end of its random id. */
export function toSlug(name: string, id: string): string {
  const words = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return `${words.slice(0, 40) || "workspace"}-${id.slice(-6)}`;
}

/** Databases whose sizes differ by less than this count as equally full, in bytes. */
const SIZE_STEP = 100_000_000;

const REGISTER_SHARDS = "INSERT OR IGNORE INTO mail_shards (number) SELECT value FROM json_each(?1)";

// `json` fails on a text that is not JSON, which rolls back the batch.
const PLACE = `
  UPDATE workspaces SET mail_shards = json_array(coalesce((
    SELECT number FROM mail_shards WHERE is_open AND size < ?2 AND number IN (SELECT value FROM json_each(?3))
     ORDER BY size / ${SIZE_STEP}, workspaces, number LIMIT 1), json('no mail database is open')))
   WHERE id = ?1`;

const COUNT = `
  UPDATE mail_shards SET workspaces = workspaces + 1
   WHERE number = (SELECT ${shardSql("w")} FROM workspaces w WHERE w.id = ?1)`;

/**
 * Returns the statements that place a new workspace on the emptiest open mail database, for the batch that inserts its
 * row, after it. Of databases of about the same size, the one with the fewest workspaces is the emptiest. The batch fails
 * with ConcurrencyError (`guardedBatch`) when every database is closed or full.
 */
export function placementStatements(ctx: Ctx, workspaceId: string): MainStatement[] {
  const numbers = JSON.stringify(shardNumbers(ctx));
  return [
    ctx.db.prepare(REGISTER_SHARDS).bind(numbers),
    ctx.db.prepare(PLACE).bind(workspaceId, ctx.settings.shardLimits.placement, numbers),
    ctx.db.prepare(COUNT).bind(workspaceId),
  ];
}
