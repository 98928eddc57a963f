import type { Ctx } from "../context.ts";

/** SQL expression of the random end of a UUIDv7, after `idPrefix`. For ids of rows that a statement generates. */
export const ID_SUFFIX_SQL = "lower(substr(hex(randomblob(2)), 1, 3) || '-' || hex(randomblob(6)))";

/** Returns the first 20 characters of a UUIDv7 of the current time. */
export const idPrefix = (ctx: Pick<Ctx, "newId">): string => ctx.newId().slice(0, 20);
