import { utf8Length } from "../../lib/bytes.ts";
import { conflict } from "../../lib/errors.ts";
import { dayOf } from "../../lib/time.ts";
import type { Ctx, WorkspaceCtx } from "../context.ts";
import { r2Keys } from "../db/r2-keys.ts";
import { repeatObjectCall } from "../db/repeat-object-call.ts";
import type { Steps } from "../jobs/turns.ts";
import { FULL_ROW_BYTES, ROW_BYTES } from "./rules.ts";

/** Responses above ROW_BYTES: R2 stores their text, since many workspaces share a database, and the row of the Idempotency-Key names the object. */

/** Objects of one R2 list or delete call (R2 limits), and calls of one run. The next run continues. */
const OBJECTS_PER_STEP = 1_000;
const MAX_STEPS = 20;

/** Returns the greatest response that a row of the main database has itself, in bytes. */
export const mainRowBytes = ({ workspace, settings }: WorkspaceCtx): number =>
  workspace.mainSize >= settings.mainLimit ? FULL_ROW_BYTES : ROW_BYTES;

/**
 * Returns what the row of a key has for the text of a response: the text of up to `rowBytes`, or the name of the object that it was stored
 * in. The object is written first: without its row, after a crash or a lost race, it expires by its key as the others do.
 */
export async function toStored(ctx: WorkspaceCtx, text: string, rowBytes = ROW_BYTES): Promise<string> {
  if (utf8Length(text) <= rowBytes) return text;
  const [day, id] = [dayOf(ctx.now()), ctx.newId()];
  await repeatObjectCall(() => ctx.env.CONTENT.put(r2Keys.response(day, ctx.workspace.number, id), text));
  return `object.${day}.${id}`;
}

/** Returns the text of a response of `toStored`. Throws 409 when its object is gone, as after the erasure of a person. */
export async function fromStored(ctx: WorkspaceCtx, stored: string): Promise<string> {
  // Earlier versions stored long responses in rows named `parts`.
  if (!/^(object|parts)\./.test(stored)) return stored;
  const [, day, id = ""] = stored.split(".");
  const key = r2Keys.response(Number(day), ctx.workspace.number, id);
  const object = await repeatObjectCall(() => ctx.env.CONTENT.get(key));
  if (!object) throw conflict("The response to this Idempotency-Key is no longer stored");
  return object.text();
}

/** Returns the prefixes of the stored responses of a workspace: of the days that have some, and one more on each side for clocks that differ. */
export function responsePrefixes(workspace: number, now: number): string[] {
  return [-2, -1, 0, 1].map((days) => r2Keys.response(dayOf(now) + days, workspace, ""));
}

/** Deletes objects of responses older than 24 hours, also those that no row names. */
export async function* deleteExpiredObjects(ctx: Ctx): Steps {
  for (let step = 0; step < MAX_STEPS; step++) {
    // The oldest days are first.
    const { objects } = await ctx.env.CONTENT.list({ prefix: r2Keys.responses, limit: OBJECTS_PER_STEP });
    const keys = objects.map(({ key }) => key).filter((key) => Number(key.split("/")[1]) < dayOf(ctx.now()) - 1);
    if (keys.length > 0) await ctx.env.CONTENT.delete(keys);
    if (keys.length < OBJECTS_PER_STEP) return;
    yield;
  }
}
