import { mailboxStore } from "../../mailboxes/mailbox-store/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { r2Keys } from "../../platform/db/r2-keys.ts";

/** Objects of one R2 list or delete call (R2 limits). */
const OBJECTS_PER_CALL = 1_000;

/** Deletes up to 1,000 objects of each prefix of keys; the mail of a mailbox with the record of it. Returns true when none is left. */
export async function deleteObjects(ctx: Ctx, prefixes: string | readonly string[]): Promise<boolean> {
  let isDone = true;
  for (const prefix of [prefixes].flat()) isDone = (await deletePrefix(ctx, prefix)) && isDone;
  return isDone;
}

async function deletePrefix(ctx: Ctx, prefix: string): Promise<boolean> {
  const { objects, truncated } = await ctx.env.CONTENT.list({ prefix, limit: OBJECTS_PER_CALL });
  if (objects.length > 0) await ctx.env.CONTENT.delete(objects.map(({ key }) => key));
  const [, mailboxId] = prefix.startsWith(r2Keys.mailboxes) ? prefix.split("/") : [];
  if (!truncated && mailboxId) await mailboxStore(ctx, mailboxId).destroy();
  return !truncated;
}

/** Deletes these objects, 1,000 a call. A missing object is not an error. Returns true. */
export async function deleteKeys(ctx: Ctx, keys: string[]): Promise<boolean> {
  for (let at = 0; at < keys.length; at += OBJECTS_PER_CALL) {
    await ctx.env.CONTENT.delete(keys.slice(at, at + OBJECTS_PER_CALL));
  }
  return true;
}
