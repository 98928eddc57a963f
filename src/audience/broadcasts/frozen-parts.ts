import { utf8Length } from "../../lib/bytes.ts";
import { LiquidTextError } from "../../lib/liquid/text.ts";
import type { MailCtx } from "../../platform/context.ts";
import { type BodyParts, NO_PARTS, readParts } from "../../sending/templates/index.ts";
import { partNames } from "./contents.ts";
import type { BroadcastRow } from "./queries.ts";
import { limits } from "./rules.ts";
import type { VariantRow } from "./variants/queries.ts";

/**
 * Returns the parts of a broadcast as they are now: one D1 call when it renders templates, none otherwise. Throws LiquidTextError, also
 * when they are more than a row holds.
 */
export async function currentParts(
  ctx: Pick<MailCtx, "db">,
  row: BroadcastRow,
  variants: readonly VariantRow[],
): Promise<BodyParts> {
  const parts = await readParts(ctx, row.workspace, partNames(row, variants));
  const size = utf8Length(JSON.stringify(parts));
  if (size <= limits.contentBytes) return parts;
  const message = `the templates that it renders are ${size.toLocaleString("en")} bytes as JSON; the limit is ${limits.contentBytes.toLocaleString("en")}`;
  throw new LiquidTextError({ line: 1, column: 1, part: null, message });
}

const FREEZE = "INSERT INTO broadcast_parts (broadcast, workspace, parts) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
const READ = "SELECT parts FROM broadcast_parts WHERE broadcast = ?1";

/**
 * Returns the parts of a broadcast that is sent: those of the first call, whatever becomes of the templates. Runs at the same time get
 * the same ones. Throws LiquidTextError.
 */
export async function frozenParts(
  ctx: MailCtx,
  row: BroadcastRow,
  variants: readonly VariantRow[],
): Promise<BodyParts> {
  if (partNames(row, variants).length === 0) return NO_PARTS;
  const read = async () => (await ctx.mail.prepare(READ).bind(row.n).first<{ parts: string }>())?.parts;
  const frozen = await read();
  if (frozen !== undefined) return JSON.parse(frozen) as BodyParts;
  const parts = JSON.stringify(await currentParts(ctx, row, variants));
  await ctx.mail.prepare(FREEZE).bind(row.n, row.workspace, parts).run();
  return JSON.parse((await read()) ?? parts) as BodyParts;
}
