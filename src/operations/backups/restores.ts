import { conflict } from "../../lib/errors.ts";
import type { Ctx } from "../../platform/context.ts";
import { forEachShard } from "../../platform/jobs/shards.ts";

/** A restore into this deployment. */
export interface RestoreState {
  /** The files whose rows are written. */
  files: string[];
  /** Rows of these files that the database refused. */
  refused: number;
  isFinished: boolean;
}

/** Starts the restore of a backup into an empty deployment, or continues it. Throws 409 when it has an account, mail or another restore. */
export async function beginRestore(ctx: Ctx, id: string): Promise<RestoreState> {
  type Restore = { id: string; finished_at: number | null };
  const found = await ctx.db.findRow<Restore>("SELECT id, finished_at FROM restores");
  if (found && found.id !== id) throw conflict(`The deployment has the backup ${found.id}; restore into an empty one`);
  if (!found) {
    await requireEmpty(ctx);
    await ctx.db.execute("INSERT INTO restores (id, started_at) VALUES (?1, ?2)", id, ctx.now());
  }
  const results = await ctx.db.listRows<{ file: string; refused: number }>("SELECT file, refused FROM restored_files");
  const refused = results.reduce((sum, row) => sum + row.refused, 0);
  return { files: results.map(({ file }) => file), refused, isFinished: (found?.finished_at ?? null) !== null };
}

const HAS_ACCOUNT = "SELECT EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM workspaces) AS has";
const HAS_MAIL =
  "SELECT EXISTS (SELECT 1 FROM emails) OR EXISTS (SELECT 1 FROM contacts) OR EXISTS (SELECT 1 FROM inbound_emails) AS has";

async function requireEmpty(ctx: Ctx): Promise<void> {
  const found = [await ctx.db.findValue<number>(HAS_ACCOUNT)];
  await forEachShard(ctx, async (mailCtx) => {
    found.push(await mailCtx.mail.findValue<number>(HAS_MAIL));
  });
  if (found.includes(1))
    throw conflict("The deployment is not empty. Restore into a new one, before its first account is created");
}

/** Throws 409 unless the restore of this backup has begun and has not finished. */
export async function requireRestore(ctx: Ctx, id: string): Promise<void> {
  const found = await ctx.db.findRow("SELECT 1 FROM restores WHERE id = ?1 AND finished_at IS NULL", id);
  if (found === null) throw conflict("No restore of this backup is running");
}

/** Records that all rows of a file are written, but for those that the database refused. */
export async function saveFile(ctx: Ctx, file: string, refused: number): Promise<void> {
  await ctx.db.execute("INSERT OR IGNORE INTO restored_files (file, refused) VALUES (?1, ?2)", file, refused);
}

/** Ends a restore: from then on cron runs. Safe to repeat. */
export async function finishRestore(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.execute("UPDATE restores SET finished_at = ?2 WHERE id = ?1 AND finished_at IS NULL", id, ctx.now());
}

/** Returns whether a restore is running, in which case cron does nothing. */
export async function isRestoring(ctx: Ctx): Promise<boolean> {
  return (await ctx.db.findRow("SELECT 1 FROM restores WHERE finished_at IS NULL")) !== null;
}
