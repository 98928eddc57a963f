import type { DatabaseKind, OutboxCtx } from "../context.ts";

/** Characters of an error that are kept. */
const ERROR_LENGTH = 500;

// A row that another run holds by now is left to it.
const SET_ASIDE = `
  INSERT OR REPLACE INTO quarantine (id, due_at, kind, ref, claims, broadcast, workspace, error, set_aside_at)
  SELECT id, due_at, kind, ref, claims, broadcast, workspace, ?3, ?4 FROM outbox
   WHERE id = ?1 AND (token IS ?2 OR (?2 IS NULL AND leased_until <= ?4))`;
const REMOVE = `
  DELETE FROM outbox WHERE id = ?1 AND (token IS ?2 OR (?2 IS NULL AND leased_until <= ?3))
   AND EXISTS (SELECT 1 FROM quarantine WHERE id = ?1)
  RETURNING workspace`;

/**
 * Sets an outbox row aside whose work alone fails by its content, until an operator tries it again or drops it. `token`: that of its lease;
 * null when it could not be claimed. Returns the number of its workspace (0: none), or null when another run has the row.
 */
export async function quarantineRow<Kind extends DatabaseKind>(
  ctx: OutboxCtx<Kind>,
  { id, token }: { id: string; token: string | null },
  error: unknown,
): Promise<number | null> {
  const { outbox } = ctx;
  const now = ctx.now();
  const [, removed] = await outbox.batch<{ workspace: number }>([
    outbox.prepare(SET_ASIDE).bind(id, token, String(error).slice(0, ERROR_LENGTH), now),
    outbox.prepare(REMOVE).bind(id, token, now),
  ]);
  const row = removed?.results[0];
  if (!row) return null;
  ctx.log("outbox.quarantined", { id, error: String(error) });
  return row.workspace;
}
