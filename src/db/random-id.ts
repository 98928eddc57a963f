import type { Ctx } from "../context.ts";

/** SQL for the random end of a UUIDv7, behind the beginning that `idHead` gives: for rows that a statement makes. */
export const ID_TAIL = "lower(substr(hex(randomblob(2)), 1, 3) || '-' || hex(randomblob(6)))";

/** The beginning of an id of this moment. */
export function idHead(ctx: Pick<Ctx, "newId">): string {
  return ctx.newId().slice(0, 20);
}
