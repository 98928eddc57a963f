import type { CallerCtx } from "../../access/caller.ts";
import { requireFound } from "../../lib/errors.ts";
import { parseUuid } from "../../lib/ids.ts";
import { auditIfChangedStatement } from "../../platform/audit/record.ts";
import { erasedForm } from "../../platform/erased-addresses/forms.ts";
import { onMain } from "../../platform/jobs/shards.ts";
import { purgeStatement } from "../../platform/outbox/purge-statement.ts";
import { personKey } from "../../sending/topics/index.ts";
import { type ErasureOut, type ErasureRow, toErasure } from "./erasure-schema.ts";
import { requireAdmin } from "./require-admin.ts";

// A person whose erasure runs has that one.
const START =
  "INSERT OR IGNORE INTO erasures (workspace, id, email, email_hash, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";
const COLUMNS = "id, removed, created_at AS createdAt, finished_at AS finishedAt";
const FIND_RUNNING = `SELECT ${COLUMNS} FROM erasures WHERE workspace = ?1 AND email_hash = ?2 AND finished_at IS NULL`;

/**
 * Starts the erasure of a person; the outbox runs it in steps. Returns the receipt of the one that runs, also when it was started
 * before. Throws 404 for what is no address, 403 for members.
 */
export async function erasePerson(ctx: CallerCtx, email: string): Promise<ErasureOut> {
  requireAdmin(ctx);
  const key = personKey(email);
  const { number } = ctx.workspace;
  const [id, hash] = [ctx.newId(), erasedForm(key)];
  const results = await ctx.db.batch([
    ctx.db.prepare(START).bind(number, id, key, hash, ctx.now()),
    auditIfChangedStatement(ctx, { action: "person.erased", target: hash.trim(), detail: { erasure_id: id } }),
    // Without a row of this id it does nothing.
    purgeStatement(onMain(ctx), [{ id, purge: { erasure: id, of: number } }]),
    ctx.db.prepare(FIND_RUNNING).bind(number, hash),
  ]);
  const [row] = (results.at(-1)?.results ?? []) as ErasureRow[];
  if (!row) throw new Error("an erasure was started and is not there");
  return toErasure(row);
}

/** Returns the receipt of an erasure. Throws 404, and 403 for members. */
export async function getErasure(ctx: CallerCtx, id: string): Promise<ErasureOut> {
  requireAdmin(ctx);
  const sql = `SELECT ${COLUMNS} FROM erasures WHERE workspace = ?1 AND id = ?2`;
  const row = await ctx.db.findRow<ErasureRow>(sql, ctx.workspace.number, parseUuid(id) ?? "");
  return toErasure(requireFound(row, "Erasure"));
}
