import { drizzle } from "drizzle-orm/d1";
import type { Ctx } from "../context.ts";

/** The typed query builder, for reads and for writes of single rows. Sets are written as SQL. */
export function orm(ctx: Pick<Ctx, "db">) {
  return drizzle(ctx.db);
}

/** The database of the big mail tables (emails, changes, outbox, roll-ups): one door, so that it can move. */
export function mailDb(ctx: Pick<Ctx, "db">): D1Database {
  return ctx.db;
}
