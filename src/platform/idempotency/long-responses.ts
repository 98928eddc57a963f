import type { WorkspaceCtx } from "../context.ts";
import type { MainStatement } from "../db/database.ts";
import type { Idempotency } from "./key.ts";
import { dayOf } from "./rules.ts";

/**
 * Responses that are too long for one row of D1 (2,000,000 bytes), such as that of an import with 100,000 rejected rows. Their text is in
 * rows of its own, and the row of the Idempotency-Key has their number. They expire with it.
 */

/** UTF-16 units of one row, each of which takes at most three bytes. */
const PART_LENGTH = 600_000;

const INSERT = `
  INSERT INTO idempotency_keys (day, workspace, key, fingerprint, answer, created_at) VALUES (?1, ?2, ?3, '', ?4, ?5)`;

const FIND = `
  SELECT answer FROM idempotency_keys
   WHERE day IN (?1, ?1 - 1) AND workspace = ?2 AND key IN (SELECT value FROM json_each(?3))`;

/** Returns what the row of the key stores for a response, and the statements that store the rest. `id` is not used twice. */
export function splitResponse(ctx: WorkspaceCtx, text: string, id: string) {
  if (text.length <= PART_LENGTH) return { answer: text, statements: [] };
  const parts = partsOf(text);
  const statements = parts.map((part, index): MainStatement => {
    const key = partKey(ctx.idempotency?.keys[0] ?? "", id, index);
    return ctx.db.prepare(INSERT).bind(dayOf(ctx.now()), ctx.workspace.number, key, part, ctx.now());
  });
  return { answer: `parts.${id}.${parts.length}`, statements };
}

/** Returns the text of a response of `splitResponse`, or the stored text itself when it was not split. */
export async function joinResponse(ctx: WorkspaceCtx, { keys }: Idempotency, answer: string): Promise<string> {
  const [, id = "", count] = /^parts\.([0-9a-f-]+)\.(\d+)$/.exec(answer) ?? [];
  if (count === undefined) return answer;
  const statements = Array.from({ length: Number(count) }, (_, index) =>
    ctx.db
      .prepare(FIND)
      .bind(dayOf(ctx.now()), ctx.workspace.number, JSON.stringify(keys.map((key) => partKey(key, id, index)))),
  );
  const results = await ctx.db.batch<{ answer: string }>(statements);
  return results.map(({ results: [row] }) => row?.answer ?? "").join("");
}

const partKey = (key: string, id: string, index: number) => `${key} ${id} ${index}`;

/** Splits a text so that no surrogate pair is separated. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + PART_LENGTH;
    const isPair = text.charCodeAt(end - 1) >= 0xd800 && text.charCodeAt(end - 1) <= 0xdbff;
    const part = text.slice(at, isPair ? end - 1 : end);
    parts.push(part);
    at += part.length;
  }
  return parts;
}
