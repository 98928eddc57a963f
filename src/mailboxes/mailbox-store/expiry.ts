import { DAY_MS } from "../../lib/time.ts";
import type { Ctx } from "../../platform/context.ts";
import { expunge } from "./change.ts";
import { hasFilterRun } from "./filter-run.ts";
import { forgetExpunged } from "./folder-state.ts";
import { expireImports, nextImportExpiry } from "./imports.ts";
import { readQuota } from "./quota.ts";
import { KEPT_DAYS, REMOVAL_DELAY_MS } from "./rules.ts";
import { saveUsedBytes } from "./save-used-bytes.ts";
import { all, column, type Sql, value } from "./sql.ts";
import { hasUnstructured } from "./structures.ts";
import type { MailboxChange } from "./types.ts";

/** Messages that one run of the alarm removes, and deliveries that it deletes. */
const EXPIRED_PER_RUN = 500;
const DELIVERIES_PER_RUN = 5_000;

/**
 * Removes messages that have been in Trash or Spam for 30 days, and deletes deliveries of that age. One call removes a bounded
 * number; the alarm runs again while there are more. `now` in ms since 1970. Returns the changes, the objects to delete from R2 (at most
 * 1,000), and the object of a removed message, whose key names the mailbox; null when none was removed.
 */
function removeExpired(sql: Sql, now: number) {
  const before = now - KEPT_DAYS * DAY_MS;
  const find = `SELECT m.id, f.name AS folder, m.uid, m.object FROM messages m JOIN folders f ON f.id = m.folder
      WHERE m.folder IN (4, 5) AND m.arrived_at < ? LIMIT ?`;
  const expired = all<{ id: number; folder: string; uid: number; object: string }>(sql, find, before, EXPIRED_PER_RUN);
  expunge(sql, expired, now);
  const deletion = "DELETE FROM deliveries WHERE key IN (SELECT key FROM deliveries WHERE at < ? ORDER BY at LIMIT ?)";
  sql.exec(deletion, before, DELIVERIES_PER_RUN);
  const insert =
    "INSERT OR IGNORE INTO deleted_objects (object, due_at) SELECT object, ?1 FROM uploads WHERE expires_at < ?1 LIMIT 500";
  sql.exec(insert, now);
  sql.exec("DELETE FROM uploads WHERE object IN (SELECT object FROM deleted_objects)");
  expireImports(sql, now);
  const remove = `DELETE FROM deleted_objects WHERE object IN (SELECT object FROM deleted_objects WHERE due_at <= ? LIMIT 1000)
        AND EXISTS (SELECT 1 FROM messages m WHERE m.object = deleted_objects.object)`;
  sql.exec(remove, now);
  forgetExpunged(sql);
  return {
    objects: column<string>(sql, "SELECT object FROM deleted_objects WHERE due_at <= ? LIMIT 1000", now),
    changes: expired.map(({ folder, uid }): MailboxChange => ({ type: "expunge", folder, uid })),
    removed: expired[0]?.object ?? null,
  };
}

/** Lists objects that could not be deleted from R2 for a later run. `now` in ms since 1970. */
function postponeObjects(sql: Sql, objects: readonly string[], now: number): void {
  const update = "UPDATE deleted_objects SET due_at = ? WHERE object IN (SELECT value FROM json_each(?))";
  sql.exec(update, now + REMOVAL_DELAY_MS, JSON.stringify(objects));
}

/** Deletes the rows of objects that were deleted from R2. */
function deleteObjectRows(sql: Sql, objects: readonly string[]): void {
  sql.exec("DELETE FROM deleted_objects WHERE object IN (SELECT value FROM json_each(?))", JSON.stringify(objects));
}

/** Returns when the alarm has work again, or null. `structuresAt`: when it may look for structures. Times in ms since 1970. */
export function nextExpiry(sql: Sql, structuresAt: number): number | null {
  const keptSince = value<number>(sql, "SELECT min(arrived_at) FROM messages WHERE folder IN (4, 5)");
  const uploadExpiry = value<number>(sql, "SELECT min(expires_at) FROM uploads");
  const times = [
    hasFilterRun(sql) ? 0 : null,
    hasUnstructured(sql) ? structuresAt : null,
    keptSince === null ? null : keptSince + KEPT_DAYS * DAY_MS + 1,
    value<number>(sql, "SELECT min(due_at) FROM deleted_objects"),
    uploadExpiry === null ? null : uploadExpiry + 1,
    nextImportExpiry(sql),
  ].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** Removes what has been in Trash or Spam for 30 days, and from R2 what was expunged, up to the bounds of one run. Safe to repeat. */
export async function runExpiry(
  ctx: Ctx,
  storage: DurableObjectStorage,
  announce: (changes: readonly MailboxChange[]) => void,
): Promise<void> {
  const { sql } = storage;
  const { objects, changes, removed } = storage.transactionSync(() => removeExpired(sql, ctx.now()));
  announce(changes);
  // The id of an object has no name while its alarm runs.
  const mailboxId = removed?.split("/")[1];
  if (mailboxId !== undefined) await saveUsedBytes(ctx, { id: mailboxId }, readQuota(sql).usedBytes);
  if (objects.length === 0) return;
  try {
    await ctx.env.CONTENT.delete(objects);
    storage.transactionSync(() => deleteObjectRows(sql, objects));
  } catch (error) {
    // Not thrown: the platform drops an alarm that keeps failing.
    ctx.log("mailbox.objects-not-deleted", { objects: objects.length, error: String(error) });
    storage.transactionSync(() => postponeObjects(sql, objects, ctx.now()));
  }
}
