import type { Ctx, MailCtx } from "../../../platform/context.ts";
import { ConcurrencyError } from "../../../platform/db/batch.ts";
import { storedKeySql } from "../../../platform/db/r2-keys.ts";
import type { MovedContent } from "./pack.ts";

const FIND_SET = `
  SELECT e.n FROM json_each(?1) j CROSS JOIN emails e ON e.n = j.value->>'n' AND e.id = j.value->>'id'
   WHERE e.content_key IN (j.value->>'key', ${storedKeySql("j.value->>'key'")}) AND e.content_offset = j.value->>'offset'`;

/**
 * Removes packed content whose place no email has: its row changed while it was packed, because a person was erased or the email deleted.
 * Holds one pack at a time, of at most 4 MB. Throws ConcurrencyError when an object changed meanwhile.
 */
export async function blankUnset(ctx: MailCtx, moved: readonly MovedContent[]): Promise<void> {
  const { results } = await ctx.mail.prepare(FIND_SET).bind(JSON.stringify(moved)).all<{ n: number }>();
  const set = new Set(results.map(({ n }) => n));
  const unset = moved.filter(({ n }) => !set.has(n));
  for (const [key, contents] of Map.groupBy(unset, (content) => content.key)) await blank(ctx, key, contents);
}

async function blank(ctx: MailCtx, key: string, contents: readonly MovedContent[]): Promise<void> {
  await rewritePack(ctx, key, (bytes) => {
    for (const { offset, size } of contents) bytes.fill(SPACE, offset, offset + size);
    return bytes;
  });
}

const SPACE = 0x20;

/** A part of a pack, in bytes. */
interface PackRange {
  offset: number;
  size: number;
}

/** Replaces all of a pack by spaces, except the ranges that emails name. Throws ConcurrencyError when it changed meanwhile. */
export async function blankExcept(ctx: Pick<Ctx, "env">, key: string, named: readonly PackRange[]): Promise<void> {
  await rewritePack(ctx, key, (bytes) => {
    const kept = new Uint8Array(bytes.byteLength).fill(SPACE);
    for (const { offset, size } of named) kept.set(bytes.subarray(offset, offset + size), offset);
    return kept;
  });
}

async function rewritePack(
  { env }: Pick<Ctx, "env">,
  key: string,
  change: (bytes: Uint8Array) => Uint8Array,
): Promise<void> {
  const object = await env.CONTENT.get(key);
  if (!object) return;
  const bytes = change(new Uint8Array(await object.arrayBuffer()));
  const put = await env.CONTENT.put(key, bytes, { onlyIf: { etagMatches: object.etag } });
  if (put === null) throw new ConcurrencyError();
}
