import { newestKey } from "../../lib/derive-key.ts";
import { open, seal } from "../../lib/secret-box.ts";
import type { Ctx } from "../../platform/context.ts";
import { type SealedColumn, sealedColumns } from "./sealed-columns.ts";

/** Rows of one step: each is decrypted and encrypted, in about 0.1 ms. */
const ROWS_PER_STEP = 500;

/** Where a rotation continues: the column by its number, and the key after which its rows are left. */
export interface Cursor {
  column: number;
  after: string;
}

interface Row {
  key: string;
  sealed: string;
}

const findRows = ({ table, column, key }: SealedColumn) => `
  SELECT ${key} AS key, ${column} AS sealed FROM ${table}
   WHERE ${key} > ?1 AND ${column} IS NOT NULL ORDER BY ${key} LIMIT ?2`;

// A value that was changed meanwhile is under the newest key already.
const update = ({ table, column, key }: SealedColumn) => `
  UPDATE ${table} SET ${column} = j.value->>'fresh' FROM json_each(?1) j
   WHERE ${table}.${key} = j.value->>'key' AND ${table}.${column} = j.value->>'sealed'`;

/**
 * Encrypts up to 500 values again under the newest master key. Returns how many it changed and where to continue; `next`
 * is null at the end. Safe to repeat. Throws an Error when the master key of a value is missing.
 */
export async function rewrapStep(ctx: Ctx, cursor: Cursor): Promise<{ rewrapped: number; next: Cursor | null }> {
  const target = sealedColumns[cursor.column];
  if (!target) return { rewrapped: 0, next: null };
  const results = await ctx.db.listRows<Row>(findRows(target), cursor.after, ROWS_PER_STEP);
  const { masterKeys } = ctx.settings;
  const old = results.filter(({ sealed }) => !sealed.startsWith(`${newestKey(masterKeys).version}.`));
  const changes = await Promise.all(
    old.map(async ({ key, sealed }) => {
      const value = await open(masterKeys, target.purpose, key, sealed);
      return { key, sealed, fresh: await seal(masterKeys, target.purpose, key, value) };
    }),
  );
  const last = results.at(-1);
  const isEnd = results.length < ROWS_PER_STEP || last === undefined;
  const next = isEnd ? { column: cursor.column + 1, after: "" } : { ...cursor, after: last.key };
  const isDone = next.column >= sealedColumns.length;
  if (changes.length === 0) return { rewrapped: 0, next: isDone ? null : next };
  const { meta } = await ctx.db.execute(update(target), JSON.stringify(changes));
  return { rewrapped: meta.changes, next: isDone ? null : next };
}
